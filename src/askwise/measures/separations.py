"""Every two clusters between which something was asked: how far they are apart, the weakest first."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, Words, grown, map_capacity
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels import between
from askwise.kernels.intmap import copy_into

_FREE, _LINKED = 0, 2  # places in the totals; see `kernels/between.py`


class Separations:
    """Disconnectivity of linked clusters, kept up to date; clusters never compared take no room.

    A slot stands for two clusters; a heap has the weakest on top.
    """

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = np.uint64(seed)
        pairs = graph.pair_count
        crossing = between.crossing(pairs, graph.pair_u, graph.pair_v, partition.label)
        room = 16 + crossing + crossing // 16
        self.keys: Int64s = np.full(map_capacity(room), -1, np.int64)
        self.values: Int32s = np.zeros(self.keys.size, np.int32)
        self._counted_key: Int64s = np.full(max(16, pairs), -1, np.int64)
        self._counted_log: Int64s = np.ones(max(16, pairs), np.int64)
        self._slot_key: Int64s = np.zeros(room, np.int64)
        self._slot_log: Int64s = np.zeros(room, np.int64)
        self.evidence: Int32s = np.zeros(room, np.int32)
        self._slot_asked: Int32s = np.zeros(room, np.int32)
        self._slot_tie: Words = np.zeros(room, np.uint64)
        self._free: Int32s = np.arange(room - 1, -1, -1, dtype=np.int32)
        self._heap: Int32s = np.zeros(room, np.int32)
        self._position: Int32s = np.full(room, -1, np.int32)
        self._pending: Int32s = np.zeros(room, np.int32)
        self._is_pending: Bools = np.zeros(room, np.bool_)
        self._totals: Int64s = np.array([room, 0, 0, 0], np.int64)
        between.count_all(
            pairs,
            graph.pair_u,
            graph.pair_v,
            graph.pair_p,
            partition.label,
            self._seed,
            self._counted_key,
            self._counted_log,
            self.keys,
            self.values,
            self._slot_key,
            self._slot_log,
            self.evidence,
            self._slot_asked,
            self._slot_tie,
            self._pending,
            self._is_pending,
            self._totals,
        )

    @property
    def linked(self) -> int:
        """How many pairs of clusters have evidence between them."""
        return int(self._totals[_LINKED])

    @property
    def in_use(self) -> int:
        """How many pairs of clusters have a slot."""
        return self._slot_key.size - int(self._totals[_FREE])

    @property
    def asked(self) -> Int32s:
        """For each slot, how many pairs were asked."""
        return self._slot_asked

    def update(self, rows: Int32s) -> None:
        """Count the pairs `rows` anew, because their evidence or their ends' clusters have changed."""
        if rows.size == 0:
            return
        self._make_room(rows.size)
        graph, partition = self._graph, self._partition
        between.recount(
            rows,
            graph.pair_u,
            graph.pair_v,
            graph.pair_p,
            partition.label,
            self._seed,
            self._counted_key,
            self._counted_log,
            self.keys,
            self.values,
            self._slot_key,
            self._slot_log,
            self.evidence,
            self._slot_asked,
            self._slot_tie,
            self._free,
            self._heap,
            self._position,
            self._pending,
            self._is_pending,
            self._totals,
        )

    def _make_room(self, new: int) -> None:
        pairs = self._graph.pair_count
        self._counted_key = grown(self._counted_key, pairs, -1)
        self._counted_log = grown(self._counted_log, pairs, 1)
        slots = self._slot_key.size
        used = self.in_use
        if used + new > slots:
            self._slot_key = grown(self._slot_key, used + new, 0)
            self._slot_log = grown(self._slot_log, used + new, 0)
            self.evidence = grown(self.evidence, used + new, 0)
            self._slot_asked = grown(self._slot_asked, used + new, 0)
            self._slot_tie = grown(self._slot_tie, used + new, 0)
            self._position = grown(self._position, used + new, -1)
            self._heap = grown(self._heap, used + new, 0)
            self._pending = grown(self._pending, used + new, 0)
            self._is_pending = grown(self._is_pending, used + new, False)
            added = np.arange(self._slot_key.size - 1, slots - 1, -1, dtype=np.int32)
            free = int(self._totals[_FREE])
            self._free = grown(np.concatenate((self._free[:free], added)), self._slot_key.size, 0)
            self._totals[_FREE] = free + added.size
        if 2 * (used + new) > self.keys.size:
            keys = np.full(map_capacity(used + new), -1, np.int64)
            values = np.zeros(keys.size, np.int32)
            copy_into(self.keys, self.values, keys, values)
            self.keys, self.values = keys, values

    def weakest_pairs(self, k: int) -> tuple[Int32s, Int32s, Floats]:
        """An unasked candidate between each of the `k` weakest two clusters, and the gains, the largest first.

        The gain is what a certain NO would add to the reliability: -log10(Disconnect).
        """
        graph, candidates = self._graph, self._graph.candidates
        left, right, logs = between.weakest_pairs(
            k,
            self._seed,
            self._partition.size_of,
            self._partition.following_member,
            graph.pair_map,
            candidates.listed,
            (candidates.starts, candidates.other, candidates.row, candidates.asked),
            graph.chosen,
            self._slot_key,
            self._slot_log,
            self.evidence,
            self._slot_asked,
            self._slot_tie,
            self._heap,
            self._position,
            self._pending,
            self._is_pending,
            self._totals,
        )
        return left, right, -np.log10(-np.expm1(logs))
