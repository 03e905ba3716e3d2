"""Values of which a cluster has at most one: the country of its records, or its one record of a table.

`values[node]` are the values of a node, one for each rule of that kind, -1 where it has none: two nodes agree unless
both have a value and these differ. While clusters only grow, the row of a cluster is kept up to date by `take_over`.
Where nodes move, `held` has the values of each cluster and `number` how many of its nodes have one.

Pairs that must be apart need no more than their weight, which is minus infinity: no sum outweighs it.
"""

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled, inlined

Values = NDArray[np.int32]
"""With a row for each node, or each cluster, and a column for each rule."""


@inlined
def agree(one: int, values: Values, two: int, held: Values) -> bool:
    """Whether row `one` of `values` and row `two` of `held` may be in one cluster."""
    for rule in range(values.shape[1]):
        mine, theirs = values[one, rule], held[two, rule]
        if mine >= 0 and theirs >= 0 and mine != theirs:
            return False
    return True


@inlined
def take_over(keep: int, drop: int, values: Values) -> None:
    """Give one cluster the values of another that joins it."""
    for rule in range(values.shape[1]):
        values[keep, rule] = max(values[keep, rule], values[drop, rule])


@inlined
def come_in(node: int, cluster: int, values: Values, held: Values, number: Values) -> None:
    """Note that a node is in a cluster."""
    for rule in range(values.shape[1]):
        if values[node, rule] >= 0:
            held[cluster, rule] = values[node, rule]
            number[cluster, rule] += 1


@inlined
def go_out(node: int, cluster: int, values: Values, held: Values, number: Values) -> None:
    """Note that a node has left a cluster."""
    for rule in range(values.shape[1]):
        if values[node, rule] >= 0:
            number[cluster, rule] -= 1
            if number[cluster, rule] == 0:
                held[cluster, rule] = -1


@inlined
def barred(
    node: int,
    cluster: int,
    starts: Int64s,
    edges: Int32s,
    left: Int32s,
    right: Int32s,
    weights: Floats,
    labels: Int32s,
) -> bool:
    """Whether a pair keeps a node out of a cluster."""
    for at in range(starts[node], starts[node + 1]):
        edge = edges[at]
        if weights[edge] == -np.inf:
            other = right[edge] if left[edge] == node else left[edge]
            if labels[other] == cluster:
                return True
    return False


@compiled
def contracted(
    first: Int32s, held: Bools, left: Int32s, right: Int32s, weights: Floats
) -> tuple[Int32s, Int32s, Floats, Int64s, Floats]:
    """The pairs of nodes of which none is `held`; and the others, between the `first` nodes of groups.

    These are a number for each pair, first * nodes + second, and its weight, in their order; pairs inside a group are
    left out.
    """
    size = np.int64(first.size)
    kept = 0
    for i in range(left.size):
        kept += not (held[left[i]] or held[right[i]])
    one, two, weight = np.empty(kept, np.int32), np.empty(kept, np.int32), np.empty(kept, np.float64)
    keys, others = np.empty(left.size - kept, np.int64), np.empty(left.size - kept, np.float64)
    kept = count = 0
    for i in range(left.size):
        if held[left[i]] or held[right[i]]:
            u, v = first[left[i]], first[right[i]]
            if u != v:
                keys[count] = min(u, v) * size + max(u, v)
                others[count] = weights[i]
                count += 1
        else:
            one[kept], two[kept], weight[kept] = left[i], right[i], weights[i]
            kept += 1
    return one, two, weight, keys[:count], others[:count]


@compiled
def held_by(labels: Int32s, nodes: Int32s, values: Values, held: Values) -> None:
    """Bring the values of clusters up to date, in the rows of `held` that `labels` name, for whole clusters."""
    for node in nodes:
        held[node] = -1
    for node in nodes:
        for rule in range(values.shape[1]):
            held[labels[node], rule] = max(held[labels[node], rule], values[node, rule])
