"""Character n-grams of texts, as numbers, and what they weigh.

A gram is hashed to a bucket, then the buckets in use are numbered by rarity. An entry of a record's list is
`number * 256 + count`, so that a list sorted by entries has the rarest grams first.
"""

import numpy as np

from askwise.arrays import Codes, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.mixing import GOLDEN, mix
from askwise.kernels.words import ONE, ZERO

BUCKET_BITS = 22
COUNT_BITS = 8
MOST_COUNTED = (1 << COUNT_BITS) - 1
END, SPACE = 10, 32
_SHIFT = np.uint64(64 - BUCKET_BITS)
_FEW = 256
_SHORT = 100


@inlined
def _bucket(state: np.uint64) -> int:
    return int(np.int64(mix(state) >> _SHIFT))


@compiled
def gram_bucket(codes: Codes, begin: int, size: int) -> int:
    """The bucket of the gram codes[begin : begin + size]: of a number with these digits, shuffled."""
    state = ZERO
    for at in range(begin, begin + size):
        state = state * GOLDEN + (np.uint64(codes[at]) + ONE)
    return _bucket(state)


@compiled
def gram_lists(codes: Codes, texts: int, size: int) -> tuple[Int64s, Int32s]:
    """The grams of each text, as entries in the order in which they come: bucket and count.

    `codes` are code points; every text ends with END. A run of spaces counts as one, and a text begins and ends with
    one.
    """
    starts = np.zeros(texts + 1, np.int64)
    entries = np.empty(codes.size + texts, np.int32)
    padded = np.empty(codes.size + 2, codes.dtype)
    places = np.empty(_FEW, np.int32)  # a hash table of the text's entries, as places from the first
    highest = ONE
    for _ in range(size):
        highest *= GOLDEN
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
        if length > 1 and length >= size:
            room = _FEW
            while room < 2 * length:
                room *= 2
            if room > places.size:
                places = np.empty(room, np.int32)
            places[:room] = -1
            state = ZERO
            for place in range(length):
                state = state * GOLDEN + (np.uint64(padded[place]) + ONE)
                if place >= size:
                    state -= highest * (np.uint64(padded[place - size]) + ONE)
                if place >= size - 1:
                    total = _counted(_bucket(state), entries, begin, total, places, room - 1)
        starts[text + 1] = total
    return starts, entries[:total].copy()


@inlined
def _counted(bucket: int, entries: Int32s, begin: int, end: int, places: Int32s, mask: int) -> int:
    """Count a gram among the entries from `begin` to `end`; returns the new end."""
    slot = bucket & mask
    while places[slot] >= 0:
        entry = entries[begin + places[slot]]
        if entry >> COUNT_BITS == bucket:
            if entry & MOST_COUNTED < MOST_COUNTED:
                entries[begin + places[slot]] = entry + 1
            return end
        slot = (slot + 1) & mask
    places[slot] = end - begin
    entries[end] = (bucket << COUNT_BITS) | 1
    return end + 1


@compiled
def _sort(entries: Int32s, begin: int, end: int, spare: Int32s) -> None:
    """Sort a part of the entries, all different, in place. In a short list each place is counted, without branches."""
    if end - begin > _SHORT:
        entries[begin:end].sort()
        return
    spare[: end - begin] = entries[begin:end]
    for at in range(end - begin):
        place = begin
        for other in range(end - begin):
            place += spare[other] < spare[at]
        entries[place] = spare[at]


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
    """Replace buckets by numbers, in place, and drop those without one (-1); each list in order.

    Returns the new starts, and for each record 1 / the length of its vector (0 if it has no gram), which takes in the
    grams that were dropped: the weight of a gram is `damped[count]` * its rarity, which is `alone` for those.
    """
    new_starts = np.zeros(starts.size, np.int64)
    inverse = np.zeros(starts.size - 1)
    spare = np.empty(_SHORT, np.int32)
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
        _sort(entries, begin, total, spare)
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
