"""PERC: ask what raises the reliability of the clustering most, if the answer agrees with it.

Yalavarthi, Ke, Khan 2017 (doi:10.1145/3132847.3132876), section 3. A certain YES inside a cluster raises log Connect,
a certain NO between two clusters raises log Disconnect to 0; the priority of a pair is that gain. Two clusters without
any evidence between them have the largest gain of all, -log10 of a tiny constant; pairs between such are drawn evenly.
All pairs between the same two clusters are worth the same, so these give at most one question to a batch; a cluster may
give several.

A change costs what it touches: the clusters and the pairs of clusters with new votes or new members.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.mixing import pair_hashes
from askwise.measures.cluster_tree import RANKING, ClusterTree
from askwise.measures.comparisons import Comparisons
from askwise.measures.estimate import FLOOR
from askwise.strategies.question import Kind, Question


class _Shortlist(NamedTuple):
    """The best questions inside a cluster; `limit` of them were asked for."""

    limit: int
    left: Int32s
    right: Int32s
    gains: Floats


class _Proposal(NamedTuple):
    gain: float
    left: int
    right: int
    kind: Kind


class Perc:
    """The paper's strategy."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = np.uint64(seed)
        self._comparisons = Comparisons(graph, partition, seed)
        self._shortlists: dict[int, _Shortlist] = {}
        self._queue: list[tuple[float, int, int]] = []  # (-best gain, root, generation); stale ones are passed over
        self._generation: dict[int, int] = {}
        own = partition.label == np.arange(len(graph))
        self._stale: set[int] = set(np.flatnonzero(own & (partition.size_of > 1)).tolist())

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Count again between the clusters, and mark the clusters, that the change touched."""
        graph, partition = self._graph, self._partition
        self._comparisons.update(rows, moved)
        for record in moved.tolist():
            self._shortlists.pop(record, None)
            self._stale.discard(record)
        label = partition.label
        u, v = graph.pair_u[rows], graph.pair_v[rows]
        roots = np.concatenate((label[u][label[u] == label[v]], label[moved]))
        self._stale.update(roots[partition.size_of[roots] > 1].tolist())

    def select(self, k: int) -> list[Question]:
        """The `k` unasked candidates with the largest gains."""
        proposals = self._within(k) + self._between(k)
        proposals.sort(key=lambda proposal: -proposal.gain)
        never_compared = -math.log10(FLOOR)
        above = sum(proposal.gain > never_compared for proposal in proposals[:k])
        if above < k:
            left, right = self._comparisons.unlinked.draw(k - above)
            drawn = zip(left.tolist(), right.tolist(), strict=True)
            proposals[above:above] = [_Proposal(never_compared, u, v, "between") for u, v in drawn]
        ids = self._graph.records.ids
        return [Question(ids[u], ids[v], gain, kind) for gain, u, v, kind in proposals[:k]]

    def _refresh(self, root: int, limit: int) -> _Shortlist:
        tree = ClusterTree(self._graph, self._partition.members(root), int(self._seed), RANKING)
        shortlist = _Shortlist(limit, *tree.best_pairs(limit))
        self._shortlists[root] = shortlist
        return shortlist

    def _within(self, k: int) -> list[_Proposal]:
        """The best `k` questions inside clusters, from the shortlists of the `k` clusters with the best ones."""
        for root in sorted(self._stale):
            shortlist = self._refresh(root, k)
            generation = self._generation[root] = self._generation.get(root, 0) + 1
            if shortlist.gains.size:
                heapq.heappush(self._queue, (-float(shortlist.gains[0]), root, generation))
        self._stale.clear()
        taken: list[tuple[float, int, int]] = []
        while len(taken) < k and self._queue:
            entry = heapq.heappop(self._queue)
            if entry[2] == self._generation[entry[1]] and entry[1] in self._shortlists:
                taken.append(entry)
        for entry in taken:
            heapq.heappush(self._queue, entry)
        if not taken:
            return []
        lists = [self._long_enough(root, k) for _, root, _ in taken]
        gains = np.concatenate([shortlist.gains for shortlist in lists])
        left = np.concatenate([shortlist.left for shortlist in lists])
        right = np.concatenate([shortlist.right for shortlist in lists])
        if gains.size > k:
            near = np.flatnonzero(gains >= np.partition(gains, -k)[-k])
            gains, left, right = gains[near], left[near], right[near]
        order = np.lexsort((pair_hashes(self._seed, left, right), -gains))[:k]
        found = zip(gains[order].tolist(), left[order].tolist(), right[order].tolist(), strict=True)
        return [_Proposal(gain, u, v, "within") for gain, u, v in found]

    def _long_enough(self, root: int, k: int) -> _Shortlist:
        """A cluster's shortlist, made longer if it was cut off for a smaller batch."""
        shortlist = self._shortlists[root]
        cut_off = shortlist.gains.size == shortlist.limit < k
        return self._refresh(root, k) if cut_off else shortlist

    def _between(self, k: int) -> list[_Proposal]:
        """The best `k` questions between linked clusters, one for every two."""
        left, right, gains = self._comparisons.separations.weakest_pairs(k)
        found = zip(gains.tolist(), left.tolist(), right.tolist(), strict=True)
        return [_Proposal(gain, u, v, "between") for gain, u, v in found]
