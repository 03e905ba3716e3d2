"""DENSE and bDENSE: ask where there is no strong evidence, for or against.

Verroios, Garcia-Molina 2015 (doi:10.1109/ICDE.2015.7113286). For two sets of records A and B,

    rho = (P'Y1 P'Y2) / (PY1 PY2) * min(P'N / PN, P'Y / PY)

where Y1 and Y2 are the positive edges from A and from B to records outside both, Y and N the positive and negative
edges between A and B, P the product of the probabilities that these edges are right and P' that they are wrong. With
|w| the absolute log-odds of an edge, -log rho = |Y1| + |Y2| + max(|N|, |Y|). The sets: every two clusters, and inside
each cluster the two sides of each merge that built it. Votes count as a majority with an accuracy of 0.9 (evidence
"majority").
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.agglomerate import TIE_SCALE, agglomerated
from askwise.kernels.merge_tree import pick_between_sets, side_evidence, two_sets
from askwise.measures.comparisons import Comparisons
from askwise.measures.unlinked import FEW_CLUSTERS
from askwise.strategies.question import Question, named
from askwise.strategies.strategy import Strategy

_SUREST = 21.0  # as log-odds, of what rules say: their weights are infinite, and differences are taken here


class BDense(Strategy):
    """The k largest rho. A batch costs about E log E for the merges, and the clusters for what was never compared.

    With all pairs as candidates and more than 4,096 clusters, the never compared are sampled, 64 for each question.
    """

    votes_only = True

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        super().__init__(graph, partition, seed)
        self._clusters = partition if partition.is_by("scc", seed) else Partition(graph, "scc", seed)
        self._comparisons = Comparisons(graph, self._clusters, seed)

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Keep track of the clusters and of which were compared."""
        self._comparisons.update(rows, moved if self._clusters is self._partition else self._clusters.update(rows))

    def select(self, k: int) -> list[Question]:
        """An unasked pair between each of the `k` two sets with the largest rho; chance decides among equals.

        If there are fewer such sets than questions wanted, further pairs between them fill the batch, in the same
        order.
        """
        graph = self._graph
        chance = np.random.default_rng((self._seed, graph.asked_count))
        sets = weakest_sets(graph, self._clusters)
        drawn_left, drawn_right, drawn_cost = self._never_compared(k, sets.leaving, chance)
        cost = np.concatenate((sets.cost, drawn_cost))
        order = np.lexsort((chance.random(cost.size), np.rint(cost * TIE_SCALE)))
        left, right, at = sets.unasked(graph, k, order, (drawn_left, drawn_right), self._seed)
        return named(graph, self._partition.membership, left, right, -cost[at] / np.log(10.0))

    def _never_compared(self, k: int, leaving: Floats, chance: np.random.Generator) -> tuple[Int32s, Int32s, Floats]:
        """Pairs between clusters without evidence between them, one for every two: the `k` smallest -log rho."""
        label, unlinked, candidates = self._clusters.label, self._comparisons.unlinked, self._graph.candidates
        if not candidates.listed and self._clusters.count <= FEW_CLUSTERS:
            one, two = unlinked.every_two()
            cost = leaving[one] + leaving[two]
            best = smallest(k, np.rint(cost * TIE_SCALE), chance.random(cost.size))
            left, right = unlinked.one_for_each(one[best], two[best], self._seed)
            return left, right, cost[best]
        if candidates.listed:
            rows = unlinked.candidate_rows()
            left, right = candidates.left[rows], candidates.right[rows]
        else:
            left, right = unlinked.draw(64 * k)
        a, b = label[left], label[right]
        cost = leaving[a] + leaving[b]
        order = np.lexsort((chance.random(cost.size), np.rint(cost * TIE_SCALE)))
        keys = (np.minimum(a, b) * np.int64(label.size) + np.maximum(a, b))[order]
        best = order[np.sort(np.unique(keys, return_index=True)[1])[:k]]
        return left[best], right[best], cost[best]


def smallest(k: int, values: Floats, ties: Floats) -> Int64s:
    """The places of the `k` smallest values, in order; `ties` decides among equals."""
    places = np.arange(values.size)
    if k < values.size:
        bound = np.partition(values, k - 1)[k - 1]
        below, equal = np.flatnonzero(values < bound), np.flatnonzero(values == bound)
        first = np.argpartition(ties[equal], k - below.size - 1)[: k - below.size]
        places = np.concatenate((below, equal[first]))
    order: Int64s = places[np.lexsort((ties[places], values[places]))]
    return order


class Dense(BDense):
    """DENSE itself: one question at a time."""

    def select(self, k: int) -> list[Question]:
        """An unasked pair between the two sets with the largest rho."""
        return super().select(1)


class WeakSets:
    """Two sides of a merge, and two clusters with evidence between them: their members and -log rho."""

    def __init__(
        self, partition: Partition, one: Int32s, two: Int32s, linked: Int64s, cost: Floats, leaving: Floats
    ) -> None:
        self._partition = partition
        self._merges = one, two
        self._linked = linked
        self.cost = cost
        self.leaving = leaving  # of each cluster's root: the positive weight that leaves the cluster

    def members(self, at: int) -> tuple[Int32s, Int32s]:
        """The records of the two sets, in order."""
        return two_sets(at, self._merges, self._linked, self._partition.membership)

    def unasked(
        self, graph: UncertainGraph, k: int, order: Int64s, drawn: tuple[Int32s, Int32s], seed: int
    ) -> tuple[Int32s, Int32s, Int64s]:
        """Up to `k` unasked pairs and where each is from: one between every two sets, in order, then further ones.

        `order` goes on after the sets with the pairs `drawn`.
        """
        return pick_between_sets(
            k,
            order,
            self._merges,
            self._linked,
            self._partition.membership,
            drawn,
            np.uint64(seed),
            graph.askable,
        )


def weakest_sets(graph: UncertainGraph, partition: Partition) -> WeakSets:
    """All two sets with evidence between them that DENSE considers, on the clusters of SCC."""
    size = len(graph)
    left, right, rows = graph.inside(np.arange(size, dtype=np.int32))
    weight = np.clip(graph.pair_weight[rows], -_SUREST, _SUREST)
    _, one, two = agglomerated(size, left, right, weight)
    positive, negative, tree_leaving = side_evidence(size, one, two, left, right, weight)
    inside = tree_leaving[one] + tree_leaving[two] - 2.0 * positive + np.maximum(positive, negative)
    label = partition.label
    a, b = label[left], label[right]
    apart = a != b
    leaving: Floats = np.zeros(size)
    crossing = apart & (weight > 0.0)
    np.add.at(leaving, a[crossing], weight[crossing])
    np.add.at(leaving, b[crossing], weight[crossing])
    keys = np.minimum(a, b)[apart] * np.int64(size) + np.maximum(a, b)[apart]
    linked, group = np.unique(keys, return_inverse=True)
    yes = np.bincount(group, np.maximum(weight[apart], 0.0), linked.size)
    no = np.bincount(group, np.maximum(-weight[apart], 0.0), linked.size)
    between = leaving[linked // size] + leaving[linked % size] - 2.0 * yes + np.maximum(yes, no)
    return WeakSets(partition, one, two, linked, np.concatenate((inside, between)), leaving)
