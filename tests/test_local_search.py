"""First-link, best-link and vote against literal versions; local search ends where nothing helps."""

import math
from itertools import combinations

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import UncertainGraph, cluster, log_likelihood
from askwise.clustering import LOCAL_SEARCHES, Partition
from askwise.clustering.labels import shuffled


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
            if sums and max(sums) > 1e-9:
                chosen = clusters[sums.index(max(sums))]
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
    row = graph.rows_of(np.array([u], np.int32), np.array([v], np.int32))
    partition.update(graph.set_evidence(row, np.array([data.draw(plain.TENTHS)])))
    assert partition.clustering() == cluster(graph, f"scc+{search}")


def test_one_move_by_hand() -> None:
    # SCC joins A and B first (0.8 before 0.7) and cannot undo it when C and D pull B over.
    edges = [("A", "B", 0.8), ("B", "C", 0.7), ("B", "D", 0.7), ("C", "D", 0.75), ("A", "C", 0.2), ("A", "D", 0.2)]
    graph = UncertainGraph("ABCD", edges)
    assert set(cluster(graph)) == {frozenset("AB"), frozenset("CD")}
    assert set(cluster(graph, "scc+one-move")) == {frozenset("A"), frozenset("BCD")}
