"""Pairs of clusters: the evidence between them, and a heap with the weakest separation on top.

Only clusters between which something was asked have a slot. The slot sums log p over the asked pairs with evidence
(Disconnect = 1 - product of p = 1 - exp(sum)) in fixed point: integers add up to the same whatever the order, so taking
a pair out and putting it in elsewhere leaves no trace.
"""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, Words
from askwise.kernels.adjacency import Adjacency
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.heap import arrange, enter, leave
from askwise.kernels.intmap import find, find_or_put, put, remove
from askwise.kernels.mixing import pair_hash
from askwise.kernels.partition import Membership, members_of
from askwise.kernels.picking import Askable, pick

FIXED = 2.0**36  # units of log p: exact to 1.5e-11 a pair, with room for millions of pairs
FREE, QUEUED, LINKED, PENDING = 0, 1, 2, 3
"""Places in `Queue.totals`: free slots, slots in the heap, slots with evidence, pending slots."""


class Slots(NamedTuple):
    """The slots, and the hash map `keys`, `values` from two clusters to their slot.

    Of each slot: the `key` of its two clusters, the sum `log` of log p, the number of pairs with `evidence` and of
    those `asked`, and the number `tie` that decides among equals.
    """

    keys: Int64s
    values: Int32s
    key: Int64s
    log: Int64s
    evidence: Int32s
    asked: Int32s
    tie: Words


class Queue(NamedTuple):
    """The heap of slots, where each slot is in it, the free slots, and those `pending`, which may have to enter."""

    heap: Int32s
    position: Int32s
    free: Int32s
    pending: Int32s
    is_pending: Bools
    totals: Int64s


class Counted(NamedTuple):
    """Of each pair, in which slot it counts (-1: none) and how much (1: not at all, for a pair without evidence)."""

    key: Int64s
    log: Int64s


@inlined
def _fixed_log(p: float) -> int:
    """log p in fixed point; 1 if there is no evidence."""
    return int(np.int64(1) if np.isnan(p) else np.int64(np.rint(np.log(p) * FIXED)))


@inlined
def _leave(slot: int, slots: Slots, queue: Queue) -> None:
    size = queue.totals[QUEUED]
    queue.totals[QUEUED] = leave(slot, size, queue.heap, queue.position, slots.log, slots.tie, slots.key)


@inlined
def _enter(slot: int, slots: Slots, queue: Queue) -> None:
    size = queue.totals[QUEUED]
    queue.totals[QUEUED] = enter(slot, size, queue.heap, queue.position, slots.log, slots.tie, slots.key)


@compiled
def recount(
    rows: Int32s,
    around: Adjacency,
    pair_p: Floats,
    label: Int32s,
    seed: np.uint64,
    counted: Counted,
    slots: Slots,
    queue: Queue,
) -> None:
    """Bring the slots up to date with the pairs `rows`, whose evidence or whose ends' clusters have changed.

    A slot leaves the heap before its sum changes, and is pending until `weakest_pairs` is called, which lets it in
    again. There must be room for all. A row may come twice.
    """
    records = np.int64(label.size)
    totals = queue.totals
    for row in rows:
        a = min(label[around.pair_u[row]], label[around.pair_v[row]])
        b = max(label[around.pair_u[row]], label[around.pair_v[row]])
        key = int(a * records + b) if a != b else -1
        log = _fixed_log(pair_p[row])
        old = counted.key[row]
        if old >= 0:
            slot = find(slots.keys, slots.values, old)
            _note(slot, queue)
            if old == key and counted.log[row] == log:
                continue  # but the clusters may have grown
            _leave(slot, slots, queue)
            slots.asked[slot] -= 1
            if counted.log[row] <= 0:
                slots.log[slot] -= counted.log[row]
                slots.evidence[slot] -= 1
                totals[LINKED] -= slots.evidence[slot] == 0
            if slots.asked[slot] == 0 and old != key:
                remove(slots.keys, slots.values, old)
                queue.free[totals[FREE]] = slot
                totals[FREE] += 1
        counted.key[row] = key
        counted.log[row] = log
        if key < 0:
            continue
        slot = find(slots.keys, slots.values, key)
        if slot < 0:
            totals[FREE] -= 1
            slot = queue.free[totals[FREE]]
            put(slots.keys, slots.values, key, slot)
            slots.key[slot] = key
            slots.log[slot] = 0
            slots.evidence[slot] = 0
            slots.asked[slot] = 0
            slots.tie[slot] = pair_hash(seed, a, b)
        _leave(slot, slots, queue)
        _note(slot, queue)
        slots.asked[slot] += 1
        if log <= 0:
            slots.log[slot] += log
            slots.evidence[slot] += 1
            totals[LINKED] += slots.evidence[slot] == 1


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
    around: Adjacency,
    pair_p: Floats,
    label: Int32s,
    seed: np.uint64,
    counted: Counted,
    slots: Slots,
    queue: Queue,
) -> None:
    """`recount` of the first `count` pairs where there is nothing yet: quicker, for all at once.

    All slots are free, the first on top.
    """
    records = np.int64(label.size)
    used = 0
    for row in range(count):
        a = min(label[around.pair_u[row]], label[around.pair_v[row]])
        b = max(label[around.pair_u[row]], label[around.pair_v[row]])
        log = _fixed_log(pair_p[row])
        counted.log[row] = log
        if a == b:
            continue
        key = int(a * records + b)
        counted.key[row] = key
        slot = find_or_put(slots.keys, slots.values, key, used)
        if slot == used:
            slots.key[slot] = key
            slots.tie[slot] = pair_hash(seed, a, b)
            queue.pending[slot] = slot
            queue.is_pending[slot] = True
            used += 1
        slots.asked[slot] += 1
        if log <= 0:
            slots.log[slot] += log
            slots.evidence[slot] += 1
            queue.totals[LINKED] += slots.evidence[slot] == 1
    queue.totals[FREE] -= used
    queue.totals[PENDING] = used


@inlined
def _note(slot: int, queue: Queue) -> None:
    """Whether the slot belongs into the heap is to be seen."""
    if not queue.is_pending[slot]:
        queue.is_pending[slot] = True
        queue.pending[queue.totals[PENDING]] = slot
        queue.totals[PENDING] += 1


@inlined
def _settle_pending(size_of: Int32s, listed: bool, slots: Slots, queue: Queue) -> None:
    """Let slots into the heap that belong there. Without `listed`, one whose every pair was asked stays out."""
    totals = queue.totals
    at_once = totals[QUEUED] == 0
    for i in range(totals[PENDING]):
        slot = queue.pending[i]
        queue.is_pending[slot] = False
        if slots.asked[slot] == 0:  # it is free
            continue
        possible = np.int64(size_of[slots.key[slot] // size_of.size]) * size_of[slots.key[slot] % size_of.size]
        if slots.evidence[slot] > 0 and (listed or slots.asked[slot] < possible):
            if at_once:
                queue.position[slot] = totals[QUEUED]
                queue.heap[totals[QUEUED]] = slot
                totals[QUEUED] += 1
            else:
                _enter(slot, slots, queue)
    if at_once:
        arrange(totals[QUEUED], queue.heap, queue.position, slots.log, slots.tie, slots.key)
    totals[PENDING] = 0


@compiled
def weakest_pairs(
    k: int, seed: np.uint64, clusters: Membership, askable: Askable, slots: Slots, queue: Queue
) -> tuple[Int32s, Int32s, Floats]:
    """An unasked pair between each of the `k` weakest two clusters, and the slot's sum of log p, the weakest first.

    Slots are taken out of the heap and put back, except those that have no unasked pair left.
    """
    size_of, totals = clusters.size_of, queue.totals
    _settle_pending(size_of, askable.listed, slots, queue)
    left = np.empty(min(k, totals[QUEUED]), np.int32)
    right = np.empty(left.size, np.int32)
    logs = np.empty(left.size, np.float64)
    taken = np.empty(left.size, np.int32)
    count = 0
    while count < left.size and totals[QUEUED] > 0:
        slot = queue.heap[0]
        _leave(slot, slots, queue)
        one = members_of(slots.key[slot] // size_of.size, size_of, clusters.following_member)
        two = members_of(slots.key[slot] % size_of.size, size_of, clusters.following_member)
        if one.size > two.size:
            one, two = two, one
        u, v = pick(one, two, seed, askable)
        if u >= 0:
            left[count] = u
            right[count] = v
            logs[count] = slots.log[slot] / FIXED
            taken[count] = slot
            count += 1
    for i in range(count):
        _enter(taken[i], slots, queue)
    return left[:count], right[:count], logs[:count]
