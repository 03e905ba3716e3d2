"""The most valuable rows, kept ready: choosing from them costs what is chosen, not the number of pairs."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, bound_of_highest, grown
from askwise.kernels.question_values import worth_at_least

AHEAD = 16
"""How many times the questions that are wanted are looked at, because some turn out to be about the same change."""

_SOME = 256
_AT_HAND, _SAMPLE = 8, 16
_SOMETHING = float(np.nextafter(0.0, 1.0))


def enough(k: int) -> int:
    """How many of the best rows to look at to choose `k` from."""
    return AHEAD * k + _SOME


class Shortlist:
    """Rows in no order, among them all that are worth at least a floor. What rows are worth is kept by the caller."""

    def __init__(self, count: int) -> None:
        self._rows: Int32s = np.empty(0, np.int32)
        self._has: Bools = np.zeros(count, np.bool_)
        self._floor = np.inf

    def grow(self, count: int) -> None:
        """Make room for this number of rows."""
        self._has = grown(self._has, count, False)

    def add(self, rows: Int32s, value: Floats) -> None:
        """Take in those of `rows`, which were valued again, that belong here now."""
        new = rows[(value[rows] >= self._floor) & ~self._has[rows]]
        self._has[new] = True
        self._rows = np.concatenate((self._rows, new))

    def clear(self) -> None:
        """Start over: everything was valued again."""
        self._hold(np.empty(0, np.int32))
        self._floor = np.inf

    def best(self, k: int, value: Floats, least: float = 0.0) -> Int32s:
        """Rows that are worth something, and `least` at least, in no order; enough to choose `k` from."""
        least = max(least, _SOMETHING)
        good = worth_at_least(self._floor, self._rows, value)
        if good.size < self._rows.size:
            self._hold(good)
        wanted = enough(k)
        if good.size < wanted and self._floor > least:
            many = _AT_HAND * wanted
            self._hold_above(bound_of_highest(value[::_SAMPLE], many // _SAMPLE), value)
            if self._rows.size < wanted:
                self._hold_above(bound_of_highest(value, many), value)
        return worth_at_least(least, self._rows, value) if least > self._floor else self._rows

    def _hold_above(self, floor: float, value: Floats) -> None:
        """Hold all rows that are worth at least the floor, and something."""
        self._floor = max(floor, _SOMETHING)
        self._hold(np.flatnonzero(value >= self._floor).astype(np.int32))

    def _hold(self, rows: Int32s) -> None:
        """Hold these rows and no others."""
        self._has[self._rows] = False
        self._rows = rows
        self._has[rows] = True
