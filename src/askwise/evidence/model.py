"""The model of the evidence: docs/model.md in code, name by name.

Everything that is learned stands in `Parameters`; everything that is not, in constants.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askwise.arrays import Floats, Int32s, Singles
from askwise.evidence.constants import CONSTANTS
from askwise.evidence.machine import Machine
from askwise.evidence.regression import add_traits
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import WorkerRates, alike_share
from askwise.kernels.rates import log_chance


@dataclass(frozen=True)
class Parameters:
    """What is learned: `same` and `different` are the crowd's rates of YES, as log-odds; `workers` their deviations.

    `intercept`, `slope` and `traits` make the machine's log-odds of a pair; `unlisted` are those of a pair that has
    votes and that the machine did not list; `merge` are the odds before votes where there is no machine.
    """

    same: float
    different: float
    unlisted: float
    merge: float
    workers: WorkerRates | None = None
    intercept: float = 0.0
    slope: float = 1.0
    traits: tuple[float, ...] = ()

    @classmethod
    def usual(cls) -> Parameters:
        """Those before any vote."""
        return cls(CONSTANTS.same, CONSTANTS.different, CONSTANTS.unlisted, CONSTANTS.merge)

    def machine_odds(self, machine: Machine, first: int = 0, last: int | None = None) -> Floats:
        """The machine's log-odds of its pairs, or of some in a row."""
        return self.odds_of(machine.lean[first:last], machine.traits[first:last])

    def odds_of(self, lean: Floats, traits: Singles) -> Floats:
        """The same, given the machine's own log-odds and the traits."""
        found: Floats = np.asarray(self.intercept + self.slope * lean, np.float64)
        add_traits(found, traits, self.traits)
        return found

    @cached_property
    def _levels(self) -> tuple[tuple[float, float], tuple[float, float]]:
        same = self.same, CONSTANTS.same_alike
        return same, (self.different, CONSTANTS.different_alike)

    def log_chances(self, yes: Floats, no: Floats) -> tuple[Floats, Floats]:
        """log P(votes | same) and log P(votes | different) of average workers, pair by pair."""
        same, different = self._levels
        return log_chance(yes, no, *same), log_chance(yes, no, *different)

    @property
    def single_votes(self) -> tuple[float, float]:
        """The log-likelihood ratio of a YES and of a NO of an average worker, each alone on its pair."""
        same, different = self.log_chances(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        yes, no = (same - different).tolist()
        return yes, no

    def vote_ratio(self, log: VoteLog, rows: Int32s, yes: Floats, no: Floats) -> Floats:
        """The log-likelihood ratio of the votes on some pairs."""
        same, different = self.log_chances(yes, no)
        ratio = same - different
        if self.workers is not None:
            ratio += self.workers.lean(log, rows) * alike_share(yes + no)
        return ratio


def limited(odds: Floats) -> Floats:
    """What of a machine's log-odds counts."""
    return np.clip(odds, -CONSTANTS.machine_limit, CONSTANTS.machine_limit)
