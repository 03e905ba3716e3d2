"""A partition of the records in flat arrays: label, size, and the members of each cluster as a linked list."""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.constraints import Values


class Membership(NamedTuple):
    """Which records are in which cluster.

    `label[v]` is the smallest record of v's cluster, its root. At a root, `size_of` is the cluster's size and `held`
    has the values of which a cluster has at most one. `following_member[v]` is the next member after v, or -1.
    """

    label: Int32s
    size_of: Int32s
    following_member: Int32s
    held: Values


@compiled
def unsettled(
    rows: Int32s,
    pair_u: Int32s,
    pair_v: Int32s,
    pair_weight: Floats,
    known: Floats,
    label: Int32s,
    component: Int32s,
    steady: bool,
    shortcut: bool,
) -> Int32s:
    """The records of those pairs among `rows` whose weights may change the clustering.

    `known` holds the weights that it was made from, and is brought up to date. A pair that is not a YES, between
    components, cannot matter, because merging never crosses components; nor, if the clusterer is `steady`, a further NO
    between two clusters. With `shortcut`, what agrees with the clustering is left out, too.
    """
    ends = np.empty(2 * rows.size, np.int32)
    count = 0
    for row in rows:
        before, now = known[row], pair_weight[row]
        known[row] = now
        if before == now or (np.isnan(before) and np.isnan(now)):
            continue
        before = 0.0 if np.isnan(before) else before
        now = 0.0 if np.isnan(now) else now
        u, v = pair_u[row], pair_v[row]
        if now <= 0.0 and component[u] != component[v]:
            continue
        apart = label[u] != label[v]
        if steady and apart and now <= before <= 0.0:
            continue
        if shortcut and (now < 0.0 if apart else now > 0.0):
            continue
        ends[count] = u
        ends[count + 1] = v
        count += 2
    return ends[:count]


@compiled
def relabel(
    nodes: Int32s, local: Int32s, label: Int32s, size_of: Int32s, following_member: Int32s
) -> tuple[Int32s, int]:
    """Take over new clusters of `nodes` (in order, whole old clusters): `local[i]` is a position in `nodes`.

    Returns the records whose cluster is not what it was, in order, and by how much the number of clusters grew.
    """
    count = nodes.size
    sizes = np.zeros(count, np.int32)
    same = np.ones(count, np.bool_)
    before = 0
    after = 0
    for i in range(count):
        root = local[i]
        sizes[root] += 1
        if label[nodes[i]] != nodes[root]:
            same[root] = False
        if label[nodes[i]] == nodes[i]:
            before += 1
        if root == i:
            after += 1
    moved_count = 0
    for i in range(count):
        root = local[i]
        if same[root] and size_of[nodes[root]] != sizes[root]:
            same[root] = False
        if not same[root]:
            moved_count += 1
    moved = np.empty(moved_count, np.int32)
    last = np.full(count, -1, np.int32)
    at = 0
    for i in range(count):
        root = local[i]
        if same[root]:
            continue
        moved[at] = nodes[i]
        at += 1
        following_member[nodes[i]] = -1
        if last[root] >= 0:
            following_member[nodes[last[root]]] = nodes[i]
        last[root] = i
    for i in range(count):
        root = local[i]
        if not same[root]:
            label[nodes[i]] = nodes[root]
            size_of[nodes[root]] = sizes[root]
    return moved, after - before


@compiled
def members_of(root: int, size_of: Int32s, following_member: Int32s) -> Int32s:
    """The members of the cluster whose smallest record is `root`, in order."""
    members = np.empty(size_of[root], np.int32)
    node = root
    for i in range(members.size):
        members[i] = node
        node = following_member[node]
    return members


@compiled
def members_of_each(roots: Int32s, size_of: Int32s, following_member: Int32s) -> tuple[Int32s, Int64s]:
    """The members of many clusters, each in order, and where those of each cluster start."""
    starts = np.zeros(roots.size + 1, np.int64)
    for i in range(roots.size):
        starts[i + 1] = starts[i] + size_of[roots[i]]
    members = np.empty(starts[roots.size], np.int32)
    for i in range(roots.size):
        node = roots[i]
        for at in range(starts[i], starts[i + 1]):
            members[at] = node
            node = following_member[node]
    return members, starts


@compiled
def positive_parts(size: int, left: Int32s, right: Int32s, weights: Floats) -> Int32s:
    """Label each node with the smallest node that it reaches over positive weights."""
    parent = np.arange(size).astype(np.int32)
    for i in range(left.size):
        if weights[i] > 0.0:
            u = left[i]
            while parent[u] != u:
                parent[u] = parent[parent[u]]
                u = parent[u]
            v = right[i]
            while parent[v] != v:
                parent[v] = parent[parent[v]]
                v = parent[v]
            parent[max(u, v)] = min(u, v)
    for node in range(size):
        parent[node] = parent[parent[node]]
    return parent


@compiled
def not_alone(nodes: Int32s, component: Int32s, chosen: Bools) -> Int32s:
    """The places in `nodes` (in order, whole components) of the records that are not a component by themselves.

    `chosen` is scratch over records, all False, and left so.
    """
    for node in nodes:
        if component[node] != node:
            chosen[component[node]] = True
    places = np.empty(nodes.size, np.int32)
    count = 0
    for i in range(nodes.size):
        if component[nodes[i]] != nodes[i] or chosen[nodes[i]]:
            places[count] = i
            count += 1
    for node in nodes:
        chosen[component[node]] = False
    return places[:count]


@compiled
def by_smallest(labels: Int32s) -> Int32s:
    """Name each cluster by its smallest node; `labels` are numbers from 0 to the number of nodes."""
    smallest = np.full(labels.size + 1, -1, np.int32)
    named = np.empty(labels.size, np.int32)
    for node in range(labels.size):
        if smallest[labels[node]] < 0:
            smallest[labels[node]] = node
        named[node] = smallest[labels[node]]
    return named


@compiled
def touched_clusters(
    rows: Int32s, moved: Int32s, pair_u: Int32s, pair_v: Int32s, label: Int32s, size_of: Int32s, chosen: Bools
) -> Int32s:
    """The clusters of two or more with a pair of `rows` inside or a record of `moved`, by their roots, each once.

    `chosen` is scratch over records, all False, and left so.
    """
    roots = np.empty(rows.size + moved.size, np.int32)
    count = 0
    for i in range(roots.size):
        if i < rows.size:
            root = label[pair_u[rows[i]]]
            if label[pair_v[rows[i]]] != root:
                continue
        else:
            root = label[moved[i - rows.size]]
        if size_of[root] > 1 and not chosen[root]:
            chosen[root] = True
            roots[count] = root
            count += 1
    for i in range(count):
        chosen[roots[i]] = False
    return roots[:count]
