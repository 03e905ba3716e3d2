"""Partitions drawn from the posterior, and how likely single clusters are right.

The logarithm of a partition's probability is, but for a constant, the sum of the weights inside its clusters and the
price of every join (records less clusters). Records move one by one (Gibbs sampling), and clusters split and merge
(Metropolis-Hastings), which puts groups of records where they belong together.
"""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, Int64s
from askwise.kernels.adjacency import Adjacency, far_end, first_half, next_half, pair_of
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.mixing import GOLDEN, below, mix
from askwise.kernels.words import UNIT, fraction


class PairsAt(NamedTuple):
    """The pairs at each record: those of record u are with other[starts[u] : starts[u + 1]], and have weights there."""

    starts: Int64s
    other: Int32s
    weight: Floats


@inlined
def _met(cluster: int, weight: float, step: int, seen: Int64s, pull: Floats, met: Int32s, count: int) -> int:
    """Add a weight to what draws a record to a cluster; returns how many clusters it has met."""
    if seen[cluster] != step:
        seen[cluster] = step
        pull[cluster] = 0.0
        met[count] = cluster
        count += 1
    pull[cluster] += weight
    return count


@inlined
def _uniform(state: np.uint64) -> float:
    """A number from 0 to below 1."""
    return fraction(mix(state))


@inlined
def _enter(node: int, cluster: int, label: Int32s, size: Int64s, head: Int32s, after: Int32s, before: Int32s) -> None:
    label[node] = cluster
    size[cluster] += 1
    after[node], before[node] = head[cluster], -1
    if head[cluster] >= 0:
        before[head[cluster]] = node
    head[cluster] = node


@inlined
def _leave(node: int, label: Int32s, size: Int64s, head: Int32s, after: Int32s, before: Int32s) -> None:
    size[label[node]] -= 1
    if before[node] >= 0:
        after[before[node]] = after[node]
    else:
        head[label[node]] = after[node]
    if after[node] >= 0:
        before[after[node]] = before[node]


@compiled
def draw_partition(
    active: Int32s,
    starts: Int64s,
    other: Int32s,
    weight: Floats,
    price: float,
    sweeps: int,
    state: np.uint64,
    label: Int32s,
    size: Int64s,
) -> None:
    """Change `label` and `size` into those of a drawn partition; only the records `active` move.

    Record u has the neighbours other[starts[u] : starts[u + 1]]. Labels are below label.size, and size[c] is the number
    of records in cluster c, which may be more than those that have a label here; 0 if there is no such cluster. In each
    sweep every record moves once, in the given order, and then some groups do, which takes about as long again. Their
    number does not depend on what was drawn, or some partitions would be drawn too often.
    """
    count = label.size
    pairs = PairsAt(starts, other, weight)
    pull, seen, met = np.zeros(count, np.float64), np.full(count, -1, np.int64), np.empty(count, np.int32)
    head, after, before = np.full(count, -1, np.int32), np.empty(count, np.int32), np.empty(count, np.int32)
    moves, side = np.zeros(count, np.bool_), np.zeros(count, np.int8)
    free, spare = np.empty(count, np.int32), 0
    for cluster in range(count - 1, -1, -1):
        if size[cluster] == 0:
            free[spare] = cluster
            spare += 1
    for node in range(count - 1, -1, -1):
        size[label[node]] -= 1
        _enter(node, label[node], label, size, head, after, before)
    reach = np.zeros(count, np.int64)
    for node in range(count):
        reach[label[node]] += starts[node + 1] - starts[node]
    cost = 0
    for node in active:
        moves[node] = True
        cost += 1 + reach[label[node]]
    groups = 1 + active.size * starts[-1] // max(cost, 1) if active.size > 0 else 0
    step = 0
    for _ in range(sweeps):
        for node in active:
            clusters, most = 0, 0.0
            for at in range(starts[node], starts[node + 1]):
                clusters = _met(label[other[at]], weight[at], step, seen, pull, met, clusters)
            step += 1
            for i in range(clusters):
                pull[met[i]] += price
                most = max(most, pull[met[i]])
            total = np.exp(-most)
            for i in range(clusters):
                total += np.exp(pull[met[i]] - most)
            state += GOLDEN
            left = _uniform(state) * total
            chosen = -1
            for i in range(clusters):
                left -= np.exp(pull[met[i]] - most)
                if left < 0.0:
                    chosen = met[i]
                    break
            own = label[node]
            _leave(node, label, size, head, after, before)
            if size[own] == 0:
                free[spare] = own
                spare += 1
            if chosen < 0:
                spare -= 1
                chosen = free[spare]
            _enter(node, chosen, label, size, head, after, before)
        for _ in range(groups):
            state += GOLDEN
            one = active[below(state, active.size)]
            around = starts[one + 1] - starts[one]
            if around == 0:
                continue
            state += GOLDEN
            two = other[starts[one] + below(state, around)]
            group = _movable(one, two, label, size, head, after, moves)
            if group.size == 0:
                continue
            apart = label[one] != label[two]
            log_chance, between, state = _divided(one, two, group, apart, pairs, label, state, side)
            gain = between + price + log_chance
            state += GOLDEN
            if np.log(_uniform(state) + UNIT) < (gain if apart else -gain):
                target = label[one] if apart else free[spare - 1]
                if apart:
                    free[spare] = label[two]
                    spare += 1
                else:
                    spare -= 1
                for node in group:
                    if side[node] == 2:
                        _leave(node, label, size, head, after, before)
                        _enter(node, target, label, size, head, after, before)
            for node in group:
                side[node] = 0


@compiled
def _movable(one: int, two: int, label: Int32s, size: Int64s, head: Int32s, after: Int32s, moves: Bools) -> Int32s:
    """The records of the clusters of two records, in order; none if some of them may not move."""
    clusters = 1 if label[one] == label[two] else 2
    group = np.empty(size[label[one]] + (size[label[two]] if clusters == 2 else 0), np.int32)
    found = 0
    for at in range(clusters):
        node = head[label[one] if at == 0 else label[two]]
        while node >= 0:
            if not moves[node]:
                return group[:0]
            group[found] = node
            found += 1
            node = after[node]
    if found < group.size:
        return group[:0]
    return np.sort(group)


@compiled
def _divided(
    one: int, two: int, group: Int32s, apart: bool, pairs: PairsAt, label: Int32s, state: np.uint64, side: Int8s
) -> tuple[float, float, np.uint64]:
    """Divide a group into the side of one record (1) and that of another (2), record by record, by the weights so far.

    Where they are `apart` already, the division is the one that is there. Returns the logarithm of its probability, the
    weight between the two sides, and the state of the random numbers. Split and merge of clusters with sequential
    allocation: Dahl, An improved merge-split sampler for conjugate Dirichlet process mixture models (2003).
    """
    starts, other, weight = pairs
    log_chance, between = 0.0, 0.0
    side[one], side[two] = 1, 2
    for node in group:
        first, second = 0.0, 0.0
        for at in range(starts[node], starts[node + 1]):
            if side[other[at]] == 1:
                first += weight[at]
            elif side[other[at]] == 2:
                second += weight[at]
        if node != one and node != two:
            likely = 1.0 / (1.0 + np.exp(min(max(second - first, -700.0), 700.0)))
            if apart:
                side[node] = 1 if label[node] == label[one] else 2
            else:
                state += GOLDEN
                side[node] = 1 if _uniform(state) < likely else 2
            log_chance += np.log(max(likely if side[node] == 1 else 1.0 - likely, 1e-300))
    for node in group:
        if side[node] == 1:
            for at in range(starts[node], starts[node + 1]):
                if side[other[at]] == 2:
                    between += weight[at]
    return log_chance, between, state


@compiled
def chances(members: Int32s, starts: Int64s, label: Int32s, around: Adjacency, weight: Floats, price: float) -> Floats:
    """For each cluster, how likely its likeliest change is not right: a record leaves it, or another cluster joins it.

    Cluster i has the records members[starts[i] : starts[i + 1]], in order, and is named by the first. Pairs without a
    weight have NaN.
    """
    found = np.ones(starts.size - 1, np.float64)
    pull, between = np.zeros(label.size, np.float64), np.zeros(label.size, np.float64)
    seen, seen_between = np.full(label.size, -1, np.int64), np.full(label.size, -1, np.int64)
    met, met_between = np.empty(label.size, np.int32), np.empty(label.size, np.int32)
    for i in range(found.size):
        root, alone = members[starts[i]], starts[i + 1] == starts[i] + 1
        all_met = 0
        for node in members[starts[i] : starts[i + 1]]:
            clusters, most = 0, 0.0
            half = first_half(node, around)
            while half >= 0:
                worth = weight[pair_of(half, around)]
                if not np.isnan(worth):
                    clusters = _met(label[far_end(half, around)], worth, node, seen, pull, met, clusters)
                half = next_half(half, node, around)
            for k in range(clusters):
                if met[k] != root:
                    all_met = _met(met[k], pull[met[k]], i, seen_between, between, met_between, all_met)
                most = max(most, pull[met[k]] + price)
            total = np.exp(-most)
            for k in range(clusters):
                total += np.exp(pull[met[k]] + price - most)
            held = pull[root] + price if seen[root] == node else 0.0
            stays = np.exp(-most) if alone else np.exp(held - most)
            found[i] = min(found[i], stays / total)
        for k in range(all_met):
            found[i] = min(found[i], 1.0 / (1.0 + np.exp(min(between[met_between[k]] + price, 700.0))))
    return found
