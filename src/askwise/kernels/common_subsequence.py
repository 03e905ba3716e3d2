"""How many letters two texts share in the same order: their longest common subsequence.

Bit by bit, 64 letters of one text at a time (Hyyrö 2004, "Bit-parallel LCS-length computation revisited").
"""

import numpy as np

from askwise.arrays import Int32s, Int64s, Singles
from askwise.kernels.compiled import compiled
from askwise.kernels.words import ALL, ONE, ZERO

_WORD = 64


@compiled
def shared_in_order(left: Int32s, right: Int32s, starts: Int64s, letters: Int32s, alphabet: int, most: int) -> Singles:
    """Twice the letters that two texts share in order, as a share of the letters of both; 0 where both are empty.

    The letters of text r, numbers below `alphabet`, are `letters[starts[r]:starts[r + 1]]`; of more than `most`, the
    first ones count. Quick where pairs with the same left text come together.
    """
    words = (most + _WORD - 1) // _WORD
    places = np.zeros((alphabet, words), np.uint64)  # where a letter is in the left text, a bit for each place
    rest = np.empty(words, np.uint64)
    out = np.zeros(left.size, np.float32)
    before = -1
    for i in range(left.size):
        one, two = left[i], right[i]
        begin = starts[one]
        size = min(starts[one + 1] - begin, most)
        if one != before:
            if before >= 0:
                for at in range(starts[before], min(starts[before + 1], starts[before] + most)):
                    places[letters[at], :] = ZERO
            before = one
            for at in range(size):
                places[letters[begin + at], at // _WORD] |= ONE << np.uint64(at % _WORD)
        used = (size + _WORD - 1) // _WORD
        for word in range(used):
            rest[word] = ALL
        size_there = min(starts[two + 1] - starts[two], most)
        for at in range(starts[two], starts[two] + size_there):
            letter, carry = letters[at], ZERO
            for word in range(used):
                free = rest[word]
                met = free & places[letter, word]
                part = free + met
                whole = part + carry
                carry = ONE if part < free or whole < part else ZERO
                rest[word] = whole | (free - met)
        shared = 0
        for at in range(size):
            shared += (rest[at // _WORD] >> np.uint64(at % _WORD)) & ONE == ZERO
        if size + size_there > 0:
            out[i] = 2.0 * shared / (size + size_there)
    return out
