"""Simulated annealing in small components (Kirkpatrick, Gelatt, Vecchi 1983, doi:10.1126/science.220.4598.671).

Where much of the evidence is wrong, greedy merging starts in the wrong place, and no move of a record or a group leads
out of it. A component in which nothing is contradicted needs no annealing: it is at its bound.
"""

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.agglomerate import TIE_SCALE
from askwise.kernels.blocks import neighbours
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.components import Divided, copied, named, numbered
from askwise.kernels.constraints import Values, agree, come_in, go_out
from askwise.kernels.mixing import GOLDEN, mix
from askwise.kernels.words import fraction

MOST_ANNEALED = 64
"""Records of a component in which annealing is worth its cost; in larger ones it hardly changes scores."""

_SWEEPS = 50


@compiled
def anneal_each(
    first: int, last: int, parts: Divided, values: Values, labels: Int32s, again: Bools, annealed: Int32s
) -> bool:
    """Anneal some components, from `labels`; `again` then names those that were, and `annealed` has their new labels.

    Returns whether it names any.
    """
    members, member_starts, _, left, right, weights, pair_starts = parts
    any_annealed = False
    for at in range(first, last):
        begin, end = member_starts[at], member_starts[at + 1]
        start, stop = pair_starts[at], pair_starts[at + 1]
        again[at] = end - begin <= MOST_ANNEALED and not _at_its_bound(start, stop, left, right, weights, labels)
        if again[at]:
            one, two, local = numbered(begin, end, start, stop, parts, labels)
            starts, edges = neighbours(end - begin, one, two)
            own = np.empty((end - begin, values.shape[1]), np.int32)
            copied(begin, end, members, values, own)
            _anneal(starts, edges, one, two, weights[start:stop], local, own)
            named(begin, local, members, annealed)
            any_annealed = True
    return any_annealed


@compiled
def keep_better(first: int, last: int, parts: Divided, again: Bools, other: Int32s, labels: Int32s) -> None:
    """Take over the labels of those components that `again` names in which `other` has more weight inside clusters.

    Weights are rounded to 2**-30, so that sums do not depend on the order of the pairs.
    """
    members, member_starts, _, left, right, weights, pair_starts = parts
    for at in range(first, last):
        if not again[at]:
            continue
        rise = 0.0
        for i in range(pair_starts[at], pair_starts[at + 1]):
            now, then = other[left[i]] == other[right[i]], labels[left[i]] == labels[right[i]]
            if now and not then:
                rise += np.rint(weights[i] * TIE_SCALE)
            elif then and not now:
                rise -= np.rint(weights[i] * TIE_SCALE)
        if rise > 1.0:
            for node in members[member_starts[at] : member_starts[at + 1]]:
                labels[node] = other[node]


@inlined
def _at_its_bound(start: int, stop: int, left: Int32s, right: Int32s, weights: Floats, labels: Int32s) -> bool:
    """Whether all that says YES is inside clusters, and all that says NO between them: then nothing can be better."""
    for i in range(start, stop):
        if weights[i] != 0.0 and (weights[i] > 0.0) != (labels[left[i]] == labels[right[i]]):
            return False
    return True


@inlined
def _mean_size(weights: Floats) -> float:
    """The mean of the finite weights, whatever their sign."""
    total, count = 0.0, 0
    for weight in weights:
        if weight > -np.inf:
            total += abs(weight)
            count += 1
    return total / count if total > 0.0 else 1.0


@compiled
def _anneal(
    starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weights: Floats, labels: Int32s, values: Values
) -> None:
    """In each sweep every record moves once, to a cluster drawn by the weights, as it grows colder.

    The temperature falls from the mean size of the weights to 0. `labels` are numbers of nodes, changed in place.
    """
    size = labels.size
    rounded = np.rint(weights * TIE_SCALE) / TIE_SCALE
    sizes = np.zeros(size, np.int32)
    held, number = np.full(values.shape, -1, np.int32), np.zeros(values.shape, np.int32)
    for node in range(size):
        sizes[labels[node]] += 1
        come_in(node, labels[node], values, held, number)
    pull, chance = np.zeros(size, np.float64), np.zeros(size, np.float64)
    state, hot = np.uint64(size), _mean_size(rounded)
    for sweep in range(_SWEEPS):
        cold = _SWEEPS / (_SWEEPS - sweep) / hot
        for node in range(size):
            sizes[labels[node]] -= 1
            go_out(node, labels[node], values, held, number)
            for at in range(starts[node], starts[node + 1]):
                edge = edges[at]
                pull[labels[right[edge] if left[edge] == node else left[edge]]] += rounded[edge]
            most, alone = 0.0, -1
            for cluster in range(size):
                if sizes[cluster] > 0 and agree(node, values, cluster, held):
                    most = max(most, pull[cluster])
                elif sizes[cluster] == 0 and alone < 0:
                    alone = cluster
            total = 0.0
            for cluster in range(size):
                chance[cluster] = 0.0
                if cluster == alone or (sizes[cluster] > 0 and agree(node, values, cluster, held)):
                    chance[cluster] = np.exp((pull[cluster] - most) * cold)
                total += chance[cluster]
                pull[cluster] = 0.0
            state += GOLDEN
            rest = fraction(mix(state)) * total
            chosen = alone
            for cluster in range(size):
                rest -= chance[cluster]
                if rest < 0.0:
                    chosen = cluster
                    break
            labels[node] = chosen
            sizes[chosen] += 1
            come_in(node, chosen, values, held, number)
