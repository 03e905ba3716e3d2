"""Rules as people write them: about fields, from files; what is no rule; candidates that keep rules."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import pytest
from ruled import PEOPLE, keeps

from askwise import Resolution, ScoredPairs, Vote, candidates
from askwise.errors import InputError, RecordError, RuleError, UnknownNameError
from askwise.rules import Step, as_rules, read_rules


def listed(pairs: ScoredPairs) -> set[tuple[int, int]]:
    return {(u + 1, v + 1) for u, v in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)}


def test_rules_by_field() -> None:
    yes = [Vote(u, v, n, True) for u, v in combinations(range(1, 5), 2) for n in range(5)]
    assert frozenset({1, 2, 3, 4}) in Resolution(PEOPLE, votes=yes).clustering
    resolution = Resolution(PEOPLE, votes=yes, rules=["differs:country"])
    assert keeps(resolution, [(1, 2, True), (1, 3, False)])
    resolution = Resolution(PEOPLE, rules=["equal:isbn"])
    assert keeps(resolution, [(1, 5, True), (3, 4, True)])
    resolution = Resolution(PEOPLE, rules=["no-duplicates:crm", "no-duplicates:shop"])
    resolution.add_votes([Vote(u, v, n, True) for u, v in combinations(range(1, 6), 2) for n in range(5)])
    assert keeps(resolution, [(1, 2, False), (3, 4, False), (3, 5, False), (4, 5, False)])
    with pytest.raises(RuleError, match=r"1 = 5 \(equal:isbn\), but 1 ≠ 5 \(differs:country\)"):
        Resolution(PEOPLE, rules=["equal:isbn", "differs:country"])


def test_candidates_respect_links_and_rules() -> None:
    assert (1, 2) in listed(candidates(PEOPLE))
    across = {(1, 3), (1, 4), (2, 3), (2, 4)}
    assert listed(candidates(PEOPLE, links="across")) == across
    assert listed(candidates(PEOPLE, links=[("shop", "shop")])) == {(3, 4)}
    assert listed(candidates(PEOPLE, links=[("crm", "crm"), ("shop", "crm")])) == {(1, 2), *across}
    assert listed(candidates(PEOPLE, rules=["no-duplicates:crm"])) == {*across, (3, 4)}
    assert listed(candidates(PEOPLE, rules=["differs:country"])) == {(1, 2), (1, 4), (2, 4), (3, 4)}
    assert listed(candidates(PEOPLE, rules=[(1, 2, False)])) == {*across, (3, 4)}
    assert listed(candidates(PEOPLE, keys=["name"], links="across")) == across
    with pytest.raises(UnknownNameError, match=r"source 'x' does not exist; choose from: crm, shop"):
        candidates(PEOPLE, links=[("x", "crm")])
    with pytest.raises(InputError, match="is not a pair of sources"):
        candidates(PEOPLE, links=["crm"])
    with pytest.raises(InputError, match="does not say where records are from"):
        candidates([{"unique_id": 1, "name": "a"}], links="across")


def test_a_source_without_duplicates_has_better_neighbours() -> None:
    """What may not be linked takes no place among the neighbours."""
    rows = [{"unique_id": n, "source_dataset": "a", "name": f"the same long name {n % 2}"} for n in range(60)]
    rows.append({"unique_id": 60, "source_dataset": "b", "name": "the same long name 0"})
    pairs = candidates(rows, neighbours=1, links="across")
    assert set(pairs.right.tolist()) == {60}
    assert len(pairs) > 30


def test_rules_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "vetoes.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("unique_id_l", "unique_id_r", "label"), (1, 2, "different"), (3, 4, 1)])
    rule = read_rules(path)
    assert (rule.name, len(rule.pairs)) == ("vetoes.csv", 2)
    people = [{**row, "unique_id": str(row["unique_id"])} for row in PEOPLE]
    assert keeps(Resolution(people, rules=[str(path)]), [("1", "2", False), ("3", "4", True)])
    assert as_rules([path]) == [rule]
    path.write_text("unique_id_l,unique_id_r,label\n1,2,\n", encoding="utf-8")
    with pytest.raises(RuleError, match=r"vetoes.csv line 2: a rule must say"):
        read_rules(path)
    path.write_text("unique_id_l,unique_id_r,label\n1,9,0\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"vetoes.csv, pair 1: record '9' is not among the 5"):
        Resolution(people, rules=[path])


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        (["equal:"], "names no field"),
        (["same:name"], "is not a rule; rules are: equal:FIELD"),
        ([("a", "b")], "is not a rule"),
        ([(1, 2, "yes")], "is not a rule"),
        (["equal:colour"], "column 'colour' does not exist; choose from: source_dataset, name"),
        (["no-duplicates:web"], "source 'web' does not exist; choose from: crm, shop"),
    ],
)
def test_what_is_no_rule(rules: list[object], what: str) -> None:
    with pytest.raises(InputError, match=what):
        Resolution(PEOPLE, rules=rules)


def test_rules_about_fields_need_fields() -> None:
    with pytest.raises(RuleError, match="about a field, but the records have none"):
        Resolution("abc", rules=["equal:isbn"])
    assert str(Step("a", "b", True, "equal:isbn")) == "'a' = 'b' (equal:isbn)"
