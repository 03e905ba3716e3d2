"""Gold questions: pairs of which the answer is certain."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s, found_in


class Known:
    """The certain pairs, by row."""

    def __init__(self, answers: dict[int, bool]) -> None:
        self._rows = np.array(sorted(answers), np.int32)
        self._same = np.array([answers[row] for row in sorted(answers)], np.float64)

    def of(self, rows: Int32s) -> Floats:
        """1, 0, or NaN where nothing is certain."""
        known = np.full(rows.size, np.nan)
        at, certain = found_in(self._rows, rows)
        known[certain] = self._same[at[certain]]
        return known

    def over(self, rows: Int32s, p: Floats) -> Floats:
        """The evidence p for some rows, replaced by 1 or 0 where it is certain."""
        if not self._rows.size:
            return p
        known = self.of(rows)
        return np.where(np.isnan(known), p, known)
