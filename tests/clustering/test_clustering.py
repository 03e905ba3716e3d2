"""SCC against the paper's formula in exact arithmetic; closure; clusterings as values; locality."""

import math
from fractions import Fraction
from itertools import combinations

import networkx
import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Clustering, UncertainGraph, cluster, log_likelihood
from askwise.arrays import Int32s
from askwise.clustering import CLUSTERERS, Partition
from askwise.clustering.registry import Clusterer
from askwise.clustering.subgraph import Subgraph
from askwise.errors import UnknownNameError


@given(plain.drawn_graphs(8, 20, plain.TENTHS))
def test_scc_is_the_formula_ties_included(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    exact = [(u, v, Fraction(round(10 * p), 10)) for u, v, p in edges]
    assert set(cluster(UncertainGraph(range(nodes), edges))) == plain.scc(range(nodes), exact)


@given(plain.drawn_graphs(7, 14, plain.PROBABILITIES))
def test_scc_is_the_formula_for_any_probability(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    edges = [(u, v, round(p, 3)) for u, v, p in edges]
    exact = [(u, v, Fraction(str(p))) for u, v, p in edges]
    assert set(cluster(UncertainGraph(range(nodes), edges))) == plain.scc(range(nodes), exact)


def test_a_tie_between_different_factors_is_a_tie() -> None:
    """0.9 : 0.1 is 9, and so is (0.6 : 0.4) * (0.6 : 0.4) * (0.8 : 0.2): a tie, and the smaller records win."""
    edges = [(1, 2, 0.99), (3, 4, 0.99), (0, 1, 0.9), (1, 3, 0.6), (2, 3, 0.6), (2, 4, 0.8), (0, 3, 0.1), (0, 4, 0.1)]
    exact = [(u, v, Fraction(str(p))) for u, v, p in edges]
    expected = {frozenset([0, 1, 2]), frozenset([3, 4])}
    assert plain.scc(range(5), exact) == expected
    assert set(cluster(UncertainGraph(range(5), edges))) == expected
    # Turned round, the other merge has the smaller records.
    turned = [(4 - v, 4 - u, p) for u, v, p in edges]
    assert set(cluster(UncertainGraph(range(5), turned))) == {frozenset([0, 1, 2, 3]), frozenset([4])}


@given(plain.drawn_graphs(9, 20, plain.TENTHS))
def test_closure_is_connected_components(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    positive = networkx.Graph([(u, v) for u, v, p in edges if p > 0.5])
    positive.add_nodes_from(range(nodes))
    expected = {frozenset(part) for part in networkx.connected_components(positive)}
    assert set(cluster(UncertainGraph(range(nodes), edges), "closure")) == expected


@pytest.mark.parametrize("method", sorted(CLUSTERERS))
@given(drawn=plain.drawn_graphs(10, 25, plain.TENTHS), data=st.data())
def test_only_touched_components_change(method: str, drawn: tuple[int, list[plain.Edge]], data: st.DataObject) -> None:
    """Changing one pair clusters again only what it touches, and the result is that of clustering everything."""
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    partition = Partition(graph, method)
    u, v = sorted(data.draw(st.lists(st.integers(0, nodes - 1), min_size=2, max_size=2, unique=True)))
    before = {(a, b) for a, b, p in graph.edges if p > 0.5}
    row = graph.mark_asked(np.array([u], np.int32), np.array([v], np.int32))
    moved = partition.update(graph.set_evidence(row, np.array([data.draw(plain.TENTHS)])))
    assert partition.clustering() == cluster(graph, method)
    touching = networkx.Graph([*before, *((a, b) for a, b, p in graph.edges if p > 0.5)])
    touching.add_nodes_from(range(nodes))
    allowed = networkx.node_connected_component(touching, u) | networkx.node_connected_component(touching, v)
    assert set(moved.tolist()) <= allowed
    assert partition.count == len(partition.clustering())
    for root in set(partition.label.tolist()):
        members = partition.members(root)
        assert members.tolist() == np.flatnonzero(partition.label == root).tolist()


@pytest.mark.parametrize("method", sorted(CLUSTERERS))
@given(data=st.data())
def test_any_changes_one_after_the_other(method: str, data: st.DataObject) -> None:
    """Evidence that comes, changes and goes: after each change the result is that of clustering everything."""
    pairs = list(combinations(range(6), 2))
    graph = UncertainGraph(range(6))
    partition = Partition(graph, method)
    for _ in range(data.draw(st.integers(1, 12))):
        chosen = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=4, unique=True))
        p = [data.draw(st.one_of(st.just(math.nan), plain.TENTHS)) for _ in chosen]
        rows = graph.mark_asked(*np.array(chosen, np.int32).T.copy())
        partition.update(graph.set_evidence(rows, np.array(p)))
        assert partition.clustering() == cluster(graph, method)


def test_a_no_between_clusters_moves_nothing() -> None:
    """SCC would give the same clusters; the components are one, so another clusterer has to look."""
    graph = UncertainGraph(range(4), [(0, 1, 0.9), (2, 3, 0.9), (1, 2, 0.6), (0, 2, 0.1)])
    partitions = [Partition(graph), Partition(graph, "minmax")]
    looked = [0, 0]
    for at, partition in enumerate(partitions):
        found = partition.clusterer

        def counted(some: Subgraph, seed: int, at: int = at, found: Clusterer = found) -> Int32s:
            looked[at] += 1
            return found(some, seed)

        partition.clusterer = counted
    rows = graph.set_evidence(graph.mark_asked(np.array([1], np.int32), np.array([3], np.int32)), np.array([0.3]))
    for partition in partitions:
        assert partition.update(rows).size == 0
    assert looked == [0, 1]


@given(plain.drawn_graphs(6, 12, plain.PROBABILITIES))
def test_log_likelihood(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    found = cluster(graph)
    expected = sum(np.log(p) if found.labels[u] == found.labels[v] else np.log(1 - p) for u, v, p in edges)
    assert log_likelihood(graph, found) == pytest.approx(float(expected), abs=1e-9)


def test_large_graph_whole_and_in_parts() -> None:
    """Thousands of records, all at once and as they come: the same clusters."""
    chance = np.random.default_rng(5)
    size = 3000
    pairs = {tuple(sorted(pair)) for pair in chance.integers(0, size, (6000, 2)).tolist() if pair[0] != pair[1]}
    edges = [(u, v, float(chance.choice([0.1, 0.3, 0.4, 0.6, 0.8]))) for u, v in sorted(pairs)]
    whole = cluster(UncertainGraph(range(size), edges))
    graph = UncertainGraph(range(size))
    partition = Partition(graph)
    for part in range(0, len(edges), 500):
        u, v, p = zip(*edges[part : part + 500], strict=True)
        rows = graph.mark_asked(np.array(u, np.int32), np.array(v, np.int32))
        partition.update(graph.set_evidence(rows, np.array(p)))
    assert partition.clustering() == whole


def test_clusterings_are_values() -> None:
    graph = UncertainGraph("ABC", [("A", "B", 0.9)])
    found = cluster(graph)
    assert isinstance(found, Clustering)
    assert len(found) == 2
    assert found.labels == {"A": 0, "B": 0, "C": 1}
    assert frozenset("AB") in found
    assert found == cluster(UncertainGraph("CBA", [("B", "A", 0.7)]))
    assert found != cluster(UncertainGraph("ABC"))
    assert found != "clusters"
    assert hash(found) == hash(cluster(UncertainGraph("ABC", [("A", "B", 0.7)])))
    assert repr(found) == "Clustering(3 records in 2 clusters)"


def test_unknown_method() -> None:
    with pytest.raises(UnknownNameError, match="'scd' is not known; choose one of: best_link, closure"):
        cluster(UncertainGraph("AB"), "scd")
