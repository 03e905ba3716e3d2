"""Wise: ask where the clustering is most likely to be wrong.

PERC asks as if every answer would agree with the clustering. Wise asks what could be different. For each pair it knows
the nearest change of the clustering that puts the two records on the other side: their clusters are joined, one of the
two moves over, or one leaves. If the change costs c in log-likelihood, it is right with probability 1 / (1 + e^c). A
question helps only if the change is right and the answer says so, so it is worth the square of that probability.

Which of the pairs about a change is asked is random. A pair that is in doubt itself is worth a little more (`TEACHES`).
docs/engine.md says why, and docs/systems.md how a batch is chosen.

An update only marks the clusters with new evidence or new members. The next `select` values the pairs at these
clusters again. The best pairs are kept in a shortlist; only when it runs out does `select` look at all pairs.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Int32s, disagreeing
from askwise.clustering.partition import Partition
from askwise.evidence.regression import logistic
from askwise.graph import UncertainGraph
from askwise.kernels.equivalent_questions import equivalent_questions
from askwise.kernels.question_values import JOIN, Worth, likely
from askwise.measures.comparisons import Comparisons
from askwise.strategies.prospects import Prospects
from askwise.strategies.question import Question, named
from askwise.strategies.random import Random
from askwise.strategies.shortlist import AHEAD, Shortlist, enough
from askwise.strategies.strategy import Strategy
from askwise.strategies.valuing import Valuing

UNKNOWN = 1.0
"""What it costs to join two clusters that were never compared, as log-odds."""

_SURELY = 0.5
_FEW_CLUSTERS = 1024
_ANY = -1  # in place of a change: join two clusters, given by their roots; which pair of theirs, is picked later


class Wise(Strategy):
    """Asks where the clustering is most likely to be wrong."""

    asks_again = True

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        super().__init__(graph, partition, seed)
        self.valuing = Valuing(graph, partition.membership, seed)
        self._shortlist = Shortlist(graph.pair_count)
        self._comparisons = None if self.valuing.every_pair else Comparisons(graph, partition, seed)
        self._any = Random(graph, partition, seed)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Mark the clusters that the change touched."""
        if self._comparisons is not None:
            self._comparisons.update(rows, moved)
        self.valuing.update(rows, moved)

    def select(self, k: int) -> list[Question]:
        """The `k` most valuable questions, one after the other."""
        self.revalue()
        graph, clusters = self._graph, self._partition.membership
        if self._comparisons is None:
            chosen = best_rows(k, graph, self.valuing.worth, self._shortlist).batch(k, clusters, False)
        else:
            chosen = self._picked(self._compared_or_not(k).batch(k, clusters, True))
            if chosen.value.size < k:
                chosen = chosen.and_more(self._others(chosen, k - chosen.value.size))
        return named(graph, clusters, chosen.left, chosen.right, chosen.value, chosen.change.tolist())

    def revalue(self) -> None:
        """Value the pairs at clusters that changed."""
        self._shortlist.grow(self._graph.pair_count)
        rows = self.valuing.revalue(self._partition.count)
        if rows is None:
            self._shortlist.clear()
        else:
            self._shortlist.add(rows, self.valuing.worth.value)

    def _compared_or_not(self, k: int) -> Prospects:
        """Where not every pair has evidence: pairs beside those that have some, and pairs of clusters without any."""
        never = self._never_compared(k)
        least = -np.sort(-never.value, kind="stable")[k - 1] if never.value.size >= k else 0.0
        return self.equivalents(k, _SURELY * least).and_more(never)

    def equivalents(self, k: int, least: float) -> Prospects:
        """For the best pairs with evidence, an unasked pair about the same change, and the pair itself if open.

        Those that are worth less than `least` would not be chosen.
        """
        graph, worth = self._graph, self.valuing.worth
        found = equivalent_questions(
            self._shortlist.best(k, worth.value[: graph.pair_count], least),
            best_to_look_at(k),
            2 * k,
            np.uint64(self._seed),
            worth,
            graph.pair_open,
            graph.adjacency,
            self._partition.membership,
            graph.askable,
        )
        return Prospects(*found)

    def _never_compared(self, k: int) -> Prospects:
        """Pairs of clusters without any evidence between them: the largest first, and by what is likely of a pair."""
        comparisons, size_of, label = self._comparisons, self._partition.size_of, self._partition.label
        held = self._partition.held
        assert comparisons is not None
        unlinked = comparisons.unlinked
        candidates, change, chance = self._graph.candidates, JOIN, np.full(1, likely(UNKNOWN))
        if candidates.listed:
            sizes = size_of[label].astype(np.float64)
            worth = sizes[candidates.left] * sizes[candidates.right]
            if held.shape[1]:
                worth[disagreeing(held[label[candidates.left]], held[label[candidates.right]])] = 0.0
            if self._graph.unasked_odds is None:
                left, right = unlinked.highest(AHEAD * k, worth)
            else:
                likely_same = logistic(self._graph.unasked_odds - UNKNOWN)
                left, right = unlinked.highest(AHEAD * k, worth * (likely_same * likely_same) ** 2)
                chance = likely_same[candidates.rows(left, right)]
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
            chosen.change[anyhow] = JOIN
        return chosen

    def _others(self, chosen: Prospects, missing: int) -> Prospects:
        """Any unasked pairs, when the rest has run out."""
        left, right = self._any.others(missing, chosen.left, chosen.right)
        nothing = np.zeros(left.size)
        return Prospects(nothing, nothing, left, right, np.full(left.size, JOIN, np.int8))


def best_to_look_at(k: int) -> int:
    """How many of the best pairs with evidence get an unasked pair about the same change, to choose `k` from."""
    return AHEAD // 2 * k


def best_rows(k: int, graph: UncertainGraph, worth: Worth, shortlist: Shortlist) -> Prospects:
    """The best pairs, to choose `k` from, where every pair that may be asked has evidence."""
    most = enough(k)
    rows = shortlist.best(k, worth.value[: graph.pair_count])
    value = worth.value[rows]
    if rows.size > most:
        best = np.argpartition(-value, most)[:most]
        rows, value = rows[best], value[best]
    best = np.lexsort((rows, -value))
    rows = rows[best]
    return Prospects(value[best], worth.chance[rows], graph.pair_u[rows], graph.pair_v[rows], worth.change[rows])
