"""The part of a graph around some pairs, to be clustered again and again while parameters are estimated.

Its size depends on the pairs, not on the graph: beyond `SMALL` pairs, only those among the records at hand and their
nearest neighbours count.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int32s, Int64s, found_in, unordered
from askwise.components import Components
from askwise.kernels.adjacency import pairs_among
from askwise.kernels.agglomerate import SUM
from askwise.kernels.components import MOVES
from askwise.kernels.constraints import Values

SMALL = 200_000
_NEAR = 8


class Neighbourhood:
    """The pairs `rows` (global numbers) that matter for the pairs `asked`, which are at `places` among them.

    Their records are numbered anew, up to `size`: `left` and `right`. `lean` is of all pairs that a machine has a view
    of: the first. Other pairs matter only if they are asked. `values` are those of all records of which a cluster has
    at most one.
    """

    def __init__(self, left: Int32s, right: Int32s, asked: Int32s, lean: Floats, values: Values | None = None) -> None:
        others = asked[asked >= lean.size]
        if lean.size + others.size > SMALL:
            rows = _around(left, right, others, asked, lean)
        else:
            rows = np.concatenate((np.arange(lean.size, dtype=np.int32), others))
        rows = rows[np.lexsort((right[rows], left[rows]))]
        nodes, ends = np.unique(np.concatenate((left[rows], right[rows])), return_inverse=True)
        self.rows = rows
        self.size = nodes.size
        self._values = None if values is None else values[nodes]
        self.left, self.right = (side.astype(np.int32) for side in np.split(ends, 2))
        order = np.argsort(rows)
        self.places = order[np.searchsorted(rows[order], asked)]

    def labels(self, weight: Floats) -> Int32s:
        """The clusters of all records by the default clusterer; `weight` are the log-odds of `rows`."""
        components = Components(self.size, self.left, self.right, weight, self._values, threads=1)
        return components.improved(components.merged(SUM), MOVES)


def cavity(
    left: Int32s,
    right: Int32s,
    labels: Int32s,
    weight: Floats,
    counts: Bools,
    places: Int64s,
    own: Floats,
    alone: Bools,
    correlation: float,
) -> Floats:
    """The log-odds that each of some pairs (at `places`) is the same, by all evidence but its `own`.

    `labels` are the clusters of the records, `weight` the log-odds of the pairs (left[i], right[i]); `counts` says
    which of them have any evidence, and `alone` which of those at `places` have none but their own. For a pair between
    two clusters, the evidence is the sum between them; for a pair inside a cluster, the sum of one record's pairs
    there, the smaller of the two. A sum of n terms is divided by 1 + (n - 1) * correlation.
    """
    size = labels.size
    one, two = labels[left], labels[right]
    inside = one == two

    def without_own(total: NDArray[Any], number: NDArray[Any]) -> Floats:
        others = np.maximum(number - alone, 1.0)
        return np.asarray((total - own) / (1.0 + (others - 1.0) * correlation), np.float64)

    def at_each(values: NDArray[Any]) -> Floats:
        found = np.bincount(left[inside], values[inside], size) + np.bincount(right[inside], values[inside], size)
        return np.asarray(found, np.float64)

    held, degree = at_each(weight), at_each(counts.astype(np.float64))
    ends = left[places], right[places]
    drawn = np.minimum(*(without_own(held[end], degree[end]) for end in ends))
    touched: Bools = np.zeros(size, np.bool_)
    touched[one[places]] = touched[two[places]] = True
    some = np.flatnonzero(touched[one] & touched[two] & ~inside)
    blocks, which = np.unique(unordered(one[places], two[places]), return_inverse=True)
    at, there = found_in(blocks, unordered(one[some], two[some]))
    total = np.bincount(at, np.where(there, weight[some], 0.0), blocks.size)
    number = np.bincount(at, there * counts[some], blocks.size)
    return np.where(inside[places], drawn, without_own(total[which], number[which]))


def _around(left: Int32s, right: Int32s, others: Int32s, asked: Int32s, lean: Floats) -> Int32s:
    """The rows among the records of `asked` and, of each, the few that it leans to most."""
    inside = np.zeros(int(max(left.max(), right.max())) + 1, np.bool_)
    inside[left[asked]] = inside[right[asked]] = True
    one, two = left[: lean.size], right[: lean.size]
    touching = pairs_among(inside, one, two, 1)
    best = touching[np.argsort(-lean[touching], kind="stable")[: _NEAR * np.count_nonzero(inside)]]
    inside[left[best]] = inside[right[best]] = True
    return np.concatenate((pairs_among(inside, one, two, 2), others))
