"""Uniform over the unasked candidates. No paper claims it; it is what keeps everybody honest."""

import numpy as np

from askwise.arrays import Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.mixing import pair_hash
from askwise.kernels.picking import draw_unasked
from askwise.strategies.question import Question, named

_NO_RECORDS: Int32s = np.empty(0, np.int32)
_TRIES = 8  # for each that is wanted; if so many do not find it, nearly everything was asked


class Random:
    """Draws questions evenly. Costs about k; once nearly everything was asked, about the number of candidates."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = seed

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Chance has no memory."""

    def select(self, k: int) -> list[Question]:
        """`k` unasked candidates, each as likely as any other."""
        left, right = self.pairs(k)
        return named(self._graph, self._partition, left, right, np.zeros(left.size))

    def pairs(self, k: int, left: Int32s = _NO_RECORDS, right: Int32s = _NO_RECORDS) -> tuple[Int32s, Int32s]:
        """The same as positions, and none of those given."""
        graph, records = self._graph, np.int64(len(self._graph))
        candidates = graph.candidates
        # Asked pairs, not calls, move the draw on: the same state gives the same questions.
        seed = np.uint64(pair_hash(np.uint64(self._seed), graph.asked_count, k))
        taken = left * records + right
        found = draw_unasked(
            k,
            _TRIES * k,
            seed,
            len(graph),
            graph.pair_map,
            graph.pair_asked,
            (candidates.left, candidates.right, candidates.asked),
            candidates.listed,
            taken,
        )
        if found[0].size == k:
            return found
        left, right = graph.unasked()
        others = np.flatnonzero(~np.isin(left * records + right, taken))
        chosen = np.random.default_rng(int(seed)).permutation(others)[:k]
        return left[chosen], right[chosen]
