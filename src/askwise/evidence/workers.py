"""Workers of different quality: how often each says YES to what is different, and NO to what is the same.

After Dawid and Skene 1979 (doi:10.2307/2346806), with two differences. What is the same is not only what the votes on a
pair say, but what the clustering says: transitivity corrects workers. And a worker is drawn towards the crowd's mean
(`worker_votes` of them), so that few votes say little; a new worker is the crowd's mean. A vote that is a probability
has the rates of the side that it is on, but says only in part what a whole one says.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Floats, Int32s
from askwise.evidence.constants import CONSTANTS
from askwise.evidence.regression import logistic
from askwise.evidence.votes import VoteLog

_SURE = 1e-12


@dataclass(frozen=True, slots=True)
class WorkerQuality:
    """What is known of a worker: `false_yes` is the chance of a YES where NO is right, `false_no` the other way."""

    worker: Hashable
    votes: int
    false_yes: float
    false_no: float


@dataclass(frozen=True)
class WorkerRates:
    """For each judge of a vote log, the chance of a YES on pairs that are the same, and on those that are not."""

    same: Floats
    different: Floats
    votes: Int32s
    crowd_same: float
    crowd_different: float

    @cached_property
    def _more(self) -> tuple[Floats, Floats]:
        """For each judge, how much more a YES and a NO say than those of an average worker, as log-odds."""
        yes = np.log(self.same / self.crowd_same) - np.log(self.different / self.crowd_different)
        no_same, no_different = 1.0 - self.same, 1.0 - self.different
        no = np.log(no_same / (1.0 - self.crowd_same)) - np.log(no_different / (1.0 - self.crowd_different))
        return yes, no

    def lean(self, log: VoteLog, rows: Int32s) -> Floats:
        """For each of some pairs, how much more (log-odds) its votes say than the same tally of average workers."""
        place, judge, label = log.standing(rows)
        known = judge < self.same.size
        place, judge, label = place[known], judge[known], label[known]
        yes, no = self._more
        says = label * yes[judge] + (1.0 - label) * no[judge]
        return np.asarray(np.bincount(place, says, rows.size), np.float64)


def worker_rates(log: VoteLog, rows: Int32s, same: Floats, yes: float = 0.0, no: float = 0.0) -> WorkerRates:
    """The rates of all judges by their votes on the pairs `rows`, of which `same` says how likely each is the same.

    `yes` and `no` are the log-likelihood ratios of a vote of an average worker: a vote is measured by what is likely
    without it, or it would confirm itself.
    """
    place, judge, said = log.standing(rows)
    says, judges = 0.5 + 0.5 * np.sign(said - 0.5), len(log.judges)
    inside = np.clip(same, _SURE, 1.0 - _SURE)
    own = (says * yes + (1.0 - says) * no) * alike_share(np.bincount(place, minlength=rows.size)[place])
    on_same = logistic((np.log(inside) - np.log1p(-inside))[place] - own)
    votes = np.bincount(judge, minlength=judges).astype(np.int32)
    shrinkage = CONSTANTS.worker_votes
    usual_same, usual_different = logistic(np.array([CONSTANTS.same, CONSTANTS.different])).tolist()

    def shares(weight: Floats, usual: float) -> tuple[Floats, float]:
        # As many imaginary votes, as crowds usually vote, for the crowd itself.
        # A sum and not a dot product: how that is divided among threads would show in its last digits.
        crowd = (float((weight * says).sum()) + shrinkage * usual) / (float(weight.sum()) + shrinkage)
        own = np.bincount(judge, weight * says, judges) + shrinkage * crowd
        return own / (np.bincount(judge, weight, judges) + shrinkage), crowd

    same_rates, crowd_same = shares(on_same, usual_same)
    different_rates, crowd_different = shares(1.0 - on_same, usual_different)
    return WorkerRates(same_rates, different_rates, votes, crowd_same, crowd_different)


def alike_share(votes: NDArray[Any]) -> Floats:
    """The weight of each of n votes on a pair, relative to a single vote: votes on a pair are alike."""
    alike = 0.5 * (CONSTANTS.same_alike + CONSTANTS.different_alike)
    return np.asarray((1.0 + alike) / (votes + alike), np.float64)


def worker_quality(log: VoteLog, rows: Int32s, same: Floats) -> list[WorkerQuality]:
    """The quality of all judges by their votes on the pairs `rows`; `same` says how likely each pair is the same."""
    rates = worker_rates(log, rows, same)
    columns = zip(log.judges, rates.votes.tolist(), rates.different.tolist(), rates.same.tolist(), strict=True)
    return [WorkerQuality(worker, votes, different, 1.0 - same) for worker, votes, different, same in columns]
