"""How votes fall on pairs that are the same and on pairs that are not, learned for a whole crowd.

Separate for the two, because people miss matches more often than they invent them, or the other way round; see
kernels/rates.py for the distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats
from askwise.kernels.rates import fit_rates, log_chance

REACH = 4.0
"""What the machine thinks of a pair counts up to here, as log-odds."""

LEAST, LEAST_ALONE = 5.0, 10.0
"""How alike votes on a pair may be taken to be, as a concentration. Less alike where no machine says which pairs are
the same: a class of pairs that is so mixed could hold anything."""

GIVE, GIVE_ALONE = 1.0, 0.35
"""How far the share of YES on a kind of pairs is likely to be from what is usual, in log-odds; and with one vote to a
pair, where nothing but the clustering tells a wrong vote from a right one."""

_ENOUGH = 3.0
_BINS = 12
_PARTS = 2  # of a vote: one that is even is half a YES and half a NO
_MOST = 1000 * _PARTS
_HIGH = np.array([6.0, 2.0, 4.0])
_NO_SLOPE = 1e-3


@dataclass(frozen=True)
class VoteRates:
    """The share of YES on a kind of pairs: log-odds `level` + `slope` * x, and how alike the votes on a pair are."""

    level: float
    slope: float = 0.0
    log_concentration: float = float(np.log(5.0))

    @property
    def concentration(self) -> float:
        """Large if votes on the same pair are independent, small if they are alike."""
        return float(np.exp(self.log_concentration))

    @property
    def mean(self) -> float:
        """The share of YES where the machine is of two minds."""
        return float(1.0 / (1.0 + np.exp(-self.level)))

    def log_chance(self, yes: Floats, no: Floats, x: Floats) -> Floats:
        """log P(votes) for each pair."""
        reached = np.clip(x, -REACH, REACH)
        return log_chance(yes, no, reached, self.level, self.slope, self.concentration)


SAME = VoteRates(1.1)
"""Before anything is known: three quarters of the votes on a pair that is the same are YES."""

DIFFERENT = VoteRates(-2.0)
"""And one in eight on a pair that is not."""


class Tallies:
    """Pairs with votes, grouped: those with the same votes and nearly the same x are one cell.

    `several` is 0 where each pair has one vote, and 1 where pairs have votes enough to be compared with each other.
    """

    def __init__(self, yes: Floats, no: Floats, x: Floats) -> None:
        reached = np.clip(x, -REACH, REACH)
        edges = np.unique(np.quantile(reached, np.linspace(0.0, 1.0, _BINS + 1)[1:-1]))
        part = np.digitize(reached, edges)
        ayes, noes = (np.minimum(_PARTS * side, _MOST - 1).astype(np.int64) for side in (yes, no))
        kinds, self._cell = np.unique((part * _MOST + ayes) * _MOST + noes, return_inverse=True)
        self._yes: Floats = kinds // _MOST % _MOST / _PARTS
        self._no: Floats = kinds % _MOST / _PARTS
        members = np.bincount(self._cell)
        self.several = min(max(float(np.mean(yes + no)) - 1.0, 0.0) / (_ENOUGH - 1.0), 1.0)
        self._give = GIVE_ALONE + self.several * (GIVE - GIVE_ALONE)
        self._x: Floats = np.bincount(self._cell, reached) / members

    def fit(self, weight: Floats, prior: VoteRates, slope: float, least: float) -> tuple[VoteRates, float]:
        """The rates that explain the votes best, each pair counted with its weight, and how well they do (log).

        `slope` is how far from 0 the slope is likely to be; 0 keeps it there. The concentration is `least` at least.
        """
        centre = np.array([prior.level, prior.slope, prior.log_concentration])
        spread = np.array([self._give, max(slope, _NO_SLOPE), 1.0])
        cells = np.asarray(np.bincount(self._cell, weight, self._yes.size), np.float64)
        low = np.array([-6.0, 0.0, np.log(least)])
        centre[2] = max(centre[2], low[2])
        theta, penalty = fit_rates(self._yes, self._no, self._x, cells, centre, spread, low, _HIGH)
        return VoteRates(*theta.tolist()), -penalty
