"""Clustering by component: the same as all at once and as plain versions, whatever the number of threads."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, ScoredPairs, UncertainGraph, Vote, cluster
from askwise.arrays import Floats, Int32s
from askwise.clustering import Partition
from askwise.clustering.subgraph import Subgraph
from askwise.components import Components
from askwise.kernels.agglomerate import STRONGEST, SUM, agglomerated
from askwise.kernels.components import KERNIGHAN_LIN, MOVES, ONE_MOVE, divided, merge_each, merge_large
from askwise.kernels.partition import not_alone, positive_parts

Pairs = tuple[int, Int32s, Int32s, Floats]
FREE = np.empty((0, 0), np.int32)  # no rules
LEVELS = st.sampled_from([-3.0, -1.0, -0.5, 0.25, 0.5, 1.0, 3.0])


def drawn(size: int, edges: list[plain.Edge]) -> Pairs:
    edges = sorted(edges)
    left, right, weight = ([edge[at] for edge in edges] for at in range(3))
    return size, np.array(left, np.int32), np.array(right, np.int32), np.array(weight, np.float64)


def many_components(records: int, seed: int) -> Pairs:
    """Pairs near each other with weights of a few levels, so that ties abound: components of one record to hundreds."""
    chance = np.random.default_rng(seed)
    one = chance.integers(0, records, 4 * records)
    two = (one + chance.integers(1, 6, one.size)).clip(0, records - 1)
    keys = np.unique((one * records + two)[one != two])
    weight = chance.choice([-3.0, -1.0, -0.5, 0.5, 1.0, 3.0], keys.size, p=[0.35, 0.15, 0.15, 0.15, 0.1, 0.1])
    return records, (keys // records).astype(np.int32), (keys % records).astype(np.int32), weight


def plain_merging(pairs: Pairs, missing: float = 0.0) -> list[int]:
    """Merge the two clusters with the largest positive sum between them, the smallest names first, word for word.

    A pair that is not there counts -`missing`.
    """
    size, left, right, weight = pairs
    given = dict(zip(zip(left.tolist(), right.tolist(), strict=True), weight.tolist(), strict=True))
    label = list(range(size))
    while True:
        sums: dict[tuple[int, int], float] = {}
        for u, v in combinations(range(size), 2):
            a, b = sorted((label[u], label[v]))
            if a != b:
                sums[a, b] = sums.get((a, b), 0.0) + given.get((u, v), -missing)
        best = max(sums, key=lambda two: (sums[two], -two[0], -two[1]), default=None)
        if best is None or sums[best] <= 0.0:
            return label
        label = [best[0] if name == best[1] else name for name in label]


@given(graph=plain.drawn_graphs(9, 25, LEVELS))
def test_merging_is_literal(graph: plain.Drawn) -> None:
    pairs = drawn(*graph)
    assert Components(*pairs).merged(SUM).tolist() == plain_merging(pairs)


@given(graph=plain.drawn_graphs(12, 40, LEVELS), missing=st.sampled_from([0.125, 0.5, 2.0]))
def test_pairs_that_are_not_there_can_speak_against_merging(graph: plain.Drawn, missing: float) -> None:
    size, left, right, weight = pairs = drawn(*graph)
    expected = plain_merging(pairs, missing)
    assert Components(*pairs).merged(SUM, missing).tolist() == expected
    parts = divided(positive_parts(*pairs), left, right, weight)
    labels = np.arange(size, dtype=np.int32)
    merge_large(0, parts[1].size - 1, parts, SUM, missing, 0, FREE, labels)  # with lists and a heap
    assert labels.tolist() == expected


@pytest.mark.parametrize("linkage", [SUM, STRONGEST])
@given(graph=plain.drawn_graphs(14, 60, st.one_of(LEVELS, st.floats(-2, 2))))
def test_tables_and_lists_merge_alike(linkage: int, graph: plain.Drawn) -> None:
    size, left, right, weight = pairs = drawn(*graph)
    parts = divided(positive_parts(*pairs), left, right, weight)
    found = []
    for merge, most_dense in ((merge_large, 0), (merge_each, size)):
        labels = np.arange(size, dtype=np.int32)
        merge(0, parts[1].size - 1, parts, linkage, 0.0, most_dense, FREE, labels)
        found.append(labels.tolist())
    assert found[0] == found[1] == agglomerated(*pairs, linkage)[0].tolist()


@pytest.mark.parametrize("linkage", [SUM, STRONGEST])
def test_threads_do_not_matter(linkage: int) -> None:
    pairs = many_components(60_000, 1)
    one, several = (Components(*pairs, threads=threads) for threads in (1, 3))
    labels = one.merged(linkage)
    assert (labels == several.merged(linkage)).all()
    assert (labels == agglomerated(*pairs, linkage)[0]).all()
    for search in (ONE_MOVE, MOVES, KERNIGHAN_LIN):
        improved = one.improved(labels, search)
        assert (improved == several.improved(labels, search)).all()
        assert (improved != labels).any()


@given(graph=plain.drawn_graphs(12, 30, LEVELS))
def test_components_hold_all_that_is_inside(graph: plain.Drawn) -> None:
    size, left, right, weight = pairs = drawn(*graph)
    part = positive_parts(*pairs)
    members, member_starts, place, one, two, weights, pair_starts = divided(part, left, right, weight)
    expected = [sorted(group) for group in plain.parts(range(size), [(u, v) for u, v, w in graph[1] if w > 0])]
    several = sorted(group for group in expected if len(group) > 1)
    found = [members[a:b].tolist() for a, b in pairwise(member_starts.tolist())]
    assert found == several
    assert all(place[node] == at for group in several for at, node in enumerate(group))
    for group, a, b in zip(several, pair_starts[:-1].tolist(), pair_starts[1:].tolist(), strict=True):
        inside = sorted(edge for edge in graph[1] if edge[0] in group and edge[1] in group)
        assert list(zip(one[a:b].tolist(), two[a:b].tolist(), weights[a:b].tolist(), strict=True)) == inside
    company = not_alone(np.arange(size, dtype=np.int32), part, np.zeros(size, np.bool_))
    assert company.tolist() == sorted(node for group in several for node in group)


@given(graph=plain.drawn_graphs(10, 25, plain.TENTHS), seed=st.integers(0, 99))
def test_one_pass_over_all_pairs_finds_what_walking_finds(graph: plain.Drawn, seed: int) -> None:
    size, edges = graph
    order = np.random.default_rng(seed).permutation(len(edges))
    uncertain = UncertainGraph(range(size), [edges[at] for at in order])
    partition = Partition(uncertain)
    nodes = np.arange(size, dtype=np.int32)
    walked, passed = Subgraph(uncertain, nodes), Subgraph(uncertain, nodes, partition.component)
    inside = partition.component[walked.left] == partition.component[walked.right]
    for name in ("left", "right", "weight"):
        assert getattr(passed, name).tolist() == getattr(walked, name)[inside].tolist()


def test_many_changes_at_once_are_a_clustering_from_scratch() -> None:
    size, left, right, weight = many_components(4000, 2)
    p = 1.0 / (1.0 + np.exp(-weight))
    graph = UncertainGraph(range(size), zip(left.tolist(), right.tolist(), p.tolist(), strict=True))
    partition = Partition(graph, "scc+moves")
    before = partition.clustering()
    rows = np.arange(graph.pair_count, dtype=np.int32)
    changed = graph.set_evidence(rows, np.roll(graph.pair_p[rows], 1))
    moved = partition.update(changed)
    assert partition.clustering() == cluster(graph, "scc+moves")
    assert moved.tolist() == np.flatnonzero(_moved(before.roots, partition.label)).tolist()


def _moved(before: Int32s, after: Int32s) -> list[bool]:
    """Whether each record's cluster has other members than it had."""
    groups = [[frozenset(np.flatnonzero(roots == root)) for root in roots.tolist()] for roots in (before, after)]
    return [one != two for one, two in zip(*groups, strict=True)]


@pytest.mark.parametrize("strategy", ["perc", "wise"])
def test_a_fit_over_many_pairs_is_a_rebuild(strategy: str) -> None:
    """Evidence in parts, comparisons counted anew, shortlists in threads: the same as from all votes at once."""
    size, left, right, _ = many_components(70_000, 3)
    chance = np.random.default_rng(0)
    same = left // 3 == right // 3
    pairs = ScoredPairs(list(range(size)), left, right, chance.normal(np.where(same, 0.8, 0.3), 0.15).clip(0, 1))
    asked = chance.choice(left.size, 120, replace=False).tolist()
    votes = [Vote(int(left[at]), int(right[at]), at % 5, bool(same[at])) for at in asked]
    resolution = Resolution(range(size), pairs, strategy)
    for first in range(0, 120, 30):
        resolution.add_votes(votes[first : first + 30])
        resolution.next_questions(20)
    again = Resolution(range(size), pairs, strategy, votes=votes)
    assert again.clustering == resolution.clustering
    assert (again.graph.pair_p == resolution.graph.pair_p).all()
    assert again.next_questions(50) == resolution.next_questions(50)
