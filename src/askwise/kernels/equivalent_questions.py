"""Unasked pairs that are about the same change of the clustering as a pair with evidence, the best first."""

import numpy as np

from askwise.arrays import Floats, Int8s, Int32s
from askwise.kernels.adjacency import Adjacency
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.intmap import FREE, find, find_or_put, put
from askwise.kernels.partition import Membership, members_of
from askwise.kernels.picking import Askable, pick
from askwise.kernels.question_values import JOIN, LEAVE_RIGHT, MOVE_RIGHT, Worth, worth_at_least
from askwise.kernels.radix import nth, order

_FEW_PAIRS = 1024
_NOTHING = -2  # in place of a row: there is no unasked pair about the change


@inlined
def _subject(row: int, around: Adjacency, change: Int8s, label: Int32s) -> tuple[int, int, int, int]:
    """What the change is about that a row stands for: its records, the one that would move first, and a key for it."""
    u, v, kind = around.pair_u[row], around.pair_v[row], change[row]
    if kind in (MOVE_RIGHT, LEAVE_RIGHT):
        u, v, kind = v, u, kind - 1
    records = np.int64(label.size)
    return u, v, kind, (np.int64(label[u]) if kind == JOIN else records + u) * records + label[v]


@inlined
def _any_unasked(u: int, with_all: bool, root: int, clusters: Membership, askable: Askable) -> bool:
    """Whether u (or `with_all` that follow it in its cluster) has an unasked pair with a cluster; yes if many pairs."""
    records = np.int64(clusters.label.size)
    if with_all and clusters.size_of[u] * np.int64(clusters.size_of[root]) > _FEW_PAIRS:
        return True
    while u >= 0:
        v = root
        while v >= 0:
            if u != v and find(askable.keys, askable.values, int(min(u, v) * records + max(u, v))) < 0:
                return True
            v = clusters.following_member[v]
        u = clusters.following_member[u] if with_all else -1
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
def equivalent_questions(
    rows: Int32s,
    most: int,
    wanted: int,
    seed: np.uint64,
    worth: Worth,
    pair_open: Floats,
    around: Adjacency,
    clusters: Membership,
    askable: Askable,
) -> tuple[Floats, Floats, Int32s, Int32s, Int8s]:
    """For the best `most` of `rows`, an unasked pair about the same change, and the pair itself if it is open.

    `worth.spent` is set where no pair about the change is left to ask: that holds until the change is another, or the
    clusters are. Returns the questions' values, the chances of the changes that they are about, their ends, and the
    changes; at most `wanted` (and those that are open).
    """
    value, label = worth.value, clusters.label
    records = np.int64(label.size)
    if rows.size > most:
        values = value[rows].view(np.uint64)  # numbers from 0 on are in the order of their bits
        least = np.array([nth(values, rows.size - most)]).view(np.float64)[0]
        rows = worth_at_least(least, rows, value)
    rows = _in_order(rows[(pair_open[rows] > 0.0) | ~worth.spent[rows]], value)
    capacity = 16
    while capacity < 4 * rows.size:
        capacity *= 2
    about, best = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    room = 2 * rows.size
    values_found, chances, changes = np.empty(room), np.empty(room), np.empty(room, np.int8)
    left, right = np.empty(room, np.int32), np.empty(room, np.int32)
    found, place = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    count = 0
    for row in rows:
        if pair_open[row] > 0.0:
            at = find_or_put(found, place, around.pair_u[row] * records + around.pair_v[row], count)
            values_found[at], chances[at] = value[row] * pair_open[row], worth.chance[row]
            left[at], right[at], changes[at] = around.pair_u[row], around.pair_v[row], worth.change[row]
            count = max(count, at + 1)
        if worth.spent[row]:
            continue
        u, v, kind, key = _subject(row, around, worth.change, label)
        first = find_or_put(about, best, key, row)
        if first != row:  # the change of an earlier row, which was worth more
            worth.spent[row] = first == _NOTHING
            continue
        whole = kind == JOIN
        if not askable.listed and not _any_unasked(label[u] if whole else u, whole, label[v], clusters, askable):
            put(about, best, key, _NOTHING)
            worth.spent[row] = True
            continue
        one = np.array([u], np.int32)
        if whole:
            one = members_of(label[u], clusters.size_of, clusters.following_member)
        two = members_of(label[v], clusters.size_of, clusters.following_member)
        if label[u] == label[v]:
            two = two[two != u]
        low, high = pick(one, two, seed, askable)
        if low < 0:
            put(about, best, key, _NOTHING)
            worth.spent[row] = True
        elif find(found, place, int(low * records + high)) < 0:
            put(found, place, int(low * records + high), count)
            values_found[count], chances[count], changes[count] = value[row], worth.chance[row], kind
            left[count], right[count] = low, high
            count += 1
            if count >= wanted:
                break
    return values_found[:count], chances[:count], left[:count], right[:count], changes[:count]
