"""Nearest neighbours among vectors of n-grams: a walk over the rarest grams, then exact cosines."""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Bytes, Floats, Int32s, Int64s, Singles, Words
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.ngrams import COUNT_BITS, MOST_COUNTED
from askwise.kernels.words import ONE, ones

_BINS = 1024

WORDS = 4
"""The number of 64-bit words of a sketch."""

SKETCHED = 64
"""The grams of a record that are in its sketch: no more, because a full sketch says nothing."""


class Grams(NamedTuple):
    """The grams of all records, as numbers by rarity with counts: record r has `entries[starts[r]:starts[r + 1]]`.

    `rarity` is the weight of a gram, `damped` turns a count into a factor, and `inverse` is 1 / a record's length.
    """

    starts: Int64s
    entries: Int32s
    rarity: Floats
    damped: Floats
    inverse: Floats


class Walk(NamedTuple):
    """Where to look for neighbours: `records[listed[gram]:listed[gram + 1]]` have a gram; other grams are too frequent.

    A walk ends before it visits more than `enough`, or, as long as it has visited only `few`, before it visits more
    than `most`.
    """

    grams: Grams
    listed: Int64s
    records: Int32s
    few: int
    enough: int
    most: int


class Comparing(NamedTuple):
    """Up to `most` records are compared, until `patience` in a row are not `near`. Those of at least `floor` are kept.

    If `sources` says which source each record is from, only records of sources that are `linked` are neighbours.
    """

    most: int
    patience: int
    near: float
    floor: float
    sources: Int32s
    linked: Bools


@compiled
def nearest(
    first: int, last: int, walk: Walk, grams: Grams, sketches: Words, comparing: Comparing
) -> tuple[Int64s, Int32s, Floats]:
    """The neighbours of the records from `first` to `last` among those before each: how many, who they are, cosines.

    A record's grams are walked from the rarest on. Of the records that were met, those whose `sketches` are the most
    alike, or, if there are none, that share the most weight on that walk, are compared in full by `grams`, the most
    alike first. Of equals, the smaller goes first.
    """
    shared = np.zeros(last, np.float32)
    touched, weights = np.empty(walk.most + 1, np.int32), np.empty(walk.most + 1, np.float32)
    own = np.zeros(grams.rarity.size, np.uint8)
    counts = np.zeros(last - first, np.int64)
    others = np.empty((last - first) * comparing.most, np.int32)
    scores = np.empty((last - first) * comparing.most)
    total = 0
    for record in range(first, last):
        found = _walked(record, walk, shared, touched)
        for at in range(found):
            other = touched[at]
            if sketches.size == 0:
                weights[at] = shared[other] * grams.inverse[other]
            else:
                weights[at] = _alike(record, other, sketches)
            shared[other] = 0.0
        waiting = _heaviest(record, touched[:found], weights[:found], comparing)
        begin = total
        misses = 0
        spread(record, grams, own)
        for _ in range(min(comparing.most, waiting)):
            other = touched[0]
            waiting -= 1
            _sink(weights[waiting], touched[waiting], 0, waiting, touched, weights)
            score = dot(other, grams, own) * (grams.inverse[record] * grams.inverse[other])
            if score >= comparing.floor:
                others[total] = other
                scores[total] = score
                total += 1
            misses = 0 if score >= comparing.near else misses + 1
            if misses == comparing.patience:
                break
        clear(record, grams, own)
        counts[record - first] = total - begin
    return counts, others[:total].copy(), scores[:total].copy()


@compiled
def _walked(record: int, walk: Walk, shared: Singles, touched: Int32s) -> int:
    """Add up what the records before it share with the record on its rarest grams; returns how many these are.

    They are listed in `touched`.
    """
    starts, entries, rarity, damped, _ = walk.grams
    listed, records = walk.listed, walk.records
    visits, found = 0, 0
    for at in range(starts[record], starts[record + 1]):
        gram, count = entries[at] >> COUNT_BITS, entries[at] & MOST_COUNTED
        if gram >= listed.size - 1:
            break
        limit = walk.most if visits < walk.few else walk.enough
        begin, end = listed[gram], listed[gram + 1]
        if visits + end - begin > limit:
            end = begin + np.searchsorted(records[begin:end], record)
            if visits + end - begin > limit:
                break
        weight = np.float32(damped[count] * rarity[gram] * rarity[gram])
        for place in range(begin, end):
            other = records[place]
            if other >= record:
                break
            touched[found] = other
            found += shared[other] == 0.0  # written whether it is new or not: a branch here would be mispredicted
            shared[other] += weight
            visits += 1
    return found


@compiled
def sketched(starts: Int64s, entries: Int32s) -> Words:
    """A sketch of each record: a set of 256 bits, where each of its rarest grams sets one."""
    sketches = np.zeros((starts.size - 1, WORDS), np.uint64)
    for record in range(starts.size - 1):
        for at in range(starts[record], min(starts[record] + SKETCHED, starts[record + 1])):
            gram = entries[at] >> COUNT_BITS
            sketches[record, (gram >> 6) % WORDS] |= ONE << np.uint64(gram & 63)
    return sketches


@inlined
def _alike(record: int, other: int, sketches: Words) -> np.float32:
    """An estimate of the cosine: the bits that both sketches have, divided by the root of the other's bits."""
    both, there = 0, 1
    for word in range(WORDS):
        both += ones(sketches[record, word] & sketches[other, word])
        there += ones(sketches[other, word])
    return np.float32(both / np.sqrt(np.float32(there)))


@compiled
def _heaviest(record: int, touched: Int32s, weights: Singles, comparing: Comparing) -> int:
    """Make the others that share the most a heap, at the front of both arrays, the heaviest on top; returns its size.

    There are as many as are to be compared, if there are enough others.
    """
    most, sources, linked = comparing.most, comparing.sources, comparing.linked
    weight = np.float32(0.0)
    for at in range(touched.size):
        if sources.size and not linked[sources[record], sources[touched[at]]]:
            weights[at] = 0.0
        weight = max(weight, weights[at])
    scale = np.float32(_BINS - 1) / weight if weight > 0.0 else np.float32(0.0)
    least = _lightest_bin(weights, scale, most) if touched.size > most else 0
    count = 0
    for at in range(touched.size):
        if weights[at] > 0.0 and int(weights[at] * scale) >= least:
            touched[count], weights[count] = touched[at], weights[at]
            count += 1
    for place in range(count // 2 - 1, -1, -1):
        _sink(weights[place], touched[place], place, count, touched, weights)
    return count


@compiled
def _lightest_bin(weights: Singles, scale: np.float32, wanted: int) -> int:
    """The bin from which on there are at least `wanted` weights; a weight is in the bin int(weight * scale)."""
    counts = np.zeros(_BINS, np.int64)
    for weight in weights:
        counts[int(weight * scale)] += 1
    chosen = _BINS - 1
    while chosen > 0 and counts[chosen] < wanted:
        wanted -= counts[chosen]
        chosen -= 1
    return chosen


@inlined
def _sink(key: float, record: int, place: int, count: int, heap: Int32s, keys: Singles) -> None:
    """Put a record at a place of a heap of `count`, or where it belongs below that."""
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and _before(keys[child + 1], heap[child + 1], keys[child], heap[child]):
            child += 1
        if not _before(keys[child], heap[child], key, record):
            break
        keys[place], heap[place] = keys[child], heap[child]
        place = child
    keys[place], heap[place] = key, record


@inlined
def _before(key: float, record: int, other_key: float, other: int) -> bool:
    """Whether a record comes first: that with the larger key, of equal ones the smaller."""
    return key > other_key or (key == other_key and record < other)


@compiled
def spread(record: int, grams: Grams, own: Bytes) -> None:
    """How often the record has each gram, into `own`."""
    for at in range(grams.starts[record], grams.starts[record + 1]):
        own[grams.entries[at] >> COUNT_BITS] = grams.entries[at] & MOST_COUNTED


@compiled
def clear(record: int, grams: Grams, own: Bytes) -> None:
    """Undo `spread`."""
    for at in range(grams.starts[record], grams.starts[record + 1]):
        own[grams.entries[at] >> COUNT_BITS] = 0


@compiled
def dot(other: int, grams: Grams, own: Bytes) -> float:
    """The product of two vectors; the same to the last bit from either side, since grams come in the same order."""
    starts, entries, rarity, damped, _ = grams
    total = 0.0
    for at in range(starts[other], starts[other + 1]):
        gram = entries[at] >> COUNT_BITS
        if own[gram] != 0:
            total += (damped[own[gram]] * damped[entries[at] & MOST_COUNTED]) * (rarity[gram] * rarity[gram])
    return total


@compiled
def cosines(left: Int32s, right: Int32s, grams: Grams) -> Floats:
    """The cosine of each pair; quick where pairs with the same left record come together."""
    own = np.zeros(grams.rarity.size, np.uint8)
    scores = np.empty(left.size)
    before = -1
    for at in range(left.size):
        if left[at] != before:
            if before >= 0:
                clear(before, grams, own)
            before = left[at]
            spread(before, grams, own)
        scores[at] = dot(right[at], grams, own) * (grams.inverse[before] * grams.inverse[right[at]])
    return scores


@compiled
def whole_weights(starts: Int64s, entries: Int32s, weight: Floats) -> Floats:
    """The weight of all grams of each record."""
    whole = np.zeros(starts.size - 1)
    for record in range(whole.size):
        for at in range(starts[record], starts[record + 1]):
            whole[record] += weight[entries[at] >> COUNT_BITS]
    return whole


@compiled
def shared_part(left: Int32s, right: Int32s, starts: Int64s, entries: Int32s, weight: Floats, whole: Floats) -> Floats:
    """The weight of the grams that the two records of each pair share, as a share of all that the lighter one has."""
    out = np.zeros(left.size)
    for i in range(left.size):
        one, two, shared = starts[left[i]], starts[right[i]], 0.0
        while one < starts[left[i] + 1] and two < starts[right[i] + 1]:
            first, second = entries[one] >> COUNT_BITS, entries[two] >> COUNT_BITS
            if first == second:
                shared += weight[first]
            one += first <= second
            two += second <= first
        lighter = min(whole[left[i]], whole[right[i]])
        if lighter > 0.0:
            out[i] = shared / lighter
    return out


@compiled
def rarest_shared(left: Int32s, right: Int32s, starts: Int64s, entries: Int32s, rarity: Floats) -> Floats:
    """The rarity of the rarest gram that the two records of each pair share, 0 if they share none."""
    out = np.zeros(left.size)
    for i in range(left.size):
        one, two = starts[left[i]], starts[right[i]]
        while one < starts[left[i] + 1] and two < starts[right[i] + 1]:
            first, second = entries[one] >> COUNT_BITS, entries[two] >> COUNT_BITS
            if first == second:
                out[i] = rarity[first]
                break
            if first < second:
                one += 1
            else:
                two += 1
    return out
