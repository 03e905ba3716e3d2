"""What all strategies have in common."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.mixing import pair_hashes
from askwise.strategies.question import Question, named


class Strategy:
    """Chooses the next questions. A subclass needs `select`, and `update` if it keeps anything between batches.

    It is made once the votes to start with are in the graph. Its questions must be a function of graph, partition and
    seed, however the votes came.

    Attributes
    ----------
    votes_only : bool
        Whether only votes are evidence to it. Then there is no machine: scores and fields change neither p nor the
        clusters.
    asks_again : bool
        Whether it weighs a further vote on a pair against a new pair (`most_votes`).
    """

    votes_only = False
    asks_again = False

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph = graph
        self._partition = partition
        self._seed = seed

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Take in that the pairs `rows` and the clusters of the records `moved` have changed."""

    def select(self, k: int) -> list[Question]:
        """At most `k` candidates that were not asked, the best first. Changes nothing; no questions end a run."""
        raise NotImplementedError

    def best(self, k: int, left: Int32s, right: Int32s, gains: Floats) -> list[Question]:
        """The `k` pairs with the largest gains as questions; chance decides among equals."""
        first = np.lexsort((pair_hashes(np.uint64(self._seed), left, right), -gains))[:k]
        return named(self._graph, self._partition.membership, left[first], right[first], gains[first])
