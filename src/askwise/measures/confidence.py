"""How far to trust each cluster: whether it is right, holds together, and is apart from all others."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.measures.cluster_tree import REPORT, ClusterTree, log_connectivities
from askwise.measures.estimate import Estimate
from askwise.measures.posterior import Posterior
from askwise.measures.reliability import between_clusters, total, weakest_separation, weakest_separations


@dataclass(frozen=True, slots=True)
class Confidence:
    """How far to trust a record's cluster.

    Attributes
    ----------
    right : float
        The probability that the cluster is right: that its most likely change is wrong (docs/model.md).
    connectivity : Estimate
        The paper's measure: the probability that the cluster holds together.
    separation : Estimate
        The smallest probability that the cluster is apart from another one; 0 if nothing was asked between the two.
    nearest
        A record of that other cluster; None if there is none.
    """

    right: float
    connectivity: Estimate
    separation: Estimate
    nearest: Hashable | None


class Confidences(NamedTuple):
    """`Confidence` for many clusters, as arrays. `nearest` is the position of a record, or -1."""

    right: Floats
    connectivity: Floats
    separation: Floats
    nearest: Int32s


class Trust:
    """Confidences of a partition that changes. What is costly is kept for clusters that stay as they are."""

    def __init__(self, graph: UncertainGraph, partition: Partition, seed: int) -> None:
        self._graph, self._partition, self._seed = graph, partition, seed
        self._logs: dict[int, Estimate] = {}

    def forget(self, rows: Int32s, moved: Int32s) -> None:
        """Forget the clusters that changed: pairs `rows` have other evidence, and records moved."""
        label = self._partition.label
        if rows.size > label.size:
            self._logs.clear()
        elif self._logs:
            touched = np.concatenate((moved, label[moved], label[self._graph.pair_u[rows]]))
            for root in np.unique(touched).tolist():
                self._logs.pop(root, None)

    def reliability(self) -> Estimate:
        """The paper's reliability of the clustering, a base-10 logarithm."""
        label = self._partition.label
        roots = np.flatnonzero((label == np.arange(label.size)) & (self._partition.size_of > 1))
        return total([*self._connects(roots), between_clusters(self._graph, label, self._partition.held)])

    def _connects(self, roots: Int64s) -> list[Estimate]:
        """The connectivity of some clusters of two or more (base-10 logarithm)."""
        known = self._logs
        new = [root for root in roots.tolist() if root not in known]
        if new:
            clusters = self._partition.members_of_each(np.array(new, np.int32))
            known.update(zip(new, log_connectivities(self._graph, *clusters, self._seed, REPORT), strict=True))
        return [known[root] for root in roots.tolist()]

    def of_record(self, position: int, posterior: Posterior) -> Confidence:
        """How far to trust the cluster that a record is in."""
        label = self._partition.label
        members = self._partition.members(int(label[position]))
        tree = ClusterTree(self._graph, members, self._seed, REPORT)
        held = self._partition.held
        separation, nearest = weakest_separation(self._graph, label, members, self._partition.count, held)
        right = float(posterior.cluster_chances(members, np.array([0, members.size], np.int64))[0])
        if nearest is not None and not separation:
            right = min(right, posterior.apart_unasked)
        near = None if nearest is None else self._graph.records.ids[nearest]
        return Confidence(right, tree.connectivity, separation, near)

    def of_each(self, posterior: Posterior) -> list[Confidence]:
        """A confidence for each cluster, in the order of their first records."""
        label, ids = self._partition.label, self._graph.records.ids
        roots = np.flatnonzero(label == np.arange(label.size))
        right, connectivity, separation, nearest = (column.tolist() for column in self.of(roots, posterior))
        found = []
        for at, root in enumerate(roots.tolist()):
            log = self._logs.get(root, Estimate(0.0))
            joined = Estimate(connectivity[at], connectivity[at] * math.log(10.0) * log.standard_error)
            near = None if nearest[at] < 0 else ids[nearest[at]]
            found.append(Confidence(right[at], joined, Estimate(separation[at]), near))
        return found

    def of(self, roots: Int64s, posterior: Posterior) -> Confidences:
        """How far to trust some clusters, given by their first records, in order."""
        partition = self._partition
        several = np.flatnonzero(partition.size_of[roots] > 1)
        logs = self._connects(roots[several])
        connectivity = np.ones(roots.size)
        connectivity[several] = [0.0 if log.assumed else 10.0**log for log in logs]
        chosen = roots.astype(np.int32)
        clusters = partition.members_of_each(chosen)
        separation, nearest = weakest_separations(self._graph, partition.label, partition.held, chosen)
        right = posterior.cluster_chances(*clusters)
        right = np.where((nearest >= 0) & (separation == 0.0), np.minimum(right, posterior.apart_unasked), right)
        return Confidences(right, connectivity, separation, nearest)
