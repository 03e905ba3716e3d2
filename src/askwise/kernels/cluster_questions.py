"""Many clusters in one call, their connectivity or best questions: for small clusters, calls would cost the most."""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.adjacency import far_end, first_half, inner_pairs, next_half
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.gains import Effort, PairEvidence, best_pairs, block_tree
from askwise.kernels.picking import Askable


@inlined
def _anything_to_ask(nodes: Int32s, evidence: PairEvidence, askable: Askable) -> bool:
    """Whether a cluster has an unasked pair inside."""
    around, place = evidence.around, evidence.place
    for node in nodes:
        place[node] = 0
    unasked = 0 if askable.listed else nodes.size * (nodes.size - 1) // 2
    for node in nodes:
        if askable.listed:
            for at in range(askable.starts[node], askable.starts[node + 1]):
                if place[askable.other[at]] == 0 and not askable.asked[askable.row[at]]:
                    unasked = 1
                    break
            if unasked:
                break
        else:
            half = first_half(node, around)
            while half >= 0:
                other = far_end(half, around)
                unasked -= other < node and place[other] == 0
                half = next_half(half, node, around)
    for node in nodes:
        place[node] = -1
    return unasked > 0


@compiled
def best_questions(
    members: Int32s,
    starts: Int64s,
    top: int,
    floor: float,
    seed: np.uint64,
    effort: Effort,
    evidence: PairEvidence,
    askable: Askable,
) -> tuple[Int64s, Int32s, Int32s, Floats]:
    """The `top` best unasked pairs in each cluster, whose records are members[starts[i] : starts[i + 1]], in order.

    Returns where the pairs of each cluster start, the pairs, and their gains, the best first. The rest is as in
    `block_tree` and `best_pairs`.
    """
    count = starts.size - 1
    room = 0
    for i in range(count):
        size = starts[i + 1] - starts[i]
        room += min(top, size * (size - 1) // 2)
    found = np.zeros(count + 1, np.int64)
    left = np.empty(room, np.int32)
    right = np.empty(room, np.int32)
    gains = np.empty(room, np.float64)
    for i in range(count):
        nodes = members[starts[i] : starts[i + 1]]
        found[i + 1] = found[i]
        if not _anything_to_ask(nodes, evidence, askable):
            continue
        one, two, rows = inner_pairs(nodes, evidence.around, evidence.weight, evidence.place)
        tree = block_tree(nodes, one, two, evidence.p[rows], seed, effort)
        room = min(top, nodes.size * (nodes.size - 1) // 2)
        best_left, best_right, best = best_pairs(nodes, tree, seed, floor, room, evidence, askable)
        begin, end = found[i], found[i] + best.size
        left[begin:end] = best_left
        right[begin:end] = best_right
        gains[begin:end] = best
        found[i + 1] = end
    return found, left[: found[count]], right[: found[count]], gains[: found[count]]


@compiled
def connectivities(
    members: Int32s, starts: Int64s, seed: np.uint64, effort: Effort, evidence: PairEvidence
) -> tuple[Floats, Floats, Int32s]:
    """For each cluster the logarithm of its connectivity, its variance, and into how many parts its pairs leave it."""
    count = starts.size - 1
    logs = np.empty(count, np.float64)
    variances = np.empty(count, np.float64)
    parts = np.empty(count, np.int32)
    for i in range(count):
        nodes = members[starts[i] : starts[i + 1]]
        one, two, rows = inner_pairs(nodes, evidence.around, evidence.weight, evidence.place)
        tree = block_tree(nodes, one, two, evidence.p[rows], seed, effort)
        logs[i], variances[i], parts[i] = tree.log_connectivity, tree.variance, tree.parts
    return logs, variances, parts
