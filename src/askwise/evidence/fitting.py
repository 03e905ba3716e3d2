"""One fit of evidence that learns: from votes and a machine's view to a `View`; learned.py says how it works."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Singles
from askwise.blocking.parallel import Parts
from askwise.evidence.groups import deviations
from askwise.evidence.machine import MOST, Machine
from askwise.evidence.neighbourhood import Neighbourhood, as_one
from askwise.evidence.prior import EVEN, PriorOdds, Times
from askwise.evidence.rates import DIFFERENT, LEAST, LEAST_ALONE, SAME, Tallies, VoteRates
from askwise.evidence.regression import LEVEL_FIRMNESS, fit_logistic, logistic
from askwise.evidence.silence import silence
from askwise.evidence.view import Leaning, View
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import worker_rates
from askwise.kernels.mixing import pair_hashes

CUTS: Floats = np.arange(-1.5, 1.6, 0.5)
BESIDE: Floats = np.array([-0.25, 0.25])
"""Where the machine may be even, relative to its opinion: a start each, and two more beside the best of them."""

CUT_SPREAD, CUT_TRUST = 0.5, 0.25
"""How far the cut is likely to be from where it is expected; and what the votes on two entities count against that, or
those on a pair against a part of the machine's weight."""

SLOPE, SLOPE_FIRMNESS, CUT_FIRMNESS, LEAST_SLOPE = 1.5, 2.0, 5.0, 0.25
"""How steep a machine is before votes tell, how hard it is to move that and the cut, and the least it may come to."""

LEAN_FIRMNESS = 1.0
"""What votes have to overcome in the regression to change how far the machine's own order counts: hardly anything, but
for the pairs that speak for the machine."""

SAY = 0.02
"""What each of the machine's spokesmen counts in the regression, in votes, as if its own were what the machine expects.
So votes on doubtful pairs alone cannot move those of which the machine is sure."""

RISE = 0.3
"""How far the share of YES is likely to rise with the machine's view, in log-odds."""

SHARES, SHARE_FIRMNESS = (1.0, 0.5, 0.25), 1.0
"""What part of the machine's weight may count in a clustering, and how much less likely a part is than the whole, as a
power. A machine errs on many pairs of the same two entities at once; taken as independent, they outweigh the votes."""

ENOUGH = 2.5
"""With so many votes to a pair, they check each other. With fewer, a clustering is judged by votes that it did not
follow, what is said of a pair goes also by the votes on others, and by what is no candidate; and where no machine has
an opinion, what is learned goes by odds before votes as they are believed, not as they count."""

UNSURE = 2.0
"""With one vote to a pair, what speaks for one cut and against another (log) is divided by this."""

ROUNDS = 3
_MOST_SHIFT = 2.0
_HALVES = np.uint64(2)
_SHARE = 1 << 17


class _End(NamedTuple):
    """Where expectation-maximisation from a cut ends: a view, and the clusters of the asked pairs' records by it.

    `unaided` is which pairs would be together without their own votes.
    """

    start: float
    view: View
    left: Int32s
    right: Int32s
    unaided: Bools

    @property
    def together(self) -> Bools:
        """Whether the two records of each pair are in one cluster."""
        return np.asarray(self.left == self.right, np.bool_)


class Fit:
    """The pairs with votes, `asked`, and what is `known` of them for certain (1, 0, NaN); votes count by their side.

    `traits` are of their company, where no machine has an opinion; else there are none.
    """

    def __init__(
        self,
        machine: Machine | None,
        log: VoteLog,
        left: Int32s,
        right: Int32s,
        asked: Int32s,
        known: Floats,
        by_worker: bool,
        traits: Singles,
    ) -> None:
        self._machine, self._log, self._asked, self._known, self._by_worker = machine, log, asked, known, by_worker
        self._traits = traits
        self._yes, self._no = log.sides(asked)
        self._single = max(ENOUGH - float(np.mean(self._yes + self._no)), 0.0) / (ENOUGH - 1.0)
        self._leaning: Leaning | None = None
        self._opinion = np.empty(0) if machine is None else self._opinions(machine)
        self._expected = 0.0 if machine is None else 0.5 * _moved(machine, self._opinion)
        count = self._opinion.size
        self._near = Neighbourhood(left, right, asked, self._opinion)
        self._ours = self._near.rows < count
        self._around: Floats = self._opinion[self._near.rows[self._ours]]
        if machine is not None and self._single > 0.0:
            self._around += self._single * self._deviations()
            self._opinion[self._near.rows[self._ours]] = self._around
        self._x: Floats = np.zeros(asked.size)
        self._x[asked < count] = self._opinion[asked[asked < count]]
        self._tallies = Tallies(self._yes, self._no, self._x)
        self._times = Times(log, asked, self._yes, self._no, traits, self._single) if machine is None else None
        self._half: Bools = pair_hashes(_HALVES, left[asked], right[asked]) % np.uint64(2) == 0

    def _opinions(self, machine: Machine) -> Floats:
        """The share of YES to expect of each of the machine's pairs, as log-odds, its own votes left out."""
        firmness = np.concatenate(([LEVEL_FIRMNESS, LEAN_FIRMNESS], machine.firmness))
        ours = self._asked < len(machine)
        voted, (share, told) = self._asked[ours], self._shares(ours)
        spokesmen = machine.spokesmen
        rows = np.concatenate((voted, spokesmen))
        share = np.concatenate((share, logistic(machine.lean[spokesmen])))
        weight = np.concatenate((told, np.full(spokesmen.size, SAY)))
        lead = (machine.lean[rows] - machine.mean) / machine.spread
        traits = np.column_stack((np.ones(rows.size), lead, machine.traits[rows])).astype(np.float64)
        b, own = fit_logistic(traits, share, weight, machine.lean[rows], np.zeros(firmness.size), firmness)
        level, rise, *counts = b.tolist()
        leaning = self._leaning = Leaning(level, rise, machine.mean, machine.spread, tuple(counts))
        opinion: Floats = np.empty(len(machine))

        def some(first: int, last: int) -> None:
            opinion[first:last] = leaning.opinion(machine.lean[first:last], machine.traits[first:last])

        Parts().all("opinions", len(machine), _SHARE, some)
        opinion[voted] -= np.clip(own[: voted.size], -_MOST_SHIFT, _MOST_SHIFT)
        return opinion

    def _shares(self, of: Bools) -> tuple[Floats, Floats]:
        """The share of YES on some of the asked pairs, and how many votes that counts: votes on a pair are alike."""
        votes = (self._yes + self._no)[of]
        return self._yes[of] / votes, votes * (1.0 + LEAST) / (votes + LEAST)

    def _deviations(self) -> Floats:
        """How far the machine's pairs around are off, by the votes on others of the same two groups of look-alikes.

        Nothing is said of any pair that has votes, though it be none of those that this fit looks at.
        """
        near, ours = self._near, self._asked < self._opinion.size
        left, right = near.clusters(self._weights(View(self._opinion, CUTS[-1], SLOPE), votes=False))
        opinion = self._opinion[self._asked[ours]]
        said = deviations(left, right, near.places[ours], opinion, *self._shares(ours))
        said[np.isin(near.rows, self._log.voted())] = 0.0
        return said[self._ours]

    def view(self) -> View:
        """What there is to learn: with a machine, from several starts, and the best explanation wins."""
        machine = self._machine
        if machine is None:
            for_it = self._yes > self._no
            return self._rounds(View(self._opinion, odds=self._odds(for_it.astype(np.float64), for_it)))
        ends = self._ends(CUTS)
        likely = min(ends, key=lambda end: abs(end.view.cut - self._expected))
        counts = as_one(likely.left, likely.right)

        worth = self._worth(ends, counts)
        more = self._ends(ends[int(np.argmax(worth))].start + BESIDE)
        chosen = self._chosen(ends + more, np.concatenate((worth, self._worth(more, counts))))
        return self._silenced(self._tempered(chosen.view))

    def _worth(self, ends: list[_End], counts: Floats) -> Floats:
        """How likely each of some ends is (log), by what it explains and where its cut is expected."""
        explained = np.array([self._explained(end, counts) for end in ends])
        off = np.array([end.view.cut - self._expected for end in ends])
        return CUT_TRUST * explained - 0.5 * (off / CUT_SPREAD) ** 2

    def _chosen(self, ends: list[_End], worth: Floats) -> _End:
        """The end that is worth most. Where pairs have few votes, one in the middle of those worth nearly as much."""
        if self._single == 0.0:
            return ends[int(np.argmax(worth))]
        even = slice(CUTS.size)  # starts at even distances
        middle = mean_cut(np.array([end.view.cut for end in ends[even]]), worth[even], UNSURE * self._single)
        return min(ends, key=lambda end: abs(end.view.cut - middle))

    def _ends(self, cuts: Floats) -> list[_End]:
        """Where expectation-maximisation ends from each of some cuts."""

        def end(at: int, _: int) -> _End:
            view, near = self._rounds(self._start(float(cuts[at]))), self._near
            weights = self._weights(view, votes=True)
            left, right = near.clusters(weights)
            ends = left[near.places], right[near.places]
            alone = self._single > 0.0
            unaided = near.unaided(left, right, weights, self._vote_weight(view)) if alone else ends[0] == ends[1]
            return _End(float(cuts[at]), view, *ends, unaided)

        return list(Parts().each("starts", cuts.size, 1, end))

    def _tempered(self, view: View) -> View:
        """The view with that part of the machine's weight by which clusterings foretell votes best."""

        def worth(share: float) -> float:
            foretold = self._foretold(replace(view, share=share))
            return CUT_TRUST * foretold + SHARE_FIRMNESS * float(np.log(share))

        return replace(view, share=max(SHARES, key=worth))

    def _silenced(self, view: View) -> View:
        """The view with what is no candidate, where pairs have few votes."""
        if self._single == 0.0:
            return view
        said: Floats = np.zeros(self._opinion.size)
        found = silence(self._near, self._weights(view, votes=True), self._single)
        said[self._near.rows[self._ours]] = found[self._ours]
        return replace(view, silence=said)

    def _rounds(self, view: View) -> View:
        """Expectation-maximisation from a start."""
        for _ in range(ROUNDS):
            if self._machine is not None:
                view = self._with_slope(view)
            view = self._with_rates(view)
        return view

    def _explained(self, end: _End, counts: Floats) -> float:
        """How likely the votes are, and the clustering is to the machine; each pair of records counts so much.

        Where pairs have one vote, a clustering can follow each vote and explain them all. So far as that is so, it is
        asked how likely the votes on a pair are by what would be without them, and what in it contradicts the machine.
        """
        odds = end.view.machine_weight(self._x)
        _, _, explained = self._rates(end.together.astype(np.float64), 0.0, counts)
        explained -= float(counts @ np.logaddexp(0.0, np.where(end.together, -odds, odds)))
        if self._single == 0.0:
            return explained
        _, _, unaided = self._rates(end.unaided.astype(np.float64), 0.0, counts)
        unaided -= float(counts @ np.maximum(np.where(end.unaided, -odds, odds), 0.0))
        return (1.0 - self._single) * explained + self._single * unaided

    def _foretold(self, view: View) -> float:
        """How well clusterings with half of the votes explain the other half."""
        machine, votes = self._weights(view, votes=False), self._vote_weight(view)
        together: Bools = np.zeros(self._asked.size, np.bool_)
        for seen in (self._half, ~self._half):
            weights = machine.copy()
            weights[self._near.places[seen]] += votes[seen]
            together[~seen] = self._near.together(np.clip(weights, -MOST, MOST))[~seen]
        return self._rates(together.astype(np.float64), slope=0.0)[2]

    def _rates(self, likely: Floats, slope: float, counts: Floats | float = 1.0) -> tuple[VoteRates, VoteRates, float]:
        """The crowd's rates on pairs that are the same and that are not, and how well they explain the votes (log)."""
        least = LEAST_ALONE if self._machine is None else LEAST
        same, on_same = self._tallies.fit(counts * likely, SAME, slope, least)
        different, on_different = self._tallies.fit(counts * (1.0 - likely), DIFFERENT, slope, least)
        return same, different, on_same + on_different

    def _start(self, cut: float) -> View:
        """The rates that go with clustering by the machine alone, for a cut."""
        view = View(self._opinion, cut, SLOPE, leaning=self._leaning)
        together = self._near.together(self._weights(view, votes=False)).astype(np.float64)
        same, different, _ = self._rates(together, slope=0.0)
        return replace(view, same=same, different=different)

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
                traits, likely, np.ones(x.size), np.zeros(x.size), centre, np.array([CUT_FIRMNESS, SLOPE_FIRMNESS])
            )[0].tolist()
        slope = max(slope, LEAST_SLOPE)
        return replace(view, cut=-level / slope, slope=slope)

    def _with_rates(self, view: View) -> View:
        """The crowd's and the workers' rates, given the clustering by votes and machine, and each pair's own odds."""
        weights = self._weights(view, votes=True)
        together, own = self._near.together(weights), weights[self._near.places]
        if self._machine is None and self._single > 0.0:
            pairs = self._log, self._asked, self._traits
            own += self._single * (view.odds.believed(*pairs) - view.odds.of(*pairs))
        likely = 0.5 * together + 0.5 * logistic(own)
        likely = np.where(np.isnan(self._known), likely, self._known)
        same, different, _ = self._rates(likely, RISE)
        workers = worker_rates(self._log, self._asked, likely) if self._by_worker else None
        return replace(view, same=same, different=different, workers=workers, odds=self._odds(likely, together))

    def _odds(self, likely: Floats, together: Bools) -> PriorOdds:
        """The odds before votes of pairs of which no machine has an opinion; even where there is one."""
        return EVEN if self._times is None else self._times.odds(likely, together)

    def _weights(self, view: View, votes: bool) -> Floats:
        """The log-odds of all pairs around."""
        weights: Floats = np.zeros(self._ours.size)
        others = self._asked >= self._opinion.size
        weights[self._near.places[others]] = view.odds.of(self._log, self._asked[others], self._traits[others])
        weights[self._ours] = view.machine_weight(self._around)
        if votes:
            weights[self._near.places] += self._vote_weight(view)
        return np.asarray(np.clip(weights, -MOST, MOST), np.float64)

    def _vote_weight(self, view: View) -> Floats:
        return view.vote_weight(self._log, self._asked, self._yes, self._no, self._x)


def mean_cut(cuts: Floats, worth: Floats, doubt: float) -> float:
    """The mean of some cuts, each as likely as what it is worth (log) divided by the doubt makes it."""
    likely = np.exp((worth - worth.max()) / doubt)
    return float(likely @ cuts / likely.sum())


def _moved(machine: Machine, opinion: Floats) -> float:
    """How far the votes have moved the pairs of which the machine was of two minds.

    Where the machine was even and where half of the votes are YES are two guesses at where pairs begin to be the same;
    this is what lies between them.
    """
    return float(np.mean(opinion[machine.doubtful] - machine.lean[machine.doubtful]))
