"""Clusters that were never compared: counted and drawn from, but never listed."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, bound_of_highest, map_capacity
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels import unlinked as kernels
from askwise.kernels.bit_sets import BitSet
from askwise.kernels.mixing import pair_hash
from askwise.kernels.picking import pick_each
from askwise.kernels.unlinked_by_size import largest_unlinked
from askwise.measures.separations import Separations

FEW_CLUSTERS = 4096
"""The most clusters for which all pairs of them are considered."""

_AHEAD = 16  # times what is wanted is looked at first: the best are often of the same two clusters
_SAMPLE = 16
_NO_RECORDS: Int32s = np.empty(0, np.int32)


class Unlinked:
    """The pairs that may be asked between clusters without evidence between them.

    With listed candidates, a set of bits over them; otherwise nothing is stored.
    """

    def __init__(self, graph: UncertainGraph, partition: Partition, separations: Separations, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._separations = separations
        self._seed = seed
        words = (graph.candidates.left.size + 63) // 64
        self._set = BitSet(np.zeros(words, np.uint64), np.zeros(words + 1, np.int64))
        if graph.candidates.listed:
            candidates = graph.candidates
            kernels.review_all(
                candidates.left, candidates.right, candidates.asked, partition.label, separations.slots, self._set
            )

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Take in changed evidence and records that changed their cluster."""
        graph, clusters, slots = self._graph, self._partition.membership, self._separations.slots
        if not graph.candidates.listed:
            return
        kernels.review_nodes(moved, graph.askable, clusters.label, slots, self._set)
        u, v = graph.pair_u[rows], graph.pair_v[rows]
        apart = clusters.label[u] != clusters.label[v]
        kernels.review_pairs(u[apart], v[apart], graph.askable, clusters, slots, self._set)

    def draw(self, wanted: int) -> tuple[Int32s, Int32s]:
        """Up to `wanted` unasked candidates, evenly among all; two clusters give one at most."""
        graph, partition = self._graph, self._partition
        # Asked pairs, not calls, move the draw on: the same state gives the same questions.
        seed = np.uint64(pair_hash(np.uint64(self._seed), graph.asked_count, wanted))
        capacity = map_capacity(wanted)
        drawn = np.full(capacity, -1, np.int64), np.zeros(capacity, np.int32)
        if graph.candidates.listed:
            ends = graph.candidates.left, graph.candidates.right
            return kernels.draw_listed(wanted, seed, self._set, *ends, partition.label, drawn)
        open_pairs = self._open_pairs
        if open_pairs == 0:
            return _NO_RECORDS, _NO_RECORDS
        wanted = min(wanted, open_pairs)
        tries = 64 * wanted + 1024
        slots = self._separations.slots
        left, right = kernels.draw_unlinked(
            wanted, tries, seed, _NO_RECORDS, partition.label, graph.askable, slots, drawn
        )
        if left.size == wanted:
            return left, right
        if partition.count <= FEW_CLUSTERS:
            return self._draw_from_all(wanted, int(seed))
        # Large clusters have most of the pairs: draw from clusters instead.
        drawn = np.full(capacity, -1, np.int64), np.zeros(capacity, np.int32)
        return kernels.draw_unlinked(wanted, tries, seed, self._roots(), partition.label, graph.askable, slots, drawn)

    @property
    def _open_pairs(self) -> int:
        """Where every pair may be asked: how many two clusters there are without evidence between them."""
        return self._partition.count * (self._partition.count - 1) // 2 - self._separations.linked

    def _roots(self) -> Int32s:
        label = self._partition.label
        return np.flatnonzero(label == np.arange(label.size)).astype(np.int32)

    def highest(self, wanted: int, score: Floats) -> tuple[Int32s, Int32s]:
        """Up to `wanted` unasked candidates with the highest scores; two clusters give one at most."""
        candidates, label = self._graph.candidates, self._partition.label
        open_rows = self.candidate_rows()
        worth = score[open_rows]
        many = _AHEAD * wanted
        while True:
            # About that number of the best, by a sample: to part values of which most are the same is slow.
            bound = bound_of_highest(worth[::_SAMPLE], many // _SAMPLE)
            some = slice(None) if many >= worth.size else worth >= bound
            rows = open_rows[some][np.argsort(-worth[some], kind="stable")[:many]]
            a, b = label[candidates.left[rows]], label[candidates.right[rows]]
            keys = np.minimum(a, b) * np.int64(label.size) + np.maximum(a, b)
            first = np.sort(np.unique(keys, return_index=True)[1])[:wanted]
            if first.size == wanted or many >= worth.size:
                return candidates.left[rows[first]], candidates.right[rows[first]]
            many *= _AHEAD

    def candidate_rows(self) -> Int64s:
        """The numbers of all listed candidates in the set."""
        bits = np.unpackbits(self._set.bits.view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[: self._graph.candidates.left.size])

    def every_two(self) -> tuple[Int32s, Int32s]:
        """Where every pair may be asked: every two clusters, as roots, with unasked pairs and no evidence between."""
        return kernels.unlinked_roots(self._roots(), self._partition.size_of, self._separations.slots)

    def largest(self, wanted: int) -> tuple[Int32s, Int32s]:
        """Up to `wanted` of `every_two`, those with the most pairs first."""
        if not self._open_pairs:
            return _NO_RECORDS, _NO_RECORDS
        sizes, slots = self._partition.size_of, self._separations.slots
        return largest_unlinked(self._roots(), sizes, slots, np.uint64(self._seed), wanted)

    def one_for_each(self, one: Int32s, two: Int32s, seed: int) -> tuple[Int32s, Int32s]:
        """An unasked pair for each two of `every_two`."""
        return pick_each(one, two, np.uint64(seed), self._partition.membership, self._graph.askable)

    def _draw_from_all(self, wanted: int, seed: int) -> tuple[Int32s, Int32s]:
        """`draw` for the case that few are left and rejection would take too long: look at every two clusters."""
        one, two = self.every_two()
        chosen = np.random.default_rng(seed).permutation(one.size)[:wanted]
        return self.one_for_each(one[chosen], two[chosen], seed)
