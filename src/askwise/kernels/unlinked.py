"""Clusters that were never compared: which candidates are between them, and draws from these.

What is drawn depends on the set alone.
"""

import numpy as np

from askwise.arrays import Bools, Int32s, Int64s
from askwise.kernels.bit_sets import BitSet, assign, count_set, plant, select
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.intmap import find
from askwise.kernels.mixing import GOLDEN, below
from askwise.kernels.partition import Membership
from askwise.kernels.picking import Askable, take
from askwise.kernels.separations import Slots
from askwise.kernels.words import ONE, ZERO


@inlined
def _apart_without_evidence(u: int, v: int, label: Int32s, slots: Slots) -> bool:
    a = min(label[u], label[v])
    b = max(label[u], label[v])
    if a == b:
        return False
    slot = find(slots.keys, slots.values, a * np.int64(label.size) + b)
    return slot < 0 or slots.evidence[slot] == 0


@compiled
def review_all(left: Int32s, right: Int32s, asked: Bools, label: Int32s, slots: Slots, unlinked: BitSet) -> None:
    """Look at every candidate, and make the tree."""
    bits = unlinked.bits
    for word in range(bits.size):
        bits[word] = ZERO
    for row in range(left.size):
        if not asked[row] and _apart_without_evidence(left[row], right[row], label, slots):
            bits[row >> 6] |= ONE << np.uint64(row & 63)
    plant(bits, unlinked.tree)


@compiled
def review_nodes(nodes: Int32s, askable: Askable, label: Int32s, slots: Slots, unlinked: BitSet) -> None:
    """Look again at every candidate of some records."""
    for node in nodes:
        for at in range(askable.starts[node], askable.starts[node + 1]):
            row = askable.row[at]
            on = not askable.asked[row] and _apart_without_evidence(node, askable.other[at], label, slots)
            assign(row, on, unlinked.bits, unlinked.tree)


@compiled
def review_pairs(
    left: Int32s, right: Int32s, askable: Askable, clusters: Membership, slots: Slots, unlinked: BitSet
) -> None:
    """Look again at the candidates between the clusters of left[i] and right[i], from the smaller cluster."""
    label = clusters.label
    for i in range(left.size):
        a = label[left[i]]
        b = label[right[i]]
        if clusters.size_of[a] > clusters.size_of[b]:
            a, b = b, a
        node = a
        while node >= 0:
            for at in range(askable.starts[node], askable.starts[node + 1]):
                if label[askable.other[at]] == b:
                    row = askable.row[at]
                    on = not askable.asked[row] and _apart_without_evidence(node, askable.other[at], label, slots)
                    assign(row, on, unlinked.bits, unlinked.tree)
            node = clusters.following_member[node]


@compiled
def draw_unlinked(
    wanted: int,
    tries: int,
    seed: np.uint64,
    pool: Int32s,
    label: Int32s,
    askable: Askable,
    slots: Slots,
    drawn: tuple[Int64s, Int32s],
) -> tuple[Int32s, Int32s]:
    """Pairs of records, drawn evenly, between clusters without evidence between them; two clusters give one at most.

    If `pool` is not empty, only its records are drawn. `drawn` is an empty hash map with room for `wanted`.
    """
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
        slot = find(slots.keys, slots.values, int(a * records + b))
        if slot >= 0 and slots.evidence[slot] > 0:
            continue
        if slot >= 0 and find(askable.keys, askable.values, int(min(u, v) * records + max(u, v))) >= 0:
            continue
        count = take(u, v, int(a * records + b), count, left, right, drawn[0], drawn[1])
    return left[:count], right[:count]


@compiled
def draw_listed(
    wanted: int,
    seed: np.uint64,
    unlinked: BitSet,
    left: Int32s,
    right: Int32s,
    label: Int32s,
    drawn: tuple[Int64s, Int32s],
) -> tuple[Int32s, Int32s]:
    """Candidates, drawn evenly from the set of bits; two clusters give one at most.

    If draws keep hitting clusters that gave one already, the rest are taken in order from a drawn start.
    """
    bits, tree = unlinked.bits, unlinked.tree
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
        count = take(left[row], right[row], a * records + b, count, out_left, out_right, drawn[0], drawn[1])
    start = below(state + GOLDEN, total)
    for step in range(total):
        if count == wanted:
            break
        row = select((start + step) % total, bits, tree)
        a, b = min(label[left[row]], label[right[row]]), max(label[left[row]], label[right[row]])
        count = take(left[row], right[row], a * records + b, count, out_left, out_right, drawn[0], drawn[1])
    return out_left[:count], out_right[:count]


@compiled
def unlinked_roots(roots: Int32s, size_of: Int32s, slots: Slots) -> tuple[Int32s, Int32s]:
    """Every two clusters, given by their roots in order, without evidence but with an unasked pair between them."""
    room = roots.size * (roots.size - 1) // 2
    one = np.empty(room, np.int32)
    two = np.empty(room, np.int32)
    count = 0
    for i in range(roots.size):
        for j in range(i + 1, roots.size):
            slot = find(slots.keys, slots.values, roots[i] * np.int64(size_of.size) + roots[j])
            possible = size_of[roots[i]] * np.int64(size_of[roots[j]])
            if slot < 0 or (slots.evidence[slot] == 0 and slots.asked[slot] < possible):
                one[count] = roots[i]
                two[count] = roots[j]
                count += 1
    return one[:count], two[:count]
