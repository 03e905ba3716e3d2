"""Character n-grams of texts, as numbers, and what they weigh.

A gram is hashed to a bucket, then the buckets in use are numbered by rarity. An entry of a record's list is
`number * 256 + count`, so that a list sorted by entries has the rarest grams first.
"""

import numpy as np

from askwise.arrays import Codes, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.mixing import GOLDEN, mix

BUCKET_BITS = 22
COUNT_BITS = 8
MOST_COUNTED = (1 << COUNT_BITS) - 1
END, SPACE = 10, 32
_SHIFT = np.uint64(64 - BUCKET_BITS)
_ONE, _ZERO = np.uint64(1), np.uint64(0)
_SHORT = 100


@compiled
def gram_bucket(codes: Codes, begin: int, size: int) -> int:
    """The bucket of the gram codes[begin : begin + size]."""
    state = _ZERO
    for at in range(begin, begin + size):
        state = mix(state + GOLDEN * (np.uint64(codes[at]) + _ONE))
    return int(np.int64(state >> _SHIFT))


@compiled
def gram_lists(codes: Codes, texts: int, size: int) -> tuple[Int64s, Int32s]:
    """The grams of each text, as sorted entries: bucket and count.

    `codes` are code points; every text ends with END. A run of spaces counts as one, and a text begins and ends with
    one.
    """
    starts = np.zeros(texts + 1, np.int64)
    entries = np.empty(codes.size + texts, np.int32)
    padded = np.empty(codes.size + 2, codes.dtype)
    total, at = 0, 0
    for text in range(texts):
        padded[0] = SPACE
        length = 1
        while codes[at] != END:
            if codes[at] != SPACE or padded[length - 1] != SPACE:
                padded[length] = codes[at]
                length += 1
            at += 1
        at += 1
        if padded[length - 1] != SPACE:
            padded[length] = SPACE
            length += 1
        begin = total
        if length > 1:
            for first in range(max(length - size + 1, 0)):
                entries[total] = gram_bucket(padded, first, size)
                total += 1
        _sort(entries, begin, total)
        total = _counted(entries, begin, total)
        starts[text + 1] = total
    return starts, entries[:total].copy()


@compiled
def _sort(entries: Int32s, begin: int, end: int) -> None:
    """Sort a part of the entries, in place. Most lists are short, and short ones are sorted best by insertion."""
    if end - begin > _SHORT:
        entries[begin:end].sort()
        return
    for at in range(begin + 1, end):
        entry, place = entries[at], at
        while place > begin and entries[place - 1] > entry:
            entries[place] = entries[place - 1]
            place -= 1
        entries[place] = entry


@compiled
def _counted(entries: Int32s, begin: int, end: int) -> int:
    """Sorted buckets become entries, in place; returns the new end."""
    filled = begin
    while begin < end:
        after = begin + 1
        while after < end and entries[after] == entries[begin]:
            after += 1
        entries[filled] = (entries[begin] << COUNT_BITS) | min(after - begin, MOST_COUNTED)
        filled += 1
        begin = after
    return filled


@compiled
def count_records(starts: Int64s, entries: Int32s, times: Int64s, records_with: Int64s) -> None:
    """Count, for each bucket, the records that have it; each text is that of `times` records."""
    for text in range(starts.size - 1):
        for at in range(starts[text], starts[text + 1]):
            records_with[entries[at] >> COUNT_BITS] += times[text]


@compiled
def number_grams(
    starts: Int64s, entries: Int32s, number: Int32s, rarity: Floats, alone: float, damped: Floats
) -> tuple[Int64s, Floats]:
    """Replace buckets by numbers, in place, and drop those without one (-1); lists stay sorted.

    Returns the new starts, and for each record 1 / the length of its vector (0 if it has no gram), which takes in the
    grams that were dropped: the weight of a gram is `damped[count]` * its rarity, which is `alone` for those.
    """
    new_starts = np.zeros(starts.size, np.int64)
    inverse = np.zeros(starts.size - 1)
    total = 0
    for record in range(starts.size - 1):
        begin = total
        square = 0.0
        for at in range(starts[record], starts[record + 1]):
            gram, count = number[entries[at] >> COUNT_BITS], entries[at] & MOST_COUNTED
            weight = damped[count] * (rarity[gram] if gram >= 0 else alone)
            square += weight * weight
            if gram >= 0:
                entries[total] = (gram << COUNT_BITS) | count
                total += 1
        _sort(entries, begin, total)
        new_starts[record + 1] = total
        if square > 0.0:
            inverse[record] = 1.0 / np.sqrt(square)
    return new_starts, inverse


@compiled
def invert(starts: Int64s, entries: Int32s, sizes: Int64s) -> tuple[Int64s, Int32s]:
    """The records of each of the rarest grams, in order; `sizes` says how many there are of each."""
    listed = np.zeros(sizes.size + 1, np.int64)
    for gram in range(sizes.size):
        listed[gram + 1] = listed[gram] + sizes[gram]
    fill = listed[:-1].copy()
    records = np.empty(listed[-1], np.int32)
    for record in range(starts.size - 1):
        for at in range(starts[record], starts[record + 1]):
            gram = entries[at] >> COUNT_BITS
            if gram >= sizes.size:
                break
            records[fill[gram]] = record
            fill[gram] += 1
    return listed, records
