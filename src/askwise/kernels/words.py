"""Words of 64 bits: the numbers that have to be of that type, and the bits that are set."""

import numpy as np

from askwise.kernels.compiled import inlined

ZERO, ONE = np.uint64(0), np.uint64(1)
ALL = ~ZERO
UNIT = 2.0**-53
"""The least difference between two numbers that `fraction` returns."""

_11 = np.uint64(11)
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H, _2, _4, _56 = np.uint64(0x0101010101010101), np.uint64(2), np.uint64(4), np.uint64(56)


@inlined
def ones(word: np.uint64) -> int:
    """How many bits of a word are 1."""
    word = word - ((word >> ONE) & _M1)
    word = (word & _M2) + ((word >> _2) & _M2)
    word = (word + (word >> _4)) & _M4
    return int(np.int64((word * _H) >> _56))


@inlined
def fraction(word: np.uint64) -> float:
    """A number from 0 to below 1, made from random bits."""
    return float(word >> _11) * UNIT
