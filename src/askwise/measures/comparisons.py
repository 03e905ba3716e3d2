"""Which clusters were compared and which were not, kept up to date together."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.measures.separations import Separations
from askwise.measures.unlinked import Unlinked

_MANY = 1000
"""If more pairs than that, and one in four, have changed, all are counted again: quicker, with the same result."""


class Comparisons:
    """The `separations` between compared clusters of a partition, and the `unlinked` ones."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = seed
        self._count()

    def _count(self) -> None:
        """Compare all clusters again."""
        self.separations = Separations(self._graph, self._partition, self._seed)
        self.unlinked = Unlinked(self._graph, self._partition, self.separations, self._seed)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Take in changed evidence of the pairs `rows` and changed clusters of the records `moved`."""
        if rows.size > max(_MANY, self._graph.pair_count // 4):
            del self.separations, self.unlinked  # the memory is needed
            self._count()
            return
        touched = np.concatenate((rows, self._graph.pairs_at(moved))) if moved.size else rows
        self.separations.update(touched)
        self.unlinked.update(rows, moved)
