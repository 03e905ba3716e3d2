"""Greedy merging: join the two clusters with the largest positive weight between them, until none is positive.

What the weight between two clusters is, the linkage says: the sum over the pairs between them (`SUM`: SCC), or the one
of the largest absolute value, a negative one in a tie (`STRONGEST`: MinMax). With `SUM`, each pair of nodes that is not
there may count against a merge, too. Weights closer than 2**-30 count as equal, because a sum of logarithms knows no
better; ties go to the two clusters with the smallest records.
"""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, map_capacity
from askwise.kernels.compiled import compiled, inlined, wide
from askwise.kernels.constraints import Values, agree, take_over
from askwise.kernels.heap import enter, leave
from askwise.kernels.intmap import find, put, remove

TIE_SCALE = 2.0**30
SUM, STRONGEST = 0, 1
_DENSE = 2048  # up to this number of nodes, if there are edges enough, a table of all pairs replaces the hash map
_NO_KEYS: Int64s = np.empty(0, np.int64)


@inlined
def _enter_or_leave(
    slot: int, size: int, heap: Int32s, position: Int32s, rank: Floats, low: Int32s, high: Int32s
) -> int:
    """Put a slot into, move it in, or take it out of the heap, which holds exactly the positive ones."""
    if rank[slot] > 0.0:
        return enter(slot, size, heap, position, rank, low, high)
    return leave(slot, size, heap, position, rank, low, high)


@inlined
def _unhook(half: int, node: int, first: Int32s, after: Int32s, prior: Int32s, degree: Int32s) -> None:
    if prior[half] >= 0:
        after[prior[half]] = after[half]
    else:
        first[node] = after[half]
    if after[half] >= 0:
        prior[after[half]] = prior[half]
    degree[node] -= 1


@inlined
def _hook(half: int, node: int, first: Int32s, after: Int32s, prior: Int32s, degree: Int32s) -> None:
    after[half] = first[node]
    prior[half] = -1
    if first[node] >= 0:
        prior[first[node]] = half
    first[node] = half
    degree[node] += 1


@inlined
def linked(one: float, two: float, linkage: int) -> float:
    """The weight between a cluster and two that become one, from the weights that it has to each."""
    if linkage == SUM:
        return one + two
    strength, other = np.rint(abs(one) * TIE_SCALE), np.rint(abs(two) * TIE_SCALE)
    if strength == other:
        return min(one, two)
    return one if strength > other else two


@inlined
def _find(keys: Int64s, values: Int32s, key: int) -> int:
    return int(values[key]) if keys.size == 0 else find(keys, values, key)


@inlined
def _put(keys: Int64s, values: Int32s, key: int, slot: int) -> None:
    if keys.size == 0:
        values[key] = slot
    else:
        put(keys, values, key, slot)


@inlined
def _remove(keys: Int64s, values: Int32s, key: int) -> None:
    """Clusters that are gone are never looked for again: a table may keep them, a map must not fill up."""
    if keys.size > 0:
        remove(keys, values, key)


@compiled
def _root_names(parent: Int32s, name: Int32s) -> Int32s:
    """The name of each node's root; paths to roots are shortened on the way."""
    labels = np.empty(parent.size, np.int32)
    for node in range(parent.size):
        root = node
        while parent[root] != root:
            root = parent[root]
        while parent[node] != root:
            parent[node], node = root, parent[node]
    for node in range(parent.size):
        root = node
        while parent[root] != root:
            root = parent[root]
        labels[node] = name[root]
    return labels


@compiled
def agglomerate(
    size: int,
    left: Int32s,
    right: Int32s,
    weights: Floats,
    linkage: int,
    missing: float,
    keys: Int64s,
    slots: Int32s,
    values: Values,
) -> tuple[Int32s, Int32s, Int32s]:
    """Label each of `size` nodes with the smallest node of its cluster; and the merges, in order, as a tree.

    `left[i] < right[i]` are distinct pairs with their `weights[i]`, and any other pair counts -`missing` (not less than
    nothing, and nothing unless sums count); `keys` and `slots` are an empty hash map for the pairs. Clusters whose
    `values` (which are changed) differ are never merged. Merge i joins two nodes of the tree, a node or an earlier
    merge j, which is numbered size + j. Costs O(E log E) map and heap steps
    for the usual graphs: each merge moves the smaller neighbourhood. Where pairs are missing, the ranks in the heap are
    what they were when clusters were smaller, so never too low: they are set right at the top.
    """
    total = left.size
    ends = np.empty(2 * total, np.int32)  # ends[half]: the cluster in whose list the half-edge hangs
    weight = weights + missing
    members = np.ones(size, np.float64)
    rank = np.empty(total, np.float64)
    low = left.copy()
    high = right.copy()
    heap = np.empty(total, np.int32)
    position = np.full(total, -1, np.int32)
    in_heap = wide(0)
    first = np.full(size, -1, np.int32)
    after = np.empty(2 * total, np.int32)
    prior = np.empty(2 * total, np.int32)
    degree = np.zeros(size, np.int32)
    name = np.arange(size).astype(np.int32)
    parent = np.arange(size).astype(np.int32)
    in_tree = np.arange(size).astype(np.int32)
    merged_one = np.empty(max(size - 1, 0), np.int32)
    merged_two = np.empty(max(size - 1, 0), np.int32)
    merges = 0
    stride = wide(size)
    for slot in range(total - 1, -1, -1):
        ends[2 * slot] = left[slot]
        ends[2 * slot + 1] = right[slot]
        _hook(2 * slot, wide(left[slot]), first, after, prior, degree)
        _hook(2 * slot + 1, wide(right[slot]), first, after, prior, degree)
        _put(keys, slots, wide(left[slot]) * stride + wide(right[slot]), slot)
        rank[slot] = np.rint((weight[slot] - missing) * TIE_SCALE)
        in_heap = _enter_or_leave(slot, in_heap, heap, position, rank, low, high)

    while in_heap > 0:
        top = wide(heap[0])
        keep = wide(ends[2 * top])
        drop = wide(ends[2 * top + 1])
        now = np.rint((weight[top] - missing * (members[keep] * members[drop])) * TIE_SCALE)
        stale = now != rank[top]
        rank[top] = now if stale else 0.0
        in_heap = _enter_or_leave(top, in_heap, heap, position, rank, low, high)
        if stale:
            continue
        if not agree(keep, values, drop, values):
            weight[top] = -np.inf
            continue
        _unhook(2 * top, keep, first, after, prior, degree)
        _unhook(2 * top + 1, drop, first, after, prior, degree)
        _remove(keys, slots, min(keep, drop) * stride + max(keep, drop))
        if degree[drop] > degree[keep] or (degree[drop] == degree[keep] and drop < keep):
            keep, drop = drop, keep
        take_over(keep, drop, values)
        parent[drop] = keep
        members[keep] += members[drop]
        merged_one[merges] = in_tree[keep]
        merged_two[merges] = in_tree[drop]
        in_tree[keep] = size + merges
        merges += 1
        renamed = name[drop] < name[keep]
        name[keep] = min(name[keep], name[drop])

        half = wide(first[drop])
        while half >= 0:
            upcoming = wide(after[half])
            slot = half >> 1
            other = wide(ends[half ^ 1])
            _remove(keys, slots, min(drop, other) * stride + max(drop, other))
            key = min(keep, other) * stride + max(keep, other)
            twin = _find(keys, slots, key)
            if twin >= 0:
                _unhook(half ^ 1, other, first, after, prior, degree)
                rank[slot] = 0.0
                in_heap = _enter_or_leave(slot, in_heap, heap, position, rank, low, high)
                weight[twin] = linked(weight[twin], weight[slot], linkage)
                rank[twin] = np.rint((weight[twin] - missing * (members[keep] * members[other])) * TIE_SCALE)
                slot = twin
            else:
                _put(keys, slots, key, slot)
                ends[half] = keep
                _hook(half, keep, first, after, prior, degree)
            low[slot] = min(name[keep], name[other])
            high[slot] = max(name[keep], name[other])
            in_heap = _enter_or_leave(slot, in_heap, heap, position, rank, low, high)
            half = upcoming
        if renamed:
            half = wide(first[keep])
            while half >= 0:
                slot = half >> 1
                other = wide(ends[half ^ 1])
                low[slot] = min(name[keep], name[other])
                high[slot] = max(name[keep], name[other])
                in_heap = _enter_or_leave(slot, in_heap, heap, position, rank, low, high)
                half = wide(after[half])

    return _root_names(parent, name), merged_one[:merges], merged_two[:merges]


def agglomerated(
    size: int, left: Int32s, right: Int32s, weights: Floats, linkage: int = SUM
) -> tuple[Int32s, Int32s, Int32s]:
    """`agglomerate`, with the hash map that it needs, and no rules about values."""
    values = np.empty((size, 0), np.int32)
    if size <= _DENSE and size * size <= 64 * left.size:
        slots = np.full(size * size, -1, np.int32)
        return agglomerate(size, left, right, weights, linkage, 0.0, _NO_KEYS, slots, values)
    capacity = map_capacity(left.size)
    keys = np.full(capacity, -1, np.int64)
    return agglomerate(size, left, right, weights, linkage, 0.0, keys, np.empty(capacity, np.int32), values)
