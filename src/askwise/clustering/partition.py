"""A clustering for users, and the partition that the engine keeps up to date."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, grown
from askwise.checks import collection, small_seed
from askwise.clustering.registry import STEADY, clusterer
from askwise.clustering.subgraph import Subgraph
from askwise.errors import PartitionError
from askwise.frames import Tabular
from askwise.graph import UncertainGraph
from askwise.kernels.adjacency import positive_components
from askwise.kernels.constraints import Values, held_by
from askwise.kernels.partition import (
    Membership,
    members_of,
    members_of_each,
    not_alone,
    positive_parts,
    relabel,
    unsettled,
)
from askwise.records import Clusters, Records

_MANY = 1000
"""If more records than this, and one in eight, may change their cluster, all are clustered again."""


class Clustering(Tabular):
    """A partition of the records. Iterate for the clusters, as frozensets of ids.

    Two clusterings are equal if their clusters are. `to_pandas()`, `to_polars()` and `to_arrow()` give a table.

    Attributes
    ----------
    clusters : list of frozenset
        The clusters, in the order of their first records.
    labels : dict
        The number of each record's cluster, in that order.

    Examples
    --------
    >>> from askwise import UncertainGraph, cluster
    >>> clustering = cluster(UncertainGraph(["a", "b", "c"], [("a", "b", 0.9)]))
    >>> len(clustering), clustering.labels["b"]
    (2, 0)
    """

    def __init__(self, records: Records, roots: Int32s) -> None:
        self._records = records
        self._roots = roots  # for each record, the smallest position in its cluster

    @cached_property
    def _numbers(self) -> Int32s:
        return np.unique(self._roots, return_inverse=True)[1].astype(np.int32)

    @cached_property
    def clusters(self) -> list[frozenset[Hashable]]:
        """The clusters, in the order of their first records."""
        grouped: list[list[Hashable]] = [[] for _ in range(len(self))]
        for record, number in zip(self._records.ids, self._numbers.tolist(), strict=True):
            grouped[number].append(record)
        return [frozenset(group) for group in grouped]

    @cached_property
    def labels(self) -> dict[Hashable, int]:
        """The number of each record's cluster."""
        return dict(zip(self._records.ids, self._numbers.tolist(), strict=True))

    def columns(self) -> dict[str, list[Any]]:
        """The columns `unique_id` and `cluster_id`."""
        return {"unique_id": list(self._records.ids), "cluster_id": self._numbers.tolist()}

    def __iter__(self) -> Iterator[frozenset[Hashable]]:
        return iter(self.clusters)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._roots == np.arange(self._roots.size)))

    def __contains__(self, cluster: object) -> bool:
        return cluster in self.clusters

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clustering):
            return NotImplemented
        if self._records is other._records:
            return bool((self._roots == other._roots).all())
        return set(self.clusters) == set(other.clusters)

    def __hash__(self) -> int:
        return hash(frozenset(self.clusters))

    def __repr__(self) -> str:
        return f"Clustering({len(self._records)} records in {len(self)} clusters)"

    @property
    def roots(self) -> Int32s:
        """For each record's position, the smallest position in its cluster."""
        return self._roots


def as_labels(records: Records, clustering: Clusters) -> Int32s:
    """For each record the smallest position in its cluster; the clusters must cover the records without overlap."""
    if isinstance(clustering, Clustering) and clustering._records is records:
        return clustering.roots
    roots = np.full(len(records), -1, np.int32)
    for cluster in collection("clusters", _groups(clustering)):
        positions = [records.position(record) for record in collection("a cluster", cluster)]
        for at in positions:
            if roots[at] >= 0:
                raise PartitionError(f"record {records.ids[at]!r} is in more than one cluster")
            roots[at] = min(positions)
    if (roots < 0).any():
        missing = records.ids[int(np.flatnonzero(roots < 0)[0])]
        raise PartitionError(f"record {missing!r} is in no cluster; the clusters must cover all {len(records)} records")
    return roots


def _groups(
    clustering: Clusters,
) -> Iterable[Iterable[Hashable]]:
    if not isinstance(clustering, Mapping):
        return clustering
    grouped: dict[Hashable, list[Hashable]] = {}
    for record, entity in clustering.items():
        grouped.setdefault(entity, []).append(record)
    return grouped.values()


class Partition:
    """The clustering of a graph, kept equal to clustering it from scratch, at the cost of what a change touches.

    `label[v]` is the smallest record of v's cluster, which names the cluster; `component[v]` names the component of
    pairs with p > 1/2 in the same way. `held` has the graph's `values` by cluster. With
    `shortcut`, a change whose majority agrees with the clustering leaves it alone (paper, lemma 3): quicker, but the
    result then depends on the order of the votes.
    """

    def __init__(self, graph: UncertainGraph, method: str = "scc", seed: int = 0, shortcut: bool = False) -> None:
        size = len(graph)
        self._graph = graph
        self._method = method
        self.clusterer = clusterer(method)
        self._steady = method in STEADY
        self._seed = seed
        self._shortcut = shortcut
        self.label: Int32s = np.arange(size, dtype=np.int32)
        self.component: Int32s = np.arange(size, dtype=np.int32)
        self.size_of: Int32s = np.ones(size, np.int32)
        self.following_member: Int32s = np.full(size, -1, np.int32)
        self.count = size
        self.held: Values = graph.values.copy()
        self._known: Floats = graph.pair_weight[: graph.pair_count].copy()  # weights that are taken in
        if graph.pair_count:
            self._recluster_all()

    def is_by(self, method: str, seed: int) -> bool:
        """Whether this is the result of the method on the evidence, so that no other partition is needed."""
        return (self._method, self._seed) == (method, seed) and not self._shortcut

    @property
    def membership(self) -> Membership:
        """Which records are in which cluster, for kernels; it follows the partition."""
        return Membership(self.label, self.size_of, self.following_member, self.held)

    def members(self, root: int) -> Int32s:
        """The members of the cluster named `root`, in order."""
        return members_of(root, self.size_of, self.following_member)

    def members_of_each(self, roots: Int32s) -> tuple[Int32s, Int64s]:
        """The members of many clusters, each in order, and where those of each cluster start."""
        return members_of_each(roots, self.size_of, self.following_member)

    def clustering(self) -> Clustering:
        """The present partition, for users to keep."""
        return Clustering(self._graph.records, self.label.copy())

    def update(self, rows: Int32s) -> Int32s:
        """Take in changed evidence. Returns the records, in order, whose cluster changed."""
        graph = self._graph
        self._known = grown(self._known, graph.pair_count, np.nan)
        seeds = unsettled(
            rows,
            graph.pair_u,
            graph.pair_v,
            graph.pair_weight,
            self._known,
            self.label,
            self.component,
            self._steady,
            self._shortcut,
        )
        if not seeds.size:
            return seeds
        return self._recluster_all() if seeds.size > max(_MANY, len(graph) // 8) else self._recluster(seeds)

    def _recluster(self, seeds: Int32s) -> Int32s:
        """Cluster the components of the seeds."""
        graph = self._graph
        nodes = positive_components(seeds, graph.adjacency, graph.pair_weight, graph.chosen, self.component)
        nodes.sort()
        return self._cluster(nodes, None)

    def _recluster_all(self) -> Int32s:
        """Cluster all components again, by passes over all pairs instead of walks from record to record."""
        graph = self._graph
        pairs = slice(graph.pair_count)
        size = len(graph)
        self.component = positive_parts(size, graph.pair_u[pairs], graph.pair_v[pairs], graph.pair_weight[pairs])
        return self._cluster(np.arange(size, dtype=np.int32), self.component)

    def _cluster(self, nodes: Int32s, component: Int32s | None) -> Int32s:
        """Cluster whole components; `component`, if all of them are."""
        graph = self._graph
        # A record that is a component by itself stays alone: most are, and the clusterer need not look at their pairs.
        joined = not_alone(nodes, self.component, graph.chosen)
        local = np.arange(nodes.size, dtype=np.int32)
        if joined.size:
            some = Subgraph(graph, nodes[joined], component)
            local[joined] = joined[some.expanded(self.clusterer(some, self._seed))]
        moved, growth = relabel(nodes, local, self.label, self.size_of, self.following_member)
        self.count += growth
        if self.held.shape[1]:
            held_by(self.label, nodes, graph.values, self.held)
        return moved


def cluster(graph: UncertainGraph, method: str = "scc", seed: int = 0) -> Clustering:
    """Cluster a whole graph.

    Parameters
    ----------
    graph : UncertainGraph
        Pairs and their probabilities.
    method : str
        The name of a clusterer (docs/systems.md), followed by a local search if you like: "scc+moves",
        "vote+kernighan-lin".
    seed : int
        For clusterers that use chance.

    Returns
    -------
    Clustering

    Raises
    ------
    UnknownNameError
        If there is no such method.

    Examples
    --------
    >>> from askwise import UncertainGraph, cluster
    >>> graph = UncertainGraph(["a", "b", "c"], [("a", "b", 0.9), ("b", "c", 0.2)])
    >>> [sorted(members) for members in cluster(graph)]
    [['a', 'b'], ['c']]
    """
    return Partition(graph, method, small_seed(seed)).clustering()
