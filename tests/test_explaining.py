"""Explanations: the parts add up to what the clustering goes by, and the path between two records is the strongest."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from itertools import combinations, pairwise, permutations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, UncertainGraph, Vote
from askwise.demo.customers import customers
from askwise.errors import PairError, RecordError
from askwise.evidence import MODELS
from askwise.evidence.parts import FIELD, START, Part
from askwise.explaining import Explanation, strongest_path

WORKERS: list[Hashable] = ["ann", "bob", "cem", ("model", 0), ("model", 1), "always yes"]


def asked(resolution: Resolution, gold: Mapping[Any, int], seed: int) -> Resolution:
    """The same after some rounds of questions, with workers who err, and one whose votes are probabilities."""
    chance = np.random.default_rng(seed)
    for _ in range(8):
        votes = []
        for one in resolution.next_questions(6):
            right = gold[one.left] == gold[one.right]
            for worker in chance.permutation(len(WORKERS))[: chance.integers(1, 5)].tolist():
                label: bool | float = worker == 5 or bool(right ^ (chance.random() < 0.15))
                votes.append(Vote(one.left, one.right, WORKERS[worker], 0.75 * label + 0.1 if worker == 2 else label))
        resolution.add_votes(votes)
    return resolution


def all_explained(resolution: Resolution) -> list[Explanation]:
    """Explanations of all pairs; their parts add up, and the log-odds are those of the graph."""
    graph, found = resolution.graph, []
    for left, right in combinations(graph.records.ids, 2):
        one = resolution.explain(left, right)
        total = sum(part.odds for part in one.parts)
        if one.log_odds is None:
            assert not one.parts
            assert graph.p(left, right) is None
        elif math.isinf(one.log_odds):
            assert total == one.log_odds
            assert one.rules
        else:
            p = graph.p(left, right)
            assert p is not None
            assert abs(total - one.log_odds) < 1e-9
            assert abs(one.log_odds - (math.log(p) - math.log1p(-p))) < 1e-9
            assert one.probability == pytest.approx(p)
        clusters = resolution.clustering.labels
        assert one.together == (clusters[left] == clusters[right])
        found.append(one)
    return found


@pytest.mark.parametrize("evidence", sorted(MODELS))
@pytest.mark.parametrize("kind", ["fields", "scores", "ids"])
def test_the_parts_add_up(kind: str, evidence: str) -> None:
    example = customers(24, 8)
    scored = example.candidates if kind == "scores" else None
    records = example.table if kind == "fields" else example.table.ids
    resolution = asked(Resolution(records, scored, evidence=evidence, most_votes=3), example.gold, 1)
    found = all_explained(resolution)
    kinds = {part.kind for one in found for part in one.parts}
    learns = evidence in ("auto", "scores") and kind != "ids"
    assert "vote" in kinds
    assert ("neighbours" in kinds) is learns
    assert ("start" in kinds) is learns
    names = {part.name for one in found for part in one.parts if part.kind == "field"}
    assert names >= ({*example.table.compared, "whole record"} if kind == "fields" and learns else set())
    assert ("score" in names) is learns


def test_rules_and_decisions_are_named() -> None:
    example = customers(24, 8)
    ids, gold = list(example.gold), example.gold
    same = next(pair for pair in combinations(ids, 2) if gold[pair[0]] == gold[pair[1]])
    other = next(record for record in ids if gold[record] != gold[same[0]])
    resolution = asked(Resolution(example.table, rules=[(*same, True), (same[1], other, False)]), gold, 2)
    one, two = [record for record in ids if record not in (*same, other)][:2]
    resolution.decide([(one, two, False)])
    all_explained(resolution)
    found = resolution.explain(same[0], other)
    assert found.log_odds == -math.inf
    assert [(step.left, step.right, step.same) for step in found.rules] == [(*same, True), (same[1], other, False)]
    assert "By rules: " in str(found)
    assert f"≠ {other!r} (pairs)" in str(found)
    assert resolution.explain(one, two).rules[0].rule == "decision"
    plain = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert plain["log_odds"] is None
    assert plain["rules"][1] == {"left": same[1], "right": other, "same": False, "rule": "pairs"}
    with pytest.raises(RecordError, match="'nobody' is not among"):
        resolution.explain(ids[0], "nobody")
    with pytest.raises(PairError, match="with itself"):
        resolution.explain(ids[0], ids[0])


def test_votes_are_named_by_worker() -> None:
    resolution = Resolution("abc", evidence="ratio")
    resolution.add_votes([Vote("a", "b", "ann", True), Vote("a", "b", "bob", False), Vote("a", "b", "bob", True)])
    parts = resolution.explain("b", "a").parts
    assert [(part.kind, part.name) for part in parts] == [("vote", "ann"), ("vote", "bob")]
    assert parts[0].odds == pytest.approx(math.log(99))
    assert parts[1].odds == 0.0
    found = resolution.explain("a", "c")
    assert found.log_odds is None
    nothing = "Nothing is known about this pair itself: it has no votes, and no machine rated it."
    assert str(found) == f"a and c are apart.\n{nothing}"


def test_fields_that_say_nothing_are_not_printed() -> None:
    parts = Part(START, "", 0.0), Part(FIELD, "name", 1.5), Part(FIELD, "phone", 0.0001)
    said = str(Explanation("a", "b", True, 1.5001, parts, (), (), ()))
    assert "prior" in said
    assert "name" in said
    assert "phone" not in said


@given(st.data())
def test_the_path_is_the_strongest(data: st.DataObject) -> None:
    """Its weakest link is that of the best of all paths, and none with that link is shorter."""
    size = data.draw(st.integers(2, 6))
    weight = st.sampled_from([None, 0.1, 0.4, 0.6, 0.8, 0.95])
    p = {pair: data.draw(weight) for pair in combinations(range(size), 2)}
    graph = UncertainGraph(range(size), [(*pair, value) for pair, value in p.items() if value is not None])

    def strength(path: tuple[int, ...]) -> float:
        found = [p[min(pair), max(pair)] for pair in pairwise(path)]
        return min(-1.0 if value is None else value for value in found)

    inner = [other for other in range(size) if other not in (0, size - 1)]
    paths = [(0, *some, size - 1) for count in range(size - 1) for some in permutations(inner, count)]
    best = max(map(strength, paths))
    shortest = min(len(path) for path in paths if strength(path) == best)
    found = strongest_path(graph, np.arange(size, dtype=np.int32), 0, size - 1)
    if best < 0.0:
        assert found == []
        return
    assert [found[0][0], found[-1][1]] == [0, size - 1]
    assert all(one[1] == two[0] for one, two in pairwise(found))
    assert len(found) + 1 == shortest
    assert min(p[min(u, v), max(u, v)] or 0.0 for u, v, _ in found) == best


def test_the_chart_has_a_bar_for_each_part() -> None:
    example = customers(24, 8)
    resolution = asked(Resolution(example.table), example.gold, 3)
    left, right = next(pair for pair in combinations(example.gold, 2) if resolution.explain(*pair).log_odds)
    resolution.decide([(left, right, True)])
    found = resolution.explain(left, right)
    drawn = ElementTree.fromstring(found.chart())
    texts = ["".join(one.itertext()) for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}rect"))) == len(found.parts) + 2
    assert {"certain", "decision", "log-odds", "prior"} <= set(texts)


def test_clusters_that_a_rule_keeps_apart() -> None:
    """The pair itself may be the same, but one of the two is with a record that may not be with the other."""
    rows = [{"unique_id": n, "source_dataset": "aab"[n]} for n in range(3)]
    resolution = Resolution(rows, evidence="ratio", rules=["no-duplicates:a"])
    resolution.add_votes([Vote(u, 2, n, n < 6 + u) for u in (0, 1) for n in range(9)])
    found = resolution.explain(0, 2)
    assert found.log_odds is not None
    assert found.log_odds > 0.0
    assert not found.together
    assert not found.rules
    assert [(step.left, step.right, step.rule) for step in found.blocked] == [(0, 1, "no-duplicates:a")]
    assert "Their clusters cannot be joined: 0 ≠ 1 (no-duplicates:a)" in str(found)
