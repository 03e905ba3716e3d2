"""Divides a weighted graph into the components of its positive pairs, and clusters each by itself, on all cores.

Merging and moving never cross a component, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.kernels.annealing import anneal_each, keep_better
from askwise.kernels.components import (
    KERNIGHAN_LIN,
    MOST_DENSE,
    MOVES,
    divided,
    exchange_each,
    merge_each,
    merge_large,
    move_each,
    split_each,
)
from askwise.kernels.constraints import Values
from askwise.kernels.local_search import MOST_ROUNDS
from askwise.kernels.partition import by_smallest, positive_parts
from askwise.parallel import Parts

_PER_PART = 8192  # nodes at a time, so that threads finish together


class Components:
    """Pairs (left < right, in order) of the nodes from 0 to `size`, with weights, by component.

    `values` are those of which a cluster has at most one (kernels/constraints.py). `threads` is the number of threads,
    by default one for every core.
    """

    def __init__(
        self,
        size: int,
        left: Int32s,
        right: Int32s,
        weights: Floats,
        values: Values | None = None,
        threads: int | None = None,
    ) -> None:
        self._size = size
        self._values = np.empty((size, 0), np.int32) if values is None else values
        self.part = positive_parts(size, left, right, weights)
        self._divided = divided(self.part, left, right, weights)
        self._threads = threads

    def merged(self, linkage: int, missing: float = 0.0) -> Int32s:
        """Greedy merging: for each node the smallest node of its cluster; an absent pair counts -`missing`."""
        labels = np.arange(self._size, dtype=np.int32)

        def some(first: int, last: int) -> None:
            how = self._divided, linkage, missing, MOST_DENSE, self._values, labels
            if merge_each(first, last, *how):
                merge_large(first, last, *how)

        self._each(some)
        return labels

    def improved(self, labels: Int32s, search: int) -> Int32s:
        """Improve a clustering by local search. Only the search that is used is compiled."""
        labels = labels.copy()
        again, annealed = np.ones(self._divided[1].size - 1, np.bool_), np.empty_like(labels)

        def exchange(first: int, last: int) -> None:
            exchange_each(first, last, self._divided, self._values, labels)

        def move_single(first: int, last: int) -> None:
            move_each(first, last, self._divided, self._values, again, labels)

        def move(first: int, last: int) -> None:
            self._move(first, last, again, labels)
            if anneal_each(first, last, self._divided, self._values, labels, again, annealed):
                tried = again.copy()
                self._move(first, last, again, annealed)
                keep_better(first, last, self._divided, tried, annealed, labels)

        self._each({KERNIGHAN_LIN: exchange, MOVES: move}.get(search, move_single))
        return by_smallest(labels)

    def _move(self, first: int, last: int, again: Bools, labels: Int32s) -> None:
        """Alternate between moving single records and splitting groups off, until neither helps."""
        move_each(first, last, self._divided, self._values, again, labels)
        for _ in range(MOST_ROUNDS):
            if not split_each(first, last, self._divided, again, labels):
                break
            move_each(first, last, self._divided, self._values, again, labels)

    def _each(self, work: Callable[[int, int], object]) -> None:
        """Do the work on all components, some at a time; each has labels of its own to change."""
        starts = self._divided[1]
        total = int(starts[-1])
        if total <= _PER_PART or self._threads == 1:
            work(0, starts.size - 1)
            return

        def some(first: int, last: int) -> object:
            return work(*np.searchsorted(starts[:-1], (first, last)).tolist())

        Parts(self._threads).all("components", total, _PER_PART, some)
