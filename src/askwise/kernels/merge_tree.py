"""What lies between and around the two sides of every merge that built a cluster, and questions between such sides."""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.intmap import find
from askwise.kernels.partition import Membership, members_of
from askwise.kernels.picking import Askable, pick


@compiled
def side_evidence(
    size: int, one: Int32s, two: Int32s, left: Int32s, right: Int32s, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """For every merge, the positive and the negative weight between its two sides; for every node of the tree, the
    positive weight that leaves it.

    Merge i joins the tree's nodes one[i] and two[i]: a node below `size`, or merge j as size + j. Costs about the edges
    times the depth of the tree.
    """
    total = size + one.size
    parent = np.full(total, -1, np.int32)
    depth = np.zeros(total, np.int32)
    for i in range(one.size):
        parent[one[i]] = size + i
        parent[two[i]] = size + i
    for node in range(total - 1, -1, -1):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    positive = np.zeros(one.size, np.float64)
    negative = np.zeros(one.size, np.float64)
    leaving = np.zeros(total, np.float64)
    for i in range(left.size):
        if weights[i] > 0.0:
            leaving[left[i]] += weights[i]
            leaving[right[i]] += weights[i]
        u, v = left[i], right[i]
        while u != v and u >= 0 and v >= 0:
            if depth[u] >= depth[v]:
                u = parent[u]
            else:
                v = parent[v]
        if u == v and u >= 0:
            if weights[i] > 0.0:
                positive[u - size] += weights[i]
            else:
                negative[u - size] -= weights[i]
    for i in range(one.size):
        leaving[size + i] = leaving[one[i]] + leaving[two[i]] - 2.0 * positive[i]
    return positive, negative, leaving


@compiled
def leaves_under(size: int, top: int, one: Int32s, two: Int32s) -> Int32s:
    """The nodes below `size` under a node of the tree, in no order."""
    waiting = np.empty(size, np.int32)
    found = np.empty(size, np.int32)
    waiting[0] = top
    open_count = 1
    count = 0
    while open_count > 0:
        open_count -= 1
        node = waiting[open_count]
        if node < size:
            found[count] = node
            count += 1
        else:
            waiting[open_count] = one[node - size]
            waiting[open_count + 1] = two[node - size]
            open_count += 2
    return found[:count]


@compiled
def two_sets(at: int, merges: tuple[Int32s, Int32s], linked: Int64s, clusters: Membership) -> tuple[Int32s, Int32s]:
    """The records of two sets, in order: the sides of merge `at`, or after all merges the clusters linked[at - merges].

    Two clusters are one number: the first root times the records, plus the second.
    """
    one, two = merges
    size, size_of, following_member = clusters.label.size, clusters.size_of, clusters.following_member
    if at < one.size:
        return np.sort(leaves_under(size, one[at], one, two)), np.sort(leaves_under(size, two[at], one, two))
    key = linked[at - one.size]
    return members_of(key // size, size_of, following_member), members_of(key % size, size_of, following_member)


@compiled
def pick_between_sets(
    k: int,
    order: Int64s,
    merges: tuple[Int32s, Int32s],
    linked: Int64s,
    clusters: Membership,
    drawn: tuple[Int32s, Int32s],
    seed: np.uint64,
    askable: Askable,
) -> tuple[Int32s, Int32s, Int64s]:
    """Up to `k` unasked pairs: one from each of `order` while there is one, then all others, in the same order.

    `order` numbers the two sets of `two_sets`, and after them the pairs `drawn`. No pair is between two of them, so
    none comes twice. Returns the pairs and which of `order` each is from.
    """
    starts, chosen, listed = askable.starts, askable.chosen, askable.listed
    records = np.int64(clusters.label.size)
    sets = merges[0].size + linked.size
    left = np.empty(k, np.int32)
    right = np.empty(k, np.int32)
    source = np.empty(k, np.int64)
    picked = np.full(sets, -1, np.int64)
    count = 0
    for at in order:
        if count == k:
            break
        if at < sets:
            some, others = two_sets(at, merges, linked, clusters)
            if some.size > others.size:
                some, others = others, some
            u, v = pick(some, others, seed, askable)
            if u < 0:
                continue
            picked[at] = count
        else:
            u, v = drawn[0][at - sets], drawn[1][at - sets]
        left[count] = u
        right[count] = v
        source[count] = at
        count += 1
    for at in order:
        if count == k:
            break
        if at >= sets or picked[at] < 0:
            continue
        first_left, first_right = left[picked[at]], right[picked[at]]
        some, others = two_sets(at, merges, linked, clusters)
        if listed:
            for v in others:
                chosen[v] = True
        for u in some:
            around = askable.other[starts[u] : starts[u + 1]] if listed else others
            for i in range(around.size):
                v = around[i]
                low, high = min(u, v), max(u, v)
                if count == k or (low == first_left and high == first_right):
                    continue
                if listed:
                    unasked = chosen[v] and not askable.asked[askable.row[starts[u] + i]]
                else:
                    unasked = find(askable.keys, askable.values, low * records + high) < 0
                if unasked:
                    left[count] = low
                    right[count] = high
                    source[count] = at
                    count += 1
        if listed:
            for v in others:
                chosen[v] = False
    return left[:count], right[:count], source[:count]
