"""What other tools do, for comparison: order the unasked pairs by their evidence alone.

If no machine gives the unasked pairs a probability, questions are random.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.strategies.question import Question
from askwise.strategies.random import Random
from askwise.strategies.strategy import Strategy


class ByEvidence(Strategy):
    """The unasked pairs that are worth most. A batch costs all pairs."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        super().__init__(graph, partition, seed)
        self._any = Random(graph, partition, seed)

    def worth(self, p: Floats, together: Bools) -> Floats:
        """What pairs are worth, from their probability and whether they are in one cluster."""
        raise NotImplementedError

    def select(self, k: int) -> list[Question]:
        """The `k` pairs that are worth most."""
        graph, label = self._graph, self._partition.label
        count = graph.pair_count
        rows = np.flatnonzero(~graph.pair_asked[:count] & ~np.isnan(graph.pair_p[:count]))
        if not rows.size:
            return self._any.select(k)
        left, right = graph.pair_u[rows], graph.pair_v[rows]
        return self.best(k, left, right, self.worth(graph.pair_p[rows], label[left] == label[right]))


class Uncertain(ByEvidence):
    """Nearest to p = 1/2 first."""

    def worth(self, p: Floats, together: Bools) -> Floats:
        """1 at 1/2, 0 at 0 and 1."""
        return np.asarray(1.0 - 2.0 * np.abs(p - 0.5), np.float64)


class Contradicting(ByEvidence):
    """Where p contradicts the clustering most."""

    def worth(self, p: Floats, together: Bools) -> Floats:
        """How likely the clustering is wrong about the pair."""
        return np.where(together, 1.0 - p, p)


class Highest(ByEvidence):
    """The most likely matches first."""

    def worth(self, p: Floats, together: Bools) -> Floats:
        """How likely the pair is a match."""
        return p
