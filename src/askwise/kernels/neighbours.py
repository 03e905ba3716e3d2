"""Nearest neighbours among vectors of n-grams: a walk over the rarest grams, then exact cosines."""

import numpy as np

from askwise.arrays import Bools, Bytes, Floats, Int32s, Int64s, Singles
from askwise.kernels.compiled import compiled
from askwise.kernels.ngrams import COUNT_BITS, MOST_COUNTED

_BINS = 1024


@compiled
def nearest(
    first: int,
    last: int,
    starts: Int64s,
    entries: Int32s,
    rarity: Floats,
    damped: Floats,
    inverse: Floats,
    listed: Int64s,
    records: Int32s,
    visits: int,
    most: int,
    patience: int,
    near: float,
    floor: float,
    ranked: int,
    sources: Int32s,
    linked: Bools,
) -> tuple[Int64s, Int32s, Floats]:
    """The neighbours of the records from `first` to `last`: how many each has, who they are, their cosines.

    A record's grams are walked from the rarest on, as long as the records visited are at most `visits`. The `most`
    records that share the most weight on that walk are compared in full, the heaviest first, until `patience` in a row
    had a cosine below `near`. Those of at least `floor` are kept, the best `ranked` first. Of equals, the smaller goes
    first. If `sources` says which source each record is from, only records of sources that are `linked` are neighbours.
    """
    size = starts.size - 1
    # What is shared lies beside the inverse length: one fetch from far away brings both.
    shared = np.zeros((size, 2), np.float32)
    for record in range(size):
        shared[record, 1] = inverse[record]
    touched = np.empty(size + 1, np.int32)
    weights = np.empty(size, np.float32)
    own = np.zeros(rarity.size, np.uint8)
    heap = np.empty(most, np.int32)
    keys = np.empty(most, np.float32)
    counts = np.zeros(last - first, np.int64)
    others = np.empty((last - first) * most, np.int32)
    scores = np.empty((last - first) * most)
    total = 0
    for record in range(first, last):
        found = _walk(record, starts, entries, rarity, damped, listed, records, visits, shared, touched)
        chosen = _heaviest(record, touched[:found], shared, weights, heap, keys, sources, linked)
        begin = total
        misses = 0
        spread(record, starts, entries, own)
        for at in range(chosen):
            other = heap[at]
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


@compiled
def _walk(
    record: int,
    starts: Int64s,
    entries: Int32s,
    rarity: Floats,
    damped: Floats,
    listed: Int64s,
    records: Int32s,
    visits: int,
    shared: Singles,
    touched: Int32s,
) -> int:
    """Add up what others share with the record on its rarest grams; returns how many were touched."""
    found = 0
    for at in range(starts[record], starts[record + 1]):
        gram, count = entries[at] >> COUNT_BITS, entries[at] & MOST_COUNTED
        if gram >= listed.size - 1:
            break
        visits -= listed[gram + 1] - listed[gram]
        if visits < 0:
            break
        weight = np.float32(damped[count] * rarity[gram] * rarity[gram])
        for place in range(listed[gram], listed[gram + 1]):
            other = records[place]
            # Without a branch, which would be guessed wrong half the time.
            touched[found] = other
            found += shared[other, 0] == 0.0
            shared[other, 0] += weight
    return found


@compiled
def _heaviest(
    record: int,
    touched: Int32s,
    shared: Singles,
    weights: Singles,
    heap: Int32s,
    keys: Singles,
    sources: Int32s,
    linked: Bools,
) -> int:
    """The others that share the most, into `heap`, in falling order; returns how many. Clears `shared`."""
    count = 0
    # A loop without branches, so that what it fetches from far away comes many at a time.
    most = np.float32(0.0)
    for at in range(touched.size):
        weights[at] = shared[touched[at], 0] * shared[touched[at], 1]
        shared[touched[at], 0] = 0.0
        most = max(most, weights[at])
    for at in range(touched.size if sources.size else 0):
        if not linked[sources[record], sources[touched[at]]]:
            weights[at] = 0.0
    scale = np.float32(_BINS - 1) / most if most > 0.0 else np.float32(0.0)
    least = _lightest_bin(weights[: touched.size], scale, heap.size + 1)
    for at in range(touched.size):
        key, other = weights[at], touched[at]
        if int(key * scale) < least or other == record or key == 0.0:
            continue
        if count < heap.size:
            place = count
            count += 1
            while place > 0:
                parent = (place - 1) >> 1
                if not _less(key, other, keys[parent], heap[parent]):
                    break
                keys[place], heap[place] = keys[parent], heap[parent]
                place = parent
            keys[place], heap[place] = key, other
        elif _less(keys[0], heap[0], key, other):
            _sink(key, other, count, heap, keys)
    for last in range(count - 1, 0, -1):
        key, other = keys[last], heap[last]
        keys[last], heap[last] = keys[0], heap[0]
        _sink(key, other, last, heap, keys)
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


@compiled
def _sink(key: float, record: int, count: int, heap: Int32s, keys: Singles) -> None:
    """Put a record in the place of the one on top of a heap of `count`."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and _less(keys[child + 1], heap[child + 1], keys[child], heap[child]):
            child += 1
        if not _less(keys[child], heap[child], key, record):
            break
        keys[place], heap[place] = keys[child], heap[child]
        place = child
    keys[place], heap[place] = key, record


@compiled
def _less(key: float, record: int, other_key: float, other: int) -> bool:
    """Of equal keys, that of the larger record counts as less."""
    return key < other_key or (key == other_key and record > other)


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
def shared_part(left: Int32s, right: Int32s, starts: Int64s, entries: Int32s, weight: Floats) -> Floats:
    """The weight of the grams that the two records of each pair share, as a part of all that the lighter one has."""
    whole = np.zeros(starts.size - 1)
    for record in range(whole.size):
        for at in range(starts[record], starts[record + 1]):
            whole[record] += weight[entries[at] >> COUNT_BITS]
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
