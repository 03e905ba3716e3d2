"""Local search: change a clustering as long as that raises its likelihood.

`one-move` moves one record to the cluster, or to a new one, that raises the likelihood most, until none does (Elsner,
Schudy 2009). `kernighan-lin` makes whole runs of moves between two clusters, of which the best prefix is kept, and
joins or splits clusters (Kernighan-Lin with joins: Keuper et al. 2015, doi:10.1109/ICCV.2015.204).
"""

from collections.abc import Callable

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.clustering.closure import closure
from askwise.clustering.labels import smallest_first
from askwise.graph import UncertainGraph
from askwise.kernels.blocks import neighbours
from askwise.kernels.local_search import one_move, two_clusters

_MOST_ROUNDS = 50


def one_move_search(graph: UncertainGraph, nodes: Int32s, labels: Int32s) -> Int32s:
    """Move single records. A move costs the neighbourhood of the record, and a scan over the component."""
    return _by_component(graph, nodes, labels, one_move)


def kernighan_lin_with_joins(graph: UncertainGraph, nodes: Int32s, labels: Int32s) -> Int32s:
    """Improve every two clusters with a YES between them, and every cluster against an empty one, until none improves.

    Two clusters cost the square of their size; those that did not change since they were last looked at are passed
    over.
    """
    return _by_component(graph, nodes, labels, _kernighan_lin)


def _by_component(graph: UncertainGraph, nodes: Int32s, labels: Int32s, search: Callable[..., object]) -> Int32s:
    """Search in each component of the pairs with p > 1/2 by itself: the result in one never depends on another."""
    parts = closure(graph, nodes, 0)
    order = np.argsort(parts, kind="stable").astype(np.int32)
    improved = labels.copy()
    starts = np.flatnonzero(np.diff(parts[order], prepend=-1))
    ends = np.append(starts[1:], order.size)
    # Two records of a component have p > 1/2: in one cluster, nothing can be better.
    apart = labels[order[starts]] != labels[order[ends - 1]]
    searched = (ends - starts > 2) | ((ends - starts == 2) & apart)
    for start, end in zip(starts[searched].tolist(), ends[searched].tolist(), strict=True):
        places = order[start:end]
        left, right, rows = graph.inside(nodes[places])
        local = np.searchsorted(places, labels[places]).astype(np.int32)
        search(*neighbours(places.size, left, right), left, right, graph.pair_weight[rows], local)
        improved[places] = places[smallest_first(local)]
    return improved


def _kernighan_lin(starts: Int64s, edges: Int32s, left: Int32s, right: Int32s, weight: Floats, labels: Int32s) -> None:
    around = (starts, edges, left, right, weight)
    positive = weight > 0.0
    changed = set(np.unique(labels).tolist())
    for _ in range(_MOST_ROUNDS):
        fresh, changed = changed, set()
        ends = np.stack((labels[left[positive]], labels[right[positive]]))
        touching = np.unique(np.sort(ends[:, ends[0] != ends[1]], axis=0), axis=1).T.tolist()
        for one, two in [*touching, *((int(label), -1) for label in np.unique(labels))]:
            if one not in fresh and two not in fresh:
                continue
            members = np.flatnonzero((labels == one) | (labels == two)).astype(np.int32)
            other = two if two >= 0 else int(np.setdiff1d(np.arange(labels.size + 1), labels)[0])
            if members.size > 1 and two_clusters(one, other, members, *around, labels):
                changed |= {one, other}
        if not changed:
            return
