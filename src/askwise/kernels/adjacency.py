"""Pairs into linked lists, and what lies around some records."""

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.intmap import find, put


@compiled
def find_or_add_pairs(
    left: Int32s,
    right: Int32s,
    count: int,
    keys: Int64s,
    values: Int32s,
    pair_u: Int32s,
    pair_v: Int32s,
    head: Int32s,
    following: Int32s,
) -> tuple[Int32s, int]:
    """The row of each pair (left[i], right[i]), new rows where there was none; there must be room for all.

    Returns the rows and how many pairs there are now.
    """
    rows = np.empty(left.size, np.int32)
    records = np.int64(head.size)
    for i in range(left.size):
        u = min(left[i], right[i])
        v = max(left[i], right[i])
        key = u * records + v
        row = find(keys, values, key)
        if row < 0:
            row = count
            count += 1
            put(keys, values, key, row)
            pair_u[row] = u
            pair_v[row] = v
            _link(row, u, v, head, following)
        rows[i] = row
    return rows, count


@inlined
def _link(row: int, u: int, v: int, head: Int32s, following: Int32s) -> None:
    following[2 * row] = head[u]
    head[u] = 2 * row
    following[2 * row + 1] = head[v]
    head[v] = 2 * row + 1


@compiled
def link_pairs(count: int, pair_u: Int32s, pair_v: Int32s, head: Int32s, following: Int32s) -> None:
    """Put the first `count` pairs into the lists of their records."""
    for row in range(count):
        _link(row, pair_u[row], pair_v[row], head, following)


@compiled
def find_pairs(left: Int32s, right: Int32s, records: int, keys: Int64s, values: Int32s) -> Int32s:
    """The row of each pair (left[i], right[i]), or -1."""
    rows = np.empty(left.size, np.int32)
    for i in range(left.size):
        u = np.int64(min(left[i], right[i]))
        rows[i] = find(keys, values, u * records + max(left[i], right[i]))
    return rows


@inlined
def opposite(half: int, pair_u: Int32s, pair_v: Int32s) -> int:
    """The record at the far end of a half-edge."""
    return int(pair_u[half >> 1] if half & 1 else pair_v[half >> 1])


@compiled
def incident_pairs(
    nodes: Int32s, head: Int32s, following: Int32s, pair_u: Int32s, pair_v: Int32s, chosen: Bools
) -> Int32s:
    """All pairs with at least one end among `nodes`, each once; `chosen` is scratch over records, all False."""
    for node in nodes:
        chosen[node] = True
    total = 0
    for node in nodes:
        half = head[node]
        while half >= 0:
            total += 1
            half = following[half]
    rows = np.empty(total, np.int32)
    count = 0
    for node in nodes:
        half = head[node]
        while half >= 0:
            if not (half & 1 and chosen[pair_u[half >> 1]]):
                rows[count] = half >> 1
                count += 1
            half = following[half]
    for node in nodes:
        chosen[node] = False
    return rows[:count]


@compiled
def positive_components(
    seeds: Int32s,
    head: Int32s,
    following: Int32s,
    pair_u: Int32s,
    pair_v: Int32s,
    pair_weight: Floats,
    chosen: Bools,
    component: Int32s,
) -> Int32s:
    """All records that the seeds reach over pairs of positive weight, the seeds included, in no order.

    In `component` each of them gets the smallest record that it reaches. `chosen` is scratch over records, all False,
    and left so.
    """
    nodes = np.empty(max(16, 2 * seeds.size), np.int32)
    count = 0
    for seed in seeds:
        if chosen[seed]:
            continue
        chosen[seed] = True
        nodes[count] = seed
        begin = at = count
        count += 1
        smallest = seed
        while at < count:
            half = head[nodes[at]]
            at += 1
            while half >= 0:
                if pair_weight[half >> 1] > 0.0:
                    other = opposite(half, pair_u, pair_v)
                    if not chosen[other]:
                        chosen[other] = True
                        smallest = min(smallest, other)
                        if count + seeds.size >= nodes.size:
                            larger = np.empty(2 * nodes.size, np.int32)
                            for i in range(count):
                                larger[i] = nodes[i]
                            nodes = larger
                        nodes[count] = other
                        count += 1
                half = following[half]
        for i in range(begin, count):
            component[nodes[i]] = smallest
    for i in range(count):
        chosen[nodes[i]] = False
    return nodes[:count]


@compiled
def pairs_within(part: Int32s, count: int, pair_u: Int32s, pair_v: Int32s, pair_weight: Floats) -> Int32s:
    """Of the first `count` pairs those with evidence whose two records have the same `part`."""
    total = 0
    for row in range(count):
        total += part[pair_u[row]] == part[pair_v[row]] and not np.isnan(pair_weight[row])
    rows = np.empty(total, np.int32)
    at = 0
    for row in range(count):
        if part[pair_u[row]] == part[pair_v[row]] and not np.isnan(pair_weight[row]):
            rows[at] = row
            at += 1
    return rows


@compiled
def inner_pairs(
    nodes: Int32s,
    head: Int32s,
    following: Int32s,
    pair_u: Int32s,
    pair_v: Int32s,
    pair_weight: Floats,
    place: Int32s,
) -> tuple[Int32s, Int32s, Int32s]:
    """The pairs with evidence whose two ends are both among `nodes` (in order).

    Returns the ends as positions in `nodes`, and the rows, sorted by the two ends: the same set of pairs gives the
    same arrays, whatever order they came in. `place` is scratch over records, all -1, and left so.
    """
    size = nodes.size
    for i in range(size):
        place[nodes[i]] = i
    starts = np.zeros(size + 1, np.int64)
    total = 0
    for node in nodes:
        half = head[node]
        while half >= 0:
            if not half & 1 and not np.isnan(pair_weight[half >> 1]):
                at = place[pair_v[half >> 1]]
                if at >= 0:
                    starts[at + 1] += 1
                    total += 1
            half = following[half]
    for i in range(size):
        starts[i + 1] += starts[i]
    # First by the larger end, then, keeping that order, by the smaller.
    by_v = np.empty(total, np.int32)
    counts = np.zeros(size + 1, np.int64)
    for i in range(size):
        half = head[nodes[i]]
        while half >= 0:
            if not half & 1 and not np.isnan(pair_weight[half >> 1]):
                at = place[pair_v[half >> 1]]
                if at >= 0:
                    by_v[starts[at]] = half >> 1
                    starts[at] += 1
                    counts[i + 1] += 1
            half = following[half]
    for i in range(size):
        counts[i + 1] += counts[i]
    left = np.empty(total, np.int32)
    right = np.empty(total, np.int32)
    rows = np.empty(total, np.int32)
    for row in by_v:
        i = place[pair_u[row]]
        left[counts[i]] = i
        right[counts[i]] = place[pair_v[row]]
        rows[counts[i]] = row
        counts[i] += 1
    for node in nodes:
        place[node] = -1
    return left, right, rows


@compiled
def unasked_pairs(
    count: int, head: Int32s, following: Int32s, pair_u: Int32s, pair_v: Int32s, pair_asked: Bools, chosen: Bools
) -> tuple[Int32s, Int32s]:
    """All pairs of records that were not asked, in order; there are `count` of them.

    `chosen` is scratch over records, all False, and left so.
    """
    left, right = np.empty(count, np.int32), np.empty(count, np.int32)
    at = 0
    for u in range(head.size):
        half = head[u]
        while half >= 0:
            if pair_asked[half >> 1]:
                chosen[opposite(half, pair_u, pair_v)] = True
            half = following[half]
        for v in range(u + 1, head.size):
            if not chosen[v]:
                left[at], right[at] = u, v
                at += 1
        chosen[:] = False
    return left, right
