"""One unasked pair out of many that are worth the same. What is picked depends on the state and the seed alone."""

import numpy as np

from askwise.arrays import Bools, Int32s, Int64s, Words
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.intmap import FREE, find, put
from askwise.kernels.mixing import GOLDEN, below, pair_hash
from askwise.kernels.partition import members_of
from askwise.kernels.unlinked import count_set, select

_TRIES = 32
_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled
def pick_any(one: Int32s, two: Int32s, seed: np.uint64, records: int, keys: Int64s, values: Int32s) -> tuple[int, int]:
    """An unasked pair between two clusters, given by their members; (-1, -1) if there is none."""
    state = pair_hash(seed, one[0], two[0])
    for _ in range(_TRIES):
        state = state + GOLDEN
        u = one[below(state, one.size)]
        state = state + GOLDEN
        v = two[below(state, two.size)]
        if find(keys, values, min(u, v) * np.int64(records) + max(u, v)) < 0:
            return min(u, v), max(u, v)
    # Nearly everything was asked: look at every pair, and take the one that the seed likes best.
    best = _NONE
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
def pick_listed(
    one: Int32s,
    two: Int32s,
    seed: np.uint64,
    chosen: Bools,
    starts: Int64s,
    other: Int32s,
    row_at: Int32s,
    asked: Bools,
) -> tuple[int, int]:
    """An unasked candidate between two sets of records; (-1, -1) if there is none.

    `chosen` is scratch over records, all False, and left so.
    """
    for v in two:
        chosen[v] = True
    best = _NONE
    best_u, best_v = -1, -1
    for u in one:
        for at in range(starts[u], starts[u + 1]):
            v = other[at]
            if chosen[v] and not asked[row_at[at]]:
                low, high = min(u, v), max(u, v)
                liking = pair_hash(seed, low, high)
                if best_u < 0 or liking < best:
                    best = liking
                    best_u, best_v = low, high
    for v in two:
        chosen[v] = False
    return best_u, best_v


@inlined
def _take(u: int, v: int, key: int, count: int, left: Int32s, right: Int32s, keys: Int64s, values: Int32s) -> int:
    """Add a pair to the draw unless there is one with the same key in it."""
    if find(keys, values, key) < 0:
        put(keys, values, key, count)
        left[count] = min(u, v)
        right[count] = max(u, v)
        count += 1
    return count


@compiled
def draw_unlinked(
    wanted: int,
    tries: int,
    seed: np.uint64,
    pool: Int32s,
    label: Int32s,
    pairs: tuple[Int64s, Int32s],
    slots: tuple[Int64s, Int32s, Int32s],
    drawn: tuple[Int64s, Int32s],
) -> tuple[Int32s, Int32s]:
    """Pairs of records, drawn evenly, between clusters without evidence between them; two clusters give one at most.

    If `pool` is not empty, only its records are drawn. `pairs` maps a pair to its row, `slots` two clusters to their
    slot and the slot to its evidence; `drawn` is an empty hash map with room for `wanted`.
    """
    slot_keys, slot_values, slot_evidence = slots
    limit = pool.size if pool.size > 0 else label.size
    records = np.int64(label.size)
    left = np.empty(wanted, np.int32)
    right = np.empty(wanted, np.int32)
    count = 0
    state = seed
    for _ in range(tries):
        if count == wanted:
            break
        state = state + GOLDEN
        u = below(state, limit)
        state = state + GOLDEN
        v = below(state, limit)
        if pool.size > 0:
            u, v = pool[u], pool[v]
        a, b = min(label[u], label[v]), max(label[u], label[v])
        if a == b:
            continue
        slot = find(slot_keys, slot_values, int(a * records + b))
        if slot >= 0 and slot_evidence[slot] > 0:
            continue
        if slot >= 0 and find(pairs[0], pairs[1], int(min(u, v) * records + max(u, v))) >= 0:
            continue
        count = _take(u, v, int(a * records + b), count, left, right, drawn[0], drawn[1])
    return left[:count], right[:count]


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
    """Unasked pairs that may be asked, drawn evenly, each once; fewer than `wanted` where so many tries find no more.

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
            count = _take(u, v, key, count, left, right, keys, values)
    return left[:count], right[:count]


@compiled
def unlinked_roots(
    roots: Int32s, size_of: Int32s, slot_keys: Int64s, slot_values: Int32s, slot_evidence: Int32s, slot_asked: Int32s
) -> tuple[Int32s, Int32s]:
    """Every two clusters, given by their roots in order, without evidence but with an unasked pair between them."""
    room = roots.size * (roots.size - 1) // 2
    one = np.empty(room, np.int32)
    two = np.empty(room, np.int32)
    count = 0
    for i in range(roots.size):
        for j in range(i + 1, roots.size):
            slot = find(slot_keys, slot_values, roots[i] * np.int64(size_of.size) + roots[j])
            possible = size_of[roots[i]] * np.int64(size_of[roots[j]])
            if slot < 0 or (slot_evidence[slot] == 0 and slot_asked[slot] < possible):
                one[count] = roots[i]
                two[count] = roots[j]
                count += 1
    return one[:count], two[:count]


@compiled
def pick_each(
    one: Int32s,
    two: Int32s,
    seed: np.uint64,
    size_of: Int32s,
    following_member: Int32s,
    keys: Int64s,
    values: Int32s,
) -> tuple[Int32s, Int32s]:
    """An unasked pair between the clusters one[i] and two[i], for every i where there is one."""
    left = np.empty(one.size, np.int32)
    right = np.empty(one.size, np.int32)
    count = 0
    for i in range(one.size):
        members = members_of(one[i], size_of, following_member)
        others = members_of(two[i], size_of, following_member)
        u, v = pick_any(members, others, seed, size_of.size, keys, values)
        if u >= 0:
            left[count] = u
            right[count] = v
            count += 1
    return left[:count], right[:count]


@compiled
def draw_listed(
    wanted: int,
    seed: np.uint64,
    bits: Words,
    tree: Int64s,
    left: Int32s,
    right: Int32s,
    label: Int32s,
    drawn_keys: Int64s,
    drawn_values: Int32s,
) -> tuple[Int32s, Int32s]:
    """Candidates, drawn evenly from the set of bits; two clusters give one at most.

    If draws keep hitting clusters that gave one already, the rest are taken in order from a drawn start.
    """
    records = np.int64(label.size)
    out_left = np.empty(wanted, np.int32)
    out_right = np.empty(wanted, np.int32)
    count = 0
    total = count_set(tree)
    if total == 0:
        return out_left[:0], out_right[:0]
    state = seed
    for _ in range(8 * wanted):
        if count == wanted:
            break
        state = state + GOLDEN
        row = select(below(state, total), bits, tree)
        a, b = min(label[left[row]], label[right[row]]), max(label[left[row]], label[right[row]])
        count = _take(left[row], right[row], a * records + b, count, out_left, out_right, drawn_keys, drawn_values)
    start = below(state + GOLDEN, total)
    for step in range(total):
        if count == wanted:
            break
        row = select((start + step) % total, bits, tree)
        a, b = min(label[left[row]], label[right[row]]), max(label[left[row]], label[right[row]])
        count = _take(left[row], right[row], a * records + b, count, out_left, out_right, drawn_keys, drawn_values)
    return out_left[:count], out_right[:count]
