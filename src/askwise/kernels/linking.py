"""Clusterers that take the records one after the other, and pivoting."""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled
from askwise.kernels.constraints import Values, agree, barred, take_over

FIRST, BEST, VOTE = 0, 1, 2


@compiled
def link_in_order(
    order: Int32s,
    starts: Int64s,
    edges: Int32s,
    left: Int32s,
    right: Int32s,
    weights: Floats,
    rule: int,
    values: Values,
) -> Int32s:
    """Give each record, in order, to a cluster of the earlier ones, or make a new one; labels in no special form.

    Clusters that a rule keeps it out of do not count. `values` become those of the clusters, at their names.

    `FIRST`: that of the latest earlier record with a positive weight to it; `BEST`: that of the largest positive
    weight; `VOTE`: the one with the largest sum of weights, if that is positive. In ties the earlier record decides.
    """
    size = order.size
    rank = np.empty(size, np.int32)
    for i in range(size):
        rank[order[i]] = i
    labels = np.full(size, -1, np.int32)
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
                cluster = labels[other]
                if (
                    better
                    and agree(node, values, cluster, values)
                    and not barred(node, cluster, starts, edges, left, right, weights, labels)
                ):
                    chosen = other
                    best = weights[edge]
        if rule == VOTE:
            for at in range(starts[node], starts[node + 1]):
                edge = edges[at]
                other = right[edge] if left[edge] == node else left[edge]
                if rank[other] < i:
                    cluster = labels[other]
                    better = (
                        chosen < 0
                        or total[cluster] > best + 1e-9
                        or (total[cluster] > best - 1e-9 and rank[cluster] < rank[labels[chosen]])
                    )
                    if total[cluster] > 1e-9 and better and agree(node, values, cluster, values):
                        chosen = other
                        best = total[cluster]
            for at in range(starts[node], starts[node + 1]):
                edge = edges[at]
                other = right[edge] if left[edge] == node else left[edge]
                if rank[other] < i:
                    total[labels[other]] = 0.0
        labels[node] = labels[chosen] if chosen >= 0 else node
        take_over(labels[node], node, values)
    return labels


@compiled
def pivot_in_order(
    order: Int32s, starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats, values: Values
) -> Int32s:
    """Each record in order that is in no cluster yet takes all such records with a positive weight to it.

    But none that a rule keeps apart from those it has. `values` become those of the clusters, at their names.
    """
    labels = np.full(order.size, -1, np.int32)
    for node in order:
        if labels[node] >= 0:
            continue
        labels[node] = node
        for at in range(starts[node], starts[node + 1]):
            edge = edges[at]
            other = right[edge] if left[edge] == node else left[edge]
            if (
                labels[other] < 0
                and weights[edge] > 0.0
                and agree(other, values, node, values)
                and not barred(other, node, starts, edges, left, right, weights, labels)
            ):
                labels[other] = node
                take_over(node, other, values)
    return labels
