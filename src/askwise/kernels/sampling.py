"""Connectivity and all gains of a large block, from sampled possible worlds, 64 to a machine word.

An edge is a mask of the worlds in which it exists; reachability is AND and OR on words until nothing changes. A second
sweep, from the lowest node that the first did not reach, finds the worlds with exactly two components.
"""

import numpy as np

from askwise.arrays import Floats, Int32s, Words
from askwise.kernels.compiled import compiled
from askwise.kernels.mixing import GOLDEN, bernoulli_word, mix

CHUNK = 8  # words drawn at a time: 512 worlds
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H, _2, _4, _56 = np.uint64(0x0101010101010101), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled
def ones(word: np.uint64) -> int:
    """How many bits of a word are 1."""
    word = word - ((word >> _ONE) & _M1)
    word = (word & _M2) + ((word >> _2) & _M2)
    word = (word + (word >> _4)) & _M4
    return int(np.int64((word * _H) >> _56))


@compiled
def _spread(reached: Words, left: Int32s, right: Int32s, masks: Words) -> None:
    """Let every world's reached nodes grow along its edges until nothing changes."""
    total = left.size
    forward = True
    changed = True
    while changed:
        changed = False
        for step in range(total):
            i = step if forward else total - 1 - step
            one = reached[left[i]]
            two = reached[right[i]]
            mask = masks[i]
            difference = _ZERO
            for word in range(CHUNK):
                grown = (one[word] | two[word]) & mask[word]
                difference |= (grown & ~one[word]) | (grown & ~two[word])
                one[word] |= grown
                two[word] |= grown
            if difference != _ZERO:
                changed = True
        forward = not forward


@compiled
def sample_block(
    size: int, left: Int32s, right: Int32s, p: Floats, hashes: Words, roughness: float, most_words: int
) -> tuple[int, int, Words, int]:
    """Draw worlds until the relative standard error of P(connected) is at most `roughness`, or `most_words` are drawn.

    Returns the number of worlds, of connected ones, and for the worlds with exactly two components which side each
    node is on (a row of words per node), with their number. `hashes` are the edges' own random numbers.
    """
    masks = np.empty((left.size, CHUNK), np.uint64)
    first = np.empty((size, CHUNK), np.uint64)
    second = np.empty((size, CHUNK), np.uint64)
    both = np.empty(CHUNK, np.uint64)
    sides = np.zeros((size, 1), np.uint64)
    worlds = 0
    connected = 0
    split = 0
    drawn = 0
    while drawn < most_words:
        for i in range(left.size):
            for word in range(CHUNK):
                masks[i, word] = bernoulli_word(mix(hashes[i] + GOLDEN * np.uint64(drawn + word)), p[i])
        for node in range(size):
            for word in range(CHUNK):
                first[node, word] = _ZERO if node else _ALL
        _spread(first, left, right, masks)
        for word in range(CHUNK):
            seeded = _ZERO
            whole = _ALL
            for node in range(size):
                second[node, word] = ~first[node, word] & ~seeded
                seeded |= ~first[node, word]
                whole &= first[node, word]
            connected += ones(whole)
            both[word] = ~whole
        _spread(second, left, right, masks)
        found = 0
        for word in range(CHUNK):
            for node in range(size):
                both[word] &= first[node, word] | second[node, word]
            found += ones(both[word])
        needed = (split + found + 63) >> 6
        if needed > sides.shape[1]:
            larger = np.zeros((size, max(needed, 2 * sides.shape[1])), np.uint64)
            for node in range(size):
                for word in range(sides.shape[1]):
                    larger[node, word] = sides[node, word]
            sides = larger
        for word in range(CHUNK):
            rest = both[word]
            while rest != _ZERO:
                bit = rest & (~rest + _ONE)
                rest ^= bit
                place = split >> 6
                mark = _ONE << np.uint64(split & 63)
                for node in range(size):
                    if second[node, word] & bit:
                        sides[node, place] |= mark
                split += 1
        drawn += CHUNK
        worlds += 64 * CHUNK
        # Standard error of the share / the share = sqrt((worlds / connected - 1) / worlds).
        if connected > 0 and worlds - connected <= roughness * roughness * connected * worlds:
            break
    return worlds, connected, sides, split
