"""The paper's measures, as functions of a graph and some clusters.

Rel(C) = sum over clusters of log10 Connect + sum over pairs of clusters of log10 Disconnect. Where two clusters have no
evidence between them, or a cluster none that joins it, the tiny constant `FLOOR` stands; the result counts how often.
"""

import math
from collections.abc import Hashable, Iterable

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, disagreeing, found_in
from askwise.checks import collection, small_seed
from askwise.clustering.partition import as_labels
from askwise.errors import PartitionError, RecordError
from askwise.graph import UncertainGraph
from askwise.kernels.constraints import Values, held_by
from askwise.kernels.nearest_clusters import weakest_of_each
from askwise.measures.cluster_tree import REPORT, ClusterTree
from askwise.measures.estimate import FLOOR, Estimate
from askwise.records import Clusters


def _positions(graph: UncertainGraph, members: Iterable[Hashable]) -> Int32s:
    positions = np.unique(
        np.array([graph.records.position(record) for record in collection("members", members)], np.int32)
    )
    if positions.size == 0:
        raise RecordError("a cluster needs at least one record")
    return positions


def connectivity(graph: UncertainGraph, members: Iterable[Hashable], seed: int = 0) -> Estimate:
    """The probability that a cluster holds together (the paper's measure).

    Parameters
    ----------
    graph : UncertainGraph
        Pairs and their probabilities.
    members
        The records of the cluster.
    seed : int
        For sampling in large clusters.

    Returns
    -------
    Estimate
        The probability that the members are connected, if each pair is the same with its probability.

    Examples
    --------
    >>> from askwise import UncertainGraph, connectivity
    >>> graph = UncertainGraph(["a", "b", "c"], [("a", "b", 0.9), ("b", "c", 0.5)])
    >>> round(connectivity(graph, ["a", "b", "c"]), 2)
    0.45
    """
    return ClusterTree(graph, _positions(graph, members), small_seed(seed), REPORT).connectivity


def disconnectivity(
    graph: UncertainGraph, left_members: Iterable[Hashable], right_members: Iterable[Hashable]
) -> Estimate:
    """The probability that two clusters are apart (the paper's measure).

    Parameters
    ----------
    graph : UncertainGraph
        Pairs and their probabilities.
    left_members, right_members
        The records of the two clusters.

    Returns
    -------
    Estimate
        The probability that at least one asked pair between them is different; 0 if none was asked.

    Examples
    --------
    >>> from askwise import UncertainGraph, disconnectivity
    >>> graph = UncertainGraph(["a", "b"], [("a", "b", 0.25)])
    >>> float(disconnectivity(graph, ["a"], ["b"]))
    0.75
    """
    left, right = _positions(graph, left_members), _positions(graph, right_members)
    shared = np.intersect1d(left, right)
    if shared.size:
        raise PartitionError(f"record {graph.records.ids[shared[0]]!r} is in both clusters")
    rows = np.intersect1d(graph.pairs_at(left), graph.pairs_at(right))
    p = graph.pair_p[rows]
    p = p[~np.isnan(p)]
    return Estimate(-math.expm1(math.fsum(np.log(p))) if p.size else 0.0)


def reliability(graph: UncertainGraph, clustering: Clusters, seed: int = 0) -> Estimate:
    """The paper's reliability of a clustering: every cluster holds together, and every two are apart.

    Parameters
    ----------
    graph : UncertainGraph
        Pairs and their probabilities.
    clustering
        Clusters, or a mapping from record to cluster.
    seed : int
        For sampling in large clusters.

    Returns
    -------
    Estimate
        The base-10 logarithm of that probability.

    Raises
    ------
    PartitionError
        If the clusters overlap or do not cover the records.

    Examples
    --------
    >>> from askwise import UncertainGraph, reliability
    >>> graph = UncertainGraph(["a", "b", "c"], [("a", "b", 0.9), ("b", "c", 0.1)])
    >>> reliability(graph, [{"a", "b"}, {"c"}]).assumed
    0
    """
    seed = small_seed(seed)
    roots = as_labels(graph.records, clustering)
    order = np.argsort(roots, kind="stable").astype(np.int32)
    bounds = np.flatnonzero(np.diff(roots[order])) + 1
    clusters = np.split(order, bounds)
    connects = [ClusterTree(graph, members, seed, REPORT).log_connectivity for members in clusters if members.size > 1]
    return total([*connects, between_clusters(graph, roots, held_of(graph, roots))])


def total(terms: Iterable[Estimate]) -> Estimate:
    """The sum of independent estimates."""
    terms = list(terms)
    return Estimate(
        math.fsum(terms),
        math.sqrt(math.fsum(term.standard_error**2 for term in terms)),
        sum(term.assumed for term in terms),
    )


def held_of(graph: UncertainGraph, roots: Int32s) -> Values:
    """The values of clusters of which each has at most one, at their roots."""
    held = np.full(graph.values.shape, -1, np.int32)
    held_by(roots, np.arange(roots.size, dtype=np.int32), graph.values, held)
    return held


def between_clusters(graph: UncertainGraph, roots: Int32s, held: Values) -> Estimate:
    """The sum of log10 Disconnect over every two clusters; `roots` gives each record's cluster.

    Clusters that differ in what they have of `held` are apart by a rule.
    """
    linked, logs = _linked(graph, roots)
    unlinked = _count_unlinked(graph, roots, linked, held)
    logs = logs[~disagreeing(held[linked // roots.size], held[linked % roots.size])]
    return Estimate(math.fsum(np.log10(-np.expm1(logs))) + unlinked * math.log10(FLOOR), assumed=unlinked)


def _linked(graph: UncertainGraph, roots: Int32s) -> tuple[Int64s, Floats]:
    """Every two clusters with evidence between them, as keys in order, and the sums of log p."""
    p = graph.pair_p[: graph.pair_count]
    a, b = roots[graph.pair_u[: graph.pair_count]], roots[graph.pair_v[: graph.pair_count]]
    apart = ~np.isnan(p) & (a != b)
    linked, group = np.unique(_pair_keys(a[apart], b[apart], roots.size), return_inverse=True)
    return linked, np.bincount(group, np.log(p[apart]), linked.size).astype(np.float64)


def _count_unlinked(graph: UncertainGraph, roots: Int32s, linked: Int64s, held: Values) -> int:
    """How many pairs of clusters might be asked about, but have no evidence between them."""
    if not graph.candidates.listed:
        clusters = int(np.count_nonzero(roots == np.arange(roots.size)))
        return clusters * (clusters - 1) // 2 - linked.size
    possible = _possible(graph, roots, linked)
    return int(np.count_nonzero(~disagreeing(held[possible // roots.size], held[possible % roots.size])))


def _possible(graph: UncertainGraph, roots: Int32s, linked: Int64s) -> Int64s:
    """Every two clusters with a listed candidate but no evidence between them, as keys in order."""
    a, b = roots[graph.candidates.left], roots[graph.candidates.right]
    apart = a != b
    keys = np.sort(_pair_keys(a[apart], b[apart], roots.size))  # np.unique would hash them, which takes far longer
    first = np.ones(keys.size, np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    keys = keys[first]
    return keys[~found_in(linked, keys)[1]]


def _pair_keys(a: Int32s, b: Int32s, size: int) -> Int64s:
    return np.minimum(a, b) * np.int64(size) + np.maximum(a, b)


def weakest_separation(
    graph: UncertainGraph, roots: Int32s, members: Int32s, clusters: int, held: Values
) -> tuple[Estimate, int | None]:
    """The smallest disconnectivity between a cluster and any other, and a record of that other.

    Clusters that cannot be asked about count as apart, and so do those that a rule keeps apart, which differ in what
    they have of `held`; clusters that can, but were not, have 0.
    """
    rows = graph.pairs_at(members)
    rows = rows[~np.isnan(graph.pair_p[rows])]
    own = roots[members[0]]
    u, v = roots[graph.pair_u[rows]], roots[graph.pair_v[rows]]
    other = np.where(u == own, v, u)
    rows, other = rows[other != own], other[other != own]
    linked, group = np.unique(other, return_inverse=True)
    unlinked = _first_unlinked(graph, roots, members, clusters, linked, held)
    if unlinked is not None:
        return Estimate(0.0), unlinked
    by_rule = disagreeing(held[linked], held[np.full(linked.size, own)])
    if by_rule.all():
        return Estimate(1.0), None
    apart = -np.expm1(np.bincount(group, np.log(graph.pair_p[rows]), linked.size))
    apart[by_rule] = np.inf
    weakest = int(np.argmin(apart))
    return Estimate(float(apart[weakest])), int(linked[weakest])


def weakest_separations(
    graph: UncertainGraph, roots: Int32s, held: Values, own: Int32s | None = None
) -> tuple[Floats, Int32s]:
    """The separation of each cluster with a root in `own` (in order; by default all), and the other's root or -1."""
    every = np.flatnonzero(roots == np.arange(roots.size)).astype(np.int32)
    own = every if own is None else own
    members = np.flatnonzero(np.isin(roots, own)).astype(np.int32)
    members = members[np.argsort(roots[members], kind="stable")]
    starts = np.append(np.searchsorted(roots[members], own), members.size)
    candidates = graph.candidates
    separation, nearest = weakest_of_each(
        members, starts, roots, graph.adjacency, graph.pair_p, candidates.starts, candidates.other, held
    )
    if not candidates.listed:
        low, high = np.divmod(_linked(graph, roots)[0], roots.size)
        one, two = np.concatenate((low, high)), np.concatenate((high, low))
        met = np.bincount(one, minlength=roots.size)
        for at in np.flatnonzero(met[own] < every.size - 1).tolist():
            others = np.setdiff1d(every, np.append(two[one == own[at]], own[at]), assume_unique=True)
            others = others[~disagreeing(held[others], held[np.full(others.size, own[at])])]
            if others.size:
                separation[at], nearest[at] = 0.0, others[0]
    return separation, nearest


def _first_unlinked(
    graph: UncertainGraph, roots: Int32s, members: Int32s, clusters: int, linked: Int32s, held: Values
) -> int | None:
    """A cluster that might be asked about together with this one, but has no evidence; None if there is none."""
    own = roots[members[0]]
    if not graph.candidates.listed:
        if clusters - 1 == linked.size:
            return None
        free = (roots == np.arange(roots.size)) & (roots != own)
        free[linked] = False
        found = np.flatnonzero(free)
        found = found[~disagreeing(held[found], held[np.full(found.size, own)])]
        return int(found[0]) if found.size else None
    starts, other = graph.candidates.starts, graph.candidates.other
    reached = roots[np.concatenate([other[starts[member] : starts[member + 1]] for member in members])]
    reached = np.setdiff1d(reached[reached != own], linked)
    reached = reached[~disagreeing(held[reached], held[np.full(reached.size, own)])]
    return int(reached[0]) if reached.size else None
