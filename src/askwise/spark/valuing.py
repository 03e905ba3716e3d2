"""What questions are worth, where only a part of the records is at hand: the strategy `wise`, told what it lacks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int8s, Int32s, Int64s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.constraints import Values
from askwise.strategies.wise import Wise


class Worth(NamedTuple):
    """What pairs are worth, how likely the change is that each is about, and which that is."""

    value: Floats
    chance: Floats
    change: Int8s


class Given(Partition):
    """A clustering that is known already; `size_of` and `held` take in the records that are elsewhere too."""

    def __init__(self, label: Int32s, size_of: Int32s, held: Values) -> None:
        self.label = label
        self.size_of = size_of
        self.held = held

    def members_of_each(self, roots: Int32s) -> tuple[Int32s, Int64s]:
        """The members at hand of some clusters (in order), each in order, and where those of each cluster start."""
        members = np.argsort(self.label, kind="stable").astype(np.int32)
        members = members[np.isin(self.label[members], roots)]
        return members, np.append(np.searchsorted(self.label[members], roots), members.size)


class Valued(Wise):
    """Values the pairs of a graph, at all clusters, or at the `owners` alone where `own` is known of the others.

    `names` are the records' positions among all; `own` is, for each, the summed log-odds to the rest of its cluster.
    """

    def __init__(
        self,
        graph: UncertainGraph,
        partition: Partition,
        seed: int,
        names: Int64s,
        own: Floats | None = None,
        owners: Int32s | None = None,
    ) -> None:
        super().__init__(graph, partition, seed)
        self._names = names.astype(np.int32)
        if own is not None and owners is not None:
            self._own = own
            self._stale[:] = False
            self._stale[owners] = True
        self._review_at(np.flatnonzero(self._stale).astype(np.int32), most=False)

    @property
    def own(self) -> Floats:
        """The summed log-odds of each record to the rest of its cluster."""
        return self._own

    @property
    def worth(self) -> Worth:
        """What each pair is worth."""
        count = self._graph.pair_count
        return Worth(self._value[:count], self._chance[:count], self._change[:count])


class Gathered(Wise):
    """Chooses among pairs whose worth is known, row by row of the graph."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int, worth: Worth) -> None:
        super().__init__(graph, partition, seed)
        self._value, self._chance, self._change = worth
        self._stale[:] = False
