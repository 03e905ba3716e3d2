"""MinMax's hybrid order: certain matches first, then the unknown, then uncertain non-matches, certain ones last.

Gruenheid, Kossmann, Ramesh, Widom 2012. A positive path has positive edges only (p > 1/2, weight p), a negative path
exactly one negative edge (weight 1 - p); a path weighs as much as its lightest edge. pScore and nScore of two records
are the heaviest positive and negative path between them; unasked pairs are ranked by pScore - nScore.
"""

import numpy as np

from askwise.clustering.partition import Partition
from askwise.errors import InputError
from askwise.graph import UncertainGraph
from askwise.kernels.bottleneck import path_scores
from askwise.kernels.mixing import hashes
from askwise.strategies.question import Question, named
from askwise.strategies.strategy import Strategy

_MOST_RECORDS = 20_000


class MinMax(Strategy):
    """Computes all scores for every batch: about the square of the number of records, in time and memory."""

    votes_only = True

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        if len(graph) > _MOST_RECORDS:
            raise InputError(
                f"strategy 'minmax' keeps scores of all pairs, too many for {len(graph):,} records; "
                f"it takes at most {_MOST_RECORDS:,}"
            )
        super().__init__(graph, partition, seed)

    def select(self, k: int) -> list[Question]:
        """The `k` unasked pairs with the largest pScore - nScore; ties are random."""
        graph = self._graph
        left, right = graph.unasked()
        ranking = -self._scores()[left, right]
        asked = graph.asked_count
        ties = hashes(np.uint64(self._seed), np.arange(asked, asked + left.size, dtype=np.int32))
        if left.size > k:
            cut = np.partition(ranking, k - 1)[k - 1]
            near = np.flatnonzero(ranking <= cut)
            best = near[np.lexsort((ties[near], ranking[near]))[:k]]
        else:
            best = np.lexsort((ties, ranking))
        return named(graph, self._partition.membership, left[best], right[best], -ranking[best])

    def _scores(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        graph = self._graph
        rows = np.flatnonzero(~np.isnan(graph.pair_p[: graph.pair_count]))
        p = np.round(graph.pair_p[rows], 12)  # so that p = 0.3 and p = 0.7 weigh the same
        left, right = graph.pair_u[rows], graph.pair_v[rows]
        # Where a positive and a negative edge weigh the same, the order between them does not change any score.
        order = np.lexsort((right, left, -np.maximum(p, 1.0 - p))).astype(np.int32)
        positive, negative = path_scores(len(graph), order, left, right, p)
        return positive - negative
