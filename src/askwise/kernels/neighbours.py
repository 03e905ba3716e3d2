"""Nearest neighbours among vectors of n-grams: a walk over the rarest grams, then exact cosines."""

import numpy as np

from askwise.arrays import Bools, Bytes, Floats, Int32s, Int64s, Singles
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.mixing import GOLDEN
from askwise.kernels.ngrams import COUNT_BITS, MOST_COUNTED

_BINS = 1024


@compiled
def nearest(
    first: int,
    last: int,
    walked: tuple[Int64s, Int32s, Floats, Singles],
    index: tuple[Int64s, Int32s],
    limits: tuple[int, int, int],
    compared: tuple[Int64s, Int32s, Floats, Floats],
    damped: Floats,
    most: int,
    patience: int,
    near: float,
    floor: float,
    ranked: int,
    sources: Int32s,
    linked: Bools,
) -> tuple[Int64s, Int32s, Floats]:
    """The neighbours of the records from `first` to `last`: how many each has, who they are, their cosines.

    A record's grams in `walked` (starts, entries, rarity, 1 / length) are walked from the rarest on, within `limits`
    (see `_reach`); `index` says which records have each. The `most` records that share the most weight on that walk are
    compared in full by `compared`, the heaviest first, until `patience` in a row had a cosine below `near`. Those of at
    least `floor` are kept, the best `ranked` first. Of equals, the smaller goes first. If `sources` says which source
    each record is from, only records of sources that are `linked` are neighbours.
    """
    starts, entries, rarity, inverse = compared
    visits = limits[2]
    capacity = 2 << _bits(visits)
    ids, shared = np.full(capacity, -1, np.int32), np.zeros(capacity, np.float32)
    slots, touched, weights = np.empty(visits, np.int32), np.empty(visits, np.int32), np.empty(visits, np.float32)
    own = np.zeros(rarity.size, np.uint8)
    counts = np.zeros(last - first, np.int64)
    others = np.empty((last - first) * most, np.int32)
    scores = np.empty((last - first) * most)
    total = 0
    for record in range(first, last):
        found = _walk(record, walked, index, limits, damped, ids, shared, slots)
        for at in range(found):
            slot = slots[at]
            touched[at] = ids[slot]
            weights[at] = shared[slot] * walked[3][ids[slot]]
            ids[slot] = -1
            shared[slot] = 0.0
        waiting = _heaviest(record, touched[:found], weights[:found], most, sources, linked)
        begin = total
        misses = 0
        spread(record, starts, entries, own)
        for _ in range(min(most, waiting)):
            other = touched[0]
            waiting -= 1
            _sink(weights[waiting], touched[waiting], 0, waiting, touched, weights)
            score = dot(other, starts, entries, rarity, damped, own) * (inverse[record] * inverse[other])
            if score >= floor:
                others[total] = other
                scores[total] = score
                total += 1
            misses = 0 if score >= near else misses + 1
            if misses == patience:
                break
        clear(record, starts, entries, own)
        _rank(others[begin:total], scores[begin:total], ranked)
        counts[record - first] = total - begin
    return counts, others[:total].copy(), scores[:total].copy()


@inlined
def _bits(count: int) -> int:
    """How many bits numbers below `count` have."""
    bits = 0
    while (1 << bits) < count:
        bits += 1
    return bits


@compiled
def _reach(begin: int, end: int, entries: Int32s, listed: Int64s, limits: tuple[int, int, int]) -> tuple[int, int]:
    """Up to which of a record's entries to walk, and how many records that visits.

    `limits` are few, enough and most: a walk ends before it visits more than enough, or, as long as it has visited only
    few, before it visits more than most.
    """
    few, enough, most = limits
    visits = 0
    for at in range(begin, end):
        gram = entries[at] >> COUNT_BITS
        if gram >= listed.size - 1:
            return at, visits
        more = visits + listed[gram + 1] - listed[gram]
        if more > (most if visits < few else enough):
            return at, visits
        visits = more
    return end, visits


@compiled
def _walk(
    record: int,
    walked: tuple[Int64s, Int32s, Floats, Singles],
    index: tuple[Int64s, Int32s],
    limits: tuple[int, int, int],
    damped: Floats,
    ids: Int32s,
    shared: Singles,
    slots: Int32s,
) -> int:
    """Add up what others share with the record on its rarest grams; returns how many were visited.

    Those are in a hash table of `ids` and what is `shared`, at the places `slots`: one that is as small as they are few
    stays in the nearest cache.
    """
    starts, entries, rarity, _ = walked
    listed, records = index
    end, visits = _reach(starts[record], starts[record + 1], entries, listed, limits)
    bits = max(_bits(visits) + 1, 1)
    mask, shift = (1 << bits) - 1, np.uint64(64 - bits)
    found = 0
    for at in range(starts[record], end):
        gram, count = entries[at] >> COUNT_BITS, entries[at] & MOST_COUNTED
        weight = np.float32(damped[count] * rarity[gram] * rarity[gram])
        for place in range(listed[gram], listed[gram + 1]):
            other = records[place]
            slot = np.int64((np.uint64(other) * GOLDEN) >> shift)
            while ids[slot] != other:
                if ids[slot] < 0:
                    ids[slot] = other
                    slots[found] = slot
                    found += 1
                else:
                    slot = (slot + 1) & mask
            shared[slot] += weight
    return found


@compiled
def _heaviest(record: int, touched: Int32s, weights: Singles, most: int, sources: Int32s, linked: Bools) -> int:
    """Make the others that share the most a heap, at the front of both arrays, the heaviest on top; returns its size.

    There are at least `most` of them, if there are enough others.
    """
    weight = np.float32(0.0)
    for at in range(touched.size):
        if touched[at] == record or (sources.size and not linked[sources[record], sources[touched[at]]]):
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
def spread(record: int, starts: Int64s, entries: Int32s, own: Bytes) -> None:
    """How often the record has each gram, into `own`."""
    for at in range(starts[record], starts[record + 1]):
        own[entries[at] >> COUNT_BITS] = entries[at] & MOST_COUNTED


@compiled
def clear(record: int, starts: Int64s, entries: Int32s, own: Bytes) -> None:
    """Undo `spread`."""
    for at in range(starts[record], starts[record + 1]):
        own[entries[at] >> COUNT_BITS] = 0


@compiled
def dot(other: int, starts: Int64s, entries: Int32s, rarity: Floats, damped: Floats, own: Bytes) -> float:
    """The product of two vectors; the same to the last bit from either side, since grams come in the same order."""
    total = 0.0
    for at in range(starts[other], starts[other + 1]):
        gram = entries[at] >> COUNT_BITS
        if own[gram] != 0:
            total += (damped[own[gram]] * damped[entries[at] & MOST_COUNTED]) * (rarity[gram] * rarity[gram])
    return total


@compiled
def _rank(others: Int32s, scores: Floats, ranked: int) -> None:
    """Bring the best `ranked` to the front, in order."""
    for place in range(min(ranked, others.size)):
        best = place
        for at in range(place + 1, others.size):
            if scores[at] > scores[best] or (scores[at] == scores[best] and others[at] < others[best]):
                best = at
        others[place], others[best] = others[best], others[place]
        scores[place], scores[best] = scores[best], scores[place]


@compiled
def cosines(
    left: Int32s, right: Int32s, starts: Int64s, entries: Int32s, rarity: Floats, damped: Floats, inverse: Floats
) -> Floats:
    """The cosine of each pair; quick where pairs with the same left record come together."""
    own = np.zeros(rarity.size, np.uint8)
    scores = np.empty(left.size)
    before = -1
    for at in range(left.size):
        if left[at] != before:
            if before >= 0:
                clear(before, starts, entries, own)
            before = left[at]
            spread(before, starts, entries, own)
        scores[at] = dot(right[at], starts, entries, rarity, damped, own) * (inverse[before] * inverse[right[at]])
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
    """The weight of the grams that the two records of each pair share, as a part of all that the lighter one has."""
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
