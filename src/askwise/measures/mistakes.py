"""How many pairs a clustering is likely to have wrong, with no gold: for estimates that people read.

Evidence on pairs of the same two clusters is alike, and so it is on the pairs of a record with its cluster: half of it,
`ALIKE`, is taken to be shared. So n pairs count as n / (1 + (n - 1) / 2), two at the most, where a clustering adds up
all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int32s, Int64s, disagreeing, found_in
from askwise.clustering.partition import Partition
from askwise.evidence.regression import logistic
from askwise.graph import UncertainGraph

ALIKE = 0.5


@dataclass(frozen=True)
class Mistakes:
    """Pairs that are together and should not be (`wrong`, of all that are `claimed`), and the other way (`missed`).

    Both are expected numbers, with the variances that come of whole clusters being right or wrong at once.
    """

    claimed: float
    wrong: float
    wrong_variance: float
    missed: float
    missed_variance: float
    _label: Int32s
    _leaving: Floats  # by record: how likely it is in the wrong cluster
    _compared: Int64s  # two clusters that have evidence between them, as one number, in order
    _joining: Floats  # and how likely they are one
    _unknown: float  # how likely two others are

    def chance(self, left: Int32s, right: Int32s) -> Floats:
        """How likely each pair is on the wrong side."""
        a, b = self._label[left], self._label[right]
        stay = (1.0 - self._leaving[left]) * (1.0 - self._leaving[right])
        return np.where(a == b, 1.0 - stay, self._between(_keys(a, b, self._label.size)))

    def together(self, left: Int32s, right: Int32s) -> Bools:
        """Whether each pair is in one cluster."""
        return np.asarray(self._label[left] == self._label[right])

    def _between(self, keys: Int64s) -> Floats:
        likely = np.full(keys.size, self._unknown)
        at, compared = found_in(self._compared, keys)
        likely[compared] = self._joining[at[compared]]
        return likely


def mistakes(graph: UncertainGraph, partition: Partition, odds: Floats) -> Mistakes:
    """What is likely wrong; `odds` are the log-odds that pairs are the same, row by row, NaN where nothing is known.

    Clusters that a rule keeps apart are never one. Those that nobody and nothing has compared are the same as often as
    those were that have been: each merge is one that was, each two compared clusters one that was not.
    """
    known = np.flatnonzero(~np.isnan(odds))
    u, v, odds = graph.pair_u[known], graph.pair_v[known], odds[known]
    label, records = partition.label, len(graph)
    size = partition.size_of.astype(np.float64)
    size[label != np.arange(records)] = 0.0
    claimed = float((size * (size - 1.0)).sum() / 2.0)

    inside = label[u] == label[v]
    own = np.bincount(u[inside], odds[inside], records) + np.bincount(v[inside], odds[inside], records)
    degree = np.bincount(u[inside], minlength=records) + np.bincount(v[inside], minlength=records)
    leaving = np.where(size[label] > 1.0, logistic(-_counted(own, degree)), 0.0)
    stay, squares = np.bincount(label, 1.0 - leaving, records), np.bincount(label, (1.0 - leaving) ** 2, records)
    wrong = claimed - float((stay**2 - squares).sum() / 2.0)
    wrong_variance = float((leaving * (1.0 - leaving) * (size[label] - 1.0) ** 2).sum())

    keys = _keys(label[u[~inside]], label[v[~inside]], records)
    compared, at, count = np.unique(keys, return_inverse=True, return_counts=True)
    joining = logistic(_counted(np.bincount(at, odds[~inside], compared.size), count))
    one, two = partition.held[compared // records], partition.held[compared % records]
    joining[disagreeing(one, two)] = 0.0
    pairs = size[compared // records] * size[compared % records]
    missed, missed_variance = float(joining @ pairs), float((joining * (1.0 - joining)) @ pairs**2)

    merges = records - partition.count
    unknown = (merges + 0.5) / (merges + compared.size + 1.0)
    never = _never_compared(graph, label, compared, records * (records - 1) / 2.0 - claimed - float(pairs.sum()))
    others = max(partition.count * (partition.count - 1) / 2.0 - compared.size, 1.0)
    missed += unknown * never
    missed_variance += unknown * never * max(never / others, 1.0)
    return Mistakes(
        claimed, wrong, wrong_variance, missed, missed_variance, label.copy(), leaving, compared, joining, unknown
    )


def _counted(odds: NDArray[Any], count: NDArray[Any]) -> Floats:
    """Summed log-odds of so many pairs that share a part of what they say."""
    return np.asarray(odds / (1.0 + ALIKE * (np.maximum(count, 1) - 1.0)), np.float64)


def _keys(one: Int32s, other: Int32s, records: int) -> Int64s:
    return np.minimum(one, other) * np.int64(records) + np.maximum(one, other)


def _never_compared(graph: UncertainGraph, label: Int32s, compared: Int64s, all_pairs: float) -> float:
    """How many pairs that may be asked lie between clusters that were not compared."""
    candidates = graph.candidates
    if not candidates.listed:
        return max(all_pairs, 0.0)
    a, b = label[candidates.left], label[candidates.right]
    keys = _keys(a, b, label.size)[a != b]
    return float(np.count_nonzero(~np.isin(keys, compared)))
