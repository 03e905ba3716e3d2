"""Moves that raise the likelihood of a clustering: of one record, or of a group that leaves its cluster."""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.agglomerate import TIE_SCALE
from askwise.kernels.compiled import compiled, inlined, wide
from askwise.kernels.constraints import Values, agree, come_in, go_out
from askwise.kernels.heap import enter, leave

LEAST_RISE = 1e-9
MOST_ROUNDS = 50
"""A smaller rise is the noise of adding logarithms."""


class Weighted(NamedTuple):
    """Pairs of nodes and their log-odds; `edges[starts[node] : starts[node + 1]]` are the numbers of a node's pairs."""

    starts: Int64s
    edges: Int32s
    left: Int32s
    right: Int32s
    weights: Floats


@inlined
def across(edge: int, node: int, pairs: Weighted) -> int:
    """The other node of a pair."""
    return int(pairs.right[edge] if pairs.left[edge] == node else pairs.left[edge])


class State(NamedTuple):
    """The clusters of nodes and their sizes, scratch `total` over the clusters (all 0), and what each one holds."""

    labels: Int32s
    sizes: Int32s
    total: Floats
    values: Values
    held: Values


class Queue(NamedTuple):
    """A heap of nodes, where each is in it, and by which `rank` and `numbers`; and the `target` of its best move."""

    rank: Floats
    target: Int32s
    heap: Int32s
    position: Int32s
    numbers: Int32s


@inlined
def _best_move(node: int, pairs: Weighted, state: State) -> tuple[float, int]:
    """By how much the best move of one record raises the log-likelihood, and where to (-1: to a cluster of its own).

    A pair that must be apart has the weight minus infinity: it is inside no cluster, and what it says outweighs all.
    """
    labels, sizes, total, values, held = state
    around = pairs.edges[pairs.starts[node] : pairs.starts[node + 1]]
    for edge in around:
        total[labels[across(edge, node, pairs)]] += pairs.weights[edge]
    own = total[labels[node]]
    best = -own if sizes[labels[node]] > 1 else 0.0
    target = -1
    for edge in around:
        cluster = wide(labels[across(edge, node, pairs)])
        rise = total[cluster] - own
        better = rise > best + LEAST_RISE or (rise > best - LEAST_RISE and target >= 0 and cluster < target)
        if better and cluster != labels[node] and agree(node, values, cluster, held):
            best = rise
            target = cluster
    for edge in around:
        total[labels[across(edge, node, pairs)]] = 0.0
    return best, target


@compiled
def one_move(pairs: Weighted, labels: Int32s, values: Values) -> None:
    """Make the move of one record that raises the likelihood most, again and again, until none does.

    Rises closer than 2**-30 count as equal; the smallest record comes first. `labels` are numbers of nodes, changed in
    place. A move costs the records around the moved one, and their places in a heap. Which `values` a cluster has
    matters to records that are not around the moved one, too: so a target is looked at again before it is used, and
    once no move is left, all records are.
    """
    size = labels.size
    sizes = np.zeros(size, np.int32)
    sums = np.zeros(size, np.int64)  # of the members' numbers: who is alone, or the other of two, is known by them
    for node in range(size):
        sizes[labels[node]] += 1
        sums[labels[node]] += node
    total = np.zeros(size, np.float64)
    rank = np.empty(size, np.float64)
    target = np.empty(size, np.int32)
    heap = np.empty(size, np.int32)
    position = np.full(size, -1, np.int32)
    numbers = np.arange(size).astype(np.int32)
    held = np.full(values.shape, -1, np.int32)
    number = np.zeros(values.shape, np.int32)
    for node in range(size):
        come_in(node, wide(labels[node]), values, held, number)
    state = State(labels, sizes, total, values, held)
    queue = Queue(rank, target, heap, position, numbers)
    again = np.arange(size + 2)  # the records to look at again, in this order: at first all
    queued = size
    in_heap, first_empty = wide(0), wide(0)
    moved = False
    while True:
        for at in range(queued):
            in_heap = _look_again(again[at], pairs, state, queue, in_heap)
        if in_heap == 0:
            if not moved or values.shape[1] == 0:
                return
            moved = False
            queued = size
            for node in range(size):
                again[node] = node
            continue
        best = wide(heap[0])
        came_from = wide(labels[best])
        goes_to = wide(target[best])
        again[0], queued = best, 1
        if goes_to >= 0 and not agree(best, values, goes_to, held):
            continue
        moved = True
        if goes_to < 0:
            while sizes[first_empty] > 0:
                first_empty += 1
            goes_to = first_empty
        sizes[came_from] -= 1
        sums[came_from] -= best
        sizes[goes_to] += 1
        sums[goes_to] += best
        labels[best] = goes_to
        go_out(best, came_from, values, held, number)
        come_in(best, goes_to, values, held, number)
        if sizes[came_from] == 0:
            first_empty = min(first_empty, came_from)
        for edge in pairs.edges[pairs.starts[best] : pairs.starts[best + 1]]:
            again[queued] = across(edge, best, pairs)
            queued += 1
        # A record that is now alone cannot gain by leaving; one that is not alone any more can.
        if sizes[came_from] == 1:
            again[queued] = sums[came_from]
            queued += 1
        if sizes[goes_to] == 2:
            again[queued] = sums[goes_to] - best
            queued += 1


@inlined
def _look_again(node: int, pairs: Weighted, state: State, queue: Queue, in_heap: int) -> int:
    """Find the best move of one record, and put it into the heap of those that would gain. Returns the heap's size."""
    rise, queue.target[node] = _best_move(node, pairs, state)
    queue.rank[node] = np.rint(rise * TIE_SCALE)
    order = queue.heap, queue.position, queue.rank, queue.numbers, queue.numbers
    if queue.rank[node] > 1.0:
        return enter(node, in_heap, *order)
    return leave(node, in_heap, *order)


@compiled
def split_off(pairs: Weighted, labels: Int32s) -> bool:
    """Split each cluster in two where that raises the likelihood. Returns whether any was.

    The record with the largest rise leaves, then the next, given those that left, and so on; the group with the largest
    rise becomes a cluster of its own. Rises closer than 2**-30 count as equal; the smallest record comes first.
    `labels` are numbers of nodes, changed in place.
    """
    size = labels.size
    sizes = np.zeros(size, np.int32)
    for label in labels:
        sizes[label] += 1
    rise = np.zeros(size, np.float64)
    mixed = np.zeros(size, np.bool_)  # a cluster in which something says NO
    for edge in range(pairs.left.size):
        cluster = labels[pairs.left[edge]]
        if cluster == labels[pairs.right[edge]]:
            rise[pairs.left[edge]] -= pairs.weights[edge]
            rise[pairs.right[edge]] -= pairs.weights[edge]
            mixed[cluster] |= pairs.weights[edge] < 0.0
    ends = np.zeros(size, np.int64)
    for label in range(1, size):
        ends[label] = ends[label - 1] + sizes[label - 1]
    by_cluster = np.empty(size, np.int64)
    for node in range(size):
        by_cluster[ends[labels[node]]] = node
        ends[labels[node]] += 1
    rank = np.rint(rise * TIE_SCALE)
    heap = np.empty(size, np.int32)
    position = np.full(size, -1, np.int32)
    numbers = np.arange(size).astype(np.int32)
    gone = np.empty(size, np.int32)
    first_empty, begin, any_split = 0, 0, False
    while begin < size:
        cluster = labels[by_cluster[begin]]
        end = begin + sizes[cluster]
        in_heap = wide(0)
        for at in range(begin, end if mixed[cluster] else begin):
            in_heap = enter(by_cluster[at], in_heap, heap, position, rank, numbers, numbers)
        total, best, most = 0.0, LEAST_RISE, 0
        for count in range(in_heap):
            node = wide(heap[0])
            in_heap = leave(node, in_heap, heap, position, rank, numbers, numbers)
            gone[count] = node
            total += rise[node]
            if total > best and in_heap > 0:
                best, most = total, count + 1
            for edge in pairs.edges[pairs.starts[node] : pairs.starts[node + 1]]:
                other = wide(across(edge, node, pairs))
                if position[other] >= 0:
                    rise[other] += 2.0 * pairs.weights[edge]
                    rank[other] = np.rint(rise[other] * TIE_SCALE)
                    enter(other, in_heap, heap, position, rank, numbers, numbers)
        if most > 0:
            while sizes[first_empty] > 0:
                first_empty += 1
            for node in gone[:most]:
                labels[node] = first_empty
            sizes[first_empty], sizes[cluster] = most, sizes[cluster] - most
            any_split = True
        begin = end
    return any_split
