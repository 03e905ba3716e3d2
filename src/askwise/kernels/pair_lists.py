"""Pairs out of blocks."""

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.kernels.compiled import compiled


@compiled
def pairs_in_blocks(starts: Int64s, members: Int32s) -> tuple[Int32s, Int32s]:
    """Every pair inside a block; block b is members[starts[b] : starts[b + 1]]."""
    total = 0
    for block in range(starts.size - 1):
        size = starts[block + 1] - starts[block]
        total += size * (size - 1) // 2
    left = np.empty(total, np.int32)
    right = np.empty(total, np.int32)
    filled = 0
    for block in range(starts.size - 1):
        for one in range(starts[block], starts[block + 1]):
            for two in range(one + 1, starts[block + 1]):
                left[filled] = members[one]
                right[filled] = members[two]
                filled += 1
    return left, right
