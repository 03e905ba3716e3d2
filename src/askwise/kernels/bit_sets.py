"""Sets of numbers, one bit each, that are counted and drawn from.

`tree` is a Fenwick tree (doi:10.1002/spe.4380240306) over the number of bits in each word, so that a bit is set,
and the k-th set bit found, in logarithmic time.
"""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Int64s, Words
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.words import ONE, ZERO, ones


class BitSet(NamedTuple):
    """A bit for each number, and the tree that counts them."""

    bits: Words
    tree: Int64s


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
    mark = ONE << np.uint64(row & 63)
    if ((bits[word] & mark) != ZERO) == on:
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
        word &= word - ONE
    return 64 * at + ones((word & (~word + ONE)) - ONE)
