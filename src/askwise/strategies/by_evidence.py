"""What other tools do, for comparison: order the unasked pairs by their evidence alone.

A rule says what pairs are worth, from their probability p and whether they are in one cluster. If no machine gives the
unasked pairs a probability, questions are random.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.mixing import pair_hashes
from askwise.strategies.question import Question, named
from askwise.strategies.random import Random


def uncertain(p: Floats, together: Bools) -> Floats:
    """Nearest to p = 1/2 first."""
    return np.asarray(1.0 - 2.0 * np.abs(p - 0.5), np.float64)


def contradicting(p: Floats, together: Bools) -> Floats:
    """Where p contradicts the clustering most."""
    return np.where(together, 1.0 - p, p)


def highest(p: Floats, together: Bools) -> Floats:
    """The most likely matches first."""
    return p


class ByEvidence:
    """The unasked pairs that a rule values most. A batch costs all pairs."""

    def __init__(
        self, rule: Callable[[Floats, Bools], Floats], graph: UncertainGraph, partition: Partition, seed: int
    ) -> None:
        self._rule = rule
        self._graph = graph
        self._partition = partition
        self._seed = np.uint64(seed)
        self._any = Random(graph, partition, seed)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Nothing is kept."""

    def select(self, k: int) -> list[Question]:
        """The `k` pairs with the highest values."""
        graph, label = self._graph, self._partition.label
        count = graph.pair_count
        rows = np.flatnonzero(~graph.pair_asked[:count] & ~np.isnan(graph.pair_p[:count]))
        if not rows.size:
            return self._any.select(k)
        u, v = graph.pair_u[rows], graph.pair_v[rows]
        worth = self._rule(graph.pair_p[rows], label[u] == label[v])
        best = np.lexsort((pair_hashes(self._seed, u, v), -worth))[:k]
        return named(graph, self._partition.membership, u[best], v[best], worth[best])
