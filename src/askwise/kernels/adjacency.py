"""The pairs around each record, and what lies around some records.

Listed candidates stand side by side, as `candidate_pairs.both_sides` has them; pairs that come later hang in linked
lists. A half-edge is a pair seen from one of its records: of a listed candidate a place in `other` and `row`, of a
later pair 2 * row (seen from u) or 2 * row + 1 (seen from v), which are larger numbers. `first_half` and `next_half` go
through those of a record, the latest pair first, to -1.
"""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.intmap import find, put


class Adjacency(NamedTuple):
    """The arrays to walk through: of listed candidates, of later pairs, and the records of all pairs.

    `head[record]` and `following[half-edge - listed half-edges]` are the linked lists, ended by -1.
    """

    starts: Int64s
    other: Int32s
    row: Int32s
    head: Int32s
    following: Int32s
    pair_u: Int32s
    pair_v: Int32s


@inlined
def first_half(node: int, around: Adjacency) -> int:
    """The first half-edge of a record, or -1."""
    if around.head[node] >= 0:
        return int(around.head[node])
    last = around.starts[node + 1] - 1
    return int(last if last >= around.starts[node] else -1)


@inlined
def next_half(half: int, node: int, around: Adjacency) -> int:
    """The half-edge of the record after one of its own, or -1."""
    if half >= around.other.size:
        following = around.following[half - around.other.size]
        if following >= 0:
            return int(following)
        half = around.starts[node + 1]
    return int(half - 1 if half > around.starts[node] else -1)


@inlined
def far_end(half: int, around: Adjacency) -> int:
    """The record at the far end of a half-edge."""
    if half < around.other.size:
        return int(around.other[half])
    return int(around.pair_u[half >> 1] if half & 1 else around.pair_v[half >> 1])


@inlined
def pair_of(half: int, around: Adjacency) -> int:
    """The row of a half-edge's pair."""
    return int(around.row[half] if half < around.other.size else half >> 1)


@compiled
def find_or_add_pairs(
    left: Int32s,
    right: Int32s,
    count: int,
    keys: Int64s,
    values: Int32s,
    around: Adjacency,
) -> tuple[Int32s, int]:
    """The row of each pair (left[i], right[i]), new rows where there was none; there must be room for all.

    Returns the rows and how many pairs there are now.
    """
    rows = np.empty(left.size, np.int32)
    records = np.int64(around.head.size)
    for i in range(left.size):
        u = min(left[i], right[i])
        v = max(left[i], right[i])
        key = u * records + v
        row = find(keys, values, key)
        if row < 0:
            row = count
            count += 1
            put(keys, values, key, row)
            around.pair_u[row] = u
            around.pair_v[row] = v
            _link(row, u, v, around)
        rows[i] = row
    return rows, count


@inlined
def _link(row: int, u: int, v: int, around: Adjacency) -> None:
    for half, node in ((2 * row, u), (2 * row + 1, v)):
        around.following[half - around.other.size] = around.head[node]
        around.head[node] = half


@compiled
def find_pairs(left: Int32s, right: Int32s, records: int, keys: Int64s, values: Int32s) -> Int32s:
    """The row of each pair (left[i], right[i]), or -1."""
    rows = np.empty(left.size, np.int32)
    for i in range(left.size):
        u = np.int64(min(left[i], right[i]))
        rows[i] = find(keys, values, u * records + max(left[i], right[i]))
    return rows


@compiled
def incident_pairs(nodes: Int32s, around: Adjacency, chosen: Bools) -> Int32s:
    """All pairs with at least one end among `nodes`, each once; `chosen` is scratch over records, all False."""
    total = 0
    for node in nodes:
        chosen[node] = True
        half = first_half(node, around)
        while half >= 0:
            total += 1
            half = next_half(half, node, around)
    rows = np.empty(total, np.int32)
    count = 0
    for node in nodes:
        half = first_half(node, around)
        while half >= 0:
            other = far_end(half, around)
            if not (other < node and chosen[other]):
                rows[count] = pair_of(half, around)
                count += 1
            half = next_half(half, node, around)
    for node in nodes:
        chosen[node] = False
    return rows[:count]


@compiled
def positive_components(
    seeds: Int32s,
    around: Adjacency,
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
            node = nodes[at]
            at += 1
            half = first_half(node, around)
            while half >= 0:
                if pair_weight[pair_of(half, around)] > 0.0:
                    other = far_end(half, around)
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
                half = next_half(half, node, around)
        for i in range(begin, count):
            component[nodes[i]] = smallest
    for i in range(count):
        chosen[nodes[i]] = False
    return nodes[:count]


@compiled
def pairs_within(part: Int32s, count: int, pair_u: Int32s, pair_v: Int32s, pair_weight: Floats) -> Int32s:
    """Of the first `count` pairs those with evidence whose two records have the same `part`."""
    rows = np.empty(count, np.int32)
    total = 0
    for row in range(count):
        rows[total] = row
        total += part[pair_u[row]] == part[pair_v[row]] and not np.isnan(pair_weight[row])
    return rows[:total].copy()


@compiled
def pairs_among(inside: Bools, left: Int32s, right: Int32s, least: int) -> Int32s:
    """The pairs with at least `least` of their two records (1 or 2) inside."""
    rows = np.empty(left.size, np.int32)
    total = 0
    for row in range(left.size):
        rows[total] = row
        one, two = inside[left[row]], inside[right[row]]
        total += (one and two) or (least == 1 and (one or two))
    return rows[:total].copy()


@compiled
def inner_pairs(
    nodes: Int32s,
    around: Adjacency,
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
        half = first_half(node, around)
        while half >= 0:
            other = far_end(half, around)
            at = place[other]
            if other > node and at >= 0 and not np.isnan(pair_weight[pair_of(half, around)]):
                starts[at + 1] += 1
                total += 1
            half = next_half(half, node, around)
    for i in range(size):
        starts[i + 1] += starts[i]
    # First by the larger end, then, keeping that order, by the smaller.
    by_v = np.empty(total, np.int32)
    counts = np.zeros(size + 1, np.int64)
    for i in range(size):
        half = first_half(nodes[i], around)
        while half >= 0:
            other = far_end(half, around)
            at = place[other]
            if other > nodes[i] and at >= 0 and not np.isnan(pair_weight[pair_of(half, around)]):
                by_v[starts[at]] = pair_of(half, around)
                starts[at] += 1
                counts[i + 1] += 1
            half = next_half(half, nodes[i], around)
    for i in range(size):
        counts[i + 1] += counts[i]
    left = np.empty(total, np.int32)
    right = np.empty(total, np.int32)
    rows = np.empty(total, np.int32)
    for row in by_v:
        i = place[around.pair_u[row]]
        left[counts[i]] = i
        right[counts[i]] = place[around.pair_v[row]]
        rows[counts[i]] = row
        counts[i] += 1
    for node in nodes:
        place[node] = -1
    return left, right, rows


@compiled
def unasked_pairs(records: int, pair_u: Int32s, pair_v: Int32s, asked: Int32s) -> tuple[Int32s, Int32s]:
    """All pairs of records, in order, but those in the rows `asked`."""
    starts = np.empty(records, np.int64)  # where the pairs of each record with larger ones would be, less itself
    for u in range(records):
        starts[u] = u * np.int64(2 * records - u - 3) // 2 - 1
    open_pairs = np.ones(records * np.int64(records - 1) // 2, np.bool_)
    for row in asked:
        open_pairs[starts[pair_u[row]] + pair_v[row]] = False
    count = open_pairs.size - asked.size
    left, right = np.empty(count, np.int32), np.empty(count, np.int32)
    at = 0
    for u in range(records):
        for v in range(u + 1, records):
            if open_pairs[starts[u] + v]:
                left[at], right[at] = u, v
                at += 1
    return left, right
