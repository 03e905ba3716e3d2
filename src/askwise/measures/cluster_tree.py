"""Clusters, taken apart into blocks: how well one is connected, and what is best asked inside each of many."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.blocking.parallel import Parts
from askwise.graph import UncertainGraph
from askwise.kernels.gains import block_tree
from askwise.kernels.shortlists import shortlists
from askwise.measures.estimate import FLOOR, Estimate

_SHARE = 1 << 14
"""So many clusters are looked into at a time, on all cores."""


@dataclass(frozen=True)
class Effort:
    """How hard to work on blocks: exact up to `exact_nodes`; in larger ones worlds are drawn, 64 to a word, until the
    relative standard error of the connectivity is at most `roughness`, `most_words` at the most.
    """

    roughness: float
    most_words: int
    exact_nodes: int = 12


RANKING = Effort(roughness=0.1, most_words=256)
"""For comparing questions: a tenth more or less of a connectivity hardly moves a gain."""

REPORT = Effort(roughness=0.01, most_words=4096)
"""For figures that people read."""


class ClusterTree:
    """The blocks of a cluster, evaluated. `members` are positions, in order."""

    def __init__(self, graph: UncertainGraph, members: Int32s, seed: int, effort: Effort) -> None:
        left, right, rows = graph.inside(members)
        self._tree = block_tree(
            members,
            left,
            right,
            graph.pair_p[rows],
            np.uint64(seed),
            effort.exact_nodes,
            effort.roughness,
            effort.most_words,
        )

    @property
    def log_connectivity(self) -> Estimate:
        """The base-10 logarithm of the connectivity."""
        log_connectivity, variance, parts = self._tree[:3]
        if parts > 1:
            return Estimate(math.log10(FLOOR), assumed=1)
        return Estimate(log_connectivity / math.log(10), math.sqrt(variance) / math.log(10))

    @property
    def connectivity(self) -> Estimate:
        """The probability that the cluster is connected; 0 if its asked pairs do not even join it."""
        log_connectivity, variance, parts = self._tree[:3]
        if parts > 1:
            return Estimate(0.0)
        value = math.exp(log_connectivity)
        return Estimate(value, value * math.sqrt(variance))


def best_pairs(
    graph: UncertainGraph, members: Int32s, starts: Int64s, seed: int, effort: Effort, top: int
) -> tuple[Int64s, Int32s, Int32s, Floats]:
    """The `top` unasked candidates inside each of some clusters with the largest gains, best first, and the gains.

    Cluster i has the records members[starts[i] : starts[i + 1]], in order; what is returned first says in the same way
    which pairs are its own.
    """
    candidates = graph.candidates

    def some(first: int, last: int, place: Int32s) -> tuple[Int64s, Int32s, Int32s, Floats]:
        return shortlists(
            members,
            starts[first : last + 1],
            top,
            FLOOR,
            np.uint64(seed),
            effort.exact_nodes,
            effort.roughness,
            effort.most_words,
            graph.adjacency,
            graph.pair_p,
            graph.pair_weight,
            place,
            candidates.listed,
            (candidates.starts, candidates.other, candidates.row, candidates.asked),
        )

    clusters = starts.size - 1
    if clusters <= _SHARE:
        return some(0, clusters, graph.place)
    parts = Parts().each(
        "clusters", clusters, _SHARE, lambda first, last: some(first, last, np.full(len(graph), -1, np.int32))
    )
    found, left, right, gains = zip(*parts, strict=True)
    counts = np.concatenate([np.diff(ends) for ends in found])
    ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    return ends, np.concatenate(left), np.concatenate(right), np.concatenate(gains)
