"""What questions are worth, where only a part of the records is at hand: the strategy `wise`, given what it lacks."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int8s, Int32s, Int64s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.flips import _TIES
from askwise.kernels.mixing import pair_hashes
from askwise.strategies.wise import Wise


class Given(Partition):
    """A clustering that is known already; `size_of` counts the records that are elsewhere too."""

    def __init__(self, label: Int32s, size_of: Int32s) -> None:
        self.label = label
        self.size_of = size_of

    def members_of_each(self, roots: Int32s) -> tuple[Int32s, Int64s]:
        """The members at hand of some clusters (in order), each in order, and where those of each cluster start."""
        members = np.argsort(self.label, kind="stable").astype(np.int32)
        members = members[np.isin(self.label[members], roots)]
        return members, np.append(np.searchsorted(self.label[members], roots), members.size)


class Valued(Wise):
    """Values the pairs of a graph, at all clusters, or at the `owners` alone where `own` is known of the others.

    `own` is, for each record, the summed log-odds to the rest of its cluster.
    """

    def __init__(
        self,
        graph: UncertainGraph,
        partition: Partition,
        seed: int,
        own: Floats | None = None,
        owners: Int32s | None = None,
    ) -> None:
        super().__init__(graph, partition, seed)
        if own is not None and owners is not None:
            self._own = own
            self._stale[:] = False
            self._stale[owners] = True
        self._review()

    @property
    def own(self) -> Floats:
        """The summed log-odds of each record to the rest of its cluster."""
        return self._own

    def values(self, names: Int64s) -> tuple[Floats, Int8s]:
        """What each pair is worth, and the change it is about; `names` are the records' positions among all."""
        graph, seed = self._graph, np.uint64(self._seed)
        u, v = graph.pair_u[: graph.pair_count], graph.pair_v[: graph.pair_count]
        value = self._value[: graph.pair_count]
        here, everywhere = pair_hashes(seed, u, v), pair_hashes(seed, _short(names[u]), _short(names[v]))
        return np.where(value > 0.0, _without(value, here) * _tie(everywhere), value), self._change[: graph.pair_count]


class Gathered(Wise):
    """Chooses among pairs whose worth is known: `value` and `change`, row by row of the graph."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int, value: Floats, change: Int8s) -> None:
        super().__init__(graph, partition, seed)
        self._value = value
        self._change = change
        self._stale[:] = False


def _short(positions: Int64s) -> Int32s:
    return positions.astype(np.int32)


def _tie(hashes: np.typing.NDArray[np.uint64]) -> Floats:
    """By how much a worth is raised, to tell it from its equals: `kernels/flips.py` does so by positions at hand."""
    return np.asarray(1.0 + _TIES * (hashes >> np.uint64(40)).astype(np.float64), np.float64)


def _without(value: Floats, hashes: np.typing.NDArray[np.uint64]) -> Floats:
    """The worth before it was raised, to the last bit: of the nearest floats, the one that gives the value."""
    tie = _tie(hashes)
    near = value / tie
    for other in (np.nextafter(near, 0.0), np.nextafter(near, np.inf)):
        near = np.where((near * tie != value) & (other * tie == value), other, near)
    return np.asarray(near, np.float64)
