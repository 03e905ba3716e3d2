"""No clusterer and no local search breaks a rule."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askwise import UncertainGraph, cluster
from askwise.arrays import Int32s
from askwise.clustering import CLUSTERERS, LOCAL_SEARCHES
from askwise.components import Components
from askwise.kernels.components import KERNIGHAN_LIN, MOVES, ONE_MOVE
from askwise.kernels.partition import by_smallest

METHODS = [f"{first}{search}" for first in CLUSTERERS for search in ("", *(f"+{name}" for name in LOCAL_SEARCHES))]


class Drawn:
    """A graph with evidence and rules that contradict nothing: they are what a hidden clustering has."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.size = draw(st.integers(2, 8))
        entity = draw(st.lists(st.integers(0, 3), min_size=self.size, max_size=self.size))
        rules = draw(st.integers(0, 2))
        known = st.lists(st.booleans(), min_size=self.size, max_size=self.size)
        columns = [[entity[at] if seen else -1 for at, seen in enumerate(draw(known))] for _ in range(rules)]
        self.values: Int32s = np.array(columns, np.int32).reshape(rules, self.size).T.copy()
        pairs = list(combinations(range(self.size), 2))
        kinds = st.sampled_from(["none", "evidence", "evidence", "rule"])
        self.graph = UncertainGraph(range(self.size), values=self.values)
        self.fixed: dict[tuple[int, int], bool] = {}
        for u, v in pairs:
            kind = draw(kinds)
            if kind == "none":
                continue
            row = self.graph.mark_asked(np.array([u], np.int32), np.array([v], np.int32))
            if kind == "rule":
                self.fixed[u, v] = entity[u] == entity[v]
                self.graph.fix(row, 1 if entity[u] == entity[v] else -1)
            p = draw(st.sampled_from([0.05, 0.3, 0.5, 0.6, 0.9, 0.99]))
            self.graph.set_evidence(row, np.array([p]))

    def broken(self, label: Int32s) -> list[tuple[int, int]]:
        """The pairs of which a clustering breaks a rule."""
        pairs = [(u, v) for (u, v), same in self.fixed.items() if bool(label[u] == label[v]) is not same]
        return pairs + [
            (u, v)
            for column in self.values.T
            for u, v in combinations(range(self.size), 2)
            if label[u] == label[v] and -1 != column[u] != column[v] != -1
        ]


@st.composite
def drawn_graphs(draw: st.DrawFn) -> Drawn:
    return Drawn(draw)


@given(drawn_graphs(), st.integers(0, 3))
def test_no_clusterer_and_no_local_search_breaks_a_rule(drawn: Drawn, seed: int) -> None:
    for method in METHODS:
        label = cluster(drawn.graph, method, seed).roots
        assert not drawn.broken(label), method


@given(drawn_graphs())
def test_scc_with_rules_is_plain_merging_that_refuses(drawn: Drawn) -> None:
    graph, label = drawn.graph, list(range(drawn.size))
    for (u, v), same in drawn.fixed.items():
        if same:
            label = [label[u] if name == label[v] else name for name in label]
    weight = {
        (int(graph.pair_u[row]), int(graph.pair_v[row])): graph.pair_weight[row] for row in range(graph.pair_count)
    }

    def allowed(one: int, two: int) -> bool:
        joined = np.array([one if name == two else name for name in label], np.int32)
        return not [item for item in drawn.broken(joined) if item not in drawn.broken(np.array(label, np.int32))]

    while True:
        sums: dict[tuple[int, int], float] = {}
        for u, v in combinations(range(drawn.size), 2):
            one, two = sorted(min(at for at in range(drawn.size) if label[at] == label[end]) for end in (u, v))
            if label[u] != label[v]:
                sums[one, two] = sums.get((one, two), 0.0) + weight.get((u, v), 0.0)
        open_ones = {two: total for two, total in sums.items() if allowed(label[two[0]], label[two[1]])}
        best = max(open_ones, key=lambda two: (round(open_ones[two] * 2**30), -two[0], -two[1]), default=None)
        if best is None or round(open_ones[best] * 2**30) <= 0:
            break
        label = [label[best[0]] if name == label[best[1]] else name for name in label]
    expected = {frozenset(at for at in range(drawn.size) if label[at] == name) for name in label}
    assert set(cluster(graph, "scc")) == expected


@given(drawn_graphs())
def test_large_components_are_merged_like_small_ones(drawn: Drawn) -> None:
    """With lists and a heap, as with a table of all pairs."""
    from askwise.clustering.subgraph import Subgraph
    from askwise.kernels.agglomerate import SUM
    from askwise.kernels.components import MOST_DENSE, divided, merge_each, merge_large
    from askwise.kernels.partition import positive_parts

    some = Subgraph(drawn.graph, np.arange(drawn.size, dtype=np.int32))
    part = positive_parts(drawn.size, some.left, some.right, some.weight)
    parts = divided(part, some.left, some.right, some.weight)
    found = []
    for merge, most_dense in ((merge_large, 0), (merge_each, MOST_DENSE)):
        labels = np.arange(drawn.size, dtype=np.int32)
        merge(0, parts[1].size - 1, parts, SUM, 0.0, most_dense, some.values, labels)
        found.append(labels.tolist())
    assert found[0] == found[1]


@given(st.data())
def test_local_search_from_any_start(data: st.DataObject) -> None:
    """It keeps the rules, and with single moves it ends where no allowed move of a record raises the likelihood."""
    size = data.draw(st.integers(2, 7))
    levels = st.sampled_from([-np.inf, -2.0, -0.5, 0.0, 0.5, 1.0, 3.0, 10.0])
    weight = {pair: data.draw(levels) for pair in combinations(range(size), 2)}
    values = np.array([[data.draw(st.sampled_from([-1, -1, 1, 2]))] for _ in range(size)], np.int32)
    label = np.arange(size, dtype=np.int32)

    def allowed(labels: Int32s) -> bool:
        inside = [pair for pair in weight if labels[pair[0]] == labels[pair[1]]]
        return all(weight[u, v] > -np.inf and {*values[[u, v], 0].tolist()} != {1, 2} for u, v in inside)

    for u, v in data.draw(st.permutations(list(weight))):  # a start that keeps the rules, inside components
        joined = np.where(label == label[v], label[u], label).astype(np.int32)
        if weight[u, v] > 0.0 and allowed(joined) and data.draw(st.booleans()):
            label = joined
    left, right = (np.array([pair[at] for pair in weight], np.int32) for at in (0, 1))
    components = Components(size, left, right, np.array(list(weight.values())), values)
    for search in (ONE_MOVE, MOVES, KERNIGHAN_LIN):
        found = components.improved(by_smallest(label), search)
        assert allowed(found)
        if search == KERNIGHAN_LIN:
            continue
        score = sum(total for (u, v), total in weight.items() if found[u] == found[v])
        for node, to in product(range(size), range(size + 1)):
            moved = found.copy()
            moved[node] = to
            if allowed(moved):
                after = sum(total for (u, v), total in weight.items() if moved[u] == moved[v])
                assert after <= score + 1e-6


def test_a_move_that_another_has_made_impossible() -> None:
    """Two records want into the same cluster, which may have one of them, and know nothing of each other."""
    left, right = np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32)
    values = np.array([[-1], [-1], [1], [2]], np.int32)
    components = Components(4, left, right, np.array([10.0, 3.0, 2.0]), values)
    start = np.array([0, 0, 2, 3], np.int32)
    for search in (ONE_MOVE, MOVES, KERNIGHAN_LIN):
        assert components.improved(start, search).tolist() == [0, 0, 0, 3]


def test_a_move_that_another_has_made_possible() -> None:
    """A record leaves, and one that could not be with it comes in, though the two know nothing of each other."""
    left, right = np.array([0, 0, 0, 1], np.int32), np.array([1, 2, 3, 2], np.int32)
    values = np.array([[-1], [-1], [1], [2]], np.int32)
    components = Components(4, left, right, np.array([10.0, -3.0, 2.0, 1.0]), values)
    start = np.array([0, 0, 0, 3], np.int32)
    for search in (ONE_MOVE, MOVES):
        assert components.improved(start, search).tolist() == [0, 0, 2, 0]
