"""PC-Pivot with refinement: pivot by pivot, several at once where little is wasted, then splits and merges.

ACD: Wang, Xiao, Lee 2015 (doi:10.1145/2723372.2723739). Where it stands follows from what was asked, so nothing is kept
between batches: as long as a pivot has unasked pairs, those of the first j pivots are asked, j being the largest number
for which the pairs that may turn out wasted are at most a tenth. Then the operations of refinement, by their estimated
benefit for each question; those that share no cluster, together. It ends when none has a positive estimate.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.clustering.numbering import shuffled
from askwise.clustering.operations import Estimates, Operations, Shares, clusters_of, operations
from askwise.clustering.partition import Partition
from askwise.clustering.pivot import pivot
from askwise.clustering.subgraph import Subgraph
from askwise.graph import UncertainGraph
from askwise.kernels.pivoting import pivoting_progress
from askwise.strategies.question import Question, named
from askwise.strategies.strategy import Strategy
from askwise.strategies.unasked import all_unasked_between

_WASTE = 0.1


class PCPivot(Strategy):
    """A batch costs about the pairs asked so far, and while refining E log E. Goes with the clusterer "pivot"."""

    votes_only = True

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        super().__init__(graph, partition, seed)
        self._nodes = np.arange(len(graph), dtype=np.int32)
        self._order = shuffled(self._nodes, seed)

    def select(self, k: int) -> list[Question]:
        """The first `k` pairs of the next round."""
        graph = self._graph
        clustered, place = pivoting_progress(
            self._order,
            graph.candidates.listed,
            graph.candidates.starts,
            graph.candidates.other,
            *graph.pair_map,
            graph.pair_weight,
        )
        if place < self._order.size:
            left, right = self._pivot_round(clustered, place, k)
            gains: Floats = np.zeros(left.size)
        else:
            left, right, gains = self._refinement(k)
        return named(graph, self._partition.membership, left[:k], right[:k], gains[:k])

    def _pivot_round(self, clustered: Bools, place: int, k: int) -> tuple[Int32s, Int32s]:
        """The unasked pairs of the first j pivots, in their order."""
        lefts: list[Int32s] = []
        rights: list[Int32s] = []
        pairs = wasted = kept = kept_pairs = 0
        reached = np.zeros(clustered.size, np.bool_)  # may be swallowed by an earlier pivot of the round
        earlier = np.zeros(clustered.size, np.bool_)  # itself an earlier pivot of the round
        for pivot_record in self._order[place:].tolist():
            if clustered[pivot_record]:
                continue
            around = self._neighbours(pivot_record)
            around = around[~clustered[around] & ~earlier[around]]
            mine = np.full(around.size, pivot_record, np.int32)
            left, right = np.minimum(around, mine), np.maximum(around, mine)
            rows = self._graph.find_rows(left, right)
            unasked = ~self._graph.asked(left, right)
            pairs += int(unasked.sum())
            wasted += int(unasked.sum() if reached[pivot_record] else (unasked & reached[around]).sum())
            lefts.append(left[unasked])
            rights.append(right[unasked])
            if wasted <= _WASTE * pairs:
                kept, kept_pairs = len(lefts), pairs
            elif kept_pairs >= k or pairs - kept_pairs > k:
                break
            reached[around[unasked | (self._graph.pair_weight[rows] > 0.0)]] = True
            earlier[pivot_record] = True
        return np.concatenate(lefts[:kept]), np.concatenate(rights[:kept])

    def _neighbours(self, record: int) -> Int32s:
        candidates = self._graph.candidates
        if candidates.listed:
            around: Int32s = candidates.other[candidates.starts[record] : candidates.starts[record + 1]]
            return around
        return np.delete(self._nodes, record)

    def _refinement(self, k: int) -> tuple[Int32s, Int32s, Floats]:
        """The pairs that the best operations need, and the operations' benefit for each question."""
        graph = self._graph
        known = self._partition.is_by("pivot", self._seed)
        some = Subgraph(graph, self._nodes)
        labels = self._partition.label if known else some.expanded(pivot(some, self._seed))
        found = operations(Shares(graph, self._nodes, Estimates(graph)), labels)
        promising = np.flatnonzero((found.benefit > 0.0) & (found.cost > 0))
        rate = found.benefit[promising] / found.cost[promising]
        order = promising[np.lexsort((found.two[promising], found.one[promising], -rate))]
        lefts: list[Int32s] = [np.empty(0, np.int32)]
        rights: list[Int32s] = [np.empty(0, np.int32)]
        gains: list[Floats] = [np.empty(0)]
        count = 0
        used: set[int] = set()
        for at in order.tolist():
            if clusters_of(found, at) & used:
                continue
            left, right = all_unasked_between(graph, *sides(found, at, labels))
            if left.size == 0:
                continue  # all that it lacks was set aside
            used |= clusters_of(found, at)
            lefts.append(left)
            rights.append(right)
            gains.append(np.full(left.size, found.benefit[at] / found.cost[at]))
            count += left.size
            if count >= k:
                break
        return np.concatenate(lefts), np.concatenate(rights), np.concatenate(gains)


def sides(found: Operations, at: int, labels: Int32s) -> tuple[Int32s, Int32s]:
    """The two sets of records between which an operation needs answers."""
    one, two = int(found.one[at]), int(found.two[at])
    members = np.flatnonzero(labels == two).astype(np.int32)
    if found.is_merge[at]:
        return np.flatnonzero(labels == one).astype(np.int32), members
    return np.array([one], np.int32), members[members != one]
