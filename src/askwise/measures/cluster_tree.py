"""Clusters as trees of blocks: how well each is connected, and the best questions inside each of many."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.graph import UncertainGraph
from askwise.kernels.cluster_questions import best_questions, connectivities
from askwise.kernels.gains import Effort, PairEvidence, block_tree
from askwise.measures.estimate import FLOOR, Estimate
from askwise.parallel import Parts

Result = TypeVar("Result")

_PER_PART = 1 << 14
"""Clusters that are evaluated at a time, on all cores."""


RANKING = Effort(roughness=0.1, most_words=256)
"""For comparing questions: a tenth more or less of a connectivity hardly moves a gain."""

REPORT = Effort(roughness=0.01, most_words=4096)
"""For figures that people read."""


class Evidence(Protocol):
    """Where the evidence inside a cluster comes from, such as a graph."""

    pair_p: Floats

    def inside(self, nodes: Int32s) -> tuple[Int32s, Int32s, Int32s]:
        """The pairs with evidence among `nodes` (in order): both ends as places in `nodes`, and the rows."""


class ClusterTree:
    """The blocks of a cluster, evaluated. `members` are positions, in order."""

    def __init__(self, graph: Evidence, members: Int32s, seed: int, effort: Effort) -> None:
        left, right, rows = graph.inside(members)
        self._tree = block_tree(members, left, right, graph.pair_p[rows], np.uint64(seed), effort)

    @property
    def log_connectivity(self) -> Estimate:
        """The base-10 logarithm of the connectivity."""
        return _as_estimate(*self._tree[:3])

    @property
    def connectivity(self) -> Estimate:
        """The probability that the cluster is connected; 0 if its asked pairs do not even join it."""
        log_connectivity, variance, parts = self._tree[:3]
        if parts > 1:
            return Estimate(0.0)
        value = math.exp(log_connectivity)
        return Estimate(value, value * math.sqrt(variance))


def _as_estimate(log_connectivity: float, variance: float, parts: int) -> Estimate:
    if parts > 1:
        return Estimate(math.log10(FLOOR), assumed=1)
    return Estimate(log_connectivity / math.log(10), math.sqrt(variance) / math.log(10))


def log_connectivities(
    graph: UncertainGraph, members: Int32s, starts: Int64s, seed: int, effort: Effort
) -> list[Estimate]:
    """The base-10 logarithm of the connectivity of each of some clusters, given as in `best_pairs`."""

    def some(first: int, last: int, place: Int32s) -> tuple[Floats, Floats, Int32s]:
        evidence = PairEvidence(graph.adjacency, graph.pair_p, graph.pair_weight, place)
        return connectivities(members, starts[first : last + 1], np.uint64(seed), effort, evidence)

    found = (zip(*(side.tolist() for side in part), strict=True) for part in _in_parts(graph, starts.size - 1, some))
    return [_as_estimate(*one) for part in found for one in part]


def _in_parts(graph: UncertainGraph, clusters: int, work: Callable[[int, int, Int32s], Result]) -> list[Result]:
    """Run `work` on some clusters at a time, each with its own scratch over the records (all -1)."""
    if clusters <= _PER_PART:
        return [work(0, clusters, graph.place)]
    size = len(graph)
    parts = Parts().each(
        "clusters", clusters, _PER_PART, lambda first, last: work(first, last, np.full(size, -1, np.int32))
    )
    return list(parts)


def best_pairs(
    graph: UncertainGraph, members: Int32s, starts: Int64s, seed: int, effort: Effort, top: int
) -> tuple[Int64s, Int32s, Int32s, Floats]:
    """The `top` unasked candidates inside each of some clusters with the largest gains, best first, and the gains.

    Cluster i has the records members[starts[i] : starts[i + 1]], in order; what is returned first says in the same way
    which pairs are its own.
    """

    def some(first: int, last: int, place: Int32s) -> tuple[Int64s, Int32s, Int32s, Floats]:
        return best_questions(
            members,
            starts[first : last + 1],
            top,
            FLOOR,
            np.uint64(seed),
            effort,
            PairEvidence(graph.adjacency, graph.pair_p, graph.pair_weight, place),
            graph.askable,
        )

    found, left, right, gains = zip(*_in_parts(graph, starts.size - 1, some), strict=True)
    counts = np.concatenate([np.diff(ends) for ends in found])
    ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    return ends, np.concatenate(left), np.concatenate(right), np.concatenate(gains)
