"""A batch of questions out of many that could be asked, each valued with those before it in mind."""

import heapq

import numpy as np

from askwise.arrays import Floats, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.intmap import FREE, find, find_or_put, put


@compiled
def choose(value: Floats, chance: Floats, small: Int64s, two: Int64s, k: int, once: bool) -> Int64s:
    """The best `k`, the best first; with `once`, what is about the same two clusters as one before it comes last.

    The values are in order, the largest first. `two` names the two clusters that each is about, and `small` the smaller
    of them. What is left of a value is the chance that those chosen before about the same small cluster change nothing
    there: it is the same for all about that cluster, so that only the first of these need be compared with others.
    """
    capacity = 16
    while capacity < 2 * value.size + 2:
        capacity *= 2
    smalls, number = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    following = np.full(value.size, -1, np.int64)  # the next about the same small cluster
    group = np.empty(value.size, np.int32)
    last = np.empty(value.size, np.int64)
    queue = [(0.0, np.int64(0)) for _ in range(0)]
    groups = 0
    for at in range(value.size):
        group[at] = find_or_put(smalls, number, small[at], groups)
        if group[at] == groups:
            queue.append((-value[at], np.int64(at)))
            groups += 1
        else:
            following[last[group[at]]] = at
        last[group[at]] = at
    heapq.heapify(queue)
    unchanged = np.ones(groups)
    settled, settled_by = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    chosen, again = np.empty(min(k, value.size), np.int64), np.empty(value.size, np.int64)
    count, later = 0, 0
    while len(queue) > 0 and count < chosen.size:
        at = int(heapq.heappop(queue)[1])
        if once and find(settled, settled_by, two[at]) >= 0:
            again[later] = at
            later += 1
        else:
            chosen[count] = at
            put(settled, settled_by, two[at], count)
            unchanged[group[at]] *= 1.0 - chance[at]
            count += 1
        after = following[at]
        if after >= 0:
            heapq.heappush(queue, (-value[after] * unchanged[group[after]], after))
    for at in again[: chosen.size - count]:
        chosen[count] = at
        count += 1
    return chosen
