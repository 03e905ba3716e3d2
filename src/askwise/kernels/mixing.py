"""Pseudo-random numbers that are a function of what they are for, not of when they are drawn.

All chance in the engine goes through here: the same seed and the same state give the same numbers, whatever the
order of calls. The mixer is the finaliser of SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195).
"""

import numpy as np

from askwise.arrays import Int32s, Words
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.words import ALL, ZERO

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@inlined
def mix(value: np.uint64) -> np.uint64:
    """A 64-bit value, thoroughly shuffled."""
    value = (value ^ (value >> _30)) * _FIRST
    value = (value ^ (value >> _27)) * _SECOND
    return value ^ (value >> _31)


@inlined
def pair_hash(seed: np.uint64, left: int, right: int) -> np.uint64:
    """A number that belongs to this seed and these two integers, in this order."""
    first = mix(mix(seed + GOLDEN) + GOLDEN * np.uint64(left + 1))
    return mix(first + GOLDEN * np.uint64(right + 1))


@inlined
def below(state: np.uint64, limit: int) -> int:
    """A number from 0 to limit - 1 made from a shuffled state; `limit` is below 2**32."""
    return int(np.int64(((mix(state) >> _32) * np.uint64(limit)) >> _32))


@inlined
def bernoulli_words(states: Words, p: float, undecided: Words, words: Words) -> None:
    """Fill each of `words` with 64 independent bits, each 1 with probability p, from a state for each word.

    Each bit compares its own random number with p, digit by binary digit, and is decided at the first that differs.
    All words take a digit together: a loop for each would end at a point that no processor can foresee. `states` are
    used up, `undecided` is scratch.
    """
    for word in range(words.size):
        words[word] = ZERO
        undecided[word] = ALL
    for _ in range(53):
        p *= 2.0
        one = p >= 1.0
        if one:
            p -= 1.0
        rest = ZERO
        for word in range(words.size):
            states[word] += GOLDEN
            digits = mix(states[word])
            if one:
                words[word] |= undecided[word] & ~digits
                undecided[word] &= digits
            else:
                undecided[word] &= ~digits
            rest |= undecided[word]
        if rest == ZERO or p == 0.0:
            break


@compiled
def hashes(seed: np.uint64, values: Int32s) -> Words:
    """A number for each value that belongs to it and the seed."""
    found = np.empty(values.size, np.uint64)
    for i in range(values.size):
        found[i] = pair_hash(seed, values[i], values[i])
    return found


@compiled
def pair_hashes(seed: np.uint64, left: Int32s, right: Int32s) -> Words:
    """`pair_hash` of many pairs."""
    found = np.empty(left.size, np.uint64)
    for i in range(left.size):
        found[i] = pair_hash(seed, left[i], right[i])
    return found
