"""Which of the neighbours that were found become candidates, within a budget."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int32s, Int64s, bound_of_highest
from askwise.kernels.own_best import by_left, own_best, raise_bars

_SLACK = 1 << 20


class Selection:
    """Takes in neighbours as they are found; keeps every record's `own` best, and the best pairs of all.

    At most `budget` pairs are chosen in all, and little more are held: a pair below the best `budget` found so far is
    below the best of all, so it can go, unless it is still among the best of one of its records.
    """

    def __init__(self, records: int, own: int, budget: int) -> None:
        self._budget = budget
        self._next = 0
        self._held = 0
        self._bars: Floats = np.full((records, own), -np.inf)
        self._left: list[Int32s] = []
        self._right: list[Int32s] = []
        self._scores: list[Floats] = []

    def add(self, counts: Int64s, others: Int32s, scores: Floats) -> None:
        """The neighbours of the next records, all before them: how many each has, who they are, their scores."""
        raise_bars(counts, self._next, others, scores, self._bars)
        self._left.append(others)
        self._right.append(np.repeat(np.arange(self._next, self._next + counts.size, dtype=np.int32), counts))
        self._scores.append(scores)
        self._next += counts.size
        self._held += others.size
        if self._held > self._budget + self._budget // 2 + _SLACK:
            self.thin()

    def pairs(self) -> tuple[Int32s, Int32s, Floats]:
        """The chosen pairs, in order: left, right, score."""
        left, right, score = self._joined()
        chosen = _chosen(score, own_best(left, right, score, self._bars), self._budget)
        return by_left(left[chosen], right[chosen], score[chosen], len(self._bars))

    def thin(self) -> None:
        """Let those go that cannot be chosen, whatever comes."""
        left, right, score = self._joined()
        kept = score >= bound_of_highest(score, self._budget)
        kept |= (score >= self._bars[left, 0]) | (score >= self._bars[right, 0])
        self._left, self._right, self._scores = [left[kept]], [right[kept]], [score[kept]]
        self._held = self._scores[0].size

    def _joined(self) -> tuple[Int32s, Int32s, Floats]:
        """All pairs held, as one array each; the lists are emptied, so that they are not held twice."""
        return _joined(self._left, np.int32), _joined(self._right, np.int32), _joined(self._scores, np.float64)


def _joined(parts: list[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    joined = np.concatenate([np.empty(0, kind), *parts])
    parts.clear()
    return joined


def _chosen(score: Floats, best: Bools, budget: int) -> Bools:
    """All of `best`, and of the others as many as the budget allows: the highest scores, of equals the first found."""
    rest = np.flatnonzero(~best)
    room = max(budget - int(np.count_nonzero(best)), 0)
    if rest.size <= room:
        return np.ones(score.size, np.bool_)
    chosen = best.copy()
    if room:
        least = np.partition(score[rest], rest.size - room)[rest.size - room]
        chosen[rest] = score[rest] > least
        ties = rest[score[rest] == least]
        chosen[ties[: budget - int(np.count_nonzero(chosen))]] = True
    return chosen
