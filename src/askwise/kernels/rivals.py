"""What other pairs of its two records say of a pair: how far it is ahead of them, and which of them contradict it."""

import numpy as np

from askwise.arrays import Bools, Int32s, Int64s, Singles
from askwise.kernels.compiled import compiled


@compiled
def ahead(left: Int32s, right: Int32s, value: Singles, records: int, alone: float) -> Singles:
    """The value of each pair, less the best value of any other pair of its two records; `alone` if there is none."""
    first, second = np.full(records, alone, np.float32), np.full(records, alone, np.float32)
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


@compiled
def contradicted(starts: Int64s, other: Int32s, row: Int32s, counts: Bools) -> int:
    """How many of the pairs that count do not have all their other partners in common.

    The partners of record u are `other[starts[u]:starts[u + 1]]`; `row` is where `counts` says whether a pair does.
    """
    found = 0
    mine = np.zeros(starts.size - 1, np.bool_)
    for u in range(starts.size - 1):
        mine[other[starts[u] : starts[u + 1]]] = True
        for at in range(starts[u], starts[u + 1]):
            v = other[at]
            if v > u and counts[row[at]]:
                common = 0
                for there in range(starts[v], starts[v + 1]):
                    common += mine[other[there]]
                found += common < max(starts[u + 1] - starts[u], starts[v + 1] - starts[v]) - 1
        mine[other[starts[u] : starts[u + 1]]] = False
    return found
