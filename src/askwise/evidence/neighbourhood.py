"""The part of a graph around some pairs, to be clustered again and again while evidence is learned.

Its size depends on the pairs, not on the graph: beyond `SMALL` pairs, only those among the records at hand and their
nearest neighbours count.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, found_in
from askwise.components import Components
from askwise.kernels.adjacency import pairs_among
from askwise.kernels.agglomerate import SUM

SMALL = 200_000
_NEAR = 8


class Neighbourhood:
    """The pairs `rows` (global numbers) that matter for the pairs `asked`, which are at `places` among them.

    Their records are numbered anew, up to `size`: `left` and `right`. `lean` is of all pairs that a machine has a view
    of: the first. Other pairs matter only if they are asked.
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
        self.size = nodes.size
        self.left, self.right = (side.astype(np.int32) for side in np.split(ends, 2))
        order = np.argsort(rows)
        self.places = order[np.searchsorted(rows[order], asked)]

    def clusters(self, weight: Floats) -> tuple[Int32s, Int32s]:
        """The clusters of the left and of the right records of `rows`, by SCC with their log-odds."""
        labels = self.labels(weight)
        return labels[self.left], labels[self.right]

    def together(self, weight: Floats) -> Bools:
        """Whether the two records of each asked pair are in one cluster."""
        labels, here = self.labels(weight), self.places
        return np.asarray(labels[self.left[here]] == labels[self.right[here]], np.bool_)

    def labels(self, weight: Floats, missing: float = 0.0) -> Int32s:
        """The clusters of all records, by SCC; pairs that are not among `rows` count -`missing`."""
        return Components(self.size, self.left, self.right, weight, threads=1).merged(SUM, missing)

    def unaided(self, left: Int32s, right: Int32s, weight: Floats, own: Floats) -> Bools:
        """Whether the two records of each asked pair would be in one cluster without the pair's `own` votes.

        `left` and `right` are the clusters of the records of `rows`, and `weight` is what speaks for them. Two records
        stay in one cluster if both are still drawn to the rest of it, and two clusters become one if all else between
        them says so.
        """
        here, inside = self.places, left == right
        held = np.bincount(self.left, inside * weight, self.size)
        held += np.bincount(self.right, inside * weight, self.size)
        drawn = np.minimum(held[self.left[here]], held[self.right[here]])
        asked: Bools = np.zeros(self.size, np.bool_)
        asked[left[here]] = asked[right[here]] = True
        rows = np.flatnonzero(asked[left] & asked[right] & ~inside)
        kinds, which = np.unique(both(left[here], right[here]), return_inverse=True)
        at, there = found_in(kinds, both(left[rows], right[rows]))
        between = np.bincount(at, there * weight[rows], kinds.size)
        return np.asarray(np.where(inside[here], drawn, between[which]) - own > 0.0, np.bool_)


def as_one(left: Int32s, right: Int32s) -> Floats:
    """What pairs of records in these clusters count, so that all of the same two clusters, or of one, count as one.

    What makes people err on a pair makes them err on the others of the same two entities. Counted one by one, a few
    large entities would outvote all others, and which explanation is best would change with every fit.
    """
    return np.asarray(1.0 / how_many(left, right), np.float64)


def how_many(left: Int32s, right: Int32s) -> Int64s:
    """For each pair of records in these clusters, how many are of the same two."""
    _, which, many = np.unique(both(left, right), return_inverse=True, return_counts=True)
    return np.asarray(many[which], np.int64)


def both(left: Int32s, right: Int32s) -> Int64s:
    """A number for each two clusters, whichever is first."""
    return np.minimum(left, right).astype(np.int64) << 32 | np.maximum(left, right).astype(np.int64)


def _around(left: Int32s, right: Int32s, others: Int32s, asked: Int32s, lean: Floats) -> Int32s:
    """The rows among the records of `asked` and, of each, the few that it leans to most."""
    inside = np.zeros(int(max(left.max(), right.max())) + 1, np.bool_)
    inside[left[asked]] = inside[right[asked]] = True
    one, two = left[: lean.size], right[: lean.size]
    touching = pairs_among(inside, one, two, 1)
    best = touching[np.argsort(-lean[touching], kind="stable")[: _NEAR * np.count_nonzero(inside)]]
    inside[left[best]] = inside[right[best]] = True
    return np.concatenate((pairs_among(inside, one, two, 2), others))
