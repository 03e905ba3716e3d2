"""Nodes and weighted pairs, divided into the components of the positive weights; and what is done to each by itself.

A component is a place in `member_starts` and `pair_starts`: its nodes are `members` from there, in order, its pairs are
those of `left`, `right` and `weights` from there, and `place` says where among its members a node is. The functions
that change `labels` look at the components from `first` to `last` and at nothing else, so that threads can share them.
`values` are those of which a cluster has at most one (constraints.py), a row for each node.
"""

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.agglomerate import SUM, TIE_SCALE, agglomerate
from askwise.kernels.blocks import neighbours
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.constraints import Values, agree, take_over
from askwise.kernels.dense_merging import merge_densely
from askwise.kernels.kernighan_lin import kernighan_lin
from askwise.kernels.local_search import Weighted, one_move, split_off

MOST_DENSE = 1024
"""Up to this number of nodes a component is a table of all pairs: at most 8 MB, and quicker than lists and a heap."""

ONE_MOVE, MOVES, KERNIGHAN_LIN = 0, 1, 2
"""How often groups are split off, at the most."""

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
    """Whether some pairs all say YES, and clearly enough to count."""
    while first < last and weights[first] * TIE_SCALE > 1.0:
        first += 1
    return first == last


@inlined
def copied(first: int, last: int, members: Int32s, values: Values, local: Values) -> None:
    """Copy the values of some members into the first rows of `local`."""
    for rule in range(values.shape[1]):
        for at in range(first, last):
            local[at - first, rule] = values[members[at], rule]


@inlined
def _all_agree(count: int, local: Values) -> bool:
    """Whether the nodes may all be in one cluster; `local` is changed."""
    for node in range(1, count if local.shape[1] else 0):
        if not agree(0, local, node, local):
            return False
        take_over(0, node, local)
    return True


@inlined
def _joined(first: int, last: int, members: Int32s, values: Values, local: Values, labels: Int32s) -> bool:
    """Put some members into one cluster, if no rule forbids it. Returns whether they are."""
    copied(first, last, members, values, local)
    if not _all_agree(last - first, local):
        return False
    for at in range(first, last):
        labels[members[at]] = members[first]
    return True


@inlined
def _placed(first: int, last: int, place: Int32s, ends: Int32s, local: Int32s) -> None:
    """Note where among the members of their component the ends of some pairs are."""
    for i in range(first, last):
        local[i - first] = place[ends[i]]


@compiled
def merge_each(
    first: int, last: int, parts: Divided, linkage: int, missing: float, most_dense: int, values: Values, labels: Int32s
) -> bool:
    """Greedy merging: label the nodes of some components with the smallest nodes of their clusters.

    With `SUM`, pairs of a component's nodes that are not there count -`missing` each. Components of more than
    `most_dense` nodes are left to `merge_large`; returns whether there are any.
    """
    members, member_starts, place, left, right, weights, pair_starts = parts
    largest, any_large = 0, False
    for at in range(first, last):
        count = member_starts[at + 1] - member_starts[at]
        if count <= most_dense:
            largest = max(largest, count)
        else:
            any_large = True
    table = np.empty(largest * largest, np.float64)
    local = np.empty((largest, values.shape[1]), np.int32)
    for at in range(first, last):
        begin = member_starts[at]
        count = member_starts[at + 1] - begin
        if count > most_dense:
            continue
        start, end = pair_starts[at], pair_starts[at + 1]
        loud = linkage == SUM and missing == 0.0 and _all_for(start, end, weights)
        if loud and _joined(begin, begin + count, members, values, local, labels):
            continue
        copied(begin, begin + count, members, values, local)
        one, two = np.empty(end - start, np.int32), np.empty(end - start, np.int32)
        _placed(start, end, place, left, one)
        _placed(start, end, place, right, two)
        found = merge_densely(count, one, two, weights[start:end], linkage, missing, table, local)
        for i in range(count):
            labels[members[begin + i]] = members[begin + found[i]]
    return any_large


@compiled
def merge_large(
    first: int, last: int, parts: Divided, linkage: int, missing: float, most_dense: int, values: Values, labels: Int32s
) -> None:
    """Greedy merging, with lists and a heap, in those of some components that have more than `most_dense` nodes."""
    members, member_starts, place, left, right, weights, pair_starts = parts
    for at in range(first, last):
        begin = member_starts[at]
        count = member_starts[at + 1] - begin
        if count <= most_dense:
            continue
        local = np.empty((count, values.shape[1]), np.int32)
        start, end = pair_starts[at], pair_starts[at + 1]
        loud = linkage == SUM and missing == 0.0 and _all_for(start, end, weights)
        if loud and _joined(begin, begin + count, members, values, local, labels):
            continue
        copied(begin, begin + count, members, values, local)
        one, two = np.empty(end - start, np.int32), np.empty(end - start, np.int32)
        _placed(start, end, place, left, one)
        _placed(start, end, place, right, two)
        capacity = 16
        while capacity < 2 * one.size:
            capacity *= 2
        keys = np.full(capacity, -1, np.int64)
        slots = np.empty(capacity, np.int32)
        found = agglomerate(count, one, two, weights[start:end], linkage, missing, keys, slots, local)[0]
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
def move_each(first: int, last: int, parts: Divided, values: Values, again: Bools, labels: Int32s) -> None:
    """Move single records in those of some components that `again` names.

    `labels` name clusters by nodes of their components, break no rule, and are changed in place. Components in which
    nothing can be better are taken out of `again`.
    """
    members, member_starts, _, _, _, weights, pair_starts = parts
    for at in range(first, last):
        begin, end = member_starts[at], member_starts[at + 1]
        start, stop = pair_starts[at], pair_starts[at + 1]
        # Where all pairs say YES and all records are together, nothing can be better.
        if again[at] and _all_for(start, stop, weights) and _together(begin, end, members, labels):
            again[at] = False
        if not again[at]:
            continue
        one, two, local = numbered(begin, end, start, stop, parts, labels)
        pairs = Weighted(*neighbours(end - begin, one, two), one, two, weights[start:stop])
        own = np.empty((end - begin, values.shape[1]), np.int32)
        copied(begin, end, members, values, own)
        one_move(pairs, local, own)
        named(begin, local, members, labels)


@compiled
def split_each(first: int, last: int, parts: Divided, again: Bools, labels: Int32s) -> bool:
    """Split groups off in those of some components that `again` names; it then names those where any was.

    Returns whether it names any.
    """
    members, member_starts, _, _, _, weights, pair_starts = parts
    any_split = False
    for at in range(first, last):
        if not again[at]:
            continue
        begin, end = member_starts[at], member_starts[at + 1]
        start, stop = pair_starts[at], pair_starts[at + 1]
        one, two, local = numbered(begin, end, start, stop, parts, labels)
        again[at] = split_off(Weighted(*neighbours(end - begin, one, two), one, two, weights[start:stop]), local)
        any_split |= again[at]
        named(begin, local, members, labels)
    return any_split


@compiled
def exchange_each(first: int, last: int, parts: Divided, values: Values, labels: Int32s) -> None:
    """Kernighan-Lin with joins in some components, from `labels`, which are changed in place, and break no rule."""
    members, member_starts, _, _, _, weights, pair_starts = parts
    for at in range(first, last):
        begin, end = member_starts[at], member_starts[at + 1]
        start, stop = pair_starts[at], pair_starts[at + 1]
        if _all_for(start, stop, weights) and _together(begin, end, members, labels):
            continue
        one, two, local = numbered(begin, end, start, stop, parts, labels)
        pairs = Weighted(*neighbours(end - begin, one, two), one, two, weights[start:stop])
        own = np.empty((end - begin, values.shape[1]), np.int32)
        copied(begin, end, members, values, own)
        kernighan_lin(pairs, local, own)
        named(begin, local, members, labels)


@compiled
def numbered(
    begin: int, end: int, start: int, stop: int, parts: Divided, labels: Int32s
) -> tuple[Int32s, Int32s, Int32s]:
    """The pairs of a component, and the clusters of its members, numbered by place among the members."""
    members, _, place, left, right, _, _ = parts
    one, two = np.empty(stop - start, np.int32), np.empty(stop - start, np.int32)
    _placed(start, stop, place, left, one)
    _placed(start, stop, place, right, two)
    local = np.empty(end - begin, np.int32)
    for at in range(begin, end):
        local[at - begin] = place[labels[members[at]]]
    return one, two, local


@inlined
def named(begin: int, local: Int32s, members: Int32s, labels: Int32s) -> None:
    """Name the clusters of a component's members by nodes again."""
    for at in range(local.size):
        labels[members[begin + at]] = members[begin + local[at]]
