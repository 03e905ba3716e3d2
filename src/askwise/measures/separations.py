"""The disconnectivity of every two compared clusters, the weakest first."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s, grown, map_capacity
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels import separations as kernels
from askwise.kernels.intmap import copy_into
from askwise.kernels.separations import FREE, LINKED, Counted, Queue, Slots


class Separations:
    """Disconnectivity of linked clusters, kept up to date; clusters never compared take no room.

    A slot stands for two clusters; a heap has the weakest on top.
    """

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = np.uint64(seed)
        pairs = graph.pair_count
        crossing = kernels.crossing(pairs, graph.pair_u, graph.pair_v, partition.label)
        room = 16 + crossing + crossing // 16
        self._counted = Counted(np.full(max(16, pairs), -1, np.int64), np.ones(max(16, pairs), np.int64))
        self.slots = Slots(
            keys=np.full(map_capacity(room), -1, np.int64),
            values=np.zeros(map_capacity(room), np.int32),
            key=np.zeros(room, np.int64),
            log=np.zeros(room, np.int64),
            evidence=np.zeros(room, np.int32),
            asked=np.zeros(room, np.int32),
            tie=np.zeros(room, np.uint64),
        )
        self._queue = Queue(
            heap=np.zeros(room, np.int32),
            position=np.full(room, -1, np.int32),
            free=np.arange(room - 1, -1, -1, dtype=np.int32),
            pending=np.zeros(room, np.int32),
            is_pending=np.zeros(room, np.bool_),
            totals=np.array([room, 0, 0, 0], np.int64),
        )
        kernels.count_all(
            pairs,
            graph.adjacency,
            graph.pair_p,
            partition.label,
            self._seed,
            self._counted,
            self.slots,
            self._queue,
        )

    @property
    def linked(self) -> int:
        """How many pairs of clusters have evidence between them."""
        return int(self._queue.totals[LINKED])

    @property
    def in_use(self) -> int:
        """How many pairs of clusters have a slot."""
        return self.slots.key.size - int(self._queue.totals[FREE])

    def update(self, rows: Int32s) -> None:
        """Count the pairs `rows` again, because their evidence or the clusters of their ends changed."""
        if rows.size == 0:
            return
        self._make_room(rows.size)
        kernels.recount(
            rows,
            self._graph.adjacency,
            self._graph.pair_p,
            self._partition.label,
            self._seed,
            self._counted,
            self.slots,
            self._queue,
        )

    def _make_room(self, new: int) -> None:
        pairs = self._graph.pair_count
        self._counted = Counted(grown(self._counted.key, pairs, -1), grown(self._counted.log, pairs, 1))
        used, room = self.in_use, self.slots.key.size
        if used + new > room:
            self._make_slots(used + new)
        if 2 * (used + new) > self.slots.keys.size:
            keys = np.full(map_capacity(used + new), -1, np.int64)
            values = np.zeros(keys.size, np.int32)
            copy_into(self.slots.keys, self.slots.values, keys, values)
            self.slots = self.slots._replace(keys=keys, values=values)

    def _make_slots(self, wanted: int) -> None:
        """Make sure that there are that many slots; new ones are free."""
        slots, queue, before = self.slots, self._queue, self.slots.key.size
        self.slots = slots._replace(
            key=grown(slots.key, wanted, 0),
            log=grown(slots.log, wanted, 0),
            evidence=grown(slots.evidence, wanted, 0),
            asked=grown(slots.asked, wanted, 0),
            tie=grown(slots.tie, wanted, 0),
        )
        room = self.slots.key.size
        free = int(queue.totals[FREE])
        added = np.arange(room - 1, before - 1, -1, dtype=np.int32)
        queue.totals[FREE] = free + added.size
        self._queue = Queue(
            heap=grown(queue.heap, wanted, 0),
            position=grown(queue.position, wanted, -1),
            free=grown(np.concatenate((queue.free[:free], added)), room, 0),
            pending=grown(queue.pending, wanted, 0),
            is_pending=grown(queue.is_pending, wanted, False),
            totals=queue.totals,
        )

    def weakest_pairs(self, k: int) -> tuple[Int32s, Int32s, Floats]:
        """An unasked candidate between each of the `k` weakest two clusters, and the gains, the largest first.

        The gain is what a certain NO would add to the reliability: -log10(Disconnect).
        """
        clusters, askable = self._partition.membership, self._graph.askable
        left, right, logs = kernels.weakest_pairs(k, self._seed, clusters, askable, self.slots, self._queue)
        return left, right, -np.log10(-np.expm1(logs))
