"""PERC: ask what raises the reliability of the clustering most, if the answer agrees with it.

Yalavarthi, Ke, Khan 2017 (doi:10.1145/3132847.3132876), section 3. A certain YES inside a cluster raises log Connect,
a certain NO between two clusters raises log Disconnect to 0; the priority of a pair is that gain. Two clusters without
any evidence between them have the largest gain of all, -log10 of a tiny constant; pairs between such are drawn evenly.
All pairs between the same two clusters are worth the same, so these give at most one question to a batch; a cluster may
give several.

A change costs what it touches: the clusters and the pairs of clusters with new votes or new members. As long as pairs
never compared fill the batch, no cluster is looked into at all: no other gain comes near theirs.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.mixing import pair_hashes
from askwise.kernels.partition import touched_clusters
from askwise.measures.cluster_tree import RANKING, best_pairs
from askwise.measures.comparisons import Comparisons
from askwise.measures.estimate import FLOOR
from askwise.strategies.question import Question, named
from askwise.strategies.strategy import Strategy

_NEVER_COMPARED = -math.log10(FLOOR)
"""The gain between two clusters without any evidence, 10: the largest there is. Between others it is 9 at most, because
p is at most 1 - 1e-9. Inside a cluster take any chain of pairs that joins the two records. A world in two parts, one of
the two in each, lacks a pair of the chain, and with it would be connected: all such worlds together weigh, relative to
the connected ones, the sum of (1 - p) / p over the chain at most; so the gain is below log10(records) where a chain of
YES majorities joins them, as in all clusters that SCC makes."""

_SPARE = 1024


class _Ranked(NamedTuple):
    """Pairs and their gains, the best first."""

    left: Int32s
    right: Int32s
    gains: Floats

    def part(self, which: Int64s | slice) -> _Ranked:
        """A subset."""
        return _Ranked(self.left[which], self.right[which], self.gains[which])


class _Shortlist(NamedTuple):
    """The best questions inside a cluster, from `begin` to `end` among those of many; `limit` were asked for."""

    limit: int
    many: _Ranked
    begin: int
    end: int

    @property
    def best(self) -> _Ranked:
        """The questions."""
        return self.many.part(slice(self.begin, self.end))

    def cut_off(self, k: int) -> bool:
        """Whether there may be more among the best `k`."""
        return self.end - self.begin == self.limit < k


_NOTHING = _Ranked(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))


class Perc(Strategy):
    """The paper's strategy."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        super().__init__(graph, partition, seed)
        self._comparisons = Comparisons(graph, partition, seed)
        self._shortlists: dict[int, _Shortlist] = {}
        self._queue: list[tuple[float, int, int]] = []  # (-best gain, root, generation); stale ones are passed over
        self._generation: dict[int, int] = {}
        self._refreshes = 0
        own = partition.label == np.arange(len(graph))
        self._stale: set[int] = set(np.flatnonzero(own & (partition.size_of > 1)).tolist())

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Update the comparisons, and mark the clusters, that the change touched."""
        graph, partition = self._graph, self._partition
        self._comparisons.update(rows, moved)
        gone = set(moved.tolist())
        self._stale -= gone
        for root in self._shortlists.keys() & gone:
            del self._shortlists[root]
        touched = touched_clusters(
            rows, moved, graph.pair_u, graph.pair_v, partition.label, partition.size_of, graph.chosen
        )
        self._stale.update(touched.tolist())

    def select(self, k: int) -> list[Question]:
        """The `k` unasked candidates with the largest gains."""
        left, right = self._comparisons.unlinked.draw(k)
        chosen = _Ranked(left, right, np.full(left.size, _NEVER_COMPARED))
        missing = k - left.size
        if missing:
            others = _joined(self._within(k), _Ranked(*self._comparisons.separations.weakest_pairs(missing)))
            chosen = _joined(chosen, others.part(np.argsort(-others.gains, kind="stable")[:missing]))
        return named(self._graph, self._partition.membership, *chosen)

    def _refresh(self, roots: list[int], limit: int) -> tuple[Int64s, Floats]:
        """Make the shortlists of some clusters. Returns the gains, and where those of each cluster start."""
        members, starts = self._partition.members_of_each(np.array(roots, np.int32))
        found, left, right, gains = best_pairs(self._graph, members, starts, self._seed, RANKING, limit)
        many, ends = _Ranked(left, right, gains), found.tolist()
        for root, begin, end in zip(roots, ends[:-1], ends[1:], strict=True):
            self._shortlists[root] = _Shortlist(limit, many, begin, end)
        return found, gains

    def _enqueue(self, roots: list[int], k: int) -> None:
        """Make shortlists, and put the clusters with something to ask into the queue."""
        starts, gains = self._refresh(roots, k)
        self._refreshes += 1
        self._generation.update(dict.fromkeys(roots, self._refreshes))
        filled = np.flatnonzero(starts[1:] > starts[:-1])
        best = (-gains[starts[filled]]).tolist()
        entries = [(gain, roots[at], self._refreshes) for gain, at in zip(best, filled.tolist(), strict=True)]
        if 4 * len(entries) < len(self._queue) < 2 * len(self._shortlists) + _SPARE:
            for entry in entries:
                heapq.heappush(self._queue, entry)
        else:
            # Evidence that learns makes all clusters stale at once: passing over the old entries would cost more.
            self._queue = [entry for entry in self._queue if self._is_fresh(entry)] + entries
            heapq.heapify(self._queue)

    def _is_fresh(self, entry: tuple[float, int, int]) -> bool:
        """Whether an entry of the queue is still true."""
        return entry[2] == self._generation[entry[1]] and entry[1] in self._shortlists

    def _within(self, k: int) -> _Ranked:
        """The best `k` questions inside clusters, from the shortlists of the `k` clusters with the best ones."""
        if self._stale:
            self._enqueue(sorted(self._stale), k)
            self._stale.clear()
        taken: list[tuple[float, int, int]] = []
        while len(taken) < k and self._queue:
            entry = heapq.heappop(self._queue)
            if self._is_fresh(entry):
                taken.append(entry)
        for entry in taken:
            heapq.heappush(self._queue, entry)
        roots = [root for _, root, _ in taken]
        cut_off = [root for root in roots if self._shortlists[root].cut_off(k)]
        if cut_off:
            self._refresh(cut_off, k)
        best = _joined(_NOTHING, *(self._shortlists[root].best for root in roots))
        if best.gains.size > k:
            best = best.part(np.flatnonzero(best.gains >= np.partition(best.gains, -k)[-k]))
        return best.part(np.lexsort((pair_hashes(np.uint64(self._seed), best.left, best.right), -best.gains))[:k])


def _joined(*lists: _Ranked) -> _Ranked:
    """Concatenate."""
    left, right, gains = zip(*lists, strict=True)
    return _Ranked(np.concatenate(left), np.concatenate(right), np.concatenate(gains))
