"""MinMax: clusters edge by edge, and path scores, beside literal versions; which questions come first."""

import math
from itertools import combinations

import numpy as np
import plain
import pytest
from asking import letters_of, voted
from hypothesis import given
from paper import paper_resolution

from askwise import UncertainGraph, cluster
from askwise.kernels.bottleneck import path_scores


def literal_minmax(nodes: int, edges: list[plain.Edge]) -> set[frozenset[int]]:
    """Edges from the heaviest to the lightest; at one weight the negative first, then the smallest clusters."""
    clusters = [frozenset([node]) for node in range(nodes)]
    apart: set[frozenset[int]] = set()  # pairs of records
    weights = sorted({round(max(p, 1 - p), 9) for _, _, p in edges if p != 0.5}, reverse=True)

    def of(node: int) -> frozenset[int]:
        return next(found for found in clusters if node in found)

    def told_apart(one: frozenset[int], two: frozenset[int]) -> bool:
        return any(frozenset((u, v)) in apart for u in one for v in two)

    for weight in weights:
        level = [(u, v, p) for u, v, p in edges if p != 0.5 and round(max(p, 1 - p), 9) == weight]
        apart |= {frozenset((u, v)) for u, v, p in level if p < 0.5 and of(u) != of(v)}
        while True:
            mergeable = sorted(
                (sorted((min(of(u)), min(of(v)))), u, v)
                for u, v, p in level
                if p > 0.5 and of(u) != of(v) and not told_apart(of(u), of(v))
            )
            if not mergeable:
                break
            one, two = of(mergeable[0][1]), of(mergeable[0][2])
            clusters = [found for found in clusters if found not in (one, two)] + [one | two]
    return set(clusters)


@given(plain.drawn_graphs(7, 16, plain.TENTHS))
def test_minmax_clusters_edge_by_edge(drawn: plain.Drawn) -> None:
    nodes, edges = drawn
    assert set(cluster(UncertainGraph(range(nodes), edges), "minmax")) == literal_minmax(nodes, edges)


def literal_path_scores(nodes: int, edges: list[plain.Edge]) -> tuple[list[list[float]], list[list[float]]]:
    """Heaviest paths by trying every record in between (Floyd, Warshall), then every negative edge."""
    positive = [[math.inf if u == v else 0.0 for v in range(nodes)] for u in range(nodes)]
    for u, v, p in edges:
        if p > 0.5:
            positive[u][v] = positive[v][u] = max(positive[u][v], p)
    for middle in range(nodes):
        for u in range(nodes):
            for v in range(nodes):
                positive[u][v] = max(positive[u][v], min(positive[u][middle], positive[middle][v]))
    negative = [[0.0] * nodes for _ in range(nodes)]
    for one, two, p in edges:
        if p < 0.5:
            for a, b in ((one, two), (two, one)):
                for u in range(nodes):
                    for v in range(nodes):
                        negative[u][v] = max(negative[u][v], min(positive[u][a], 1 - p, positive[b][v]))
    return positive, negative


@given(plain.drawn_graphs(7, 14, plain.TENTHS))
def test_path_scores_are_those_of_the_heaviest_paths(drawn: plain.Drawn) -> None:
    nodes, edges = drawn
    p = np.array([p for _, _, p in edges])
    order = np.argsort(-np.maximum(p, 1 - p), kind="stable").astype(np.int32)
    left, right = (np.array([edge[side] for edge in edges], np.int32) for side in (0, 1))
    found = path_scores(nodes, order, left, right, p)
    expected = literal_path_scores(nodes, edges)
    for u, v in combinations(range(nodes), 2):
        assert found[0][u, v] == pytest.approx(expected[0][u][v])
        assert found[1][u, v] == pytest.approx(expected[1][u][v])


def test_minmax_by_hand() -> None:
    # A-B 0.9, B-C 0.8, C-D 0.3 (a NO of weight 0.7), D-E 0.6. A-C: positive 0.8. To D: negative 0.7; to E: 0.6.
    resolution = paper_resolution("ABCDE", strategy="minmax", clustering="minmax")
    resolution.add_votes(voted("A", "B", 9) + voted("B", "C", 8) + voted("C", "D", 3) + voted("D", "E", 6))
    assert list(resolution.clustering) == [frozenset("ABC"), frozenset("DE")]
    questions = resolution.next_questions(10)
    assert letters_of(questions[0]) == "AC"
    assert {letters_of(question) for question in questions[1:4]} == {"AE", "BE", "CE"}
    assert {letters_of(question) for question in questions[4:]} == {"AD", "BD"}
    assert [round(question.gain, 6) for question in questions] == [0.8, -0.6, -0.6, -0.6, -0.7, -0.7]


def test_minmax_unknown_pairs_come_between() -> None:
    resolution = paper_resolution("ABCDE", strategy="minmax", clustering="minmax")
    resolution.add_votes(voted("A", "B", 9) + voted("B", "C", 9) + voted("A", "D", 1))
    gains = {letters_of(question): question.gain for question in resolution.next_questions(20)}
    assert gains["AC"] > 0 == gains["AE"] == gains["DE"] > gains["BD"]
