"""What lies between and around the two sides of every merge that built a cluster."""

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.kernels.compiled import compiled


@compiled
def side_evidence(
    size: int, one: Int32s, two: Int32s, left: Int32s, right: Int32s, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """For every merge, the positive and the negative weight between its two sides; for every node of the tree, the
    positive weight that leaves it.

    Merge i joins the tree's nodes one[i] and two[i]: a node below `size`, or merge j as size + j. Costs about the edges
    times the depth of the tree.
    """
    total = size + one.size
    parent = np.full(total, -1, np.int32)
    depth = np.zeros(total, np.int32)
    for i in range(one.size):
        parent[one[i]] = size + i
        parent[two[i]] = size + i
    for node in range(total - 1, -1, -1):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    positive = np.zeros(one.size, np.float64)
    negative = np.zeros(one.size, np.float64)
    leaving = np.zeros(total, np.float64)
    for i in range(left.size):
        if weights[i] > 0.0:
            leaving[left[i]] += weights[i]
            leaving[right[i]] += weights[i]
        u, v = left[i], right[i]
        while u != v and u >= 0 and v >= 0:
            if depth[u] >= depth[v]:
                u = parent[u]
            else:
                v = parent[v]
        if u == v and u >= 0:
            if weights[i] > 0.0:
                positive[u - size] += weights[i]
            else:
                negative[u - size] -= weights[i]
    for i in range(one.size):
        leaving[size + i] = leaving[one[i]] + leaving[two[i]] - 2.0 * positive[i]
    return positive, negative, leaving


@compiled
def leaves_under(size: int, top: int, one: Int32s, two: Int32s) -> Int32s:
    """The nodes below `size` under a node of the tree, in no order."""
    waiting = np.empty(size, np.int32)
    found = np.empty(size, np.int32)
    waiting[0] = top
    open_count = 1
    count = 0
    while open_count > 0:
        open_count -= 1
        node = waiting[open_count]
        if node < size:
            found[count] = node
            count += 1
        else:
            waiting[open_count] = one[node - size]
            waiting[open_count + 1] = two[node - size]
            open_count += 2
    return found[:count]
