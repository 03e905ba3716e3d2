"""Candidates between clusters that were never compared: a set of bits that is counted and drawn from.

`bits` holds one bit a candidate; `tree` is a Fenwick tree (doi:10.1002/spe.4380240306) over the number of bits in each
word, so that a bit is set, and the k-th set bit found, in logarithmic time. What is drawn depends on the set alone.
"""

import numpy as np

from askwise.arrays import Bools, Int32s, Int64s, Words
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.intmap import find
from askwise.kernels.sampling import ones

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compiled
def plant(bits: Words, tree: Int64s) -> None:
    """Make the tree for bits that were set by hand."""
    for at in range(tree.size):
        tree[at] = 0
    for word in range(bits.size):
        tree[word + 1] += ones(bits[word])
        parent = (word + 1) + ((word + 1) & -(word + 1))
        if parent < tree.size:
            tree[parent] += tree[word + 1]


@inlined
def assign(row: int, on: bool, bits: Words, tree: Int64s) -> None:
    """Set or clear one bit."""
    word = row >> 6
    mark = _ONE << np.uint64(row & 63)
    if ((bits[word] & mark) != _ZERO) == on:
        return
    bits[word] ^= mark
    step = 1 if on else -1
    at = word + 1
    while at < tree.size:
        tree[at] += step
        at += at & -at


@inlined
def count_set(tree: Int64s) -> int:
    """How many bits are set."""
    total = 0
    at = tree.size - 1
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@inlined
def select(rank: int, bits: Words, tree: Int64s) -> int:
    """The row of the set bit number `rank`, counted from 0."""
    step = 1
    while 2 * step < tree.size:
        step *= 2
    at = 0
    while step > 0:
        if at + step < tree.size and tree[at + step] <= rank:
            at += step
            rank -= tree[at]
        step >>= 1
    word = bits[at]
    for _ in range(rank):
        word &= word - _ONE
    return 64 * at + ones((word & (~word + _ONE)) - _ONE)


@inlined
def _apart_without_evidence(u: int, v: int, label: Int32s, keys: Int64s, values: Int32s, slot_evidence: Int32s) -> bool:
    a = min(label[u], label[v])
    b = max(label[u], label[v])
    if a == b:
        return False
    slot = find(keys, values, a * np.int64(label.size) + b)
    return slot < 0 or slot_evidence[slot] == 0


@compiled
def review_all(
    candidate_u: Int32s,
    candidate_v: Int32s,
    asked: Bools,
    label: Int32s,
    keys: Int64s,
    values: Int32s,
    slot_evidence: Int32s,
    bits: Words,
    tree: Int64s,
) -> None:
    """Look at every candidate, and make the tree."""
    for word in range(bits.size):
        bits[word] = _ZERO
    for row in range(candidate_u.size):
        if not asked[row] and _apart_without_evidence(
            candidate_u[row], candidate_v[row], label, keys, values, slot_evidence
        ):
            bits[row >> 6] |= _ONE << np.uint64(row & 63)
    plant(bits, tree)


@compiled
def review_nodes(
    nodes: Int32s,
    starts: Int64s,
    other: Int32s,
    row_at: Int32s,
    asked: Bools,
    label: Int32s,
    keys: Int64s,
    values: Int32s,
    slot_evidence: Int32s,
    bits: Words,
    tree: Int64s,
) -> None:
    """Look again at every candidate of some records."""
    for node in nodes:
        for at in range(starts[node], starts[node + 1]):
            row = row_at[at]
            on = not asked[row] and _apart_without_evidence(node, other[at], label, keys, values, slot_evidence)
            assign(row, on, bits, tree)


@compiled
def review_pairs(
    left: Int32s,
    right: Int32s,
    label: Int32s,
    following_member: Int32s,
    size_of: Int32s,
    starts: Int64s,
    other: Int32s,
    row_at: Int32s,
    asked: Bools,
    keys: Int64s,
    values: Int32s,
    slot_evidence: Int32s,
    bits: Words,
    tree: Int64s,
) -> None:
    """Look again at the candidates between the clusters of left[i] and right[i], from the smaller cluster."""
    for i in range(left.size):
        a = label[left[i]]
        b = label[right[i]]
        if size_of[a] > size_of[b]:
            a, b = b, a
        node = a
        while node >= 0:
            for at in range(starts[node], starts[node + 1]):
                if label[other[at]] == b:
                    row = row_at[at]
                    on = not asked[row] and _apart_without_evidence(node, other[at], label, keys, values, slot_evidence)
                    assign(row, on, bits, tree)
            node = following_member[node]
