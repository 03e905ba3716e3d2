"""Which of the neighbours that were found become candidates, within a budget."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int32s, Int64s

_SLACK = 1 << 20


class Selection:
    """Takes in neighbours as they are found; keeps every record's `own` best, and the best pairs of all.

    At most `budget` pairs are chosen in all, and little more are held: a pair below the best `budget` found so far is
    below the best of all, so it can go.
    """

    def __init__(self, records: int, own: int, budget: int) -> None:
        self._records = records
        self._own = own
        self._budget = budget
        self._least = -np.inf
        self._next = 0
        self._held = 0
        self._keys: list[Int64s] = []
        self._scores: list[Floats] = []
        self._bests: list[Bools] = []

    def add(self, counts: Int64s, others: Int32s, scores: Floats) -> None:
        """The neighbours of the next records: how many each has, who they are (the best first), their scores."""
        record = np.repeat(np.arange(self._next, self._next + counts.size), counts)
        rank = np.arange(others.size) - np.repeat(np.cumsum(counts) - counts, counts)
        best = rank < self._own
        kept = best | (scores >= self._least)
        record, others = record[kept], others[kept]
        self._keys.append(np.minimum(record, others) * self._records + np.maximum(record, others))
        self._scores.append(scores[kept])
        self._bests.append(best[kept])
        self._next += counts.size
        self._held += others.size
        if self._held > self._budget + self._budget // 2 + _SLACK:
            self._thin()

    def pairs(self) -> tuple[Int32s, Int32s, Floats]:
        """The chosen pairs, in order: left, right, score."""
        self._thin()
        key, score = self._keys.pop(), self._scores.pop()
        return (key // self._records).astype(np.int32), (key % self._records).astype(np.int32), score

    def _thin(self) -> None:
        """One sorted array of each, without doubles and without what is beyond the budget."""
        key = _joined(self._keys, np.int64)
        order = np.argsort(key, kind="stable")
        key = key[order]
        score = _joined(self._scores, np.float64)[order]
        best = _joined(self._bests, np.bool_)[order]
        del order
        # A pair is found at most twice, once from either side.
        again = key[1:] == key[:-1]
        best[:-1] |= best[1:] & again
        first = np.ones(key.size, np.bool_)
        first[1:] = ~again
        key, score, best = key[first], score[first], best[first]
        chosen, self._least = _chosen(score, best, self._budget)
        self._keys, self._scores, self._bests = [key[chosen]], [score[chosen]], [best[chosen]]
        self._held = self._keys[0].size


def _joined(parts: list[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    """The parts as one array; the list is emptied, so that they are not held twice."""
    joined = np.concatenate([np.empty(0, kind), *parts])
    parts.clear()
    return joined


def _chosen(score: Floats, best: Bools, budget: int) -> tuple[Bools, float]:
    """All of `best`, and of the others as many as the budget allows: the highest scores, of equals the first.

    The second is the least score that others need from now on.
    """
    rest = np.flatnonzero(~best)
    room = max(budget - int(np.count_nonzero(best)), 0)
    if rest.size <= room:
        return np.ones(score.size, np.bool_), -np.inf
    chosen = best.copy()
    if room == 0:
        return chosen, np.inf
    least = np.partition(score[rest], rest.size - room)[rest.size - room]
    chosen[rest] = score[rest] > least
    ties = rest[score[rest] == least]
    chosen[ties[: budget - int(np.count_nonzero(chosen))]] = True
    return chosen, float(least)
