"""How far PC-Pivot's pivoting has come, given what was asked."""

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.intmap import find


@compiled
def pivoting_progress(
    order: Int32s,
    listed: bool,
    starts: Int64s,
    other: Int32s,
    keys: Int64s,
    values: Int32s,
    weights: Floats,
) -> tuple[Bools, int]:
    """Take the records in order as pivots, as long as all pairs of the pivot to unclustered records were asked.

    Returns which records are clustered, and the place in `order` of the first pivot with something left to ask.
    """
    size = order.size
    records = np.int64(size)
    clustered = np.zeros(size, np.bool_)
    taken = np.empty(size, np.int32)
    for place in range(size):
        pivot = order[place]
        if clustered[pivot]:
            continue
        begin, end = (starts[pivot], starts[pivot + 1]) if listed else (np.int64(0), records)
        count = 0
        for at in range(begin, end):
            node = other[at] if listed else at
            if clustered[node] or node == pivot:
                continue
            row = find(keys, values, min(node, pivot) * records + max(node, pivot))
            if row < 0:
                return clustered, place
            if weights[row] > 0.0:
                taken[count] = node
                count += 1
        clustered[pivot] = True
        for i in range(count):
            clustered[taken[i]] = True
    return clustered, size
