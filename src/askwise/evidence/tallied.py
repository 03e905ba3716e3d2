"""Evidence that learns nothing: p is a function of a pair's own tally."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.known import Known
from askwise.evidence.parts import Part, by_worker
from askwise.evidence.votes import VoteLog


class Tallied:
    """An evidence model made of a function from the YES and NO votes of some pairs to their p (NaN: no evidence)."""

    def __init__(self, function: Callable[[Floats, Floats], Floats], known: Known) -> None:
        self._function = function
        self._known = known

    def fit_at(self, votes: int) -> int:
        """Never."""
        return 0

    def fit(self, log: VoteLog, left: Int32s, right: Int32s) -> None:
        """Nothing to learn."""

    def p(self, log: VoteLog, rows: Int32s) -> Floats:
        """The evidence for some rows."""
        return self._known.over(rows, self._function(*log.tally(rows)))

    def parts(self, log: VoteLog, row: int) -> list[Part]:
        """What the log-odds of a pair are made of: its votes."""

        def odds_of(yes: Floats, no: Floats) -> Floats:
            p = self._function(yes, no)
            return np.asarray(np.log(p) - np.log1p(-p), np.float64)

        return by_worker(log, row, None, odds_of)

    def unasked_odds(self) -> None:
        """Unknown."""

    def likely(self, log: VoteLog, left: Int32s, right: Int32s, weight: Floats, labels: Int32s, rows: Int32s) -> Floats:
        """How likely some pairs with votes are the same: half by their own votes, half by the clusters."""
        together = labels[left[rows]] == labels[right[rows]]
        return np.asarray(0.5 * together + 0.5 * self.p(log, rows), np.float64)

    def machine_and_votes(self, log: VoteLog, rows: Int32s) -> tuple[None, Floats, Floats]:
        """No machine, and the YES and NO of some rows."""
        return None, *log.tally(rows)
