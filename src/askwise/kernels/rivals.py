"""How far a pair is ahead of the other pairs of its two records."""

import numpy as np

from askwise.arrays import Int32s, Singles
from askwise.kernels.compiled import compiled


@compiled
def ahead(left: Int32s, right: Int32s, value: Singles, records: int) -> Singles:
    """The value of each pair, less the best value of the other pairs of its two records, which is at least 0."""
    first, second = np.zeros(records, np.float32), np.zeros(records, np.float32)
    for at in range(left.size):
        for record in (left[at], right[at]):
            if value[at] > first[record]:
                second[record] = first[record]
                first[record] = value[at]
            elif value[at] > second[record]:
                second[record] = value[at]
    out = np.empty(left.size, np.float32)
    for at in range(left.size):
        one, two = left[at], right[at]
        of_one = second[one] if value[at] >= first[one] else first[one]
        of_two = second[two] if value[at] >= first[two] else first[two]
        out[at] = value[at] - max(of_one, of_two)
    return out
