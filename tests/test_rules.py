"""Rules: nothing ever breaks one; contradictions are found, with their chains; decisions give way to later ones."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites import PAIRS, served
from sites import PEOPLE as SITE_PEOPLE

from askwise import Project, Resolution, ScoredPairs, Table, UncertainGraph, Vote, candidates, cluster, reliability
from askwise.arrays import Int32s
from askwise.clustering import CLUSTERERS, LOCAL_SEARCHES, Partition
from askwise.components import Components
from askwise.errors import InputError, RecordError, RuleError, UnknownNameError
from askwise.kernels.components import KERNIGHAN_LIN, MOVES, ONE_MOVE
from askwise.kernels.partition import by_smallest
from askwise.project.queue import miscounted
from askwise.project.values import ordered
from askwise.records import Records
from askwise.rules import Constraints, Contradiction, Step, as_rules, read_rules
from askwise.rules.decisions import standing
from askwise.strategies import STRATEGIES
from askwise.web.snapshot import Snapshot

METHODS = [f"{first}{search}" for first in CLUSTERERS for search in ("", *(f"+{name}" for name in LOCAL_SEARCHES))]
PairRule = tuple[int, int, bool]
IdRule = tuple[Hashable, Hashable, bool]
Columns = list[list[int | None]]
RuleSet = tuple[int, list[PairRule], Columns, Columns]


class Drawn:
    """A graph with evidence and rules that contradict nothing: they are what a hidden clustering has."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.size = draw(st.integers(2, 8))
        entity = draw(st.lists(st.integers(0, 3), min_size=self.size, max_size=self.size))
        rules = draw(st.integers(0, 2))
        known = st.lists(st.booleans(), min_size=self.size, max_size=self.size)
        columns = [[entity[at] if seen else -1 for at, seen in enumerate(draw(known))] for _ in range(rules)]
        self.values: Int32s = np.array(columns, np.int32).reshape(rules, self.size).T.copy()
        pairs = list(combinations(range(self.size), 2))
        kinds = st.sampled_from(["none", "evidence", "evidence", "rule"])
        self.graph = UncertainGraph(range(self.size), values=self.values)
        self.fixed: dict[tuple[int, int], bool] = {}
        for u, v in pairs:
            kind = draw(kinds)
            if kind == "none":
                continue
            row = self.graph.mark_asked(np.array([u], np.int32), np.array([v], np.int32))
            if kind == "rule":
                self.fixed[u, v] = entity[u] == entity[v]
                self.graph.fix(row, 1 if entity[u] == entity[v] else -1)
            p = draw(st.sampled_from([0.05, 0.3, 0.5, 0.6, 0.9, 0.99]))
            self.graph.set_evidence(row, np.array([p]))

    def broken(self, label: Int32s) -> list[tuple[int, int]]:
        """The pairs of which a clustering breaks a rule."""
        pairs = [(u, v) for (u, v), same in self.fixed.items() if bool(label[u] == label[v]) is not same]
        return pairs + [
            (u, v)
            for column in self.values.T
            for u, v in combinations(range(self.size), 2)
            if label[u] == label[v] and -1 != column[u] != column[v] != -1
        ]


@st.composite
def drawn_graphs(draw: st.DrawFn) -> Drawn:
    return Drawn(draw)


@given(drawn_graphs(), st.integers(0, 3))
def test_no_clusterer_and_no_local_search_breaks_a_rule(drawn: Drawn, seed: int) -> None:
    for method in METHODS:
        label = cluster(drawn.graph, method, seed).roots
        assert not drawn.broken(label), method


@given(drawn_graphs())
def test_scc_with_rules_is_plain_merging_that_refuses(drawn: Drawn) -> None:
    graph, label = drawn.graph, list(range(drawn.size))
    for (u, v), same in drawn.fixed.items():
        if same:
            label = [label[u] if name == label[v] else name for name in label]
    weight = {
        (int(graph.pair_u[row]), int(graph.pair_v[row])): graph.pair_weight[row] for row in range(graph.pair_count)
    }

    def allowed(one: int, two: int) -> bool:
        joined = np.array([one if name == two else name for name in label], np.int32)
        return not [item for item in drawn.broken(joined) if item not in drawn.broken(np.array(label, np.int32))]

    while True:
        sums: dict[tuple[int, int], float] = {}
        for u, v in combinations(range(drawn.size), 2):
            one, two = sorted(min(at for at in range(drawn.size) if label[at] == label[end]) for end in (u, v))
            if label[u] != label[v]:
                sums[one, two] = sums.get((one, two), 0.0) + weight.get((u, v), 0.0)
        open_ones = {two: total for two, total in sums.items() if allowed(label[two[0]], label[two[1]])}
        best = max(open_ones, key=lambda two: (round(open_ones[two] * 2**30), -two[0], -two[1]), default=None)
        if best is None or round(open_ones[best] * 2**30) <= 0:
            break
        label = [label[best[0]] if name == label[best[1]] else name for name in label]
    expected = {frozenset(at for at in range(drawn.size) if label[at] == name) for name in label}
    assert set(cluster(graph, "scc")) == expected


@given(drawn_graphs())
def test_large_components_are_merged_like_small_ones(drawn: Drawn) -> None:
    """With lists and a heap, as with a table of all pairs."""
    from askwise.clustering.subgraph import Subgraph
    from askwise.kernels.agglomerate import SUM
    from askwise.kernels.components import MOST_DENSE, divided, merge_each, merge_large
    from askwise.kernels.partition import positive_parts

    some = Subgraph(drawn.graph, np.arange(drawn.size, dtype=np.int32))
    part = positive_parts(drawn.size, some.left, some.right, some.weight)
    parts = divided(part, some.left, some.right, some.weight)
    found = []
    for merge, most_dense in ((merge_large, 0), (merge_each, MOST_DENSE)):
        labels = np.arange(drawn.size, dtype=np.int32)
        merge(0, parts[1].size - 1, parts, SUM, 0.0, most_dense, some.values, labels)
        found.append(labels.tolist())
    assert found[0] == found[1]


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Random rules on a few records, most of which contradict each other: pairs, and fields for both kinds of rules."""
    size = draw(st.integers(2, 9))
    end = st.integers(0, size - 1)
    pairs = draw(st.lists(st.tuples(end, end, st.booleans()).filter(lambda pair: pair[0] != pair[1]), max_size=8))
    column = st.lists(st.sampled_from([None, None, 1, 2, 3]), min_size=size, max_size=size)
    return size, pairs, draw(st.lists(column, max_size=2)), draw(st.lists(column, max_size=2))


def constraints_of(drawn: RuleSet) -> Constraints:
    size, pairs, equal, differs = drawn
    fields = {f"e{at}": column for at, column in enumerate(equal)} | {
        f"d{at}": column for at, column in enumerate(differs)
    }
    table = Table.read({"unique_id": list(range(size)), **fields})
    by_field = [f"{'equal' if name[0] == 'e' else 'differs'}:{name}" for name in fields]
    return Constraints.of(Records(range(size)), [*by_field, *pairs], table)


def plain_rules(
    drawn: RuleSet,
) -> tuple[set[tuple[int, int, str]], set[tuple[int, int, str]]]:
    """Every two records that a rule holds together, and that a rule holds apart, each with the rule."""
    size, pairs, equal, differs = drawn
    together = {(u, v, "pairs") for u, v, same in pairs if same}
    apart = {(u, v, "pairs") for u, v, same in pairs if not same}
    for u, v in combinations(range(size), 2):
        for at, column in enumerate(equal):
            if column[u] is not None and column[u] == column[v]:
                together.add((u, v, f"equal:e{at}"))
        for at, column in enumerate(differs):
            if column[u] is not None and column[v] is not None and column[u] != column[v]:
                apart.add((u, v, f"differs:d{at}"))
    return together, apart


def plain_groups(size: int, together: Iterable[tuple[int, int, str]]) -> list[int]:
    group = list(range(size))
    for u, v, _ in together:
        group = [group[u] if name == group[v] else name for name in group]
    return group


def check_chain(found: Contradiction, together: set[tuple[int, int, str]], apart: set[tuple[int, int, str]]) -> None:
    """A chain goes from one record to the next by rules that are there, and its ends are those that differ."""
    both = together | {(v, u, name) for u, v, name in together}
    steps = found.chain
    assert all((step.left, step.right, step.rule) in both and step.same for step in steps)
    assert all(one.right == two.left for one, two in pairwise(steps))
    assert (steps[0].left, steps[-1].right) == (found.but.left, found.but.right)
    assert not found.but.same
    ends = found.but.left, found.but.right
    assert {(*ends, found.but.rule), (*ends[::-1], found.but.rule)} & apart


@given(rule_sets())
def test_every_contradiction_is_found_with_its_chain(
    drawn: RuleSet,
) -> None:
    constraints = constraints_of(drawn)
    together, apart = plain_rules(drawn)
    group = plain_groups(drawn[0], together)
    wrong = {(group[u], name) for u, v, name in apart if group[u] == group[v]}
    found = constraints.contradictions()
    assert {(group[int(str(one.but.left))], one.but.rule) for one in found} == wrong
    named = [pair for pair in drawn[1] if not pair[2] and group[pair[0]] == group[pair[1]]]
    assert sum(one.but.rule == "pairs" for one in found) == len(named)
    for one in found:
        check_chain(one, together, apart)
    if wrong:
        with pytest.raises(RuleError, match=r"contradict each other: .* but .* ≠ "):
            constraints.check()
        return
    constraints.check()
    for u, v in combinations(range(drawn[0]), 2):
        differ = any({group[one], group[two]} == {group[u], group[v]} for one, two, _ in apart)
        expected = 1 if group[u] == group[v] else -1 if differ else 0
        assert constraints.settled(np.array([u], np.int32), np.array([v], np.int32)).tolist() == [expected]
        why = constraints.chains.why(u, v)
        assert bool(why) == bool(expected)
        if why:
            assert sum(not step.same for step in why) == (expected < 0)
            assert (why[0].left, why[-1].right) == (u, v)
            for step in why:
                assert {(step.left, step.right, step.rule), (step.right, step.left, step.rule)} & (
                    together if step.same else apart
                )


def test_hundreds_of_random_rules_on_many_records() -> None:
    """Long chains: each contradiction has one, and every step of it is a rule."""
    chance = np.random.default_rng(4)
    ends = chance.integers(0, 200, (600, 2))
    said = chance.random(600) < 0.4
    pairs = [(int(u), int(v), bool(same)) for (u, v), same in zip(ends, said, strict=True) if u != v]
    found = Constraints.of(Records(range(200)), pairs).contradictions()
    together, apart = ({(u, v, "pairs") for u, v, same in pairs if same is kind} for kind in (True, False))
    group = plain_groups(200, together)
    assert len(found) == sum(group[u] == group[v] for u, v, same in pairs if not same) > 100
    assert max(len(one.chain) for one in found) > 3
    for one in found:
        check_chain(one, together, apart | {(v, u, name) for u, v, name in apart})


@given(rule_sets(), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.booleans()), max_size=8))
def test_later_decisions_count_before_earlier_ones(drawn: RuleSet, decisions: list[PairRule]) -> None:
    size = drawn[0]
    decisions = [one for one in decisions if one[0] != one[1] and max(one[:2]) < size]
    constraints = constraints_of(drawn)
    if constraints.contradictions():
        return
    together, apart = plain_rules(drawn)
    expected = []
    for u, v, same in reversed(decisions):  # one after the other, tried with all that counts so far
        (together if same else apart).add((u, v, "decision"))
        group = plain_groups(size, together)
        expected.append(not any(group[one] == group[two] for one, two, _ in apart))
        if not expected[-1]:
            (together if same else apart).discard((u, v, "decision"))
    ends = np.array(decisions, np.int32).reshape(len(decisions), 3).T
    assert standing(constraints.groups, ends[0], ends[1], ends[2] > 0).tolist() == expected[::-1]


def keeps(resolution: Resolution, rules: Sequence[IdRule]) -> bool:
    label = resolution.clustering.labels
    return all((label[left] == label[right]) is same for left, right, same in rules)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_no_votes_break_a_rule(strategy: str) -> None:
    """Twenty workers say the opposite of every rule; and no strategy asks what rules say."""
    rules: list[tuple[Hashable, Hashable, bool]] = [
        ("a", "b", True),
        ("b", "c", False),
        ("d", "e", True),
        ("a", "e", False),
    ]
    evidence = "auto" if strategy in ("wise", "random") else "ratio"
    resolution = Resolution("abcdef", strategy=strategy, evidence=evidence, rules=rules)
    votes = [Vote(left, right, f"w{n}", not same) for left, right, same in rules for n in range(20)]
    votes += [Vote("a", other, f"w{n}", True) for other in "cdef" for n in range(20)]
    resolution.add_votes(votes)
    assert keeps(resolution, rules)
    assert resolution.clustering.labels["a"] == resolution.clustering.labels["f"]
    named = {frozenset(pair[:2]) for pair in rules}
    for _ in range(15):
        questions = resolution.next_questions(2)
        assert not named & {frozenset((question.left, question.right)) for question in questions}
        resolution.add_votes([Vote(one.left, one.right, "w", True) for one in questions])
        assert keeps(resolution, rules)


@given(st.data())
def test_votes_and_decisions_one_by_one_and_at_once(data: st.DataObject) -> None:
    """A partition that is kept up to date is that of clustering everything, with rules and decisions that change."""
    end = st.integers(0, 5)
    pair = st.tuples(end, end).filter(lambda two: two[0] < two[1])
    entity = data.draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
    rules = [(u, v, entity[u] == entity[v]) for u, v in data.draw(st.lists(pair, max_size=3))]
    resolution = Resolution(range(6), evidence="ratio", rules=rules)
    made: dict[tuple[int, int], bool | None] = {}
    for _ in range(data.draw(st.integers(1, 6))):
        u, v = data.draw(pair)
        if data.draw(st.booleans()):
            resolution.add_votes([Vote(u, v, data.draw(st.sampled_from("xyz")), data.draw(st.booleans()))])
        else:
            made[u, v] = data.draw(st.sampled_from([True, False, None]))
            resolution.decide([(u, v, made[u, v])])
        fresh = Partition(resolution.graph, "scc+moves", 0)
        assert (fresh.label == resolution.partition.label).all()
        all_made = {(u, v, same) for (u, v), same in made.items() if same is not None}
        decided = all_made - set(resolution.overruled)
        assert len(decided) + len(resolution.overruled) == len(all_made)
        assert keeps(resolution, [*rules, *decided])


def test_a_decision_outweighs_any_number_of_pairs() -> None:
    """Four sure pairs could outweigh it when it was a weight."""
    resolution = Resolution("abcdef", evidence="ratio")
    left, right = "abc", "def"
    votes = [Vote(u, v, n, True) for u, v in [*product(left, right), *combinations(left, 2)] for n in range(9)]
    resolution.add_votes(votes)
    assert len(resolution.clustering) == 1
    resolution.decide([("a", "f", False)])
    assert not keeps(resolution, [("a", "f", True)])
    resolution.decide([("a", "d", True), ("d", "f", True)])  # by a chain the opposite: the later two count
    assert keeps(resolution, [("a", "f", True)])
    assert resolution.overruled == [("a", "f", False)]
    resolution.decide([("d", "f", None)])
    assert resolution.overruled == []
    assert keeps(resolution, [("a", "f", False), ("a", "d", True)])


def test_gold_questions_hold_like_rules() -> None:
    resolution = Resolution("abc", evidence="ratio", gold=[("a", "b", False)])
    resolution.add_votes([Vote(u, v, n, True) for u, v in combinations("abc", 2) for n in range(9)])
    assert keeps(resolution, [("a", "b", False)])
    with pytest.raises(RuleError, match=r"'a' = 'b' \(gold question\), 'b' = 'c' .* but 'a' ≠ 'c' \(pairs\)"):
        Resolution("abc", rules=[("a", "c", False)], gold=[("a", "b", True), ("b", "c", True)])


PEOPLE = [
    {"unique_id": 1, "source_dataset": "crm", "name": "Anna Miller", "country": "DE", "isbn": "1"},
    {"unique_id": 2, "source_dataset": "crm", "name": "Anna Miller", "country": "de ", "isbn": None},
    {"unique_id": 3, "source_dataset": "shop", "name": "Anna Miller", "country": "FR", "isbn": "2"},
    {"unique_id": 4, "source_dataset": "shop", "name": "Anna  Miller", "country": None, "isbn": "2"},
    {"unique_id": 5, "source_dataset": "shop", "name": "Bert Jones", "country": "FR", "isbn": "1"},
]


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


def test_settled_candidates_are_not_asked() -> None:
    resolution = Resolution(PEOPLE, rules=["no-duplicates:shop", (1, 2, True)])
    asked = []
    while questions := resolution.next_questions(1):
        asked += [frozenset((one.left, one.right)) for one in questions]
        resolution.set_aside(questions)
    assert resolution.to_ask == 0
    assert {1, 2} not in asked
    assert {3, 4} not in asked
    assert resolution.asked == len(asked) > 0


def test_a_decision_that_a_rule_forbids_is_refused_with_the_rule(tmp_path: Path) -> None:
    page, form = "/pair?left=a1&right=a2", {"left": "a1", "right": "a2", "answer": "yes"}
    with served(tmp_path / "project") as site:
        owner = site.owner()
        before = Snapshot(site.project).version
        site.project.add_rules([("a1", "a2", False)])
        assert Snapshot(site.project).version != before
        status, _, body = owner.post("/pair/vote", page, **form)
        assert status == 422
        assert "A rule forbids this" in body
        assert site.project.desk.decision_on("a1", "a2") is None
        site.project.withdraw_rules([1])
        assert owner.post("/pair/vote", page, **form)[0] == 303
        assert "Your decision is saved." in owner.get(page)
        assert site.project.resolution.explain("a1", "a2").rules[0].rule == "decision"
        site.project.add_rules([("a1", "a2", False)])
        assert site.project.resolution.overruled == [("a1", "a2", True)], "a later rule counts before it"


def test_what_follows_from_rules_and_decisions_is_not_asked() -> None:
    """Also where every pair may be asked, and where it follows by way of other records."""
    rows = [{"unique_id": n, "source_dataset": "ab"[n % 2]} for n in range(8)]
    resolution = Resolution(rows, rules=["no-duplicates:a", (1, 3, True)])
    assert not resolution.graph.candidates.listed
    resolution.decide([(5, 7, True), (3, 5, False)])
    asked = []
    while questions := resolution.next_questions(3):
        assert questions == resolution.next_questions(3)
        asked += [frozenset((one.left, one.right)) for one in questions]
        resolution.set_aside(questions)
    settled = {frozenset(pair) for pair in combinations((0, 2, 4, 6), 2)}
    settled |= {frozenset(pair) for pair in [(1, 3), (5, 7), *product((1, 3), (5, 7))]}
    assert set(asked) == {frozenset(pair) for pair in combinations(range(8), 2)} - settled
    assert len(asked) == len(set(asked)) == resolution.asked, "what was decided was not asked"
    assert resolution.to_ask == 0


def test_clusters_that_a_rule_keeps_apart_are_certainly_apart() -> None:
    """However much speaks for the two; one by one and all at once, and in the reliability."""
    rows = [{"unique_id": n, "source_dataset": "aabb"[n]} for n in range(4)]
    votes = [Vote(u, v, n, n < 6) for u, v in [(0, 2), (1, 3), (0, 3)] for n in range(8)]
    plain = Resolution(rows, votes=votes, evidence="ratio")
    assert len(plain.clustering) == 1
    ruled = Resolution(rows, votes=votes, evidence="ratio", rules=["no-duplicates:a", "no-duplicates:b"])
    assert set(ruled.clustering) == {frozenset({0, 2}), frozenset({1, 3})}
    for found in (*ruled.confidences(), ruled.confidence(0), ruled.confidence(3)):
        assert (found.separation, found.nearest) == (1.0, None)
    assert ruled.reliability == pytest.approx(2 * np.log10(6 / 8))
    assert ruled.reliability == pytest.approx(reliability(ruled.graph, ruled.clustering))
    assert ruled.reliability.assumed == 0


@given(st.data())
def test_local_search_from_any_start(data: st.DataObject) -> None:
    """It keeps the rules, and with single moves it ends where no allowed move of a record raises the likelihood."""
    size = data.draw(st.integers(2, 7))
    levels = st.sampled_from([-np.inf, -2.0, -0.5, 0.0, 0.5, 1.0, 3.0, 10.0])
    weight = {pair: data.draw(levels) for pair in combinations(range(size), 2)}
    values = np.array([[data.draw(st.sampled_from([-1, -1, 1, 2]))] for _ in range(size)], np.int32)
    label = np.arange(size, dtype=np.int32)

    def allowed(labels: Int32s) -> bool:
        inside = [pair for pair in weight if labels[pair[0]] == labels[pair[1]]]
        return all(weight[u, v] > -np.inf and {*values[[u, v], 0].tolist()} != {1, 2} for u, v in inside)

    for u, v in data.draw(st.permutations(list(weight))):  # a start that keeps the rules, inside components
        joined = np.where(label == label[v], label[u], label).astype(np.int32)
        if weight[u, v] > 0.0 and allowed(joined) and data.draw(st.booleans()):
            label = joined
    left, right = (np.array([pair[at] for pair in weight], np.int32) for at in (0, 1))
    components = Components(size, left, right, np.array(list(weight.values())), values)
    for search in (ONE_MOVE, MOVES, KERNIGHAN_LIN):
        found = components.improved(by_smallest(label), search)
        assert allowed(found)
        if search == KERNIGHAN_LIN:
            continue
        score = sum(total for (u, v), total in weight.items() if found[u] == found[v])
        for node, to in product(range(size), range(size + 1)):
            moved = found.copy()
            moved[node] = to
            if allowed(moved):
                after = sum(total for (u, v), total in weight.items() if moved[u] == moved[v])
                assert after <= score + 1e-6


def test_a_move_that_another_has_made_impossible() -> None:
    """Two records want into the same cluster, which may have one of them, and know nothing of each other."""
    left, right = np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32)
    values = np.array([[-1], [-1], [1], [2]], np.int32)
    components = Components(4, left, right, np.array([10.0, 3.0, 2.0]), values)
    start = np.array([0, 0, 2, 3], np.int32)
    for search in (ONE_MOVE, MOVES, KERNIGHAN_LIN):
        assert components.improved(start, search).tolist() == [0, 0, 0, 3]


def test_a_move_that_another_has_made_possible() -> None:
    """A record leaves, and one that could not be with it comes in, though the two know nothing of each other."""
    left, right = np.array([0, 0, 0, 1], np.int32), np.array([1, 2, 3, 2], np.int32)
    values = np.array([[-1], [-1], [1], [2]], np.int32)
    components = Components(4, left, right, np.array([10.0, -3.0, 2.0, 1.0]), values)
    start = np.array([0, 0, 0, 3], np.int32)
    for search in (ONE_MOVE, MOVES):
        assert components.improved(start, search).tolist() == [0, 0, 2, 0]


def test_what_is_queued_is_not_asked_once_a_rule_or_a_decision_settles_it(tmp_path: Path, address: str | None) -> None:
    """Nor what a worker has left lying; but what a steward asks for is asked all the same."""
    with Project.new(tmp_path / "project", SITE_PEOPLE, PAIRS, store=address) as project:
        project.fill()
        assert ("a1", "a2") in project.store.waiting()
        assert {("c1", "c2"), ("b1", "b2")} < set(project.store.waiting())
        held = project.take("ann")
        assert held is not None
        seen = ordered(held.left, held.right)
        others = [pair for pair in [("a1", "a2"), ("b1", "b2"), ("c1", "c2")] if pair != seen][:2]
        project.add_rules([(*seen, True), (*others[0], False)])
        project.decide(*others[1], same=True)
        project.fill()
        assert {seen, *others}.isdisjoint(project.store.waiting())
        with project.store.reading() as connection:
            assert miscounted(connection) == 0
        assert project.answer(held.id, "ann", "yes").label, "who has it may answer it"
        asked = set()
        while (task := project.take("bob")) is not None:
            asked.add(ordered(task.left, task.right))
            project.answer(task.id, "bob", "no")
        assert asked
        assert {seen, *others}.isdisjoint(asked)
        project.ask_more([others[0]], 1)
        project.decide("b1", "c1", same=False)
        project.fill()
        assert others[0] in project.store.waiting(), "a steward wants to know"
        project.withdraw_rules([number for number, _ in project.rules()])
