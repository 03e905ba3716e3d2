"""Nodes and weighted pairs, divided into the components of the positive weights; and what is done to each by itself.

A component is a place in `member_starts` and `pair_starts`: its nodes are `members` from there, in order, its pairs are
those of `left`, `right` and `weights` from there, and `place` says where among its members a node is. The functions
that change `labels` look at the components from `first` to `last` and at nothing else, so that threads can share them.
`values` are those of which a cluster has at most one (constraints.py), a row for each node.
"""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.agglomerate import SUM, TIE_SCALE, agglomerate
from askwise.kernels.blocks import neighbours
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.constraints import Values, agree, take_over
from askwise.kernels.dense_merging import merge_densely
from askwise.kernels.local_search import kernighan_lin, moves, one_move
from askwise.kernels.partition import by_smallest

MOST_DENSE = 1024
"""Up to so many nodes a component is a table of all pairs: 8 MB at the most, and quicker than lists and a heap."""

ONE_MOVE, MOVES, KERNIGHAN_LIN = 0, 1, 2

Divided = tuple[Int32s, Int64s, Int32s, Int32s, Int32s, Floats, Int64s]
"""members, member_starts, place, left, right, weights, pair_starts"""


@compiled
def divided(part: Int32s, left: Int32s, right: Int32s, weights: Floats) -> Divided:
    """Group nodes and pairs by component; `part` names each node's by its smallest node. Pairs keep their order.

    Left out are components of one node, and pairs between components.
    """
    size = part.size
    sizes = np.zeros(size, np.int32)
    for node in range(size):
        sizes[part[node]] += 1
    number = np.full(size, -1, np.int32)
    count = 0
    total = 0
    for node in range(size):
        if sizes[node] > 1:
            number[node] = count
            count += 1
            total += sizes[node]
    member_starts = np.zeros(count + 1, np.int64)
    pair_starts = np.zeros(count + 1, np.int64)
    members = np.empty(total, np.int32)
    place = np.zeros(size, np.int32)
    for node in range(size):
        if number[node] >= 0:
            member_starts[number[node] + 1] = sizes[node]
    for i in range(left.size):
        if part[left[i]] == part[right[i]]:
            pair_starts[number[part[left[i]]] + 1] += 1
    for at in range(count):
        member_starts[at + 1] += member_starts[at]
        pair_starts[at + 1] += pair_starts[at]
    fill = member_starts[:-1].copy()
    for node in range(size):
        at = number[part[node]]
        if at >= 0:
            place[node] = fill[at] - member_starts[at]
            members[fill[at]] = node
            fill[at] += 1
    fill = pair_starts[:-1].copy()
    inner_left = np.empty(pair_starts[count], np.int32)
    inner_right = np.empty(inner_left.size, np.int32)
    inner_weights = np.empty(inner_left.size, np.float64)
    for i in range(left.size):
        if part[left[i]] == part[right[i]]:
            at = number[part[left[i]]]
            inner_left[fill[at]] = left[i]
            inner_right[fill[at]] = right[i]
            inner_weights[fill[at]] = weights[i]
            fill[at] += 1
    return members, member_starts, place, inner_left, inner_right, inner_weights, pair_starts


@inlined
def _all_for(first: int, last: int, weights: Floats) -> bool:
    """Whether some pairs all say YES, and loud enough to count."""
    while first < last and weights[first] * TIE_SCALE > 1.0:
        first += 1
    return first == last


@inlined
def _copied(first: int, last: int, members: Int32s, values: Values, local: Values) -> None:
    """Copy the values of some members into the first rows of `local`."""
    for rule in range(values.shape[1]):
        for at in range(first, last):
            local[at - first, rule] = values[members[at], rule]


@inlined
def _all_agree(count: int, local: Values) -> bool:
    """Whether so many nodes may all be in one cluster; `local` is changed."""
    for node in range(1, count if local.shape[1] else 0):
        if not agree(0, local, node, local):
            return False
        take_over(0, node, local)
    return True


@compiled
def merge_each(
    first: int, last: int, parts: Divided, linkage: int, missing: float, most_dense: int, values: Values, labels: Int32s
) -> None:
    """Greedy merging: label the nodes of some components with the smallest nodes of their clusters.

    With `SUM`, pairs of a component's nodes that are not there count -`missing` each.
    """
    members, member_starts, place, left, right, weights, pair_starts = parts
    largest = largest_dense = 0
    for at in range(first, last):
        count = member_starts[at + 1] - member_starts[at]
        largest = max(largest, count)
        if count <= most_dense:
            largest_dense = max(largest_dense, count)
    table = np.empty(largest_dense * largest_dense, np.float64)
    local = np.empty((largest, values.shape[1]), np.int32)
    for at in range(first, last):
        begin = member_starts[at]
        count = member_starts[at + 1] - begin
        if linkage == SUM and missing == 0.0 and _all_for(pair_starts[at], pair_starts[at + 1], weights):
            _copied(begin, begin + count, members, values, local)
            if _all_agree(count, local):
                for i in range(begin, begin + count):
                    labels[members[i]] = members[begin]
                continue
        _copied(begin, begin + count, members, values, local)
        pairs = slice(pair_starts[at], pair_starts[at + 1])
        one, two = place[left[pairs]], place[right[pairs]]
        if count <= most_dense:
            found = merge_densely(count, one, two, weights[pairs], linkage, missing, table, local)
        else:
            capacity = 16
            while capacity < 2 * one.size:
                capacity *= 2
            keys = np.full(capacity, -1, np.int64)
            slots = np.empty(capacity, np.int32)
            found = agglomerate(count, one, two, weights[pairs], linkage, missing, keys, slots, local)[0]
        for i in range(count):
            labels[members[begin + i]] = members[begin + found[i]]


@inlined
def _together(first: int, last: int, members: Int32s, labels: Int32s) -> bool:
    """Whether some members are in one cluster."""
    at = first + 1
    while at < last and labels[members[at]] == labels[members[first]]:
        at += 1
    return at == last


@compiled
def improve_each(first: int, last: int, parts: Divided, search: int, values: Values, labels: Int32s) -> None:
    """Local search in some components, from `labels`, which are changed in place, and break no rule."""
    members, member_starts, place, left, right, weights, pair_starts = parts
    for at in range(first, last):
        begin = member_starts[at]
        count = member_starts[at + 1] - begin
        # Where all pairs say YES and all records are together, nothing can be better.
        if _all_for(pair_starts[at], pair_starts[at + 1], weights) and _together(begin, begin + count, members, labels):
            continue
        pairs = slice(pair_starts[at], pair_starts[at + 1])
        one, two = place[left[pairs]], place[right[pairs]]
        local = place[labels[members[begin : begin + count]]]
        starts, edges = neighbours(count, one, two)
        own = np.empty((count, values.shape[1]), np.int32)
        _copied(begin, begin + count, members, values, own)
        if search == ONE_MOVE:
            one_move(starts, edges, one, two, weights[pairs], local, own)
        elif search == MOVES:
            moves(starts, edges, one, two, weights[pairs], local, own)
        else:
            kernighan_lin(starts, edges, one, two, weights[pairs], local, own)
        local = by_smallest(local)
        for i in range(count):
            labels[members[begin + i]] = members[begin + local[i]]
