"""The model of the evidence: docs/model.md in code, name by name.

Everything that is learned stands in `Parameters`; everything that is not, in constants.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int32s, Singles
from askwise.evidence.constants import CONSTANTS, Crowd
from askwise.evidence.machine import Machine
from askwise.evidence.regression import add_traits
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import counted_votes
from askwise.kernels.rates import log_chance


class Voters(NamedTuple):
    """One possible crowd: its typical rates, the concentration of its votes on a pair, and how likely it is."""

    crowd: Crowd
    alike: float
    weight: float


def prior_voters() -> tuple[Voters, ...]:
    """How likely each crowd is before any votes, with each concentration: the usual one more than the others."""
    every = tuple(Voters(crowd, alike, 1.0) for crowd in CONSTANTS.crowds for alike in CONSTANTS.alike)
    odds = [np.exp(CONSTANTS.usual * (one.crowd == CONSTANTS.crowds[0])) for one in every]
    return weighed(every, np.array(odds), 0.0)


def weighed(voters: tuple[Voters, ...], times: Floats, unlikely: float = 0.01) -> tuple[Voters, ...]:
    """The weights times these factors, with a sum of 1; those below `unlikely` of the highest are dropped."""
    weight = np.array([one.weight for one in voters]) * times
    weight = np.where(weight < unlikely * weight.max(), 0.0, weight)
    shares = (weight / weight.sum()).tolist()
    return tuple(one._replace(weight=share) for one, share in zip(voters, shares, strict=True) if share > 0.0)


@dataclass(frozen=True)
class Parameters:
    """What is learned: which of the typical crowds voted, and how much a vote of each worker counts.

    `voters` is the posterior distribution over crowds. `intercept`, `slope` and `traits` make the machine's log-odds of
    a pair; `unlisted` are those of a pair that has votes and that the machine did not list; `merge` are the odds before
    votes where there is no machine. `counts` says how much a vote of each judge counts; None if all count alike.
    """

    voters: tuple[Voters, ...] = field(default_factory=prior_voters)
    counts: Floats | None = None
    merge: float = 0.0
    unlisted: float = field(default_factory=lambda: -CONSTANTS.machine_limit)
    intercept: float = 0.0
    slope: float = 1.0
    traits: tuple[float, ...] = ()

    def machine_odds(self, machine: Machine, first: int = 0, last: int | None = None) -> Floats:
        """The machine's log-odds of its pairs, or of some in a row."""
        return self.odds_of(machine.lean[first:last], machine.traits[first:last])

    def odds_of(self, lean: Floats, traits: Singles) -> Floats:
        """The machine's log-odds of pairs with these log-odds of its own and these traits."""
        found: Floats = np.asarray(self.intercept + self.slope * lean, np.float64)
        add_traits(found, traits, self.traits)
        return found

    def log_chances(self, yes: Floats, no: Floats) -> tuple[Floats, Floats]:
        """log P(votes | same) and log P(votes | different), pair by pair."""
        same, different = np.full(yes.size, -np.inf), np.full(yes.size, -np.inf)
        for (on_same, on_different), alike, weight in self.voters:
            same = np.logaddexp(same, np.log(weight) + log_chance(yes, no, on_same, alike))
            different = np.logaddexp(different, np.log(weight) + log_chance(yes, no, on_different, alike))
        return same, different

    def ratio(self, yes: Floats, no: Floats) -> Floats:
        """The log-likelihood ratio of these numbers of YES and NO votes, pair by pair."""
        same, different = self.log_chances(yes, no)
        return same - different

    def vote_ratio(self, log: VoteLog, rows: Int32s, yes: Floats, no: Floats) -> Floats:
        """The log-likelihood ratio of the votes on some pairs; `yes` and `no` are their numbers, whoever voted."""
        return self.ratio(yes, no) if self.counts is None else self.ratio(*counted_votes(log, rows, self.counts))


def limited(odds: Floats) -> Floats:
    """What of a machine's log-odds counts."""
    return np.clip(odds, -CONSTANTS.machine_limit, CONSTANTS.machine_limit)
