"""Listed candidates, indexed from both of their records."""

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.kernels.compiled import compiled


@compiled
def both_sides(size: int, left: Int32s, right: Int32s) -> tuple[Int64s, Int32s, Int32s]:
    """For candidates sorted by (left, right): `starts` (size + 1) into the other record and the candidate's number.

    The others of a record come in order: first the smaller ones, by way of `right`, then the larger.
    """
    starts = np.zeros(size + 1, np.int64)
    for i in range(left.size):
        starts[left[i] + 1] += 1
        starts[right[i] + 1] += 1
    for node in range(size):
        starts[node + 1] += starts[node]
    other = np.empty(2 * left.size, np.int32)
    row = np.empty(2 * left.size, np.int32)
    fill = starts[:-1].copy()
    for i in range(left.size):
        other[fill[right[i]]] = left[i]
        row[fill[right[i]]] = i
        fill[right[i]] += 1
    for i in range(left.size):
        other[fill[left[i]]] = right[i]
        row[fill[left[i]]] = i
        fill[left[i]] += 1
    return starts, other, row


@compiled
def candidate_rows(left: Int32s, right: Int32s, starts: Int64s, other: Int32s, row: Int32s) -> Int32s:
    """The number of the candidate (left[i], right[i]), or -1; by bisection among the candidates of left[i]."""
    found = np.full(left.size, -1, np.int32)
    for i in range(left.size):
        begin = starts[left[i]]
        end = starts[left[i] + 1]
        while begin < end:
            middle = (begin + end) >> 1
            if other[middle] < right[i]:
                begin = middle + 1
            else:
                end = middle
        if begin < starts[left[i] + 1] and other[begin] == right[i]:
            found[i] = row[begin]
    return found


@compiled
def candidates_inside(
    nodes: Int32s, starts: Int64s, other: Int32s, row: Int32s, place: Int32s
) -> tuple[Int32s, Int32s, Int32s]:
    """The candidates whose two records are both among `nodes`, as places in `nodes`, and their numbers."""
    for i in range(nodes.size):
        place[nodes[i]] = i
    total = 0
    for node in nodes:
        for at in range(starts[node], starts[node + 1]):
            if other[at] > node and place[other[at]] >= 0:
                total += 1
    left = np.empty(total, np.int32)
    right = np.empty(total, np.int32)
    numbers = np.empty(total, np.int32)
    count = 0
    for i in range(nodes.size):
        for at in range(starts[nodes[i]], starts[nodes[i] + 1]):
            if other[at] > nodes[i] and place[other[at]] >= 0:
                left[count] = i
                right[count] = place[other[at]]
                numbers[count] = row[at]
                count += 1
    for node in nodes:
        place[node] = -1
    return left, right, numbers
