"""The part of a graph around some pairs, to be clustered again and again while evidence is learned.

Its size depends on the pairs, not on the graph: beyond `SMALL` pairs, only those among the records at hand and their
nearest neighbours count.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.components import Components
from askwise.kernels.adjacency import pairs_among
from askwise.kernels.agglomerate import SUM

SMALL = 200_000
_NEAR = 8


class Neighbourhood:
    """The pairs `rows` (global numbers) that matter for the pairs `asked`, which are at `places` among them.

    `lean` is of all pairs that a machine has a view of: the first. Other pairs matter only if they are asked.
    """

    def __init__(self, left: Int32s, right: Int32s, asked: Int32s, lean: Floats) -> None:
        others = asked[asked >= lean.size]
        if lean.size + others.size > SMALL:
            rows = _around(left, right, others, asked, lean)
        else:
            rows = np.concatenate((np.arange(lean.size, dtype=np.int32), others))
        rows = rows[np.lexsort((right[rows], left[rows]))]
        nodes, ends = np.unique(np.concatenate((left[rows], right[rows])), return_inverse=True)
        self.rows = rows
        self._size = nodes.size
        self._left, self._right = (side.astype(np.int32) for side in np.split(ends, 2))
        self._asked_left = np.searchsorted(nodes, left[asked])
        self._asked_right = np.searchsorted(nodes, right[asked])
        order = np.argsort(rows)
        self.places = order[np.searchsorted(rows[order], asked)]

    def together(self, weight: Floats) -> Bools:
        """Whether SCC puts the two records of each asked pair together, given the log-odds of all `rows`."""
        labels = Components(self._size, self._left, self._right, weight, threads=1).merged(SUM)
        together: Bools = labels[self._asked_left] == labels[self._asked_right]
        return together


def _around(left: Int32s, right: Int32s, others: Int32s, asked: Int32s, lean: Floats) -> Int32s:
    """The rows among the records of `asked` and, of each, the few that it leans to most."""
    inside = np.zeros(int(max(left.max(), right.max())) + 1, np.bool_)
    inside[left[asked]] = inside[right[asked]] = True
    one, two = left[: lean.size], right[: lean.size]
    touching = pairs_among(inside, one, two, 1)
    best = touching[np.argsort(-lean[touching], kind="stable")[: _NEAR * np.count_nonzero(inside)]]
    inside[left[best]] = inside[right[best]] = True
    return np.concatenate((pairs_among(inside, one, two, 2), others))
