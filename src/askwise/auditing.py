"""Audits of a resolution: pairs drawn by chance, which of them to ask, and how many have answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from askwise.checks import collection
from askwise.clustering.partition import Partition
from askwise.evidence import VoteLog
from askwise.graph import UncertainGraph, probability
from askwise.measures.audit import NONE_DRAWN, Drawn, draw
from askwise.strategies import Question
from askwise.strategies.question import named


class Audits:
    """The pairs that were drawn, each with its probability."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph, self._partition, self._seed = graph, partition, seed
        self._drawn = NONE_DRAWN

    def draw(self, k: int) -> list[Question]:
        """Draw `k` pairs; returns those that were not asked yet."""
        graph, partition = self._graph, self._partition
        drawn = draw(graph, partition, k, (self._seed, self._drawn.left.size))
        self._drawn = self._drawn.with_more(drawn)
        new = ~graph.asked(drawn.left, drawn.right)
        left, right = np.unique(np.column_stack((drawn.left[new], drawn.right[new])), axis=0).T
        label, p = partition.label, graph.p_of(left, right)
        mistaken = np.where(label[left] == label[right], 1.0 - p, p)
        return named(graph, partition.membership, left, right, np.where(np.isnan(p), 0.5, mistaken))

    @property
    def drawn(self) -> list[tuple[Hashable, Hashable, float]]:
        """The pairs with their probabilities."""
        ids = self._graph.records.ids
        columns = (column.tolist() for column in self._drawn)
        return [(ids[left], ids[right], chance) for left, right, chance in zip(*columns, strict=True)]

    def resume(self, audited: Iterable[tuple[Hashable, Hashable, float]]) -> None:
        """Replace the drawn pairs."""
        drawn = list(collection("audited", audited))
        left, right = self._graph.records.pairs([(one[0], one[1]) for one in drawn])
        chance = np.array([probability(one[2], one[0], one[1]) for one in drawn])
        self._drawn = Drawn(left, right, chance)

    def answered(self, votes: VoteLog) -> int:
        """How many of the drawn pairs have an answer, from votes or by a rule."""
        rows = self._graph.find_rows(self._drawn.left, self._drawn.right)
        rows = rows[rows >= 0]
        return int(((np.add(*votes.tally(rows)) > 0) | (self._graph.pair_fixed[rows] != 0)).sum())
