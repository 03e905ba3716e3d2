"""Connectivity, disconnectivity, reliability and every gain, against enumeration of all possible worlds."""

import math
from itertools import combinations

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Estimate, Resolution, UncertainGraph, connectivity, disconnectivity, reliability
from askwise.arrays import Floats, Int32s
from askwise.errors import PartitionError, RecordError
from askwise.kernels.gains import Effort
from askwise.measures import FLOOR
from askwise.measures.cluster_tree import REPORT, ClusterTree, best_pairs

SAMPLED = Effort(roughness=0.02, most_words=4096, exact_nodes=2)


def tree_of(nodes: int, edges: list[plain.Edge], effort: Effort = REPORT, seed: int = 0) -> ClusterTree:
    graph = UncertainGraph(range(nodes), edges)
    return ClusterTree(graph, np.arange(nodes, dtype=np.int32), seed, effort)


def ranked(graph: UncertainGraph, effort: Effort = REPORT) -> tuple[Int32s, Int32s, Floats]:
    """All unasked pairs, the best first, and their gains, where all records are one cluster."""
    members, starts = np.arange(len(graph), dtype=np.int32), np.array([0, len(graph)])
    return best_pairs(graph, members, starts, 0, effort, 10_000)[1:]


@given(plain.drawn_graphs(7, 12, plain.EXTREMES))
def test_connectivity_is_exact(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    value = connectivity(UncertainGraph(range(nodes), edges), range(nodes))
    assert value.exact
    assert value == pytest.approx(plain.connectivity(range(nodes), edges), abs=1e-9, rel=1e-9)


@given(plain.drawn_graphs(7, 11, plain.PROBABILITIES))
def test_every_gain_is_exact(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    before = plain.connectivity(range(nodes), edges)
    left, right, gains = ranked(UncertainGraph(range(nodes), edges))
    asked = {(u, v) for u, v, _ in edges}
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == set(combinations(range(nodes), 2)) - asked
    assert list(gains) == sorted(gains, reverse=True)
    for u, v, gain in zip(left.tolist(), right.tolist(), gains.tolist(), strict=True):
        after = plain.connectivity(range(nodes), [*edges, (u, v, 1.0)])
        expected = math.log10(after or FLOOR) - math.log10(before or FLOOR)
        assert gain == pytest.approx(expected, abs=1e-9)


@given(plain.drawn_graphs(7, 11, plain.PROBABILITIES), st.lists(st.floats(0.51, 0.99), min_size=6, max_size=6))
def test_gains_inside_are_below_the_log_of_the_records(drawn: tuple[int, list[plain.Edge]], yes: list[float]) -> None:
    """Where a chain of YES majorities joins a cluster, the sum of (1 - p) / p over the chain bounds what is gained."""
    nodes, edges = drawn
    chain = [(u, u + 1, yes[u]) for u in range(nodes - 1)]
    gains = ranked(UncertainGraph(range(nodes), [*edges, *chain]))[2]
    assert (gains <= math.log10(1 + sum((1 - p) / p for _, _, p in chain)) + 1e-9).all()
    assert (gains < math.log10(nodes)).all()


@given(plain.drawn_graphs(6, 10, plain.PROBABILITIES), st.data())
def test_disconnectivity_and_reliability_are_exact(drawn: tuple[int, list[plain.Edge]], data: st.DataObject) -> None:
    nodes, edges = drawn
    owners = data.draw(st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes))
    clusters = [frozenset(i for i in range(nodes) if owners[i] == c) for c in sorted(set(owners))]
    graph = UncertainGraph(range(nodes), edges)
    for one, two in combinations(clusters, 2):
        expected = plain.disconnectivity(one, two, edges)
        assert disconnectivity(graph, one, two) == pytest.approx(expected, abs=1e-9)
    value = reliability(graph, clusters)
    assert value == pytest.approx(plain.reliability(clusters, edges, FLOOR), abs=1e-9)
    nothing = sum(plain.connectivity(cluster, edges) == 0 for cluster in clusters)
    nothing += sum(plain.disconnectivity(one, two, edges) == 0 for one, two in combinations(clusters, 2))
    assert value.assumed == nothing
    assert value.exact == (nothing == 0)


@given(plain.drawn_graphs(7, 12, st.floats(0.3, 0.95)), st.integers(0, 2**32))
def test_sampling_agrees_with_enumeration(drawn: tuple[int, list[plain.Edge]], seed: int) -> None:
    nodes, edges = drawn
    tree = tree_of(nodes, edges, SAMPLED, seed)
    value = tree.connectivity
    truth = plain.connectivity(range(nodes), edges)
    if value.exact:
        assert value == pytest.approx(truth, abs=1e-9)
    else:
        assert abs(value - truth) <= 5 * value.standard_error


def test_sampling_errors_are_as_stated() -> None:
    """Over many seeds, two thirds of the estimates lie within one standard error and nearly all within four."""
    edges = [(u, v, 0.35) for u, v in combinations(range(6), 2)]
    truth = plain.connectivity(range(6), edges)
    effort = Effort(roughness=0.0, most_words=16, exact_nodes=2)
    values = [tree_of(6, edges, effort, seed).connectivity for seed in range(400)]
    distances = np.array([abs(value - truth) / value.standard_error for value in values])
    assert 0.60 < np.mean(distances < 1) < 0.76
    assert np.mean(distances < 4) > 0.995


def test_sampled_gains_agree_with_exact_ones() -> None:
    chance = np.random.default_rng(3)
    pairs = [(u, v) for u, v in combinations(range(9), 2) if chance.random() < 0.5]
    edges = [(u, v, float(chance.uniform(0.4, 0.9))) for u, v in pairs]
    exact = dict(zip(*as_pairs(edges), strict=True))
    rough = Effort(roughness=0.002, most_words=1 << 14, exact_nodes=2)
    sampled = dict(zip(*as_pairs(edges, rough), strict=True))
    assert exact.keys() == sampled.keys()
    for pair, gain in exact.items():
        assert sampled[pair] == pytest.approx(gain, abs=0.005)


def as_pairs(edges: list[plain.Edge], effort: Effort = REPORT) -> tuple[list[tuple[int, int]], list[float]]:
    left, right, gains = ranked(UncertainGraph(range(9), edges), effort)
    return list(zip(left.tolist(), right.tolist(), strict=True)), gains.tolist()


def test_exact_block_of_twelve_agrees_with_sampling() -> None:
    edges = [(u, v, 0.2) for u, v in combinations(range(12), 2)]
    exact, sampled = tree_of(12, edges).connectivity, tree_of(12, edges, SAMPLED).connectivity
    assert exact.exact
    assert not sampled.exact
    assert abs(exact - sampled) < 4 * sampled.standard_error


def test_small_probabilities_keep_their_digits() -> None:
    # A ring of 12 with p = 0.001: 12 p^11 (1 - p) + p^12, where 1 - (sum of all else) would have lost every digit.
    edges = [(i, (i + 1) % 12, 0.001) for i in range(12)]
    truth = 12 * 0.001**11 * 0.999 + 0.001**12
    assert connectivity(UncertainGraph(range(12), edges), range(12)) == pytest.approx(truth, rel=1e-12)


def test_certainties_do_not_overflow() -> None:
    edges = [(u, v, 1.0) for u, v in combinations(range(12), 2)]
    value = connectivity(UncertainGraph(range(12), edges), range(12))
    assert value == pytest.approx(1.0, abs=1e-9)
    assert value <= 1.0


def test_a_tree_is_exact_at_any_size() -> None:
    edges = [(i, i + 1, 0.8) for i in range(29)]
    value = connectivity(UncertainGraph(range(30), edges), range(30))
    assert value.exact
    assert value == pytest.approx(0.8**29, rel=1e-12)


def ring(size: int, p: float) -> tuple[UncertainGraph, float, float]:
    """A ring, the base-10 logarithm of its connectivity, and the gain of its longest chord, by formula."""

    def path(edges: int) -> float:
        """log10 of P(at most one edge missing)."""
        return edges * math.log10(p) + math.log10(1 + edges * (1 - p) / p)

    graph = UncertainGraph(range(size), [(i, (i + 1) % size, p) for i in range(size)])
    return graph, path(size), path(size // 2) + path(size - size // 2) - path(size)


@pytest.mark.parametrize(("size", "p"), [(20, 0.6), (40, 0.6), (100, 0.8), (200, 0.7), (300, 0.5)])
def test_weak_blocks_are_seen_however_weak(size: int, p: float) -> None:
    """Down to 1e-88, where no world drawn as it comes would ever be connected."""
    graph, log_connectivity, best_gain = ring(size, p)
    members = np.arange(size, dtype=np.int32)
    found = ClusterTree(graph, members, 0, REPORT).log_connectivity
    assert not found.exact
    assert found.assumed == 0
    assert 0 < found.standard_error < 0.02
    assert abs(found - log_connectivity) < 4 * found.standard_error
    gains = ranked(graph)[2]
    assert gains[0] == pytest.approx(best_gain, abs=0.05)


@given(plain.drawn_graphs(8, 12, st.floats(0.01, 0.15)), st.integers(0, 2**32))
def test_weak_blocks_agree_with_enumeration(drawn: tuple[int, list[plain.Edge]], seed: int) -> None:
    nodes, edges = drawn
    value = tree_of(nodes, edges, SAMPLED, seed).connectivity
    truth = plain.connectivity(range(nodes), edges)
    assert abs(value - truth) <= 5 * value.standard_error + 1e-9 * truth


def test_a_cluster_without_evidence_has_connectivity_zero() -> None:
    graph = UncertainGraph("ABC", [("A", "B", 0.9)])
    assert connectivity(graph, "ABC") == 0.0
    value = reliability(graph, ["ABC"])
    assert value.assumed == 1
    assert value == pytest.approx(math.log10(FLOOR))


def test_disconnectivity_without_evidence_is_zero() -> None:
    assert disconnectivity(UncertainGraph("AB"), "A", "B") == 0.0


def test_clusters_without_a_candidate_between_them_are_apart() -> None:
    graph = UncertainGraph("ABCD", [("A", "B", 0.2)], candidates=[("A", "B"), ("B", "C")])
    value = reliability(graph, ["A", "B", "C", "D"])
    assert value.assumed == 1  # B and C; nothing can be asked about D
    assert value == pytest.approx(math.log10(0.8) + math.log10(FLOOR))


def test_an_estimate_is_a_number_that_tells_how_it_was_found() -> None:
    assert Estimate(0.5).exact
    assert repr(Estimate(0.5)) == "0.5 (exact)"
    assert repr(Estimate(0.5, 0.01, 2)) == "0.5 (± 0.01, 2 assumed)"
    assert repr(Estimate(0.5, assumed=2)) == "0.5 (2 assumed)"
    assert Estimate(0.25) * 2 == Estimate(0.5, 0.1).value == 0.5


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda graph: connectivity(graph, "AX"), RecordError, "'X'"),
        (lambda graph: connectivity(graph, ""), RecordError, "at least one"),
        (lambda graph: disconnectivity(graph, "AB", "BC"), PartitionError, "'B' is in both"),
        (lambda graph: reliability(graph, ["AB"]), PartitionError, "'C' is in no cluster"),
        (lambda graph: reliability(graph, ["AB", "BC"]), PartitionError, "'B' is in more than one"),
    ],
)
def test_bad_clusters(call: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(UncertainGraph("ABC"))  # type: ignore[operator]


def test_a_large_cluster_of_weak_pairs_has_a_connectivity() -> None:
    """Two thousand records, chance pairs of p around 1/2: far below what a number can hold, and no error."""
    chance = np.random.default_rng(5)
    pairs = {(min(u, v), max(u, v)) for u, v in chance.integers(0, 2000, (5000, 2)).tolist() if u != v}
    pairs |= {(u, u + 1) for u in range(1999)}
    graph = UncertainGraph(range(2000), [(u, v, float(chance.uniform(0.3, 0.7))) for u, v in sorted(pairs)])
    found = connectivity(graph, range(2000))
    assert 0.0 <= found < 1e-20
    resolution = Resolution(range(2000), [(u, v, p) for u, v, p in graph.edges], clustering="closure")
    assert resolution.next_questions(5)
