"""Keys in order without comparing them: the rank-th smallest, and all of them, a few bits of them at a time."""

import numpy as np

from askwise.arrays import Int32s, Words
from askwise.kernels.compiled import compiled

_BITS = 11
_DIGIT = np.uint64((1 << _BITS) - 1)


@compiled
def nth(keys: Words, rank: int) -> np.uint64:
    """The key that would be at place `rank`, counted from 0, if the keys were in order."""
    some = keys
    shift = 64
    while some.size > 1 and shift > 0:
        shift = max(shift - _BITS, 0)
        counts = np.zeros(1 << _BITS, np.int64)
        for key in some:
            counts[(key >> np.uint64(shift)) & _DIGIT] += 1
        digit = 0
        while rank >= counts[digit]:
            rank -= counts[digit]
            digit += 1
        if counts[digit] == some.size:
            continue
        left = np.empty(counts[digit], np.uint64)
        count = 0
        for key in some:
            if (key >> np.uint64(shift)) & _DIGIT == np.uint64(digit):
                left[count] = key
                count += 1
        some = left
    return np.uint64(some[0])


@compiled
def order(keys: Words) -> Int32s:
    """The places of the keys, the smallest key first; equal ones as they come."""
    places = np.arange(keys.size).astype(np.int32)
    other = np.empty_like(places)
    for shift in range(0, 64, _BITS):
        starts = np.zeros((1 << _BITS) + 1, np.int64)
        for key in keys:
            starts[((key >> np.uint64(shift)) & _DIGIT) + np.uint64(1)] += 1
        if starts.max() == keys.size:
            continue
        for digit in range(1 << _BITS):
            starts[digit + 1] += starts[digit]
        for place in places:
            digit = (keys[place] >> np.uint64(shift)) & _DIGIT
            other[starts[digit]] = place
            starts[digit] += 1
        places, other = other, places
    return places
