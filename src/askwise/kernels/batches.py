"""A batch of questions out of many that could be asked, each valued with those before it in mind."""

import heapq

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.intmap import FREE, find, find_or_put, put


@compiled
def subjects(left: Int32s, right: Int32s, label: Int32s, size_of: Int32s) -> tuple[Int64s, Int64s]:
    """What questions are about, given by their records: the smaller of the two clusters, and a name for the two."""
    small, two = np.empty(left.size, np.int64), np.empty(left.size, np.int64)
    for at in range(left.size):
        one, other = label[left[at]], label[right[at]]
        low, high = min(one, other), max(one, other)
        small[at] = low if size_of[low] <= size_of[high] else high
        two[at] = low * np.int64(label.size) + high
    return small, two


@compiled
def choose(ranked: Int64s, value: Floats, chance: Floats, small: Int64s, two: Int64s, k: int, once: bool) -> Int64s:
    """The best `k`, the best first; with `once`, what is about the same two clusters as one before it comes last.

    `ranked` are the places of the values, the largest first. `two` names the two clusters that each is about, and
    `small` the smaller of them. What is left of a value is the chance that those chosen before about the same small
    cluster change nothing there: it is the same for all about that cluster, so that only the first of these need be
    compared with others.
    """
    capacity = 16
    while capacity < 2 * ranked.size + 2:
        capacity *= 2
    smalls, number = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    following = np.full(ranked.size, -1, np.int64)  # the rank of the next about the same small cluster
    group = np.empty(ranked.size, np.int32)
    last = np.empty(ranked.size, np.int64)
    queue = [(0.0, np.int64(0)) for _ in range(0)]
    groups = 0
    for rank in range(ranked.size):
        group[rank] = find_or_put(smalls, number, small[ranked[rank]], groups)
        if group[rank] == groups:
            queue.append((-value[ranked[rank]], np.int64(rank)))
            groups += 1
        else:
            following[last[group[rank]]] = rank
        last[group[rank]] = rank
    heapq.heapify(queue)
    unchanged = np.ones(groups)
    settled, settled_by = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    chosen, again = np.empty(min(k, ranked.size), np.int64), np.empty(ranked.size, np.int64)
    count, later = 0, 0
    while len(queue) > 0 and count < chosen.size:
        rank = int(heapq.heappop(queue)[1])
        at = ranked[rank]
        if once and find(settled, settled_by, two[at]) >= 0:
            again[later] = at
            later += 1
        else:
            chosen[count] = at
            put(settled, settled_by, two[at], count)
            unchanged[group[rank]] *= 1.0 - chance[at]
            count += 1
        after = following[rank]
        if after >= 0:
            heapq.heappush(queue, (-value[ranked[after]] * unchanged[group[after]], after))
    for at in again[: chosen.size - count]:
        chosen[count] = at
        count += 1
    return chosen
