"""Plain, slow twins of what the engine computes: straight from the paper's definitions, by enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from hypothesis import strategies as st

Edge = tuple[int, int, float]
Clusters = list[frozenset[int]]
Drawn = tuple[int, list[Edge]]  # how many nodes, and the edges


def parts(nodes: Iterable[int], edges: Iterable[tuple[int, int]]) -> list[frozenset[int]]:
    """Connected components."""
    found: list[set[int]] = [{node} for node in nodes]
    for u, v in edges:
        one = next(part for part in found if u in part)
        two = next(part for part in found if v in part)
        if one is not two:
            one |= two
            found.remove(two)
    return [frozenset(part) for part in found]


def worlds(edges: Sequence[Edge]) -> Iterator[tuple[float, list[tuple[int, int]]]]:
    """Every possible world: its probability and its edges."""
    for present in product((False, True), repeat=len(edges)):
        chance = math.prod(p if here else 1 - p for here, (_, _, p) in zip(present, edges, strict=True))
        yield chance, [(u, v) for here, (u, v, _) in zip(present, edges, strict=True) if here]


def connectivity(nodes: Iterable[int], edges: Sequence[Edge]) -> float:
    nodes = list(nodes)
    inside = [edge for edge in edges if edge[0] in nodes and edge[1] in nodes]
    return math.fsum(chance for chance, present in worlds(inside) if len(parts(nodes, present)) == 1)


def disconnectivity(one: Iterable[int], two: Iterable[int], edges: Sequence[Edge]) -> float:
    one, two = set(one), set(two)
    asked = [p for u, v, p in edges if (u in one and v in two) or (u in two and v in one)]
    return 1 - math.prod(asked) if asked else 0.0


def reliability(clusters: Clusters, edges: Sequence[Edge], floor: float) -> float:
    terms = [connectivity(cluster, edges) or floor for cluster in clusters]
    terms += [disconnectivity(one, two, edges) or floor for one, two in combinations(clusters, 2)]
    return math.fsum(math.log10(term) for term in terms)


def merge_probability(one: Iterable[int], two: Iterable[int], edges: Iterable[tuple[int, int, Fraction]]) -> Fraction:
    """The paper's formula for SCC, in exact arithmetic."""
    one, two = set(one), set(two)
    asked = [p for u, v, p in edges if (u in one and v in two) or (u in two and v in one)]
    same = math.prod(asked, start=Fraction(1))
    different = math.prod((1 - p for p in asked), start=Fraction(1))
    return same / (same + different)


def scc(nodes: Iterable[int], edges: Sequence[tuple[int, int, Fraction]]) -> set[frozenset[int]]:
    """SCC word for word; ties go to the clusters with the smallest records."""
    clusters = [frozenset([node]) for node in nodes]
    while len(clusters) > 1:
        clusters.sort(key=min)
        best, one, two = max(
            ((merge_probability(one, two, edges), one, two) for one, two in combinations(clusters, 2)),
            key=lambda found: found[0],
        )
        if best <= Fraction(1, 2):
            break
        clusters = [cluster for cluster in clusters if cluster not in (one, two)] + [one | two]
    return set(clusters)


def drawn_graphs(
    most_nodes: int, most_edges: int, p: st.SearchStrategy[float]
) -> st.SearchStrategy[tuple[int, list[Edge]]]:
    """Random graphs: a number of nodes, and edges (u < v, distinct) with a probability each."""

    @st.composite
    def draw_graph(draw: st.DrawFn) -> tuple[int, list[Edge]]:
        nodes = draw(st.integers(2, most_nodes))
        pairs = list(combinations(range(nodes), 2))
        chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=most_edges))
        return nodes, [(u, v, draw(p)) for u, v in chosen]

    return draw_graph()


PROBABILITIES = st.floats(0.02, 0.98, allow_nan=False)
TENTHS = st.sampled_from([k / 10 for k in range(1, 10)])
EXTREMES = st.one_of(PROBABILITIES, st.sampled_from([1e-6, 0.5, 0.999999]))
