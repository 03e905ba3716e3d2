"""First-link, best-link and vote against literal versions; local search ends where nothing helps."""

import math
from itertools import combinations

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import UncertainGraph, cluster, log_likelihood
from askwise.arrays import Int32s
from askwise.clustering import LOCAL_SEARCHES, Partition
from askwise.clustering.numbering import shuffled
from askwise.clustering.subgraph import Subgraph
from askwise.components import Components
from askwise.kernels.agglomerate import SUM
from askwise.kernels.blocks import neighbours
from askwise.kernels.components import MOVES, ONE_MOVE
from askwise.kernels.constraints import Values
from askwise.kernels.local_search import Weighted, split_off


@pytest.mark.parametrize("method", ["first_link", "best_link", "vote"])
@given(drawn=plain.drawn_graphs(8, 18, plain.PROBABILITIES), seed=st.integers(0, 9))
def test_linking_is_literal(method: str, drawn: plain.Drawn, seed: int) -> None:
    nodes, edges = drawn
    weight = {frozenset((u, v)): math.log(p / (1 - p)) for u, v, p in edges}
    order = shuffled(np.arange(nodes, dtype=np.int32), seed).tolist()
    clusters: list[list[int]] = []
    for i, node in enumerate(order):
        to = {other: weight.get(frozenset((node, other)), 0.0) for other in order[:i]}
        chosen = None
        if method == "vote":
            sums = [sum(to[other] for other in members) for members in clusters]
            if sums and max(sums) > 1e-9:  # sums that differ by less are equal, and the earlier cluster counts
                chosen = next(members for members, one in zip(clusters, sums, strict=True) if one > max(sums) - 1e-9)
        else:
            matching = [other for other in order[:i] if to[other] > 1e-9]
            if matching:
                best = matching[-1] if method == "first_link" else max(matching, key=lambda other: to[other])
                chosen = next(members for members in clusters if best in members)
        if chosen is None:
            clusters.append([node])
        else:
            chosen.append(node)
    found = cluster(UncertainGraph(range(nodes), edges), method, seed)
    assert set(found) == {frozenset(members) for members in clusters}


def best_neighbour(graph: UncertainGraph, clusters: list[set[int]], joins: bool) -> float:
    """The largest log-likelihood that one move of a record (or one join) away reaches."""
    best = -math.inf
    for record in range(len(graph)):
        for target in range(len(clusters) + 1):
            moved = [members - {record} for members in clusters] + [set()]
            moved[target].add(record)
            best = max(best, log_likelihood(graph, [members for members in moved if members]))
    for one, two in combinations(range(len(clusters)), 2) if joins else ():
        rest = [members for at, members in enumerate(clusters) if at not in (one, two)]
        best = max(best, log_likelihood(graph, [*rest, clusters[one] | clusters[two]]))
    return best


@pytest.mark.parametrize("search", sorted(LOCAL_SEARCHES))
@pytest.mark.parametrize("method", ["scc", "pivot"])
@given(drawn=plain.drawn_graphs(7, 16, plain.PROBABILITIES))
def test_local_search_ends_where_nothing_helps(search: str, method: str, drawn: plain.Drawn) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    before = log_likelihood(graph, cluster(graph, method))
    found = cluster(graph, f"{method}+{search}")
    after = log_likelihood(graph, found)
    assert after >= before - 1e-9
    clusters = [set(members) for members in found]
    assert best_neighbour(graph, clusters, search == "kernighan-lin") <= after + 1e-6  # type: ignore[arg-type]


@pytest.mark.parametrize("search", sorted(LOCAL_SEARCHES))
@given(drawn=plain.drawn_graphs(10, 22, plain.TENTHS), data=st.data())
def test_local_search_is_local_too(search: str, drawn: plain.Drawn, data: st.DataObject) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    partition = Partition(graph, f"scc+{search}")
    u, v = sorted(data.draw(st.lists(st.integers(0, nodes - 1), min_size=2, max_size=2, unique=True)))
    row = graph.mark_asked(np.array([u], np.int32), np.array([v], np.int32))
    partition.update(graph.set_evidence(row, np.array([data.draw(plain.TENTHS)])))
    assert partition.clustering() == cluster(graph, f"scc+{search}")


def test_one_move_by_hand() -> None:
    # SCC joins A and B first (0.8 before 0.7) and cannot undo it when C and D pull B over.
    edges = [("A", "B", 0.8), ("B", "C", 0.7), ("B", "D", 0.7), ("C", "D", 0.75), ("A", "C", 0.2), ("A", "D", 0.2)]
    graph = UncertainGraph("ABCD", edges)
    assert set(cluster(graph)) == {frozenset("AB"), frozenset("CD")}
    assert set(cluster(graph, "scc+one-move")) == {frozenset("A"), frozenset("BCD")}


def test_a_group_is_split_off_where_no_single_record_would_leave() -> None:
    """Two entities of three that were drawn together: each record has two friends with it, and one NO."""
    yes = [(a, b, 0.9) for group in ("abc", "def") for a, b in combinations(group, 2)]
    no = [("a", "d", 0.1), ("b", "e", 0.1), ("c", "f", 0.1)]
    graph = UncertainGraph("abcdef", [*yes, *no, ("a", "e", 0.6)])
    some = Subgraph(graph, np.arange(6, dtype=np.int32))
    together = np.zeros(6, np.int32)
    assert LOCAL_SEARCHES["one-move"](some, together).tolist() == [0] * 6
    assert LOCAL_SEARCHES["moves"](some, together).tolist() == [0, 0, 0, 3, 3, 3]


@given(drawn=plain.drawn_graphs(9, 30, st.integers(-3, 3)), seed=st.integers(0, 9))
def test_splitting_off_is_literal(drawn: plain.Drawn, seed: int) -> None:
    """Each cluster by itself: who gains most by leaving goes first, and the best of these groups stays away."""
    nodes, edges = drawn
    labels = np.random.default_rng(seed).integers(0, min(nodes, 3), nodes).astype(np.int32)
    groups = {label: {node for node in range(nodes) if labels[node] == label} for label in sorted(set(labels.tolist()))}
    weight = {frozenset((u, v)): w for u, v, w in edges}

    def between(one: set[int], two: set[int]) -> float:
        return sum(weight.get(frozenset((u, v)), 0.0) for u in one for v in two)

    expected = []
    for members in groups.values():
        stay, gone, best = set(members), set[int](), (0.0, set[int]())
        while len(stay) > 1:
            rises = {node: between({node}, gone) - between({node}, stay - {node}) for node in stay}
            node = min(stay, key=lambda node: (-rises[node], node))
            stay.remove(node)
            gone.add(node)
            if -between(stay, gone) > best[0]:
                best = -between(stay, gone), set(gone)
        expected += [members - best[1], best[1]]
    left, right, weights = (np.array([edge[at] for edge in edges]) for at in range(3))
    left, right = left.astype(np.int32), right.astype(np.int32)
    found = labels.copy()
    gained = split_off(Weighted(*neighbours(nodes, left, right), left, right, weights.astype(np.float64)), found)
    clusters = [set(np.flatnonzero(found == label).tolist()) for label in set(found.tolist())]
    assert sorted(map(sorted, clusters)) == sorted(sorted(group) for group in expected if group)
    assert gained == (len(clusters) > len(groups))


def best_partition(nodes: int, edges: list[tuple[int, int, float]]) -> float:
    """The largest sum of weights inside clusters, over all partitions."""
    best, labels = 0.0, [0] * nodes

    def place(node: int, used: int, total: float) -> None:
        nonlocal best
        if node == nodes:
            best = max(best, total)
            return
        for label in range(used + 1):
            labels[node] = label
            gain = sum(w for u, v, w in edges if max(u, v) == node and labels[min(u, v)] == label)
            place(node + 1, max(used, label + 1), total + gain)

    place(0, 0, 0.0)
    return best


def inside(edges: list[tuple[int, int, float]], labels: Int32s) -> float:
    return sum(w for u, v, w in edges if labels[u] == labels[v])


def dense(chance: np.random.Generator, nodes: int) -> list[tuple[int, int, float]]:
    return [(u, v, round(chance.normal(), 3)) for u, v in combinations(range(nodes), 2)]


def searched(nodes: int, edges: list[tuple[int, int, float]], values: Values, search: int) -> Int32s:
    edges = sorted(edges)
    left, right = (np.array([edge[side] for edge in edges], np.int32) for side in (0, 1))
    components = Components(nodes, left, right, np.array([edge[2] for edge in edges]), values, threads=1)
    return components.improved(components.merged(SUM), search)


def test_annealing_finds_what_moves_miss() -> None:
    """Random weights on all pairs of eight records: the best of all partitions, in all but a few of sixty cases."""
    chance, free = np.random.default_rng(1), np.empty((8, 0), np.int32)
    missed = {ONE_MOVE: 0, MOVES: 0}
    for _ in range(60):
        edges = dense(chance, 8)
        best = best_partition(8, edges)
        for search in missed:
            found = inside(edges, searched(8, edges, free, search))
            assert found <= best + 1e-9
            missed[search] += found < best - 1e-9
    assert missed[MOVES] <= 4
    assert missed[MOVES] < missed[ONE_MOVE] / 3


@given(st.integers(0, 2**32 - 1))
def test_annealing_never_harms_and_keeps_rules(seed: int) -> None:
    chance = np.random.default_rng(seed)
    nodes = int(chance.integers(3, 12))
    edges = [edge for edge in dense(chance, nodes) if chance.random() < 0.7] or [(0, 1, 1.0)]
    apart = [(u, v, -math.inf if chance.random() < 0.1 else w) for u, v, w in edges]
    values = chance.integers(-1, 3, (nodes, 1)).astype(np.int32)
    found = searched(nodes, apart, values, MOVES)
    assert inside(apart, found) >= inside(apart, searched(nodes, apart, values, ONE_MOVE)) - 1e-9
    for root in np.unique(found):
        held = values[found == root, 0]
        assert np.unique(held[held >= 0]).size <= 1
