"""A batch of questions out of many that could be asked, each valued with those before it in mind."""

import heapq

import numpy as np

from askwise.arrays import Floats, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.intmap import FREE, find, find_or_put, put


@compiled
def choose(value: Floats, chance: Floats, small: Int64s, two: Int64s, k: int, once: bool) -> Int64s:
    """The best `k`, the best first; with `once`, two clusters come again only when nothing else is left.

    `two` names the two clusters that each is about, and `small` the smaller of them. What is left of a value is the
    chance that those chosen before about the same small cluster change nothing there.
    """
    queue = [(-value[at], at) for at in range(value.size)]
    heapq.heapify(queue)
    chosen = np.empty(min(k, value.size), np.int64)
    capacity = 16
    while capacity < 2 * chosen.size + 2:
        capacity *= 2
    smalls, small_at = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    settled, settled_by = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    unchanged = np.ones(chosen.size)
    again = np.empty(value.size, np.int64)
    count, later = 0, 0
    while len(queue) > 0 and count < chosen.size:
        worth, at = heapq.heappop(queue)
        if once and find(settled, settled_by, two[at]) >= 0:
            again[later] = at
            later += 1
            continue
        known = find(smalls, small_at, small[at])
        now = -value[at] * (unchanged[known] if known >= 0 else 1.0)
        if now > worth:
            heapq.heappush(queue, (now, at))
            continue
        chosen[count] = at
        put(settled, settled_by, two[at], count)
        unchanged[find_or_put(smalls, small_at, small[at], count)] *= 1.0 - chance[at]
        count += 1
    for at in again[: min(later, chosen.size - count)]:
        chosen[count] = at
        count += 1
    return chosen[:count]
