"""Pairs of clusters: the evidence between them, and a heap with the weakest separation on top.

Only clusters between which something was asked have a slot. The slot sums log p over the asked pairs with evidence
(Disconnect = 1 - product of p = 1 - exp(sum)) in fixed point: integers add up to the same whatever the order, so taking
a pair out and putting it in elsewhere leaves no trace.
"""

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, Words
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.heap import arrange, enter, leave
from askwise.kernels.intmap import find, find_or_put, put, remove
from askwise.kernels.mixing import pair_hash
from askwise.kernels.partition import members_of
from askwise.kernels.picking import pick_any, pick_listed

FIXED = 2.0**36  # units of log p: exact to 1.5e-11 a pair, with room for millions of pairs


@compiled
def recount(
    rows: Int32s,
    pair_u: Int32s,
    pair_v: Int32s,
    pair_p: Floats,
    label: Int32s,
    seed: np.uint64,
    counted_key: Int64s,
    counted_log: Int64s,
    keys: Int64s,
    values: Int32s,
    slot_key: Int64s,
    slot_log: Int64s,
    slot_evidence: Int32s,
    slot_asked: Int32s,
    slot_tie: Words,
    free: Int32s,
    heap: Int32s,
    position: Int32s,
    pending: Int32s,
    is_pending: Bools,
    totals: Int64s,
) -> None:
    """Bring the slots up to date with the pairs `rows`, whose evidence or whose ends' clusters have changed.

    `counted_key` and `counted_log` remember, for each pair, in which slot it counts (-1: none) and how much (1: not at
    all, for a pair without evidence). A slot leaves the heap before its sum changes, and is `pending` until
    `weakest_pairs` is called, which lets it in again. `totals` holds the number of free slots, the heap's size, the
    number of slots with evidence and that of pending ones. There must be room for all. A row may come twice.
    """
    records = np.int64(label.size)
    for row in rows:
        a = min(label[pair_u[row]], label[pair_v[row]])
        b = max(label[pair_u[row]], label[pair_v[row]])
        key = int(a * records + b) if a != b else -1
        log = np.int64(1) if np.isnan(pair_p[row]) else np.int64(np.rint(np.log(pair_p[row]) * FIXED))
        old = counted_key[row]
        if old >= 0:
            slot = find(keys, values, old)
            _note(slot, pending, is_pending, totals)
            if old == key and counted_log[row] == log:
                continue  # but the clusters may have grown
            totals[1] = leave(slot, totals[1], heap, position, slot_log, slot_tie, slot_key)
            slot_asked[slot] -= 1
            if counted_log[row] <= 0:
                slot_log[slot] -= counted_log[row]
                slot_evidence[slot] -= 1
                totals[2] -= slot_evidence[slot] == 0
            if slot_asked[slot] == 0 and old != key:
                remove(keys, values, old)
                free[totals[0]] = slot
                totals[0] += 1
        counted_key[row] = key
        counted_log[row] = log
        if key < 0:
            continue
        slot = find(keys, values, key)
        if slot < 0:
            totals[0] -= 1
            slot = free[totals[0]]
            put(keys, values, key, slot)
            slot_key[slot] = key
            slot_log[slot] = 0
            slot_evidence[slot] = 0
            slot_asked[slot] = 0
            slot_tie[slot] = pair_hash(seed, a, b)
        totals[1] = leave(slot, totals[1], heap, position, slot_log, slot_tie, slot_key)
        _note(slot, pending, is_pending, totals)
        slot_asked[slot] += 1
        if log <= 0:
            slot_log[slot] += log
            slot_evidence[slot] += 1
            totals[2] += slot_evidence[slot] == 1


@compiled
def crossing(count: int, pair_u: Int32s, pair_v: Int32s, label: Int32s) -> int:
    """How many of the first `count` pairs are between clusters."""
    total = 0
    for row in range(count):
        total += label[pair_u[row]] != label[pair_v[row]]
    return total


@compiled
def count_all(
    count: int,
    pair_u: Int32s,
    pair_v: Int32s,
    pair_p: Floats,
    label: Int32s,
    seed: np.uint64,
    counted_key: Int64s,
    counted_log: Int64s,
    keys: Int64s,
    values: Int32s,
    slot_key: Int64s,
    slot_log: Int64s,
    slot_evidence: Int32s,
    slot_asked: Int32s,
    slot_tie: Words,
    pending: Int32s,
    is_pending: Bools,
    totals: Int64s,
) -> None:
    """The same as `recount` of the first `count` pairs where there is nothing yet: quicker, for all at once.

    All slots are free, the first on top.
    """
    records = np.int64(label.size)
    slots = 0
    for row in range(count):
        a = min(label[pair_u[row]], label[pair_v[row]])
        b = max(label[pair_u[row]], label[pair_v[row]])
        log = np.int64(1) if np.isnan(pair_p[row]) else np.int64(np.rint(np.log(pair_p[row]) * FIXED))
        counted_log[row] = log
        if a == b:
            continue
        key = int(a * records + b)
        counted_key[row] = key
        slot = find_or_put(keys, values, key, slots)
        if slot == slots:
            slot_key[slot] = key
            slot_tie[slot] = pair_hash(seed, a, b)
            pending[slot] = slot
            is_pending[slot] = True
            slots += 1
        slot_asked[slot] += 1
        if log <= 0:
            slot_log[slot] += log
            slot_evidence[slot] += 1
            totals[2] += slot_evidence[slot] == 1
    totals[0] -= slots
    totals[3] = slots


@inlined
def _note(slot: int, pending: Int32s, is_pending: Bools, totals: Int64s) -> None:
    """Whether the slot belongs into the heap is to be seen."""
    if not is_pending[slot]:
        is_pending[slot] = True
        pending[totals[3]] = slot
        totals[3] += 1


@inlined
def _settle_pending(
    size_of: Int32s,
    listed: bool,
    slot_key: Int64s,
    slot_log: Int64s,
    slot_evidence: Int32s,
    slot_asked: Int32s,
    slot_tie: Words,
    heap: Int32s,
    position: Int32s,
    pending: Int32s,
    is_pending: Bools,
    totals: Int64s,
) -> None:
    """Let slots into the heap that belong there. Without `listed`, one whose every pair was asked stays out."""
    at_once = totals[1] == 0
    for i in range(totals[3]):
        slot = pending[i]
        is_pending[slot] = False
        if slot_asked[slot] == 0:  # it is free
            continue
        possible = np.int64(size_of[slot_key[slot] // size_of.size]) * size_of[slot_key[slot] % size_of.size]
        if slot_evidence[slot] > 0 and (listed or slot_asked[slot] < possible):
            if at_once:
                position[slot] = totals[1]
                heap[totals[1]] = slot
                totals[1] += 1
            else:
                totals[1] = enter(slot, totals[1], heap, position, slot_log, slot_tie, slot_key)
    if at_once:
        arrange(totals[1], heap, position, slot_log, slot_tie, slot_key)
    totals[3] = 0


@compiled
def weakest_pairs(
    k: int,
    seed: np.uint64,
    size_of: Int32s,
    following_member: Int32s,
    pairs: tuple[Int64s, Int32s],
    listed: bool,
    candidates: tuple[Int64s, Int32s, Int32s, Bools],
    chosen: Bools,
    slot_key: Int64s,
    slot_log: Int64s,
    slot_evidence: Int32s,
    slot_asked: Int32s,
    slot_tie: Words,
    heap: Int32s,
    position: Int32s,
    pending: Int32s,
    is_pending: Bools,
    totals: Int64s,
) -> tuple[Int32s, Int32s, Floats]:
    """An unasked pair between each of the `k` weakest two clusters, and the slot's sum of log p, the weakest first.

    Slots are taken out of the heap and put back, except those that have no unasked pair left. `pairs` maps pairs to
    rows, `candidates` are the listed ones from both sides, `chosen` is scratch over records, all False.
    """
    _settle_pending(
        size_of,
        listed,
        slot_key,
        slot_log,
        slot_evidence,
        slot_asked,
        slot_tie,
        heap,
        position,
        pending,
        is_pending,
        totals,
    )
    left = np.empty(min(k, totals[1]), np.int32)
    right = np.empty(left.size, np.int32)
    logs = np.empty(left.size, np.float64)
    slots = np.empty(left.size, np.int32)
    starts, other, row_at, asked = candidates
    count = 0
    while count < left.size and totals[1] > 0:
        slot = heap[0]
        totals[1] = leave(slot, totals[1], heap, position, slot_log, slot_tie, slot_key)
        one = members_of(slot_key[slot] // size_of.size, size_of, following_member)
        two = members_of(slot_key[slot] % size_of.size, size_of, following_member)
        if one.size > two.size:
            one, two = two, one
        if listed:
            u, v = pick_listed(one, two, seed, chosen, starts, other, row_at, asked)
        else:
            u, v = pick_any(one, two, seed, size_of.size, pairs[0], pairs[1])
        if u >= 0:
            left[count] = u
            right[count] = v
            logs[count] = slot_log[slot] / FIXED
            slots[count] = slot
            count += 1
    for i in range(count):
        totals[1] = enter(slots[i], totals[1], heap, position, slot_log, slot_tie, slot_key)
    return left[:count], right[:count], logs[:count]
