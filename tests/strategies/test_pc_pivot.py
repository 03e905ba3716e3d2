"""PC-Pivot: pivoting and refinement, beside literal versions and by hand."""

from itertools import combinations

import numpy as np
import plain
import pytest
from asking import batches, voted
from hypothesis import given
from hypothesis import strategies as st
from paper import paper_resolution

from askwise import SimulatedCrowd, UncertainGraph, cluster
from askwise.clustering import Partition
from askwise.clustering.numbering import shuffled
from askwise.clustering.operations import Estimates, Shares, operations
from askwise.clustering.pivot import pivot, pivoted
from askwise.clustering.subgraph import Subgraph
from askwise.strategies.pc_pivot import PCPivot, sides
from askwise.strategies.unasked import all_unasked_between


@given(plain.drawn_graphs(8, 16, plain.TENTHS), st.integers(0, 9))
def test_pivoting_is_literal(drawn: plain.Drawn, seed: int) -> None:
    nodes, edges = drawn
    everyone = np.arange(nodes, dtype=np.int32)
    free = shuffled(everyone, seed).tolist()
    matches = {frozenset((u, v)) for u, v, p in edges if p > 0.5}
    expected = set()
    while free:
        taken = frozenset([free[0], *(other for other in free if frozenset((free[0], other)) in matches)])
        expected.add(taken)
        free = [other for other in free if other not in taken]
    labels = pivoted(Subgraph(UncertainGraph(range(nodes), edges), everyone), seed).tolist()
    assert {frozenset(i for i in range(nodes) if labels[i] == label) for label in labels} == expected


@pytest.mark.parametrize("listed", [False, True])
@given(drawn=plain.drawn_graphs(7, 12, plain.TENTHS), data=st.data())
def test_operations_have_the_literal_benefit_and_cost(listed: bool, drawn: plain.Drawn, data: st.DataObject) -> None:
    nodes, edges = drawn
    candidates = [pair for pair in combinations(range(nodes), 2) if sum(pair) % 3] if listed else None
    graph = UncertainGraph(range(nodes), edges, candidates)
    owners = data.draw(st.lists(st.integers(0, 2), min_size=nodes, max_size=nodes))
    labels = np.array([owners.index(owner) for owner in owners], np.int32)
    share = {(u, v): p for u, v, p in edges}
    mean = sum(share.values()) / len(share) if share else 0.5

    def value_and_cost(u: int, v: int) -> tuple[float, int]:
        pair = (min(u, v), max(u, v))
        if pair in share:
            return 2 * share[pair] - 1, 0
        if candidates is not None and pair not in candidates:
            return -1.0, 0
        return 2 * mean - 1, 1

    everyone = np.arange(nodes, dtype=np.int32)
    found = operations(Shares(graph, everyone, Estimates(graph)), labels)
    for one, two, merge, benefit, cost in zip(
        found.one, found.two, found.is_merge, found.benefit, found.cost, strict=True
    ):
        members = np.flatnonzero(labels == two).tolist()
        others = np.flatnonzero(labels == one).tolist() if merge else [int(one)]
        parts = [value_and_cost(u, v) for u in others for v in members if u != v]
        assert benefit == pytest.approx(sum(part[0] for part in parts) * (1 if merge else -1), abs=1e-9)
        assert cost == sum(part[1] for part in parts)
    splits = {int(record) for record, merge in zip(found.one, found.is_merge, strict=True) if not merge}
    assert splits == {i for i in range(nodes) if owners.count(owners[i]) > 1}


def test_refinement_by_hand() -> None:
    # {A, B, C} by pivoting on B; then C splits off, because 1 - 2 * 0.6 + 1 - 2 * 0.1 = 0.6 is positive.
    graph = UncertainGraph("ABC", [("A", "B", 0.9), ("B", "C", 0.6), ("A", "C", 0.1)])
    everyone = np.arange(3, dtype=np.int32)
    seed = next(seed for seed in range(50) if shuffled(everyone, seed)[0] == 1)
    assert pivoted(Subgraph(graph, everyone), seed).tolist() == [0, 0, 0]
    found = operations(Shares(graph, everyone), np.zeros(3, np.int32))
    assert found.benefit.tolist() == pytest.approx([-(0.8 - 0.8), -(0.8 + 0.2), -(0.2 - 0.8)])
    assert found.cost.tolist() == [0, 0, 0]
    assert set(cluster(graph, "pivot", seed)) == {frozenset("AB"), frozenset("C")}


def test_a_unanimous_yes_counts_in_full() -> None:
    # All said that X is R and X is Y; R and Y are no candidates, f = 0. Splitting R off gains (1 - 2) + (1 - 0) = 0.
    resolution = paper_resolution("RXY", [("R", "X"), ("X", "Y")], strategy="pc_pivot", clustering="pivot")
    resolution.add_votes(voted("R", "X", 5, 5) + voted("X", "Y", 5, 5))
    everyone = np.arange(3, dtype=np.int32)
    found = operations(Shares(resolution.graph, everyone), np.zeros(3, np.int32))
    assert found.benefit.tolist() == [0.0, -2.0, 0.0]


def test_what_was_set_aside_does_not_end_the_refinement() -> None:
    """Operations whose missing pairs nobody could answer do not stand in the way of those that can be asked."""
    gold = {record: record // 6 for record in range(24)}
    for seed in range(20):
        chance = np.random.default_rng(seed)
        crowd = SimulatedCrowd(gold, 0.3, 3, seed)
        resolution = paper_resolution(gold, strategy="pc_pivot", clustering="pivot", seed=seed)
        for questions in batches(resolution, 20):
            answered = [question for question in questions if chance.random() < 0.8]
            resolution.add_votes(crowd.ask(answered))
            resolution.set_aside(questions)
        graph, everyone = resolution.graph, np.arange(24, dtype=np.int32)
        labels = pivot(Subgraph(graph, everyone), seed)
        found = operations(Shares(graph, everyone, Estimates(graph)), labels)
        for at in np.flatnonzero((found.benefit > 0) & (found.cost > 0)).tolist():
            assert all_unasked_between(graph, *sides(found, at, labels))[0].size == 0


def test_refinement_asks_by_benefit_for_each_question() -> None:
    # Pairs A-B and C-D match, A-C too; B-C was a NO. Merging {A, B} and {C, D} is estimated with the mean share.
    resolution = paper_resolution("ABCD", strategy="pc_pivot", clustering="pivot", seed=0)
    crowd = SimulatedCrowd({"A": 1, "B": 1, "C": 1, "D": 1}, error=0.0, votes=3)
    for questions in batches(resolution, 10):
        resolution.add_votes(crowd.ask(questions))
    assert list(resolution.clustering) == [frozenset("ABCD")]
    assert 0 < resolution.asked < 6  # the pivot's three pairs say it all


def test_pivots_with_separate_neighbours_are_asked_together() -> None:
    stars = [(0, 1), (0, 2), (3, 4), (3, 5)]
    graph = UncertainGraph(range(6), candidates=stars)
    everyone = np.arange(6, dtype=np.int32)
    seed = next(seed for seed in range(500) if set(shuffled(everyone, seed)[:2].tolist()) == {0, 3})
    questions = PCPivot(graph, Partition(graph, "pivot", seed), seed).select(10)
    assert {(question.left, question.right) for question in questions} == set(stars)


def test_pivots_that_could_swallow_each_other_are_not() -> None:
    graph = UncertainGraph(range(6))
    order = shuffled(np.arange(6, dtype=np.int32), 0)
    questions = PCPivot(graph, Partition(graph, "pivot"), 0).select(100)
    assert len(questions) == 5
    assert all(order[0] in (question.left, question.right) for question in questions)


def test_estimates_follow_the_scores() -> None:
    pairs = list(combinations(range(30), 2))
    scored = [(u, v, 0.9 if (u + v) % 2 else 0.1) for u, v in pairs]
    edges = [(u, v, 0.8 if score > 0.5 else 0.2) for u, v, score in scored[:200]]
    graph = UncertainGraph(range(30), edges, scored)
    estimates = Estimates(graph)
    score = graph.candidates.score
    assert score is not None
    numbers = np.arange(len(pairs), dtype=np.int32)
    assert estimates.of(numbers) == pytest.approx(np.where(score > 0.5, 0.8, 0.2), abs=0.01)
