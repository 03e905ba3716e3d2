"""Unasked pairs that are about the same change of the clustering as pairs with evidence, the best of these first."""

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, Int64s
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.flips import JOIN, LEAVE_RIGHT, MOVE_RIGHT, worth_at_least
from askwise.kernels.intmap import FREE, find, find_or_put, put
from askwise.kernels.partition import members_of
from askwise.kernels.picking import pick_any, pick_listed
from askwise.kernels.radix import nth, order

_FEW = 1024
_NOTHING = -2  # in place of a row: there is no unasked pair about the change


@inlined
def _subject(row: int, pair_u: Int32s, pair_v: Int32s, change: Int8s, label: Int32s) -> tuple[int, int, int, int]:
    """What the change is about that a row stands for: its records, the one that would move first, and a key for it."""
    u, v, kind = pair_u[row], pair_v[row], change[row]
    if kind in (MOVE_RIGHT, LEAVE_RIGHT):
        u, v, kind = v, u, kind - 1
    records = np.int64(label.size)
    return u, v, kind, (np.int64(label[u]) if kind == JOIN else records + u) * records + label[v]


@inlined
def _any_unasked(
    u: int,
    with_all: bool,
    root: int,
    size_of: Int32s,
    following_member: Int32s,
    keys: Int64s,
    values: Int32s,
) -> bool:
    """Whether u (or `with_all` that follow it in its cluster) has an unasked pair with a cluster; yes if many pairs."""
    records = np.int64(size_of.size)
    if with_all and size_of[u] * np.int64(size_of[root]) > _FEW:
        return True
    while u >= 0:
        v = root
        while v >= 0:
            if u != v and find(keys, values, int(min(u, v) * records + max(u, v))) < 0:
                return True
            v = following_member[v]
        u = following_member[u] if with_all else -1
    return False


@compiled
def _in_order(rows: Int32s, value: Floats) -> Int32s:
    """The rows, the largest value first; of equal ones, the smallest row."""
    ordered = rows[order(~value[rows].view(np.uint64))]
    for i in range(1, ordered.size):
        at = i
        while at > 0 and value[ordered[at - 1]] == value[ordered[at]] and ordered[at - 1] > ordered[at]:
            ordered[at - 1], ordered[at] = ordered[at], ordered[at - 1]
            at -= 1
    return ordered


@compiled
def beside(
    rows: Int32s,
    most: int,
    wanted: int,
    seed: np.uint64,
    valued: tuple[Floats, Floats, Int8s],
    spent: Bools,
    pair_u: Int32s,
    pair_v: Int32s,
    pair_open: Floats,
    clusters: tuple[Int32s, Int32s, Int32s],
    pairs: tuple[Int64s, Int32s],
    listed: bool,
    candidates: tuple[Int64s, Int32s, Int32s, Bools],
    chosen: Bools,
) -> tuple[Floats, Floats, Int32s, Int32s, Int8s]:
    """For the best `most` of `rows`, an unasked pair about the same change, and the pair itself if it is open.

    `valued` are the value, the chance and the change of each row, `clusters` the label, the size and the next member of
    each record, `pairs` a map from pairs to their rows. `spent` is noted where no pair about the change is left to ask:
    that stays so until the change is another, or the clusters are. Returns the worth of the questions, the chance of
    the change that each is about, their ends, and the change; no more than `wanted` (and those that are open). `chosen`
    is scratch over records, all False, and left so.
    """
    value, chance, change = valued
    label, size_of, following_member = clusters
    records = np.int64(label.size)
    if rows.size > most:
        values = value[rows].view(np.uint64)  # numbers from 0 on are in the order of their bits
        least = np.array([nth(values, rows.size - most)]).view(np.float64)[0]
        rows = worth_at_least(least, rows, value)
    rows = _in_order(rows[(pair_open[rows] > 0.0) | ~spent[rows]], value)
    capacity = 16
    while capacity < 4 * rows.size:
        capacity *= 2
    about, best = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    room = 2 * rows.size
    worth, chances, changes = np.empty(room), np.empty(room), np.empty(room, np.int8)
    left, right = np.empty(room, np.int32), np.empty(room, np.int32)
    found, place = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    count = 0
    for row in rows:
        if pair_open[row] > 0.0:
            at = find_or_put(found, place, pair_u[row] * records + pair_v[row], count)
            worth[at], chances[at], changes[at] = value[row] * pair_open[row], chance[row], change[row]
            left[at], right[at] = pair_u[row], pair_v[row]
            count = max(count, at + 1)
        if spent[row]:
            continue
        u, v, kind, key = _subject(row, pair_u, pair_v, change, label)
        first = find_or_put(about, best, key, row)
        if first != row:  # the same change as of a row before, which was worth more
            spent[row] = first == _NOTHING
            continue
        whole = kind == JOIN
        if not listed and not _any_unasked(
            label[u] if whole else u, whole, label[v], size_of, following_member, pairs[0], pairs[1]
        ):
            put(about, best, key, _NOTHING)
            spent[row] = True
            continue
        one = members_of(label[u], size_of, following_member) if kind == JOIN else np.array([u], np.int32)
        two = members_of(label[v], size_of, following_member)
        if label[u] == label[v]:
            two = two[two != u]
        if listed:
            low, high = pick_listed(one, two, seed, chosen, candidates[0], candidates[1], candidates[2], candidates[3])
        else:
            low, high = pick_any(one, two, seed, label.size, pairs[0], pairs[1])
        if low < 0:
            put(about, best, key, _NOTHING)
            spent[row] = True
        elif find(found, place, int(low * records + high)) < 0:
            put(found, place, int(low * records + high), count)
            worth[count], chances[count], changes[count] = value[row], chance[row], kind
            left[count], right[count] = low, high
            count += 1
            if count >= wanted:
                break
    return worth[:count], chances[:count], left[:count], right[:count], changes[:count]
