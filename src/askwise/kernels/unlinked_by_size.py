"""Of the clusters that were never compared, the two that are about the most pairs first."""

import numpy as np

from askwise.arrays import Int32s
from askwise.kernels.compiled import compiled
from askwise.kernels.intmap import FREE
from askwise.kernels.mixing import pair_hash
from askwise.kernels.radix import nth, order
from askwise.kernels.separations import Slots


@compiled
def largest_unlinked(
    roots: Int32s,
    size_of: Int32s,
    slots: Slots,
    seed: np.uint64,
    wanted: int,
) -> tuple[Int32s, Int32s]:
    """Up to `wanted` two clusters, given by their roots in order, without evidence but with an unasked pair between.

    Those with the most pairs between them come first; of as many, those that the seed likes best.
    """
    records = np.int64(size_of.size)
    place = np.empty(records, np.int32)
    for i in range(roots.size):
        place[roots[i]] = i
    closed = np.zeros((roots.size, roots.size), np.bool_)
    for at in range(slots.keys.size):
        if slots.keys[at] != FREE:
            one, slot = slots.keys[at] // records, slots.values[at]
            two = slots.keys[at] - one * records
            if slots.evidence[slot] > 0 or slots.asked[slot] >= size_of[one] * np.int64(size_of[two]):
                closed[place[one], place[two]] = True
    sizes = np.sort(size_of[roots])[-2:].astype(np.int64)
    most = sizes[0] * sizes[-1]
    bits = 0
    while most >> bits > 0:
        bits += 1
    room = roots.size * (roots.size - 1) // 2
    left, right, keys = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.uint64)
    count = 0
    for i in range(roots.size):
        for j in range(i + 1, roots.size):
            if not closed[i, j]:
                pairs = size_of[roots[i]] * np.int64(size_of[roots[j]])
                liking = pair_hash(seed, roots[i], roots[j]) >> np.uint64(bits)
                keys[count] = (np.uint64(most - pairs) << np.uint64(64 - bits)) | liking
                left[count], right[count] = roots[i], roots[j]
                count += 1
    if count > wanted:
        last = nth(keys[:count], wanted - 1)
        kept = 0
        for i in range(count):  # written whether it stays or not: a branch here would be mispredicted
            left[kept], right[kept], keys[kept] = left[i], right[i], keys[i]
            kept += keys[i] <= last
        count = kept
    places = order(keys[:count])[:wanted]
    return left[places], right[places]
