"""Which clusters were compared with each other, and which were not: both sides of it, kept up to date together."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.measures.separations import Separations
from askwise.measures.unlinked import Unlinked


class Comparisons:
    """`separations` of the clusters of a partition with evidence between them, and what is `unlinked`."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self.separations = Separations(graph, partition, seed)
        self.unlinked = Unlinked(graph, partition, self.separations, seed)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Take in that the evidence of the pairs `rows`, and the clusters of the records `moved`, have changed."""
        touched = np.concatenate((rows, self._graph.pairs_at(moved))) if moved.size else rows
        self.separations.update(touched)
        self.unlinked.update(rows, moved)
