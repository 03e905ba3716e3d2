"""Estimation of the parameters from votes: docs/model.md, "Estimation".

Expectation-maximisation from several starts. The expectation of a pair goes by its votes and by its cavity: what all
other evidence says, given a clustering. The usual rates of crowds, never changed, are one of the hypotheses. The
hypothesis that predicts votes best that it has not seen is kept.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.blocking.parallel import Parts
from askwise.evidence.constants import CONSTANTS
from askwise.evidence.machine import Machine
from askwise.evidence.model import Parameters, limited
from askwise.evidence.neighbourhood import Neighbourhood, cavity
from askwise.evidence.regression import Matrix, fit_logistic, logistic
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import worker_rates
from askwise.kernels.mixing import pair_hashes
from askwise.kernels.rates import best_level

ROUNDS, INNER, FOLDS = 6, 3, 4
"""Rounds of expectation-maximisation, steps in each with the same clustering, and parts of the votes that are left out
in turn when hypotheses are compared."""

_FOLDS = np.uint64(2)
_PARTS = 2  # of a vote: one that is even is half a YES and half a NO
_MOST = 1000 * _PARTS
_STEPS = 20


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
        by_worker: bool,
    ) -> None:
        self._machine, self._log, self._asked, self._known, self._by_worker = machine, log, asked, known, by_worker
        self._yes, self._no = log.sides(asked)
        lean = np.empty(0) if machine is None else machine.lean
        self._near = Neighbourhood(left, right, asked, lean)
        self._listed: Bools = self._near.rows < lean.size
        self._asked_listed: Bools = asked < lean.size
        if machine is not None:
            self._columns = self._design(machine)
        self._fold = pair_hashes(_FOLDS, left[asked], right[asked]) % np.uint64(FOLDS)
        ayes, noes = (np.minimum(_PARTS * side, _MOST - 1).astype(np.int64) for side in (self._yes, self._no))
        kinds, self._kind = np.unique(ayes * _MOST + noes, return_inverse=True)
        self._kinds_yes: Floats = kinds // _MOST / _PARTS
        self._kinds_no: Floats = kinds % _MOST / _PARTS
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

    def best(self) -> Parameters:
        """The parameters of the best hypothesis.

        `likely` is then how likely each asked pair is the same, and `own` how far its own votes moved the machine's
        log-odds of it.
        """
        usual = replace(Parameters.usual(), intercept=CONSTANTS.start_intercept)
        starts = [(usual, True)]
        if self._machine is None:  # nothing but other votes tells which pairs are the same, and so the rates
            starts += [
                (usual, False),
                (replace(usual, same=CONSTANTS.start_same), True),
                (replace(usual, different=CONSTANTS.start_different), True),
            ]

        def end(at: int, _: int) -> tuple[float, Parameters, Floats, Floats]:
            start, rates = starts[at]
            found, likely, own = self._rounds(start, rates)
            if self._machine is not None and found.same - found.different < CONSTANTS.least_ratio:
                found, likely, own = self._rounds(usual, False)
            return self._predicted(found) if len(starts) > 1 else 0.0, found, likely, own

        ends = list(Parts().each("hypotheses", len(starts), 1, end))
        _, parameters, self.likely, self.own = max(ends, key=lambda one: one[0])
        if self._by_worker:
            workers = worker_rates(self._log, self._asked, self.likely, *parameters.single_votes)
            parameters = replace(parameters, workers=workers)
        return parameters

    def _rounds(self, parameters: Parameters, rates: bool) -> tuple[Parameters, Floats, Floats]:
        """Expectation-maximisation from a start; `rates` says whether rates are learned, or only the machine."""
        likely, own, every = np.empty(0), np.zeros(self._asked.size), np.ones(self._asked.size, np.bool_)
        for _ in range(ROUNDS):
            votes = self._ratio(parameters)
            weight = self._machine_weight(parameters, own)
            weight[self._near.places] += votes
            before = self._cavity(weight, every, every, votes)
            parameters = replace(parameters, merge=self._merge(parameters, before, votes))
            prior = before + parameters.merge if self._machine is None else before
            for _ in range(INNER):
                votes = self._ratio(parameters)
                likely = np.where(np.isnan(self._known), logistic(prior + votes), self._known)
                if rates:
                    parameters = self._with_rates(parameters, likely)
            parameters, own = self._with_machine(parameters, likely)
        return parameters, likely, own

    def _ratio(self, parameters: Parameters) -> Floats:
        """The log-likelihood ratios of the votes, as if all workers were alike."""
        same, different = parameters.log_chances(self._yes, self._no)
        return same - different

    def _machine_weight(self, parameters: Parameters, own: Floats) -> Floats:
        """What the machine says of the pairs around; of asked ones without what their own votes taught it."""
        weight: Floats = np.zeros(self._near.rows.size)
        if self._machine is not None:
            rows = self._near.rows[self._listed]
            weight[self._listed] = parameters.odds_of(self._machine.lean[rows], self._machine.traits[rows])
            weight[~self._listed] = parameters.unlisted
            weight[self._near.places] -= own
        return limited(weight)

    def _cavity(self, weight: Floats, seen: Bools, of: Bools, own: Floats) -> Floats:
        """The cavities of some asked pairs (`of`), given the weights of all pairs and which asked ones are `seen`."""
        near = self._near
        counts = np.ones(weight.size, np.bool_)
        alone: Bools = np.zeros(int(of.sum()), np.bool_)
        if self._machine is None:
            counts[near.places] = seen
            alone = seen[of]
        labels, places = near.labels(weight), near.places[of]
        return cavity(near.left, near.right, labels, weight, counts, places, own[of], alone, CONSTANTS.correlation)

    def _merge(self, parameters: Parameters, others: Floats, votes: Floats) -> float:
        """The odds before votes that fit what cavity and votes say; with a machine, its intercept has that role."""
        merge = parameters.merge
        if self._machine is not None:
            return merge
        for _ in range(_STEPS):
            before, after = logistic(others + merge), logistic(others + merge + votes)
            slope = float((after - before).sum()) - CONSTANTS.merge_precision * (merge - CONSTANTS.merge)
            curve = float((before * (1.0 - before)).sum()) + CONSTANTS.merge_precision
            merge = min(merge + float(np.clip(slope / curve, -1.0, 1.0)), 0.0)
        return merge

    def _with_rates(self, parameters: Parameters, likely: Floats) -> Parameters:
        """The crowd's rates with the highest posterior, given how likely each pair is the same."""

        def level(weight: Floats, alike: float, usual: float) -> float:
            kinds = np.bincount(self._kind, weight, self._kinds_yes.size).astype(np.float64)
            return best_level(self._kinds_yes, self._kinds_no, kinds, alike, usual, CONSTANTS.rate_sd)

        same = level(likely, CONSTANTS.same_alike, CONSTANTS.same)
        return replace(
            parameters, same=same, different=level(1.0 - likely, CONSTANTS.different_alike, CONSTANTS.different)
        )

    def _with_machine(self, parameters: Parameters, likely: Floats) -> tuple[Parameters, Floats]:
        """The weights of the machine, by ridge regression on how likely each pair is the same."""
        if self._machine is None:
            return parameters, np.zeros(self._asked.size)
        traits = self._machine.traits.shape[1]
        usual = [0.0, 1.0, *[0.0] * traits, CONSTANTS.unlisted]
        firm, trait = CONSTANTS.intercept_precision, CONSTANTS.trait_precision
        precision = np.array([firm, CONSTANTS.slope_precision, *[trait] * traits, firm])
        found, own = fit_logistic(self._columns, likely, np.array(usual), precision)
        intercept, slope, *weights, unlisted = found.tolist()
        parameters = replace(parameters, intercept=intercept, slope=slope, traits=tuple(weights), unlisted=unlisted)
        return parameters, own

    def _predicted(self, parameters: Parameters) -> float:
        """How likely votes are by clusterings that have not seen them (log), and the rates by their priors.

        Only hypotheses without a machine are compared.
        """
        votes, others = self._ratio(parameters), np.zeros(self._asked.size)
        for fold in range(FOLDS):
            left_out = self._fold == np.uint64(fold)
            weight = np.zeros(self._near.rows.size)
            weight[self._near.places] = np.where(left_out, 0.0, votes)
            others[left_out] = self._cavity(weight, ~left_out, left_out, np.zeros(votes.size))
        others += self._merge(parameters, others, votes)
        same, different = parameters.log_chances(self._yes, self._no)
        same, different = same - np.logaddexp(0.0, -others), different - np.logaddexp(0.0, others)
        predicted = np.where(
            np.isnan(self._known), np.logaddexp(same, different), np.where(self._known > 0.5, same, different)
        )
        off = np.array([parameters.same - CONSTANTS.same, parameters.different - CONSTANTS.different])
        return float(predicted.sum()) - 0.5 * float((off**2).sum()) / CONSTANTS.rate_sd**2
