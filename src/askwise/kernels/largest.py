"""Of the clusters that were never compared, the two that are about the most pairs first."""

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.intmap import find
from askwise.kernels.mixing import pair_hash
from askwise.kernels.radix import nth, order


@compiled
def largest_unlinked(
    roots: Int32s,
    size_of: Int32s,
    slot_keys: Int64s,
    slot_values: Int32s,
    slot_evidence: Int32s,
    slot_asked: Int32s,
    slots: int,
    seed: np.uint64,
    wanted: int,
) -> tuple[Int32s, Int32s]:
    """Up to `wanted` two clusters, given by their roots in order, without evidence but with an unasked pair between.

    `slots` is how many there are in use. Those with the most pairs between them come first; of as many, those that the
    seed likes best.
    """
    sizes = np.sort(size_of[roots])[-2:].astype(np.int64)
    most = sizes[0] * sizes[-1]
    bits = 0
    while most >> bits > 0:
        bits += 1
    room = roots.size * (roots.size - 1) // 2
    keys = np.empty(room, np.uint64)
    at = 0
    for i in range(roots.size):
        for j in range(i + 1, roots.size):
            pairs = size_of[roots[i]] * np.int64(size_of[roots[j]])
            liking = pair_hash(seed, roots[i], roots[j]) >> np.uint64(bits)
            keys[at] = (np.uint64(most - pairs) << np.uint64(64 - bits)) | liking
            at += 1
    # Only those with a slot can be out of the question: so many of the best hold what is wanted.
    enough = min(wanted + slots, room)
    bar = nth(keys, enough - 1) if enough > 0 else np.uint64(0)
    one, two, good = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.uint64)
    at, count = -1, 0
    for i in range(roots.size):
        for j in range(i + 1, roots.size):
            at += 1
            if keys[at] > bar:
                continue
            slot = find(slot_keys, slot_values, roots[i] * np.int64(size_of.size) + roots[j])
            pairs = size_of[roots[i]] * np.int64(size_of[roots[j]])
            if slot < 0 or (slot_evidence[slot] == 0 and slot_asked[slot] < pairs):
                one[count], two[count], good[count] = roots[i], roots[j], keys[at]
                count += 1
    one, two, good = one[:count], two[:count], good[:count]
    if count > wanted:
        best = good <= nth(good, wanted - 1)
        one, two, good = one[best], two[best], good[best]
    places = order(good)[:wanted]
    return one[places], two[places]
