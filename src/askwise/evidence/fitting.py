"""One fit of evidence that learns: from votes and a machine's view to a `View`; learned.py says how it works."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.machine import MOST, Machine
from askwise.evidence.neighbourhood import Neighbourhood
from askwise.evidence.rates import DIFFERENT, LEAST, LEAST_ALONE, SAME, Tallies, VoteRates
from askwise.evidence.regression import fit_logistic, logistic
from askwise.evidence.view import View
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import worker_rates

CUTS: Floats = np.arange(-3.0, 3.1, 0.5)
"""Where the machine may be even, relative to its opinion; `CUT_SPREAD` is how far off it is likely to be."""

CUT_SPREAD = 0.75

CUT_TRUST = 0.5
"""Votes on pairs of the same two entities are alike: they count half when a cut is chosen."""

SLOPE, SLOPE_FIRMNESS, CUT_FIRMNESS, LEAST_SLOPE = 1.5, 2.0, 5.0, 0.25
"""How steep a machine is before votes tell, how hard it is to move that and the cut, and the least it may come to."""

OPINION_WEIGHT, LEVEL_FIRMNESS, LEAN_FIRMNESS = 1.5, 0.1, 10.0
"""What the votes on a pair count in the regression, and what they have to overcome: hardly anything to shift all pairs,
more to change how far the machine's own order counts."""

RISE = 0.3
"""How far the share of YES is likely to rise with the machine's view, in log-odds."""

ROUNDS = 3
LEAST_ODDS = -3.0
_MOST_SHIFT = 2.0


class Fit:
    """The pairs with votes, `asked`, and what is `known` of them for certain (1, 0, NaN)."""

    def __init__(
        self,
        machine: Machine | None,
        log: VoteLog,
        left: Int32s,
        right: Int32s,
        asked: Int32s,
        known: Floats,
        by_worker: bool,
    ) -> None:
        self._machine, self._log, self._asked, self._known, self._by_worker = machine, log, asked, known, by_worker
        self._yes, self._no = log.tally(asked)
        self._opinion = np.empty(0) if machine is None else self._opinions(machine)
        count = self._opinion.size
        self._x: Floats = np.zeros(asked.size)
        self._x[asked < count] = self._opinion[asked[asked < count]]
        self._tallies = Tallies(self._yes, self._no, self._x)
        rows = np.concatenate((np.arange(count, dtype=np.int32), asked[asked >= count]))
        self._near = Neighbourhood(left, right, rows, asked, self._opinion)

    def _opinions(self, machine: Machine) -> Floats:
        """The share of YES to expect of each of the machine's pairs, as log-odds, its own votes left out."""
        spread = float(machine.lean.std()) or 1.0
        lead = (machine.lean - machine.lean.mean()) / spread
        firmness = np.concatenate(([LEVEL_FIRMNESS, LEAN_FIRMNESS], machine.firmness))
        rows = self._asked[self._asked < len(machine)]
        yes, no = self._log.tally(rows)
        traits = np.column_stack((np.ones(rows.size), lead[rows], machine.traits[rows]))
        b, own = fit_logistic(
            traits, yes / (yes + no), OPINION_WEIGHT, machine.lean[rows], np.zeros(firmness.size), firmness
        )
        opinion: Floats = machine.lean + b[0] + b[1] * lead + machine.traits @ b[2:]
        opinion[rows] -= np.clip(own, -_MOST_SHIFT, _MOST_SHIFT)
        return opinion

    def view(self) -> View:
        """What there is to learn.

        With a machine, from two starts: one trusts the machine, one the votes. The better explanation wins.
        """
        if self._machine is None:
            return self._rounds(View(self._opinion, odds=_log_odds((self._yes > self._no).astype(np.float64))))
        ends = [self._rounds(start) for start in (self._with_cut(), View(self._opinion, slope=SLOPE))]
        return max(ends, key=self._explained)

    def _rounds(self, view: View) -> View:
        """Expectation-maximisation from a start."""
        for _ in range(ROUNDS):
            if self._machine is not None:
                view = self._with_slope(view)
            view = self._with_rates(view)
        return view

    def _explained(self, view: View) -> float:
        """How likely the votes are, and the clustering is to the machine, if clusters are what the view makes them."""
        together = self._near.together(self._weights(view, votes=True))
        _, _, explained = self._rates(together.astype(np.float64), slope=0.0)
        odds = view.machine_weight(self._x)
        return explained - float(np.logaddexp(0.0, np.where(together, -odds, odds)).sum())

    def _rates(self, likely: Floats, slope: float) -> tuple[VoteRates, VoteRates, float]:
        """The crowd's rates on pairs that are the same and that are not, and how well they explain the votes (log)."""
        least = LEAST_ALONE if self._machine is None else LEAST
        same, on_same = self._tallies.fit(likely, SAME, slope, least)
        different, on_different = self._tallies.fit(1.0 - likely, DIFFERENT, slope, least)
        return same, different, on_same + on_different

    def _with_cut(self) -> View:
        """The cut at which clustering by the machine alone explains the votes best, and the rates that go with it."""
        explained: list[float] = []
        together: list[Floats] = []
        for cut in CUTS.tolist():
            likely = self._near.together(self._weights(View(self._opinion, cut, SLOPE), votes=False)).astype(np.float64)
            explained.append(self._rates(likely, slope=0.0)[2])
            together.append(likely)
        worth = CUT_TRUST * np.array(explained) - 0.5 * (CUTS / CUT_SPREAD) ** 2
        share = np.exp(worth - worth.max())
        share /= share.sum()
        same, different, _ = self._rates(share @ np.array(together), slope=0.0)
        return View(self._opinion, float(share @ CUTS), SLOPE, same, different)

    def _with_slope(self, view: View) -> View:
        """How steep the machine is, and its cut a little moved, given what the votes say."""
        ours = self._asked < self._opinion.size
        x = self._x[ours]
        votes = self._vote_weight(view)[ours]
        level, slope = -view.slope * view.cut, view.slope
        centre = np.array([-SLOPE * view.cut, SLOPE])
        traits = np.column_stack((np.ones(x.size), x))
        for _ in range(5):
            likely = logistic(level + slope * x + votes)
            level, slope = fit_logistic(
                traits, likely, 1.0, np.zeros(x.size), centre, np.array([CUT_FIRMNESS, SLOPE_FIRMNESS])
            )[0].tolist()
        slope = max(slope, LEAST_SLOPE)
        return replace(view, cut=-level / slope, slope=slope)

    def _with_rates(self, view: View) -> View:
        """The crowd's and the workers' rates, given the clustering by votes and machine, and each pair's own odds."""
        weights = self._weights(view, votes=True)
        likely = 0.5 * self._near.together(weights) + 0.5 * logistic(weights[self._near.places])
        likely = np.where(np.isnan(self._known), likely, self._known)
        odds = _log_odds(likely) if self._machine is None else 0.0
        same, different, _ = self._rates(likely, RISE)
        workers = worker_rates(self._log, self._asked, likely) if self._by_worker else None
        return replace(view, same=same, different=different, workers=workers, odds=odds)

    def _weights(self, view: View, votes: bool) -> Floats:
        """The log-odds of all pairs around."""
        rows = self._near.rows
        weights = np.full(rows.size, view.odds)
        ours = rows < self._opinion.size
        weights[ours] = view.machine_weight(self._opinion[rows[ours]])
        if votes:
            weights[self._near.places] += self._vote_weight(view)
        return np.asarray(np.clip(weights, -MOST, MOST), np.float64)

    def _vote_weight(self, view: View) -> Floats:
        return view.vote_weight(self._log, self._asked, self._yes, self._no, self._x)


def _log_odds(likely: Floats) -> float:
    """How likely a pair that is asked is the same, where no machine says it, as log-odds.

    Even at the most, for every pair between two clusters brings these odds, and good odds would merge them without any
    votes; and not so bad that good votes on one pair cannot overcome them.
    """
    odds = np.log(likely.sum() + 1.0) - np.log((1.0 - likely).sum() + 1.0)
    return float(np.clip(odds, LEAST_ODDS, 0.0))
