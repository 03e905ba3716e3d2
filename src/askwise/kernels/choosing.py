"""A batch of questions out of many that could be asked, each valued with those before it in mind."""

import heapq

import numpy as np

from askwise.arrays import Bools, Floats, Int64s
from askwise.kernels.compiled import compiled


@compiled
def choose(value: Floats, chance: Floats, small: Int64s, two: Int64s, k: int, once: bool) -> Int64s:
    """The best `k`, the best first; with `once`, two clusters come again only when nothing else is left.

    `two` numbers the two clusters that each is about, and `small` the smaller of them. What is left of a value is the
    chance that those chosen before about the same small cluster change nothing there.
    """
    if not value.size:
        return np.empty(0, np.int64)
    queue = [(-value[at], at) for at in range(value.size)]
    heapq.heapify(queue)
    unchanged = np.ones(small.max() + 1)
    settled: Bools = np.zeros(two.max() + 1, np.bool_)
    chosen = np.empty(min(k, value.size), np.int64)
    again = np.empty(value.size, np.int64)
    count, later = 0, 0
    while len(queue) > 0 and count < chosen.size:
        worth, at = heapq.heappop(queue)
        if once and settled[two[at]]:
            again[later] = at
            later += 1
            continue
        now = -value[at] * unchanged[small[at]]
        if now > worth:
            heapq.heappush(queue, (now, at))
            continue
        chosen[count] = at
        count += 1
        settled[two[at]] = True
        unchanged[small[at]] *= 1.0 - chance[at]
    for at in again[: min(later, chosen.size - count)]:
        chosen[count] = at
        count += 1
    return chosen[:count]
