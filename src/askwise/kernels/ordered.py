"""Clusterers that take the records one after the other, and pivoting."""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled

FIRST, BEST, VOTE = 0, 1, 2


@compiled
def link_in_order(
    order: Int32s, starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats, rule: int
) -> Int32s:
    """Give each record, in order, to a cluster of the earlier ones, or make a new one; labels in no special form.

    `FIRST`: that of the latest earlier record with a positive weight to it; `BEST`: that of the largest positive
    weight; `VOTE`: the one with the largest sum of weights, if that is positive. In ties the earlier record decides.
    """
    size = order.size
    rank = np.empty(size, np.int32)
    for i in range(size):
        rank[order[i]] = i
    labels = np.empty(size, np.int32)
    total = np.zeros(size, np.float64)
    for i in range(size):
        node = order[i]
        chosen = -1
        best = 0.0
        for at in range(starts[node], starts[node + 1]):
            edge = edges[at]
            other = right[edge] if left[edge] == node else left[edge]
            if rank[other] >= i:
                continue
            if rule == VOTE:
                total[labels[other]] += weights[edge]
            elif weights[edge] > 0.0:
                if rule == FIRST:
                    better = chosen < 0 or rank[other] > rank[chosen]
                else:
                    better = (
                        chosen < 0 or weights[edge] > best or (weights[edge] == best and rank[other] < rank[chosen])
                    )
                if better:
                    chosen = other
                    best = weights[edge]
        if rule == VOTE:
            for at in range(starts[node], starts[node + 1]):
                edge = edges[at]
                other = right[edge] if left[edge] == node else left[edge]
                if rank[other] < i:
                    cluster = labels[other]
                    if total[cluster] > 1e-9 and (
                        chosen < 0
                        or total[cluster] > best + 1e-9
                        or (total[cluster] > best - 1e-9 and rank[cluster] < rank[labels[chosen]])
                    ):
                        chosen = other
                        best = total[cluster]
            for at in range(starts[node], starts[node + 1]):
                edge = edges[at]
                other = right[edge] if left[edge] == node else left[edge]
                if rank[other] < i:
                    total[labels[other]] = 0.0
        labels[node] = labels[chosen] if chosen >= 0 else node
    return labels


@compiled
def pivot_in_order(
    order: Int32s, starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats
) -> Int32s:
    """Each record in order that is in no cluster yet takes all such records with a positive weight to it."""
    labels = np.full(order.size, -1, np.int32)
    for node in order:
        if labels[node] >= 0:
            continue
        labels[node] = node
        for at in range(starts[node], starts[node + 1]):
            edge = edges[at]
            other = right[edge] if left[edge] == node else left[edge]
            if labels[other] < 0 and weights[edge] > 0.0:
                labels[other] = node
    return labels
