"""Wise: ask where the clustering is most likely to be otherwise.

PERC asks as if every answer would agree with the clustering. Wise looks at what could be otherwise: for each pair it
knows the nearest change of the clustering that would put the two records on the other side (their clusters become one,
one of the two goes over, or one leaves), and what that change costs now in log-likelihood: that gives the chance that
the change is right. For a question to help, the change has to be right and the answer has to say so: it is worth the
square of that chance.

Which of the pairs that a change is about is asked, is left to chance, but for what is in doubt itself. To ask the pair
that contradicts the clustering most would be to ask those that workers and machines err on most, and to believe them.
A pair that is itself in doubt is worth a little even where the clusters settle it: an answer there teaches how far
workers and machines are to be trusted.

Where neither workers nor a matcher have compared two clusters, the odds that they are the same are taken to be 1 to e,
and changes count more the larger they are: one answer then settles more pairs.

The questions that are in a batch count when the next is chosen: two clusters, or one, give one as long as there are
others, and what is left of a question's worth is the chance that those before it about the same small cluster change
nothing there. A pair that was asked and is still open may be asked again; each vote on it makes that worth less.

A change costs what it touches: the pairs at the clusters with new evidence or new members. The best pairs are kept at
hand, so that to select costs what is selected; only when they run out, all pairs are looked at.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, disagreeing, grown
from askwise.blocking.parallel import Parts
from askwise.clustering.partition import Partition
from askwise.evidence.regression import logistic
from askwise.graph import UncertainGraph
from askwise.kernels import flips
from askwise.kernels.beside import beside
from askwise.measures.comparisons import Comparisons
from askwise.strategies.prospects import Prospects
from askwise.strategies.question import Question, named
from askwise.strategies.random import Random
from askwise.strategies.shortlist import AHEAD, Shortlist, enough

UNKNOWN = 1.0
"""What it costs to join two clusters that were never compared, as log-odds."""

_SURELY = 0.5
_FEW_CLUSTERS = 1024
_ANY = -1  # in place of a change: join two clusters, given by their roots; which pair of theirs, is picked later
_SHARE = 8192


class Wise:
    """Asks where the clustering is most likely to be otherwise."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = seed
        candidates = graph.candidates
        self._every_pair = candidates.listed and graph.pair_count >= candidates.total
        self._comparisons = None if self._every_pair else Comparisons(graph, partition, seed)
        self._any = Random(graph, partition, seed)
        size = len(graph)
        self._names: Int32s = np.empty(0, np.int32)
        self._own: Floats = np.zeros(size)
        self._value: Floats = np.zeros(graph.pair_count)
        self._chance: Floats = np.zeros(graph.pair_count)
        self._change: Int8s = np.zeros(graph.pair_count, np.int8)
        self._shortlist = Shortlist(graph.pair_count)
        self._stale: Bools = partition.label == np.arange(size)
        self._other_members: Bools = self._stale.copy()
        self._other_evidence: Bools = np.zeros(graph.pair_count, np.bool_)
        self._spent: Bools = np.zeros(graph.pair_count, np.bool_)
        self._scratch: Floats = np.zeros(size)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Mark the clusters that the change touched."""
        label, graph = self._partition.label, self._graph
        if self._comparisons is not None:
            self._comparisons.update(rows, moved)
        for marks in (self._stale, self._other_members):
            marks[moved] = False
            marks[label[moved]] = True
        if not self._every_pair:
            self._other_evidence = grown(self._other_evidence, graph.pair_count, False)
            self._other_evidence[rows] = True
        if rows.size > label.size:
            self._stale[label] = True
            return
        one, two = label[graph.pair_u[rows]], label[graph.pair_v[rows]]
        size_of = self._partition.size_of
        self._stale[np.where(size_of[one] <= size_of[two], one, two)] = True  # of two clusters, the smaller will do

    def select(self, k: int) -> list[Question]:
        """The `k` questions that are worth most, one after the other."""
        self._review()
        prospects = self._pairs(k) if self._every_pair else self._compared_or_not(k)
        chosen = self._picked(prospects.batch(k, self._partition, not self._every_pair))
        if not self._every_pair and chosen.value.size < k:
            chosen = chosen.and_more(self._others(chosen, k - chosen.value.size))
        return named(self._graph, self._partition, chosen.left, chosen.right, chosen.value, chosen.change.tolist())

    def _review(self) -> None:
        """Value the pairs at clusters that changed."""
        graph = self._graph
        self._value = grown(self._value, graph.pair_count, 0.0)
        self._chance = grown(self._chance, graph.pair_count, 0.0)
        self._change = grown(self._change, graph.pair_count, 0)
        self._shortlist.grow(graph.pair_count)
        self._spent = grown(self._spent, graph.pair_count, False)
        stale = np.flatnonzero(self._stale).astype(np.int32)
        if not stale.size:
            return
        most = stale.size > self._partition.count // 4
        if most and self._every_pair:
            self._review_all()
        else:
            self._review_at(stale, most)

    def _review_at(self, clusters: Int32s, most: bool) -> None:
        """Value the pairs at some clusters, which may be most of them."""
        graph, partition = self._graph, self._partition
        label, around, weight = partition.label, graph.adjacency, graph.pair_weight
        if most:
            rows = np.arange(graph.pair_count, dtype=np.int32)
            flips.own_sums(graph.pair_count, label, around, weight, self._own)
        else:
            members = partition.members_of_each(clusters)[0]
            rows = graph.pairs_at(members)
            flips.own_sums_of(members, label, around, weight, self._own)
        rows = flips.review(
            rows,
            rows if self._every_pair else self._changed_pairs(),
            label,
            partition.size_of,
            partition.held,
            around,
            weight,
            graph.pair_open,
            self._every_pair,
            np.uint64(self._seed),
            self._names,
            self._own,
            self._value,
            self._chance,
            self._change,
            self._other_members,
            self._spent,
            self._scratch,
        )
        self._stale[clusters] = self._other_members[clusters] = False
        self._shortlist.add(rows, self._value)

    def _changed_pairs(self) -> Int32s:
        """Pairs of all two clusters (or one) where other evidence, or other members, may have changed what is likely.

        Evidence inside a cluster says how far its two records belong there, and so what it takes to move them. The
        marks of other evidence are taken back.
        """
        label, graph = self._partition.label, self._graph
        rows = np.flatnonzero(self._other_evidence).astype(np.int32)
        self._other_evidence[rows] = False
        u, v = graph.pair_u[rows], graph.pair_v[rows]
        touched = self._other_members[label]
        inside = label[u] == label[v]
        touched[u[inside]] = touched[v[inside]] = True
        return np.concatenate((rows, graph.pairs_at(np.flatnonzero(touched).astype(np.int32))))

    def _review_all(self) -> None:
        """Value all pairs, on all cores."""
        graph, label = self._graph, self._partition.label
        self._stale[:] = self._other_members[:] = False
        around = graph.adjacency
        flips.own_sums(graph.pair_count, label, around, graph.pair_weight, self._own)

        def some(first: int, last: int) -> None:
            flips.review_all(
                first,
                last,
                label,
                self._partition.following_member,
                self._partition.held,
                around,
                graph.pair_weight,
                graph.pair_open,
                np.uint64(self._seed),
                self._names,
                self._own,
                self._value,
                self._chance,
                self._change,
            )

        Parts().all("questions", label.size, max(_SHARE, label.size // 16), some)
        self._shortlist.clear()

    def _good_rows(self, k: int, least: float = 0.0) -> Int32s:
        """Rows that are worth something, and `least` at least, in no order; enough to choose `k` from."""
        return self._shortlist.best(k, self._value[: self._graph.pair_count], least)

    @staticmethod
    def _of_best(k: int) -> int:
        """How many of the best get an unasked pair beside them, to choose `k` from."""
        return AHEAD // 2 * k

    def _pairs(self, k: int) -> Prospects:
        """The best pairs, where every pair that may be asked has evidence."""
        graph, most = self._graph, enough(k)
        rows = self._good_rows(k)
        value = self._value[rows]
        if rows.size > most:
            best = np.argpartition(-value, most)[:most]
            rows, value = rows[best], value[best]
        best = np.lexsort((rows, -value))
        rows = rows[best]
        ends = graph.pair_u[rows], graph.pair_v[rows]
        return Prospects(value[best], self._chance[rows], *ends, self._change[rows])

    def _compared_or_not(self, k: int) -> Prospects:
        """Where not every pair has evidence: pairs beside those that have some, and pairs of clusters without any."""
        never = self._never_compared(k)
        least = -np.sort(-never.value, kind="stable")[k - 1] if never.value.size >= k else 0.0
        return self._beside(k, _SURELY * least).and_more(never)

    def _beside(self, k: int, least: float) -> Prospects:
        """For the best pairs with evidence, an unasked pair about the same change, and the pair itself if open.

        Those that are worth less than `least` would not be chosen.
        """
        graph, partition, candidates = self._graph, self._partition, self._graph.candidates
        worth, chance, left, right, change = beside(
            self._good_rows(k, least),
            self._of_best(k),
            2 * k,
            np.uint64(self._seed),
            (self._value, self._chance, self._change),
            self._spent,
            graph.pair_u,
            graph.pair_v,
            graph.pair_open,
            (partition.label, partition.size_of, partition.following_member),
            graph.pair_map,
            candidates.listed,
            (candidates.starts, candidates.other, candidates.row, candidates.asked),
            graph.chosen,
        )
        return Prospects(worth, chance, left, right, change)

    def _never_compared(self, k: int) -> Prospects:
        """Pairs of clusters without any evidence between them: the largest first, and by what is likely of a pair."""
        comparisons, size_of, label = self._comparisons, self._partition.size_of, self._partition.label
        held = self._partition.held
        assert comparisons is not None
        unlinked = comparisons.unlinked
        candidates, change, chance = self._graph.candidates, flips.JOIN, np.full(1, flips.likely(UNKNOWN))
        if candidates.listed:
            sizes = size_of[label].astype(np.float64)
            worth = sizes[candidates.left] * sizes[candidates.right]
            if held.shape[1]:
                worth[disagreeing(held[label[candidates.left]], held[label[candidates.right]])] = 0.0
            if candidates.hunch is None:
                left, right = unlinked.highest(AHEAD * k, worth)
            else:
                likely = logistic(candidates.hunch - UNKNOWN)
                left, right = unlinked.highest(AHEAD * k, worth * (likely * likely) ** 2)
                chance = likely[candidates.rows(left, right)]
        elif self._partition.count <= _FEW_CLUSTERS:
            left, right = unlinked.largest(AHEAD * k)
            change = _ANY
        else:
            left, right = unlinked.draw(AHEAD * k)
        pairs = size_of[label[left]].astype(np.float64) * size_of[label[right]]
        chance = np.broadcast_to(chance, left.shape)
        return Prospects(chance**2 * np.sqrt(pairs), chance, left, right, np.full(left.size, change, np.int8))

    def _picked(self, chosen: Prospects) -> Prospects:
        """What is chosen, with a pair of records where only the clusters are chosen yet."""
        anyhow = np.flatnonzero(chosen.change == _ANY)
        if anyhow.size and self._comparisons is not None:
            one, two = chosen.left[anyhow], chosen.right[anyhow]
            ends = self._comparisons.unlinked.one_for_each(one, two, self._graph.asked_count)
            chosen.left[anyhow], chosen.right[anyhow] = ends
            chosen.change[anyhow] = flips.JOIN
        return chosen

    def _others(self, chosen: Prospects, missing: int) -> Prospects:
        """Any unasked pairs, when the rest has run out."""
        left, right = self._any.others(missing, chosen.left, chosen.right)
        nothing = np.zeros(left.size)
        return Prospects(nothing, nothing, left, right, np.full(left.size, flips.JOIN, np.int8))
