"""Estimation of the parameters from votes: docs/model.md, "Estimation".

The crowd is one of a few typical ones, each weighed by how likely it is: so a crowd that does not exist cannot be
learned. The machine's calibration is found by expectation-maximisation. In both, a pair is judged by its cavity: by
what all evidence but its own votes says, given a clustering.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.evidence.constants import CONSTANTS
from askwise.evidence.machine import Machine
from askwise.evidence.model import Parameters, limited, prior_voters
from askwise.evidence.neighbourhood import Neighbourhood, cavity
from askwise.evidence.regression import Matrix, fit_logistic, logistic
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import counted_votes, vote_counts
from askwise.kernels.constraints import Values
from askwise.kernels.mixing import pair_hashes
from askwise.parallel import Parts

ROUNDS, FOLDS = 6, 4
"""Rounds of expectation-maximisation, and parts of the votes that are left out in turn when crowds are compared."""

_FOLDS = np.uint64(2)
_STEPS = 20
_UNLIKELY = 0.01  # relative to the likeliest crowd


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
        self._asked_listed: Bools = asked < lean.size
        if machine is not None:
            self._columns = self._design(machine)
        self._fold = pair_hashes(_FOLDS, left[asked], right[asked]) % np.uint64(FOLDS)
        self.likely: Floats = np.empty(0)
        self.own: Floats = np.zeros(asked.size)

    def _design(self, machine: Machine) -> Matrix:
        """The columns of the regression: listed, the machine's own odds, its traits, not listed."""
        rows, listed = self._asked[self._asked_listed], self._asked_listed
        columns = np.zeros((self._asked.size, machine.traits.shape[1] + 3))
        columns[listed, 0] = 1.0
        columns[listed, 1] = machine.lean[rows]
        columns[listed, 2:-1] = machine.traits[rows]
        columns[~listed, -1] = 1.0
        return columns

    def best(self, by_worker: bool) -> Parameters:
        """The parameters; `by_worker` says whether workers are told apart.

        What their votes count is found twice, with the prior of crowds: a spammer must not decide which crowd it is.
        `likely` is then how likely each asked pair is the same, and `own` how far its own votes moved the machine's
        log-odds of it.
        """
        if not by_worker:
            return self._estimated(choose=True)
        counts = np.empty(0)
        for _ in range(2):
            usual = self._estimated(choose=False)
            counts = vote_counts(self._log, self._asked, self.likely, usual.ratio)
            self._yes, self._no = counted_votes(self._log, self._asked, counts, sides=True)
        return replace(self._estimated(choose=True), counts=counts)

    def _estimated(self, choose: bool) -> Parameters:
        """The parameters with the votes as they count now; `choose` says whether crowds are weighed by them.

        Where there is a machine, its features tell which pairs are the same. Where there is none, only other votes do:
        so crowds are compared by how well the clusterings that they lead to predict votes that these have not seen.
        """
        parameters = Parameters()
        if self._machine is None:
            if choose:
                parameters = self._weighed(parameters, self._predicted)
            before = self._cavities(parameters)
            return self._with_likely(replace(parameters, merge=self._merge(parameters, before)), before)
        calibrated = self._calibrated(parameters, choose)
        return self._calibrated(replace(parameters, slope=0.0), choose) if self._refuted(calibrated) else calibrated

    def _calibrated(self, parameters: Parameters, choose: bool) -> Parameters:
        """The machine's calibration by expectation-maximisation; a slope of 0 stays 0."""
        self.own = np.zeros(self._asked.size)
        for _ in range(ROUNDS):
            before = self._cavities(parameters)
            if choose:
                parameters = self._weighed(parameters, partial(self._chance, before=before))
            parameters = self._with_machine(self._with_likely(parameters, before))
        return parameters

    def _refuted(self, parameters: Parameters) -> bool:
        """Whether the votes speak so clearly against the machine that even the same odds for all pairs explain more.

        Distances that were taken for similarities, for example.
        """
        odds = self._machine_weight(parameters)[self._near.places]
        same_for_all = limited(np.full(odds.size, self._merge(parameters, np.zeros(odds.size))))
        return self._chance(parameters, same_for_all) > self._chance(parameters, odds) + CONSTANTS.usual

    def _weighed(self, parameters: Parameters, chance: Callable[[Parameters], float]) -> Parameters:
        """The parameters with the posterior distribution over the typical crowds; unlikely ones are dropped."""
        every = prior_voters()

        def log_likelihood(at: int, _: int) -> float:
            alone = replace(parameters, voters=(every[at]._replace(weight=1.0),))
            return chance(alone) + float(np.log(every[at].weight))

        found = np.array(list(Parts().each("crowds", len(every), 1, log_likelihood)))
        weight = np.exp(found - found.max())
        kept = weight > _UNLIKELY
        weight /= weight[kept].sum()
        return replace(
            parameters, voters=tuple(every[at]._replace(weight=float(weight[at])) for at in np.flatnonzero(kept))
        )

    def _with_likely(self, parameters: Parameters, before: Floats) -> Parameters:
        """The expectation: how likely each pair is the same, by its cavity and its votes. Parameters do not change."""
        ratio = parameters.ratio(self._yes, self._no)
        self.likely = np.where(np.isnan(self._known), logistic(before + parameters.merge + ratio), self._known)
        return parameters

    def _chance(self, parameters: Parameters, before: Floats) -> float:
        """log P(votes), each pair being the same with the log-odds `before`."""
        same, different = parameters.log_chances(self._yes, self._no)
        same, different = same - np.logaddexp(0.0, -before), different - np.logaddexp(0.0, before)
        sure = np.where(self._known > 0.5, same, different)
        return float(np.where(np.isnan(self._known), np.logaddexp(same, different), sure).sum())

    def _predicted(self, parameters: Parameters) -> float:
        """log P(votes) by clusterings that have not seen them; there is no machine."""
        ratio, before = parameters.ratio(self._yes, self._no), np.zeros(self._asked.size)
        for fold in range(FOLDS):
            left_out = self._fold == np.uint64(fold)
            weight = np.zeros(self._near.rows.size)
            weight[self._near.places] = np.where(left_out, 0.0, ratio)
            before[left_out] = self._cavity(weight, ~left_out, left_out, np.zeros(ratio.size))
        return self._chance(parameters, before + self._merge(parameters, before))

    def _cavities(self, parameters: Parameters) -> Floats:
        """The cavities of all asked pairs."""
        ratio, every = parameters.ratio(self._yes, self._no), np.ones(self._asked.size, np.bool_)
        weight = self._machine_weight(parameters)
        weight[self._near.places] += ratio
        return self._cavity(weight, every, every, ratio)

    def _machine_weight(self, parameters: Parameters) -> Floats:
        """What the machine says of the pairs around; of asked ones without what their own votes taught it."""
        weight: Floats = np.zeros(self._near.rows.size)
        if self._machine is not None:
            rows = self._near.rows[self._listed]
            weight[self._listed] = parameters.odds_of(self._machine.lean[rows], self._machine.traits[rows])
            weight[~self._listed] = parameters.unlisted
            weight[self._near.places] -= self.own
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

    def _with_machine(self, parameters: Parameters) -> Parameters:
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
        found, self.own = fit_logistic(columns, self.likely, centre, precision)
        intercept, steeper, *weights, unlisted = found.tolist()
        slope *= float(np.exp(np.clip(steeper - 1.0, -1.0, 1.0)))
        return replace(parameters, intercept=intercept, slope=slope, traits=tuple(weights), unlisted=unlisted)
