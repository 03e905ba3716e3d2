"""Lasting cluster ids: a cluster keeps the id that most of its records had before."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Int32s, Int64s

NONE = -1


def lasting_ids(before: Int64s, roots: Int32s, following: int) -> tuple[Int64s, int]:
    """Each record's cluster id, and the next free id.

    `before` has the ids that the first records had, and `roots` says which records are together now. An id goes to
    where most of its records are: the largest share first, then the smallest id, then the first cluster. A cluster that
    gets none has a new id, and no id is given to two clusters.
    """
    known = np.full(roots.size, NONE, np.int64)
    known[: before.size] = before
    had = known != NONE
    keys, count = np.unique(roots[had] * np.int64(following) + known[had], return_counts=True)
    root, number = np.divmod(keys, following)
    order = np.lexsort((root, number, -count))
    taken: set[int] = set()
    id_of = np.full(roots.size, NONE, np.int64)
    for cluster, one in zip(root[order].tolist(), number[order].tolist(), strict=True):
        if id_of[cluster] == NONE and one not in taken:
            id_of[cluster] = one
            taken.add(one)
    empty = np.flatnonzero((roots == np.arange(roots.size)) & (id_of == NONE))
    id_of[empty] = following + np.arange(empty.size)
    return id_of[roots], following + int(empty.size)
