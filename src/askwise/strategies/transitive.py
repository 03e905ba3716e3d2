"""TC: ask only what transitivity cannot infer.

Wang, Li, Kraska, Franklin, Feng 2013 (doi:10.1145/2463676.2465280); Vesdapunt, Bellare, Dalvi 2014
(doi:10.14778/2732977.2732982). The majority decides a pair, a tie counts as NO. Records joined by a chain of YES are
the same; two groups of such with a NO between them are different. All other pairs are asked, in random order, or by
their scores, the highest first, where there are any.
"""

import numpy as np

from askwise.arrays import Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.measures.comparisons import Comparisons
from askwise.strategies.question import Question, named
from askwise.strategies.strategy import Strategy


class Transitive(Strategy):
    """Keeps the groups and what lies between them up to date; a change costs what it touches, a batch about k.

    In a batch, two groups give one question: its answer decides all others between them.
    """

    votes_only = True

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        super().__init__(graph, partition, seed)
        self._groups = partition if partition.is_by("closure", seed) else Partition(graph, "closure", seed)
        self._comparisons = Comparisons(graph, self._groups, seed)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Merge and split the groups that the votes touch."""
        self._comparisons.update(rows, moved if self._groups is self._partition else self._groups.update(rows))

    def select(self, k: int) -> list[Question]:
        """`k` pairs that cannot be inferred."""
        score = self._graph.candidates.score
        unlinked = self._comparisons.unlinked
        left, right = unlinked.draw(k) if score is None else unlinked.highest(k, score)
        return named(self._graph, self._partition.membership, left, right, np.zeros(left.size))
