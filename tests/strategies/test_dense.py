"""DENSE and bDENSE: rho beside the formula, where it is largest, and the pairs that are left to ask there."""

import math
import random
from itertools import combinations

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, UncertainGraph
from askwise.clustering import Partition
from askwise.evidence.majority import majority
from askwise.kernels.picking import pick
from askwise.strategies.dense import BDense, smallest, weakest_sets
from askwise.strategies.unasked import all_unasked_between


def literal_rho(one: set[int], two: set[int], edges: list[plain.Edge]) -> float:
    """The formula of the paper's appendix, factor by factor."""

    def ratio(chosen: list[float]) -> float:
        return math.prod((1 - q) / q for q in chosen)

    positive = [(u, v, p) for u, v, p in edges if p > 0.5]
    outside = [
        [p for u, v, p in positive if (u in side) != (v in side) and not ({u, v} & other)]
        for side, other in ((one, two), (two, one))
    ]
    between = [p for u, v, p in edges if ({u, v} & one) and ({u, v} & two)]
    no = ratio([1 - p for p in between if p < 0.5])
    yes = ratio([p for p in between if p > 0.5])
    return ratio(outside[0]) * ratio(outside[1]) * min(no, yes)


@given(plain.drawn_graphs(8, 16, plain.TENTHS))
def test_rho_is_the_formula(drawn: plain.Drawn) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    partition = Partition(graph)
    sets = weakest_sets(graph, partition)
    seen = set()
    for at, cost in enumerate(sets.cost):
        one, two = (set(side.tolist()) for side in sets.members(at))
        assert math.exp(-cost) == pytest.approx(literal_rho(one, two, edges))
        seen.add(frozenset((frozenset(one), frozenset(two))))
    clusters = list(partition.clustering())
    # One merge less than records in each cluster, and every two clusters with something asked between them.
    linked = {
        frozenset((a, b))
        for a, b in combinations(clusters, 2)
        if any((u in a and v in b) or (u in b and v in a) for u, v, _ in edges)
    }
    assert linked <= seen
    assert len(sets.cost) == nodes - len(clusters) + len(linked)


@given(plain.drawn_graphs(7, 12, plain.TENTHS), st.integers(0, 5))
def test_bdense_asks_where_rho_is_largest(drawn: plain.Drawn, seed: int) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    partition = Partition(graph)
    questions = BDense(graph, partition, seed).select(100)
    asked = {(u, v) for u, v, _ in edges}
    clusters = [set(found) for found in partition.clustering()]
    sets = weakest_sets(graph, partition)
    considered = [tuple(set(side.tolist()) for side in sets.members(at)) for at in range(sets.cost.size)]
    considered += list(combinations(clusters, 2))
    open_sets = [
        (one, two) for one, two in considered if any((min(u, v), max(u, v)) not in asked for u in one for v in two)
    ]
    assert bool(questions) == bool(open_sets)
    if questions:
        largest = max(literal_rho(one, two, edges) for one, two in open_sets)
        assert 10 ** questions[0].gain == pytest.approx(largest)
        assert any(
            {questions[0].left, questions[0].right} & one and {questions[0].left, questions[0].right} & two
            for one, two in open_sets
            if literal_rho(one, two, edges) == pytest.approx(largest)
        )
        assert BDense(graph, partition, seed).select(1)[0].gain == pytest.approx(questions[0].gain)
    pairs = [(question.left, question.right) for question in questions]
    assert len(set(pairs)) == len(pairs)
    assert not set(pairs) & asked


@given(plain.drawn_graphs(8, 16, plain.TENTHS), st.integers(1, 30), st.booleans(), st.randoms())
def test_unasked_pairs_of_sets_are_those_of_a_plain_loop(
    drawn: plain.Drawn, k: int, listed: bool, chance: random.Random
) -> None:
    nodes, edges = drawn
    asked = [(u, v) for u, v, _ in edges]
    others = [pair for pair in combinations(range(nodes), 2) if pair not in asked]
    graph = UncertainGraph(range(nodes), edges, asked + others[::2] if listed else None)
    aside = chance.sample(others, min(2, len(others)))
    graph.mark_asked(np.array([pair[0] for pair in aside], np.int32), np.array([pair[1] for pair in aside], np.int32))
    sets = weakest_sets(graph, Partition(graph))
    order = np.array(chance.sample(range(sets.cost.size + 1), sets.cost.size + 1))
    pairs = {}
    for at in order.tolist():
        if at == sets.cost.size:
            u, v = -2, -1  # stands for a pair that was drawn
        else:
            one, two = sorted(sets.members(at), key=len)
            u, v = pick(one, two, np.uint64(0), graph.askable)
            if u < 0:
                continue
        pairs[u, v] = at
    for at in order.tolist():
        if at < sets.cost.size:
            left, right = all_unasked_between(graph, *sets.members(at))
            for pair in zip(left.tolist(), right.tolist(), strict=True):
                pairs.setdefault(pair, at)
    drawn_pair = np.array([-2], np.int32), np.array([-1], np.int32)
    found = zip(*(part.tolist() for part in sets.unasked(graph, k, order, drawn_pair, 0)), strict=True)
    assert list(found) == [(*pair, at) for pair, at in pairs.items()][:k]
    assert not graph.chosen.any()


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 12), st.randoms())
def test_smallest_with_ties(values: list[int], k: int, chance: random.Random) -> None:
    ties = np.array(chance.sample(range(100), len(values)), np.float64)
    found = smallest(k, np.array(values, np.float64), ties)
    assert found.tolist() == np.lexsort((ties, np.array(values)))[:k].tolist()


def test_dense_by_hand_the_appendix_example_ties() -> None:
    # With vote shares in place of 0.9: rho is 0.3 / 0.7 for C1 and C2 as for C3 and C4.
    edges = [("A", "B", 0.8), ("C", "D", 0.8), ("E", "F", 0.8), ("G", "H", 0.8)]
    edges += [("A", "C", 0.3), ("B", "D", 0.6), ("E", "G", 0.3), ("F", "H", 0.7)]
    edges += [(one, two, 0.01) for one in "ABCD" for two in "EFGH"]
    graph = UncertainGraph("ABCDEFGH", edges)
    sets = weakest_sets(graph, Partition(graph))
    rho = {
        "".join(sorted(graph.records.ids[i] for side in sets.members(at) for i in side)): math.exp(-cost)
        for at, cost in enumerate(sets.cost)
    }
    assert rho["ABCD"] == pytest.approx(0.3 / 0.7)
    assert rho["EFGH"] == pytest.approx(0.3 / 0.7)
    assert max(rho, key=lambda name: rho[name]) in ("ABCD", "EFGH")


def test_majority_evidence() -> None:
    yes, no = np.array([3, 2, 1, 0], np.float64), np.array([2, 3, 1, 0], np.float64)
    assert majority(yes, no)[:3].tolist() == pytest.approx([0.9, 0.1, 0.5])
    assert np.isnan(majority(yes, no)[3])


def test_dense_asks_one_at_a_time() -> None:
    assert len(Resolution(range(9), strategy="dense", evidence="majority").next_questions(5)) == 1
    assert len(Resolution(range(9), strategy="bdense", evidence="majority").next_questions(5)) == 5
