"""Kernighan-Lin with joins: whole runs of moves between two clusters, of which the best prefix is kept."""

import numpy as np

from askwise.arrays import Int32s
from askwise.kernels.compiled import compiled, wide
from askwise.kernels.constraints import Values, agree, come_in, go_out
from askwise.kernels.local_search import LEAST_RISE, MOST_ROUNDS, Weighted, across


@compiled
def two_clusters(one: int, two: int, members: Int32s, pairs: Weighted, labels: Int32s, values: Values) -> bool:
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
        node = wide(members[i])
        come_in(node, 0 if labels[node] == one else 1, values, held, number)
        for edge in pairs.edges[pairs.starts[node] : pairs.starts[node + 1]]:
            other = across(edge, node, pairs)
            if place[other] >= 0:
                if labels[other] == labels[node]:
                    gain[i] -= pairs.weights[edge]
                else:
                    gain[i] += pairs.weights[edge]
                    between += 0.5 * pairs.weights[edge]
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
            if better and agree(wide(members[i]), values, 1 if labels[members[i]] == one else 0, held):
                chosen = i
        if chosen < 0:
            break
        steps += 1
        node = wide(members[chosen])
        side = 0 if labels[node] == one else 1
        go_out(node, side, values, held, number)
        come_in(node, 1 - side, values, held, number)
        running += gain[chosen]
        moved[chosen] = True
        order[step] = chosen
        labels[node] = two if labels[node] == one else one
        for edge in pairs.edges[pairs.starts[node] : pairs.starts[node + 1]]:
            other = across(edge, node, pairs)
            i = place[other]
            if i >= 0 and not moved[i]:
                gain[i] += 2.0 * pairs.weights[edge] if labels[other] != labels[node] else -2.0 * pairs.weights[edge]
        if running > best + LEAST_RISE:
            best = running
            best_count = step + 1
    for step in range(steps - 1, -1, -1):
        if step >= best_count:
            node = members[order[step]]
            labels[node] = two if labels[node] == one else one
    if between > best + LEAST_RISE:
        for node in members:
            labels[node] = one
        return True
    return best_count > 0


@compiled
def kernighan_lin(pairs: Weighted, labels: Int32s, values: Values) -> None:
    """Improve every two clusters with a positive weight between them, and every cluster against an empty one.

    Again and again until none improves; those that did not change since they were last looked at are passed over.
    `labels` are numbers of nodes, changed in place.
    """
    size = labels.size
    stride = np.int64(size + 1)
    fresh = np.ones(size + 1, np.bool_)
    for _ in range(MOST_ROUNDS):
        changed = np.zeros(size + 1, np.bool_)
        any_changed = False
        keys = np.empty(pairs.left.size, np.int64)
        count = 0
        for edge in range(pairs.left.size):
            one, two = labels[pairs.left[edge]], labels[pairs.right[edge]]
            if pairs.weights[edge] > 0.0 and one != two:
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
            if members.size > 1 and two_clusters(one, two, members, pairs, labels, values):
                changed[one] = changed[two] = any_changed = True
        if not any_changed:
            return
        fresh = changed
