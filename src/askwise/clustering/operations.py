"""PC-Refine's operations: split a record off its cluster, merge two clusters; what each would gain and cost.

With f the share of YES on a pair: splitting r off C gains the sum over C of 1 - 2 f, merging A and B gains the sum over
their pairs of 2 f - 1. A pair that was not asked has an estimate and costs one question; a pair that is not a candidate
counts f = 0 and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, disagreeing
from askwise.clustering.numbering import smallest_first
from askwise.clustering.subgraph import Subgraph
from askwise.evidence.ratio import UNANIMOUS
from askwise.graph import UncertainGraph
from askwise.kernels.constraints import held_by
from askwise.kernels.local_search import LEAST_RISE

_BUCKETS = 20


class Shares:
    """The share of YES, known or estimated, on the pairs among some records.

    Pairs are listed if they were asked or are listed candidates; all other pairs have `rest_value` and `rest_cost`. A
    `value` is 2 f - 1. An estimate is the mean share of asked pairs with a similar score, or of all asked pairs where
    there are no scores. What must be apart has the value minus infinity.
    """

    def __init__(self, graph: UncertainGraph, nodes: Int32s, estimate: Estimates | None = None) -> None:
        left, right, rows = graph.inside(nodes)
        self.size = nodes.size
        self.left, self.right = left, right
        self.value: Floats = 2.0 * _share(graph.pair_p[rows]) - 1.0
        self.value[graph.pair_fixed[rows] < 0] = -np.inf
        self.values = graph.values[nodes]
        self.cost = np.zeros(rows.size, np.int64)
        self.rest_value, self.rest_cost = -1.0, 0
        if not graph.candidates.listed:
            self.rest_value, self.rest_cost = (2.0 * estimate.overall - 1.0 if estimate else 0.0), 1
            return
        one, two, numbers = graph.candidates.inside(nodes, graph.place)
        unasked = ~graph.answered(graph.candidates.left[numbers], graph.candidates.right[numbers])
        self.left = np.concatenate((left, one[unasked]))
        self.right = np.concatenate((right, two[unasked]))
        guess = estimate.of(numbers[unasked]) if estimate else np.full(int(unasked.sum()), 0.5)
        self.value = np.concatenate((self.value, 2.0 * guess - 1.0))
        self.cost = np.concatenate((self.cost, np.ones(guess.size, np.int64)))

    def contracted(self, some: Subgraph) -> Shares:
        """Merge records that must be together, as they are in `some`; changed in place."""
        if some.stands_for is None:
            return self
        left, right = some.stands_for[self.left], some.stands_for[self.right]
        apart = left != right
        keys = (np.minimum(left, right) * np.int64(self.size) + np.maximum(left, right))[apart]
        found, place = np.unique(keys, return_inverse=True)
        self.left, self.right = (found // self.size).astype(np.int32), (found % self.size).astype(np.int32)
        self.value = np.bincount(place, self.value[apart], found.size).astype(np.float64)
        self.cost = np.bincount(place, self.cost[apart], found.size).astype(np.int64)
        self.values = some.values
        return self


def _share(p: Floats) -> Floats:
    """The share of YES behind p: unanimous votes, which evidence keeps away from certainty, are 0 or 1 here."""
    return np.where(p <= UNANIMOUS, 0.0, np.where(p >= 1.0 - UNANIMOUS, 1.0, p))


class Estimates:
    """The expected share of YES on an unasked pair: 20 buckets of asked pairs by score, of equal depth."""

    def __init__(self, graph: UncertainGraph) -> None:
        p = _share(graph.pair_p[: graph.pair_count])
        known = ~np.isnan(p)
        self.overall = float(p[known].mean()) if known.any() else 0.5
        self._score = graph.candidates.score
        self._bounds: Floats = np.empty(0)
        self._means: Floats = np.array([self.overall])
        if self._score is None or not known.any():
            return
        numbers = graph.candidates.rows(graph.pair_u[: p.size][known], graph.pair_v[: p.size][known])
        shares = p[known][numbers >= 0]
        scores = self._score[numbers[numbers >= 0]]
        if scores.size:
            self._bounds = np.quantile(scores, np.arange(1, _BUCKETS) / _BUCKETS)
            buckets = np.searchsorted(self._bounds, scores, side="right")
            counts = np.bincount(buckets, minlength=_BUCKETS)
            sums = np.bincount(buckets, shares, _BUCKETS)
            self._means = np.where(counts > 0, sums / np.maximum(counts, 1), self.overall)

    def of(self, candidates: Int32s) -> Floats:
        """The estimates for candidates, by their numbers."""
        if self._score is None:
            return np.full(candidates.size, self.overall)
        return self._means[np.searchsorted(self._bounds, self._score[candidates], side="right")]


@dataclass(frozen=True)
class Operations:
    """Splits of a record `one` off the cluster `two`, and merges of the clusters `one` < `two`."""

    one: Int64s
    two: Int64s
    is_merge: Floats
    benefit: Floats
    cost: Int64s


def operations(shares: Shares, labels: Int32s) -> Operations:
    """Every operation that a listed pair speaks for or against."""
    size = shares.size
    sizes = np.bincount(labels, minlength=size)
    a, b = labels[shares.left], labels[shares.right]
    together = a == b
    # Splits: every record of a cluster of two or more.
    records = np.flatnonzero(sizes[labels] > 1)
    inner = np.concatenate((shares.left[together], shares.right[together]))
    inner_value = np.concatenate((shares.value[together], shares.value[together]))
    inner_cost = np.concatenate((shares.cost[together], shares.cost[together]))
    rest = sizes[labels[records]] - 1 - np.bincount(inner, minlength=size)[records]
    split_benefit = -(np.bincount(inner, inner_value, size)[records] + rest * shares.rest_value)
    split_cost = np.bincount(inner, inner_cost, size)[records].astype(np.int64) + rest * shares.rest_cost
    # Merges: every two clusters with a listed pair between them.
    keys = np.minimum(a, b)[~together] * np.int64(size) + np.maximum(a, b)[~together]
    found, group = np.unique(keys, return_inverse=True)
    one, two = found // size, found % size
    rest = sizes[one] * sizes[two] - np.bincount(group, minlength=found.size)
    merge_benefit = np.bincount(group, shares.value[~together], found.size) + rest * shares.rest_value
    if shares.values.shape[1]:
        held = np.full(shares.values.shape, -1, np.int32)
        held_by(labels, np.arange(size, dtype=np.int32), shares.values, held)
        merge_benefit[disagreeing(held[one], held[two])] = -np.inf
    merge_cost = np.bincount(group, shares.cost[~together], found.size).astype(np.int64) + rest * shares.rest_cost
    return Operations(
        np.concatenate((records, one)),
        np.concatenate((labels[records].astype(np.int64), two)),
        np.concatenate((np.zeros(records.size), np.ones(found.size))),
        np.concatenate((split_benefit, merge_benefit)),
        np.concatenate((split_cost, merge_cost)),
    )


def clusters_of(found: Operations, at: int) -> set[int]:
    """The clusters that an operation changes."""
    return {int(found.two[at]), int(found.one[at])} if found.is_merge[at] else {int(found.two[at])}


def apply_free_operations(shares: Shares, labels: Int32s) -> Int32s:
    """Apply every operation that costs nothing and has a positive benefit, the best first, until none has."""
    for _ in range(4 * shares.size + 4):
        found = operations(shares, labels)
        free = np.flatnonzero((found.cost == 0) & (found.benefit > LEAST_RISE))
        if free.size == 0:
            break
        order = free[np.lexsort((found.two[free], found.one[free], -found.benefit[free]))]
        labels = labels.copy()
        used: set[int] = set()
        for at in order.tolist():
            if clusters_of(found, at) & used:
                continue
            used |= clusters_of(found, at)
            if found.is_merge[at]:
                labels[labels == found.two[at]] = found.one[at]
            else:
                record = int(found.one[at])
                rest = np.flatnonzero(labels == labels[record])
                # The cluster keeps its name unless the record that leaves gave it.
                if labels[record] == record:
                    labels[rest] = rest[rest != record][0]
                labels[record] = record
        labels = smallest_first(labels)
    return labels
