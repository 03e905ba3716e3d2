"""Greedy merging in a small graph: the weights between all two clusters in one table, and the best of every row.

The same merges as in `agglomerate.py`, to the last bit: a sum of two weights does not depend on which comes first, and
where nothing was asked, 0 is added. Where what is not there counts against a merge, sums may differ in the last bit.
"""

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.kernels.agglomerate import TIE_SCALE, linked
from askwise.kernels.compiled import compiled, inlined, wide
from askwise.kernels.constraints import Values, agree, take_over


@inlined
def _best_right(node: int, size: int, table: Floats, alive: Int32s, count: int, best: Int32s, rank: Floats) -> None:
    """Note the cluster after `node` with the largest positive weight to it, the smallest such."""
    best[node] = -1
    rank[node] = 0.0
    row = node * size
    for i in range(count - 1, -1, -1):
        other = alive[i]
        if other <= node:
            break
        if table[row + other] > 0.0:
            value = np.rint(table[row + other] * TIE_SCALE)
            if value > 0.0 and value >= rank[node]:
                rank[node] = value
                best[node] = other


@compiled
def merge_densely(
    size: int, left: Int32s, right: Int32s, weights: Floats, linkage: int, missing: float, table: Floats, values: Values
) -> Int32s:
    """Label each of `size` nodes with the smallest node of its cluster; `table` has room for size * size weights.

    A pair that is not there counts -`missing`. A cluster is where its smallest node is in the table, and in `values`,
    which is changed. A merge costs the number of clusters there are.
    """
    table[: size * size] = -missing
    for i in range(left.size):
        table[left[i] * size + right[i]] = weights[i]
        table[right[i] * size + left[i]] = weights[i]
    alive = np.arange(size).astype(np.int32)
    count = size
    label = alive.copy()
    best = np.empty(size, np.int32)  # of every cluster, the one after it with the largest rank
    rank = np.empty(size, np.float64)
    for node in range(size):
        _best_right(node, size, table, alive, count, best, rank)
    while True:
        keep = wide(-1)
        top = 0.0
        for i in range(count):
            if rank[alive[i]] > top:
                keep = wide(alive[i])
                top = rank[keep]
        if keep < 0:
            break
        drop = wide(best[keep])
        if not agree(keep, values, drop, values):
            table[keep * size + drop] = table[drop * size + keep] = -np.inf
            _best_right(keep, size, table, alive, count, best, rank)
            continue
        take_over(keep, drop, values)
        label[drop] = keep
        # Every row with the dropped cluster as its best is before it: the kept one may take its place there.
        kept = wide(0)
        for i in range(count):
            other = alive[i]
            if other == drop:
                continue
            alive[kept] = other
            kept += 1
            weight = table[drop * size + other]
            if other == keep or weight == 0.0:
                continue
            weight = linked(table[keep * size + other], weight, linkage)
            table[keep * size + other] = weight
            table[other * size + keep] = weight
        count = kept
        for i in range(count):
            other = wide(alive[i])
            if other >= drop:
                break
            if other == keep or table[drop * size + other] == 0.0:
                continue
            if other > keep:
                if best[other] == drop:
                    _best_right(other, size, table, alive, count, best, rank)
                continue
            value = max(np.rint(table[other * size + keep] * TIE_SCALE), 0.0)
            if value > rank[other] or (value == rank[other] and value > 0.0 and keep <= best[other]):
                rank[other] = value
                best[other] = keep
            elif best[other] == keep or best[other] == drop:
                _best_right(other, size, table, alive, count, best, rank)
        _best_right(keep, size, table, alive, count, best, rank)
    for node in range(size):
        label[node] = label[label[node]]
    return label
