"""What other tools do: order the unasked pairs by their evidence alone. Here to be compared with.

Where no machine gives the unasked pairs evidence, the questions are drawn by chance.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.mixing import pair_hashes
from askwise.strategies.question import Question, named
from askwise.strategies.random import Random


class ByEvidence:
    """The unasked pairs with the highest worth, which a subclass makes of p and of being together. Costs all pairs."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = np.uint64(seed)
        self._any = Random(graph, partition, seed)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Nothing is kept."""

    def worth(self, p: Floats, together: Bools) -> Floats:
        """What pairs are worth, by their evidence and whether they are in one cluster."""
        raise NotImplementedError

    def select(self, k: int) -> list[Question]:
        """The `k` pairs that are worth most."""
        graph, label = self._graph, self._partition.label
        count = graph.pair_count
        rows = np.flatnonzero(~graph.pair_asked[:count] & ~np.isnan(graph.pair_p[:count]))
        if not rows.size:
            return self._any.select(k)
        u, v = graph.pair_u[rows], graph.pair_v[rows]
        worth = self.worth(graph.pair_p[rows], label[u] == label[v])
        best = np.lexsort((pair_hashes(self._seed, u, v), -worth))[:k]
        return named(graph, self._partition, u[best], v[best], worth[best])


class Uncertain(ByEvidence):
    """Nearest to p = 1/2."""

    def worth(self, p: Floats, together: Bools) -> Floats:
        """1 at 1/2, 0 where p is certain."""
        return np.asarray(1.0 - 2.0 * np.abs(p - 0.5), np.float64)


class Contradicting(ByEvidence):
    """Where p contradicts the clustering most."""

    def worth(self, p: Floats, together: Bools) -> Floats:
        """The chance that an answer contradicts."""
        return np.where(together, 1.0 - p, p)


class Highest(ByEvidence):
    """The likeliest matches first."""

    def worth(self, p: Floats, together: Bools) -> Floats:
        """The evidence itself."""
        return p
