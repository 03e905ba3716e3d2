"""Unasked pairs that are about the same change of the clustering as pairs with evidence, the best of these first."""

import heapq

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.flips import JOIN, LEAVE_RIGHT, MOVE_RIGHT
from askwise.kernels.intmap import FREE, find, find_or_put, put
from askwise.kernels.partition import members_of
from askwise.kernels.picking import pick_any, pick_listed


@compiled
def beside(
    rows: Int32s,
    most: int,
    wanted: int,
    seed: np.uint64,
    valued: tuple[Floats, Floats, Int8s],
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
    each record, `pairs` a map from pairs to their rows. Returns the worth of the questions, the chance and the change
    that each is about, and their ends; no more than `wanted` (and those that are open). `chosen` is scratch over
    records, all False, and left so.
    """
    value, chance, change = valued
    label, size_of, following_member = clusters
    records = np.int64(label.size)
    queue = [(-value[row], row) for row in rows]
    heapq.heapify(queue)
    most = min(most, rows.size)
    worth, chances = np.empty(2 * most), np.empty(2 * most)
    left, right = np.empty(2 * most, np.int32), np.empty(2 * most, np.int32)
    changes = np.empty(2 * most, np.int8)
    capacity = 16
    while capacity < 4 * most + 2:
        capacity *= 2
    found, at_found = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    seen, at_seen = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    count = 0
    for step in range(most):
        negative, row = heapq.heappop(queue)
        u, v, kind = pair_u[row], pair_v[row], change[row]
        if pair_open[row] > 0.0:
            at = find_or_put(found, at_found, u * records + v, count)
            worth[at], chances[at], changes[at] = -negative * pair_open[row], chance[row], kind
            left[at], right[at] = u, v
            count = max(count, at + 1)
        if kind == MOVE_RIGHT or kind == LEAVE_RIGHT:
            u, v, kind = v, u, kind - 1
        about = (label[u] if kind == JOIN else records + u) * records + label[v]
        if find_or_put(seen, at_seen, about, step) != step:
            continue
        one = members_of(label[u], size_of, following_member) if kind == JOIN else np.array([u], np.int32)
        two = members_of(label[v], size_of, following_member)
        if label[u] == label[v]:
            two = two[two != u]
        if listed:
            low, high = pick_listed(
                one, two, seed, chosen, candidates[0], candidates[1], candidates[2], candidates[3]
            )
        else:
            low, high = pick_any(one, two, seed, records, pairs[0], pairs[1])
        if low < 0 or find(found, at_found, low * records + high) >= 0:
            continue
        put(found, at_found, low * records + high, count)
        worth[count], chances[count], changes[count] = -negative, chance[row], kind
        left[count], right[count] = low, high
        count += 1
        if count >= wanted:
            break
    return worth[:count], chances[:count], left[:count], right[:count], changes[:count]
