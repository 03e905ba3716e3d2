"""How likely a pair is the same before its own votes count, where no machine says it.

By when it was first asked, and by its company, if the candidates are listed (company.py).

A strategy asks pairs of one kind for a while, and then of another: any pairs at first, half of which may be the same if
somebody chose the candidates well, then pairs of clusters that nobody has compared, of which hardly one is. So pairs
that were first asked at about the same time share their odds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Singles
from askwise.evidence.company import FIRMNESS as COMPANY_FIRMNESS
from askwise.evidence.machine import MOST_MACHINE
from askwise.evidence.rates import DIFFERENT, SAME
from askwise.evidence.regression import LEVEL_FIRMNESS, add_traits, fit_logistic
from askwise.evidence.votes import VoteLog

RECENT, FEW = 0.2, 50
"""The latest fifth of the pairs is a time of its own, and so is the latest fifth of those before; but not if it is
fewer pairs than that."""

FIRMNESS = 10.0
"""As so many pairs like all others, each time begins."""

MOST_UNDONE = 0.5
"""What part of what unanimous votes say odds may undo: else nothing would be joined where a pair has but one vote."""

AGAINST = 0.75
"""What of the odds of a time counts on a pair whose one vote is against it already: every pair between two clusters
brings these odds, so there they count too often."""


@dataclass(frozen=True)
class PriorOdds:
    """Log-odds: `odds[0]` of the pairs whose first vote came before vote `since[0]`, and so on.

    `company` is what each trait of a pair's company counts beside; nothing, if it has none. Where they count beside
    votes, the odds of a time are not worse than `least`, and a part of them, `against`, counts on a pair whose votes
    are against it.
    """

    odds: tuple[float, ...] = (0.0,)
    since: tuple[int, ...] = ()
    company: tuple[float, ...] = ()
    least: float = 0.0
    against: float = 1.0

    def of(self, log: VoteLog, rows: Int32s, traits: Singles) -> Floats:
        """What counts of the log-odds of some pairs with votes, which have such traits."""
        yes, no = log.tally(rows)
        by_time = np.maximum(self._by_time(log, rows), self.least) * np.where(yes > no, 1.0, self.against)
        return np.asarray(np.clip(by_time + self.by_company(traits), -MOST_MACHINE, MOST_MACHINE), np.float64)

    def believed(self, log: VoteLog, rows: Int32s, traits: Singles) -> Floats:
        """The log-odds as they are, to learn from: with what counts of them, many pairs with a NO would seem likely."""
        return self._by_time(log, rows) + self.by_company(traits)

    def _by_time(self, log: VoteLog, rows: Int32s) -> Floats:
        return np.array(self.odds)[np.searchsorted(self.since, log.first_vote(rows), side="right")]

    def by_company(self, traits: Singles) -> Floats:
        """What company says of pairs with such traits."""
        found: Floats = np.zeros(len(traits))
        add_traits(found, traits, self.company)
        return np.asarray(np.clip(found, -MOST_MACHINE, MOST_MACHINE), np.float64)


EVEN = PriorOdds()
"""As likely the same as not."""


class Times:
    """Pairs with votes (`asked`), divided by when they were first asked; and the `traits` of their company.

    `single` is 1 where pairs have one vote, and 0 where they have enough to check each other.
    """

    def __init__(self, log: VoteLog, asked: Int32s, yes: Floats, no: Floats, traits: Singles, single: float) -> None:
        self._against = 1.0 - single * (1.0 - AGAINST)
        self._traits = traits
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

    def odds(self, likely: Floats, together: Bools) -> PriorOdds:
        """The odds of each time, and what company counts, given how likely each pair is the same, and the clustering.

        A time has even odds at the most, for every pair between two clusters brings these, and good odds would merge
        them without any votes. Company goes by the clustering as well as by each pair's votes: where a pair has one,
        that says so little that company would seem to tell little.
        """
        times, mean = len(self._since) + 1, float(likely.mean())
        same = np.bincount(self._time, likely, times) + FIRMNESS * mean + 1.0
        different = np.bincount(self._time, 1.0 - likely, times) + FIRMNESS * (1.0 - mean) + 1.0
        odds = np.log(same) - np.log(different)
        company = self._company(0.5 * together + 0.5 * likely, odds[self._time])
        return PriorOdds(tuple(np.minimum(odds, 0.0).tolist()), self._since, company, self._least, self._against)

    def _company(self, likely: Floats, odds: Floats) -> tuple[float, ...]:
        """What each trait counts, beside the odds of each pair's time."""
        count = self._traits.shape[1]
        if not count:
            return ()
        traits = np.column_stack((np.ones(likely.size), self._traits)).astype(np.float64)
        firmness = np.array([LEVEL_FIRMNESS] + [COMPANY_FIRMNESS] * count)
        level_and_traits, _ = fit_logistic(traits, likely, np.ones(likely.size), odds, np.zeros(1 + count), firmness)
        return tuple(level_and_traits[1:].tolist())
