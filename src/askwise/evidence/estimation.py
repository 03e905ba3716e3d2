"""Estimation of the parameters from votes: docs/model.md, "Estimation".

The crowd is one of a few typical ones, each weighed by how likely it is: so a crowd that does not exist cannot be
learned. The machine's calibration is found by expectation-maximisation. In both, a pair is judged by its cavity: by
what all evidence but its own votes says, given a clustering.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.evidence.constants import CONSTANTS
from askwise.evidence.machine import Machine
from askwise.evidence.model import Parameters, limited, prior_voters, weighed
from askwise.evidence.neighbourhood import Neighbourhood, cavity
from askwise.evidence.regression import Matrix, fit_logistic, logistic
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import counted_votes, vote_counts
from askwise.kernels.constraints import Values
from askwise.kernels.mixing import pair_hashes
from askwise.parallel import Parts

ROUNDS, COMPARED, FOLDS = 6, 2, 4
"""Rounds of expectation-maximisation, and of those by which crowds are compared; where there is no machine, parts of
the votes that are left out in turn for that."""

_FOLDS = np.uint64(2)
_STEPS = 20


class Fit(NamedTuple):
    """Parameters, and what they say of the pairs with votes.

    `likely` is how likely each is the same, and `own` how far its own votes moved the machine's log-odds of it.
    """

    parameters: Parameters
    likely: Floats
    own: Floats


class Estimation:
    """The pairs with votes, `asked`, and what is `known` of them for certain (1, 0, NaN); votes count by their side."""

    def __init__(
        self,
        machine: Machine | None,
        log: VoteLog,
        left: Int32s,
        right: Int32s,
        asked: Int32s,
        known: Floats,
        values: Values | None = None,
    ) -> None:
        self._machine, self._log, self._asked, self._known = machine, log, asked, known
        self._yes, self._no = log.sides(asked)
        lean = np.empty(0) if machine is None else machine.lean
        self._near = Neighbourhood(left, right, asked, lean, values)
        self._listed: Bools = self._near.rows < lean.size
        if machine is not None:
            self._columns = self._design(machine)
        self._fold = pair_hashes(_FOLDS, left[asked], right[asked]) % np.uint64(FOLDS)

    def _design(self, machine: Machine) -> Matrix:
        """The columns of the regression: listed, the machine's own odds, its traits, not listed."""
        listed = self._asked < machine.lean.size
        rows = self._asked[listed]
        columns = np.zeros((self._asked.size, machine.traits.shape[1] + 3))
        columns[listed, 0] = 1.0
        columns[listed, 1] = machine.lean[rows]
        columns[listed, 2:-1] = machine.traits[rows]
        columns[~listed, -1] = 1.0
        return columns

    def best(self, by_worker: bool) -> Fit:
        """The estimate; `by_worker` says whether workers are told apart.

        What their votes count is found twice, with the prior of crowds: a spammer must not decide which crowd it is.
        """
        if not by_worker:
            return self._estimated(choose=True)
        counts = np.empty(0)
        for _ in range(2):
            usual = self._estimated(choose=False)
            counts = vote_counts(self._log, self._asked, usual.likely, usual.parameters.ratio)
            self._yes, self._no = counted_votes(self._log, self._asked, counts, sides=True)
        found = self._estimated(choose=True)
        return found._replace(parameters=replace(found.parameters, counts=counts))

    def _estimated(self, choose: bool) -> Fit:
        """The estimate with the votes as they count now; `choose` says whether crowds are weighed by them."""
        found = self._from(Parameters(), choose)
        if self._machine is None or not self._refuted(found):
            return found
        return self._from(Parameters(slope=0.0), choose)

    def _from(self, start: Parameters, choose: bool) -> Fit:
        return self._fitted(self._weighed(start) if choose else start, ROUNDS)

    def _fitted(self, parameters: Parameters, rounds: int) -> Fit:
        """The machine's calibration by expectation-maximisation, or π where there is none; the crowd stays.

        A slope of 0 stays 0.
        """
        fit = Fit(parameters, np.empty(0), np.zeros(self._asked.size))
        if self._machine is None:
            before = self._cavities(fit)
            parameters = replace(parameters, merge=self._merge(parameters, before))
            return fit._replace(parameters=parameters, likely=self._likely(parameters, before))
        for _ in range(rounds):
            fit = self._calibrated(fit.parameters, self._likely(fit.parameters, self._cavities(fit)))
        return fit

    def _refuted(self, fit: Fit) -> bool:
        """Whether the votes speak so clearly against the machine's order that without it they are explained better.

        Distances that were taken for similarities, for example. A wrong threshold refutes no order: so both sides have
        a free one.
        """
        odds = self._machine_weight(fit)[self._near.places]

        def explained(order: Floats) -> float:
            return self._log_likelihood(fit.parameters, limited(order + self._merge(fit.parameters, order)))

        return explained(np.zeros(odds.size)) > explained(odds) + CONSTANTS.usual

    def _weighed(self, start: Parameters) -> Parameters:
        """The parameters with the posterior distribution over the typical crowds; unlikely ones are dropped.

        Each crowd is judged by what the votes would teach if it were the one.
        """
        every = prior_voters()
        crowds = [tuple(one for one in every if one.crowd == crowd) for crowd in CONSTANTS.crowds]

        def log_likelihoods(at: int, _: int) -> list[float]:
            judged, before = self._judged(replace(start, voters=weighed(crowds[at], np.ones(len(crowds[at])))))
            alone = [replace(judged, voters=(one._replace(weight=1.0),)) for one in crowds[at]]
            return [self._log_likelihood(one, before) for one in alone]

        found = np.array(
            [value for values in Parts().each("crowds", len(crowds), 1, log_likelihoods) for value in values]
        )
        return replace(start, voters=weighed(every, np.exp(found - found.max())))

    def _likely(self, parameters: Parameters, before: Floats) -> Floats:
        """The expectation: how likely each pair is the same, by its cavity and its votes."""
        ratio = parameters.ratio(self._yes, self._no)
        return np.where(np.isnan(self._known), logistic(before + parameters.merge + ratio), self._known)

    def _log_likelihood(self, parameters: Parameters, before: Floats) -> float:
        """log P(votes), each pair being the same with the log-odds `before`."""
        same, different = parameters.log_chances(self._yes, self._no)
        same, different = same - np.logaddexp(0.0, -before), different - np.logaddexp(0.0, before)
        sure = np.where(self._known > 0.5, same, different)
        return float(np.where(np.isnan(self._known), np.logaddexp(same, different), sure).sum())

    def _judged(self, parameters: Parameters) -> tuple[Parameters, Floats]:
        """The machine as a crowd would calibrate it, and the log-odds that each pair is the same without its own votes.

        Where there is no machine, only other votes tell pairs apart: so clusterings predict votes that they have not
        seen.
        """
        if self._machine is not None:
            fit = self._fitted(parameters, COMPARED)
            return fit.parameters, self._cavities(fit)
        ratio, before = parameters.ratio(self._yes, self._no), np.zeros(self._asked.size)
        for fold in range(FOLDS):
            left_out = self._fold == np.uint64(fold)
            weight = np.zeros(self._near.rows.size)
            weight[self._near.places] = np.where(left_out, 0.0, ratio)
            before[left_out] = self._cavity(weight, ~left_out, left_out, np.zeros(ratio.size))
        return parameters, before + self._merge(parameters, before)

    def _cavities(self, fit: Fit) -> Floats:
        """The cavities of all asked pairs."""
        ratio, every = fit.parameters.ratio(self._yes, self._no), np.ones(self._asked.size, np.bool_)
        weight = self._machine_weight(fit)
        weight[self._near.places] += ratio
        return self._cavity(weight, every, every, ratio)

    def _machine_weight(self, fit: Fit) -> Floats:
        """What the machine says of the pairs around; of asked ones without what their own votes taught it."""
        parameters, weight = fit.parameters, np.zeros(self._near.rows.size)
        if self._machine is not None:
            rows = self._near.rows[self._listed]
            weight[self._listed] = parameters.odds_of(self._machine.lean[rows], self._machine.traits[rows])
            weight[~self._listed] = parameters.unlisted
            weight[self._near.places] -= fit.own
        return limited(weight)

    def _cavity(self, weight: Floats, seen: Bools, of: Bools, own: Floats) -> Floats:
        """The cavities of some asked pairs (`of`), given the weights of all pairs and which asked ones are `seen`.

        All pairs make the clustering. But only those that are seen count in a cavity: what the machine says of others
        is what is to be learned, and would confirm itself.
        """
        near = self._near
        counts = np.zeros(weight.size, np.bool_)
        counts[near.places] = seen
        alone = seen[of] & (self._machine is None)
        labels, places, heard = near.labels(weight), near.places[of], np.where(counts, weight, 0.0)
        return cavity(near.left, near.right, labels, heard, counts, places, own[of], alone, CONSTANTS.correlation)

    def _merge(self, parameters: Parameters, before: Floats) -> float:
        """The log-odds before votes, at most even, that make votes likeliest; a machine has its intercept for that."""
        merge, ratio = 0.0, parameters.ratio(self._yes, self._no)
        for _ in range(_STEPS):
            prior, posterior = logistic(before + merge), logistic(before + merge + ratio)
            slope = float((posterior - prior).sum()) - CONSTANTS.trait_precision * merge
            curve = float((prior * (1.0 - prior)).sum()) + CONSTANTS.trait_precision
            merge = min(merge + float(np.clip(slope / curve, -1.0, 1.0)), 0.0)
        return merge

    def _calibrated(self, parameters: Parameters, likely: Floats) -> Fit:
        """The machine's calibration, by ridge regression on how likely each pair is the same.

        The machine's own scale is the standard deviation of its log-odds, and all priors are relative to it. The
        threshold -intercept / slope is near 0: where the machine says even is not far from even. The slope is near 1,
        and log-normal: a high score never counts against a pair, and a few answers on pairs in doubt cannot make it
        worthless. All traits together may move a pair by about as much as the machine's log-odds vary.
        """
        assert self._machine is not None
        machine, slope = self._machine, parameters.slope
        traits, spread, tails = machine.traits.shape[1], machine.spread, machine.tails
        columns, scale = self._columns.copy(), slope or 1.0
        columns[:, 1] *= slope  # what a change of the slope's logarithm changes
        centre = np.array([0.0, 1.0 - np.log(scale), *[0.0] * traits, -CONSTANTS.machine_limit])
        threshold = CONSTANTS.threshold_precision / (scale * spread) ** 2
        each = CONSTANTS.trait_precision * traits * tails / spread**2
        precision = np.array([threshold, CONSTANTS.slope_precision, *each, CONSTANTS.trait_precision])
        weights, own = fit_logistic(columns, likely, centre, precision)
        intercept, steeper, *of_traits, unlisted = weights.tolist()
        slope *= float(np.exp(np.clip(steeper - 1.0, -1.0, 1.0)))
        found = replace(parameters, intercept=intercept, slope=slope, traits=tuple(of_traits), unlisted=unlisted)
        return Fit(found, likely, own)
