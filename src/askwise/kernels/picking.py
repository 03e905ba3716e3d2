"""One unasked pair out of many that are worth the same. What is picked depends on the state and the seed alone."""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Int32s, Int64s
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.intmap import FREE, find, put
from askwise.kernels.mixing import GOLDEN, below, pair_hash
from askwise.kernels.partition import Membership, members_of
from askwise.kernels.words import ALL

_TRIES = 32


class Askable(NamedTuple):
    """Which pairs may still be asked.

    If candidates are `listed`, these are the ones that are not `asked`; `starts`, `other` and `row` have them from both
    sides. If not, all pairs but those in the hash map `keys`, `values` from pairs to rows. `chosen` is scratch over the
    records, all False.
    """

    listed: bool
    keys: Int64s
    values: Int32s
    starts: Int64s
    other: Int32s
    row: Int32s
    asked: Bools
    chosen: Bools


@compiled
def pick(one: Int32s, two: Int32s, seed: np.uint64, askable: Askable) -> tuple[int, int]:
    """An unasked pair between two disjoint sets of records, the smaller record first; (-1, -1) if there is none."""
    if askable.listed:
        return _pick_listed(one, two, seed, askable)
    return pick_any(one, two, seed, askable.chosen.size, askable.keys, askable.values)


@compiled
def pick_any(one: Int32s, two: Int32s, seed: np.uint64, records: int, keys: Int64s, values: Int32s) -> tuple[int, int]:
    """An unasked pair where every pair may be asked."""
    state = pair_hash(seed, one[0], two[0])
    for _ in range(_TRIES):
        state = state + GOLDEN
        u = one[below(state, one.size)]
        state = state + GOLDEN
        v = two[below(state, two.size)]
        if find(keys, values, min(u, v) * np.int64(records) + max(u, v)) < 0:
            return min(u, v), max(u, v)
    # Nearly everything was asked: look at every pair, and take the one that the seed likes best.
    best = ALL
    best_u, best_v = -1, -1
    for u in one:
        for v in two:
            low, high = min(u, v), max(u, v)
            if find(keys, values, low * np.int64(records) + high) < 0:
                liking = pair_hash(seed, low, high)
                if best_u < 0 or liking < best:
                    best = liking
                    best_u, best_v = low, high
    return best_u, best_v


@compiled
def _pick_listed(one: Int32s, two: Int32s, seed: np.uint64, askable: Askable) -> tuple[int, int]:
    """An unasked candidate."""
    for v in two:
        askable.chosen[v] = True
    best = ALL
    best_u, best_v = -1, -1
    for u in one:
        for at in range(askable.starts[u], askable.starts[u + 1]):
            v = askable.other[at]
            if askable.chosen[v] and not askable.asked[askable.row[at]]:
                low, high = min(u, v), max(u, v)
                liking = pair_hash(seed, low, high)
                if best_u < 0 or liking < best:
                    best = liking
                    best_u, best_v = low, high
    for v in two:
        askable.chosen[v] = False
    return best_u, best_v


@inlined
def take(u: int, v: int, key: int, count: int, left: Int32s, right: Int32s, keys: Int64s, values: Int32s) -> int:
    """Add a pair to the draw unless there is one with the same key in it."""
    if find(keys, values, key) < 0:
        put(keys, values, key, count)
        left[count] = min(u, v)
        right[count] = max(u, v)
        count += 1
    return count


@compiled
def draw_unasked(
    wanted: int,
    tries: int,
    seed: np.uint64,
    records: int,
    pairs: tuple[Int64s, Int32s],
    pair_asked: Bools,
    candidates: tuple[Int32s, Int32s, Bools],
    listed: bool,
    taken: Int64s,
) -> tuple[Int32s, Int32s]:
    """Unasked pairs that may be asked, drawn evenly, each once; fewer than `wanted` if `tries` find no more.

    `pairs` maps a pair to its row. `candidates` are all that may be asked, if they are `listed`: their ends, and which
    were asked. Those that are `taken`, given as the first end times `records` plus the second, are not drawn.
    """
    capacity = 16
    while capacity < 2 * (wanted + taken.size):
        capacity *= 2
    keys, values = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    for key in taken:
        put(keys, values, key, 0)
    left = np.empty(wanted, np.int32)
    right = np.empty(wanted, np.int32)
    count = 0
    state = seed
    for _ in range(tries):
        if count == wanted:
            break
        state = state + GOLDEN
        if listed:
            at = below(state, candidates[0].size)
            u, v, asked = candidates[0][at], candidates[1][at], candidates[2][at]
            key = u * np.int64(records) + v
        else:
            u = np.int32(below(state, records))
            state = state + GOLDEN
            v = np.int32(below(state, records))
            u, v = min(u, v), max(u, v)
            key = u * np.int64(records) + v
            row = -1 if u == v else find(pairs[0], pairs[1], int(key))
            asked = u == v or (row >= 0 and pair_asked[row])
        if not asked:
            count = take(u, v, key, count, left, right, keys, values)
    return left[:count], right[:count]


@compiled
def pick_each(
    one: Int32s, two: Int32s, seed: np.uint64, clusters: Membership, askable: Askable
) -> tuple[Int32s, Int32s]:
    """An unasked pair between the clusters one[i] and two[i], for every i where there is one."""
    left = np.empty(one.size, np.int32)
    right = np.empty(one.size, np.int32)
    count = 0
    for i in range(one.size):
        members = members_of(one[i], clusters.size_of, clusters.following_member)
        others = members_of(two[i], clusters.size_of, clusters.following_member)
        u, v = pick(members, others, seed, askable)
        if u >= 0:
            left[count] = u
            right[count] = v
            count += 1
    return left[:count], right[:count]
