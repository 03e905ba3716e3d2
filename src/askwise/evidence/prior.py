"""How likely a pair is the same before its own votes count, where no machine says it: by when it was first asked.

A strategy asks pairs of one kind for a while, and then of another: any pairs at first, half of which may be the same if
somebody chose the candidates well, then pairs of clusters that nobody has compared, of which hardly one is. So pairs
that were first asked at about the same time share their odds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.rates import DIFFERENT, SAME
from askwise.evidence.votes import VoteLog

RECENT, FEW = 0.2, 50
"""The latest fifth of the pairs is a time of its own, and so is the latest fifth of those before; but not if it is
fewer pairs than that."""

FIRMNESS = 10.0
"""As so many pairs like all others, each time begins."""

MOST_UNDONE = 0.5
"""What part of what unanimous votes say odds may undo: else nothing would be joined where a pair has but one vote."""


@dataclass(frozen=True)
class PriorOdds:
    """Log-odds: `odds[0]` of the pairs whose first vote came before vote `since[0]`, and so on."""

    odds: tuple[float, ...] = (0.0,)
    since: tuple[int, ...] = ()

    def of(self, log: VoteLog, rows: Int32s) -> Floats:
        """The log-odds of some pairs with votes."""
        return np.array(self.odds)[np.searchsorted(self.since, log.first_vote(rows), side="right")]


EVEN = PriorOdds()
"""As likely the same as not."""


class Times:
    """Pairs with votes (`asked`), divided by when they were first asked."""

    def __init__(self, log: VoteLog, asked: Int32s, yes: Floats, no: Floats) -> None:
        first = log.first_vote(asked)
        in_order = np.sort(first)
        since: list[int] = []
        end = asked.size
        while RECENT * end >= FEW:
            end = int((1.0 - RECENT) * end)
            since.append(int(in_order[end]))
        self._since = tuple(reversed(since))
        self._time = np.searchsorted(self._since, first, side="right")
        votes, none = np.full(1, round(np.mean(yes + no)), np.float64), np.zeros(1)
        unanimous = SAME.log_chance(votes, none, none) - DIFFERENT.log_chance(votes, none, none)
        self._least = -MOST_UNDONE * float(unanimous[0])

    def odds(self, likely: Floats) -> PriorOdds:
        """The odds of each time, given how likely each pair is the same.

        Even at the most, for every pair between two clusters brings these odds, and good odds would merge them without
        any votes; and not so bad that they undo more than `MOST_UNDONE`.
        """
        times, mean = len(self._since) + 1, float(likely.mean())
        same = np.bincount(self._time, likely, times) + FIRMNESS * mean + 1.0
        different = np.bincount(self._time, 1.0 - likely, times) + FIRMNESS * (1.0 - mean) + 1.0
        odds = np.clip(np.log(same) - np.log(different), self._least, 0.0)
        return PriorOdds(tuple(odds.tolist()), self._since)
