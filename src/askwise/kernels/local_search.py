"""Moves that raise the likelihood of a clustering: of one record, of a group, or whole runs between two clusters."""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.agglomerate import TIE_SCALE
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.constraints import Values, agree, come_in, go_out
from askwise.kernels.heap import enter, leave

_LEAST = 1e-9  # a smaller rise is the noise of adding logarithms
_MOST_ROUNDS = 50


@inlined
def _best_move(
    node: int,
    starts: Int64s,
    edges: Int32s,
    left: Int32s,
    right: Int32s,
    weights: Floats,
    labels: Int32s,
    sizes: Int32s,
    total: Floats,
    values: Values,
    held: Values,
) -> tuple[float, int]:
    """By how much the best move of one record raises the log-likelihood, and where to (-1: to a cluster of its own).

    A pair that must be apart has the weight minus infinity: it is inside no cluster, and what it says outweighs all.
    `total` is scratch over the clusters, all 0, and left so.
    """
    for at in range(starts[node], starts[node + 1]):
        edge = edges[at]
        other = right[edge] if left[edge] == node else left[edge]
        total[labels[other]] += weights[edge]
    own = total[labels[node]]
    best = -own if sizes[labels[node]] > 1 else 0.0
    target = -1
    for at in range(starts[node], starts[node + 1]):
        edge = edges[at]
        other = right[edge] if left[edge] == node else left[edge]
        cluster = labels[other]
        rise = total[cluster] - own
        better = rise > best + _LEAST or (rise > best - _LEAST and target >= 0 and cluster < target)
        if better and cluster != labels[node] and agree(node, values, cluster, held):
            best = rise
            target = cluster
    for at in range(starts[node], starts[node + 1]):
        edge = edges[at]
        other = right[edge] if left[edge] == node else left[edge]
        total[labels[other]] = 0.0
    return best, target


@compiled
def one_move(
    starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats, labels: Int32s, values: Values
) -> None:
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
        come_in(node, labels[node], values, held, number)
    around = starts, edges, left, right, weights, labels, sizes, total, values, held
    in_heap = 0
    for node in range(size):
        in_heap = _look_again(node, around, rank, target, in_heap, heap, position, numbers)
    first_empty, moved = 0, False
    while True:
        if in_heap == 0 and moved and values.shape[1] > 0:
            moved = False
            for node in range(size):
                in_heap = _look_again(node, around, rank, target, in_heap, heap, position, numbers)
        if in_heap == 0:
            return
        best = heap[0]
        came_from = labels[best]
        goes_to = target[best]
        if goes_to >= 0 and not agree(best, values, goes_to, held):
            in_heap = _look_again(best, around, rank, target, in_heap, heap, position, numbers)
            continue
        moved = True
        if goes_to < 0:
            while sizes[first_empty] > 0:
                first_empty += 1
            goes_to = np.int32(first_empty)
        sizes[came_from] -= 1
        sums[came_from] -= best
        sizes[goes_to] += 1
        sums[goes_to] += best
        labels[best] = goes_to
        go_out(best, came_from, values, held, number)
        come_in(best, goes_to, values, held, number)
        if sizes[came_from] == 0:
            first_empty = min(first_empty, came_from)
        in_heap = _look_again(best, around, rank, target, in_heap, heap, position, numbers)
        for at in range(starts[best], starts[best + 1]):
            edge = edges[at]
            other = right[edge] if left[edge] == best else left[edge]
            in_heap = _look_again(other, around, rank, target, in_heap, heap, position, numbers)
        # A record that is now alone cannot gain by leaving; one that is not alone any more can.
        if sizes[came_from] == 1:
            in_heap = _look_again(sums[came_from], around, rank, target, in_heap, heap, position, numbers)
        if sizes[goes_to] == 2:
            in_heap = _look_again(sums[goes_to] - best, around, rank, target, in_heap, heap, position, numbers)


@inlined
def _look_again(
    node: int,
    around: tuple[Int64s, Int32s, Int32s, Int32s, Floats, Int32s, Int32s, Floats, Values, Values],
    rank: Floats,
    target: Int32s,
    in_heap: int,
    heap: Int32s,
    position: Int32s,
    numbers: Int32s,
) -> int:
    """Find the best move of one record, and put it into the heap of those that would gain. Returns the heap's size."""
    rise, target[node] = _best_move(node, *around)
    rank[node] = np.rint(rise * TIE_SCALE)
    if rank[node] > 1.0:
        return enter(node, in_heap, heap, position, rank, numbers, numbers)
    return leave(node, in_heap, heap, position, rank, numbers, numbers)


@compiled
def moves(
    starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats, labels: Int32s, values: Values
) -> None:
    """Moves of one record, and of groups that are better off by themselves, in turns, until neither helps."""
    one_move(starts, edges, left, right, weights, labels, values)
    for _ in range(_MOST_ROUNDS):
        if not split_off(starts, edges, left, right, weights, labels):
            return
        one_move(starts, edges, left, right, weights, labels, values)


@compiled
def split_off(starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats, labels: Int32s) -> bool:
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
    for edge in range(left.size):
        cluster = labels[left[edge]]
        if cluster == labels[right[edge]]:
            rise[left[edge]] -= weights[edge]
            rise[right[edge]] -= weights[edge]
            mixed[cluster] |= weights[edge] < 0.0
    by_cluster = np.argsort(labels, kind="mergesort")
    rank = np.rint(rise * TIE_SCALE)
    heap = np.empty(size, np.int32)
    position = np.full(size, -1, np.int32)
    numbers = np.arange(size).astype(np.int32)
    gone = np.empty(size, np.int32)
    first_empty, begin, any_split = 0, 0, False
    while begin < size:
        cluster = labels[by_cluster[begin]]
        end = begin + sizes[cluster]
        in_heap = 0
        for node in by_cluster[begin:end] if mixed[cluster] else by_cluster[:0]:
            in_heap = enter(node, in_heap, heap, position, rank, numbers, numbers)
        total, best, most = 0.0, _LEAST, 0
        for count in range(in_heap):
            node = heap[0]
            in_heap = leave(node, in_heap, heap, position, rank, numbers, numbers)
            gone[count] = node
            total += rise[node]
            if total > best and in_heap > 0:
                best, most = total, count + 1
            for at in range(starts[node], starts[node + 1]):
                edge = edges[at]
                other = right[edge] if left[edge] == node else left[edge]
                if position[other] >= 0:
                    rise[other] += 2.0 * weights[edge]
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


@compiled
def two_clusters(
    one: int,
    two: int,
    members: Int32s,
    starts: Int64s,
    edges: Int32s,
    left: Int32s,
    right: Int32s,
    weights: Floats,
    labels: Int32s,
    values: Values,
) -> bool:
    """Kernighan-Lin between two clusters, or a cluster and an empty one, with the chance to join them.

    Records change sides, the one with the largest rise first, each once, and none where a rule keeps it out; the best
    prefix of these moves is kept, or the two are joined if that is better. Returns whether anything was gained.
    """
    count = members.size
    gain = np.zeros(count, np.float64)
    place = np.full(labels.size, -1, np.int32)
    for i in range(count):
        place[members[i]] = i
    between = 0.0
    held = np.full((2, values.shape[1]), -1, np.int32)  # by the two sides
    number = np.zeros((2, values.shape[1]), np.int32)
    for i in range(count):
        node = members[i]
        come_in(node, 0 if labels[node] == one else 1, values, held, number)
        for at in range(starts[node], starts[node + 1]):
            edge = edges[at]
            other = right[edge] if left[edge] == node else left[edge]
            if place[other] >= 0:
                if labels[other] == labels[node]:
                    gain[i] -= weights[edge]
                else:
                    gain[i] += weights[edge]
                    between += 0.5 * weights[edge]
    moved = np.zeros(count, np.bool_)
    order = np.empty(count, np.int32)
    running = 0.0
    best = 0.0
    best_count = steps = 0
    if not agree(0, held, 1, held):
        between = -np.inf
    for step in range(count):
        chosen = -1
        for i in range(count):
            better = not moved[i] and gain[i] > -np.inf and (chosen < 0 or gain[i] > gain[chosen])
            if better and agree(members[i], values, 1 if labels[members[i]] == one else 0, held):
                chosen = i
        if chosen < 0:
            break
        steps += 1
        node = members[chosen]
        side = 0 if labels[node] == one else 1
        go_out(node, side, values, held, number)
        come_in(node, 1 - side, values, held, number)
        running += gain[chosen]
        moved[chosen] = True
        order[step] = chosen
        labels[node] = two if labels[node] == one else one
        for at in range(starts[node], starts[node + 1]):
            edge = edges[at]
            other = right[edge] if left[edge] == node else left[edge]
            i = place[other]
            if i >= 0 and not moved[i]:
                gain[i] += 2.0 * weights[edge] if labels[other] != labels[node] else -2.0 * weights[edge]
        if running > best + _LEAST:
            best = running
            best_count = step + 1
    for step in range(steps - 1, -1, -1):
        if step >= best_count:
            node = members[order[step]]
            labels[node] = two if labels[node] == one else one
    if between > best + _LEAST:
        for node in members:
            labels[node] = one
        return True
    return best_count > 0


@compiled
def kernighan_lin(
    starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats, labels: Int32s, values: Values
) -> None:
    """Improve every two clusters with a positive weight between them, and every cluster against an empty one.

    Again and again until none improves; those that did not change since they were last looked at are passed over.
    `labels` are numbers of nodes, changed in place.
    """
    size = labels.size
    stride = np.int64(size + 1)
    fresh = np.ones(size + 1, np.bool_)
    for _ in range(_MOST_ROUNDS):
        changed = np.zeros(size + 1, np.bool_)
        any_changed = False
        keys = np.empty(left.size, np.int64)
        count = 0
        for edge in range(left.size):
            one, two = labels[left[edge]], labels[right[edge]]
            if weights[edge] > 0.0 and one != two:
                keys[count] = min(one, two) * stride + max(one, two)
                count += 1
        touching = np.unique(keys[:count])
        alone = np.unique(labels)
        for i in range(touching.size + alone.size):
            if i < touching.size:
                one, two = touching[i] // stride, touching[i] % stride
                if not (fresh[one] or fresh[two]):
                    continue
            else:
                one = np.int64(alone[i - touching.size])
                if not fresh[one]:
                    continue
                used = np.zeros(size + 1, np.bool_)
                for label in labels:
                    used[label] = True
                two = np.int64(0)
                while used[two]:
                    two += 1
            members = np.flatnonzero((labels == one) | (labels == two)).astype(np.int32)
            around = starts, edges, left, right, weights, labels, values
            if members.size > 1 and two_clusters(one, two, members, *around):
                changed[one] = changed[two] = any_changed = True
        if not any_changed:
            return
        fresh = changed
