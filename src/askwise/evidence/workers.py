"""Workers of different quality: how much a vote of each of them counts.

A worker's rates of YES, on pairs that are the same and on pairs that are not, are compared with what the crowd would
have said to the same pairs. A vote counts in proportion to the difference between the two rates (Youden's index),
relative to the mean over all votes, each as far as it counts; at most as one vote. So one who always says YES, or
always NO, counts nothing, and one who says the opposite counts against. Rates are drawn towards the crowd's by
`worker_votes` votes, so that a new worker counts like the others.

What is likely of a pair goes by all other evidence, which includes that same is transitive (unlike Dawid and Skene
1979, doi:10.2307/2346806). And what was to be expected goes by the other votes on the same pair: who was asked about
easy pairs only is not taken for an expert.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.constants import CONSTANTS, Crowd
from askwise.evidence.regression import log_odds, logistic
from askwise.evidence.votes import VoteLog

_SURE = 1e-12


@dataclass(frozen=True, slots=True)
class WorkerQuality:
    """What is known of a worker: `false_yes` is the chance of a YES where NO is right, `false_no` the other way."""

    worker: Hashable
    votes: int
    false_yes: float
    false_no: float


def _sides(label: Floats) -> Floats:
    """Votes as YES (1) or NO (0); one that is even is half of either."""
    return 0.5 + 0.5 * np.sign(label - 0.5)


def counted_votes(log: VoteLog, rows: Int32s, counts: Floats, sides: bool = False) -> tuple[Floats, Floats]:
    """How much YES and NO there is on some pairs, if a vote of each judge counts that much; one below 0 is turned.

    With `sides`, a vote that is a probability is a YES or a NO. Judges who are not known yet count as one.
    """
    place, judge, label = log.standing(rows)
    says = _sides(label) if sides else label
    count = np.ones(judge.size)
    known = judge < counts.size
    count[known] = counts[judge[known]]
    says = np.where(count < 0.0, 1.0 - says, says)
    yes = np.bincount(place, np.abs(count) * says, rows.size)
    no = np.bincount(place, np.abs(count) * (1.0 - says), rows.size)
    return yes.astype(np.float64), no.astype(np.float64)


def vote_counts(log: VoteLog, rows: Int32s, likely: Floats, crowd: Crowd, alike: float) -> Floats:
    """For each judge, from -1 to 1, how much a vote counts.

    `likely` says how likely each of the pairs `rows` is the same by all votes, `alike` is their concentration. A vote
    is measured by what is likely without it, or it would confirm itself; and compared with what the crowd says to pairs
    that are so likely the same. Where votes tell nothing on the whole, what they are measured by is wrong: all count as
    one.
    """
    place, judge, label = log.standing(rows)
    says, judges = _sides(label), len(log.judges)
    number = np.bincount(place, minlength=rows.size)[place]
    others_yes = np.bincount(place, says, rows.size)[place] - says
    same, different = (np.full(1, rate) for rate in crowd)
    yes, no = np.log(same / different), np.log((1.0 - same) / (1.0 - different))
    own = (says * yes + (1.0 - says) * no) * (1.0 + alike) / (number + alike)
    on_same = logistic(log_odds(np.clip(likely, _SURE, 1.0 - _SURE))[place] - own)

    def to_expect(rate: float) -> Floats:
        return (alike * rate + others_yes) / (alike + number - 1.0)

    expected = on_same * to_expect(crowd.same) + (1.0 - on_same) * to_expect(crowd.different)

    def rates(weight: Floats, usual: float) -> Floats:
        total = np.bincount(judge, weight, judges) + CONSTANTS.worker_votes

        def shrunken(yes: Floats) -> Floats:
            share = (np.bincount(judge, weight * yes, judges) + CONSTANTS.worker_votes * usual) / total
            return log_odds(share)

        return logistic(shrunken(says) - shrunken(expected) + log_odds(np.full(judges, usual)))

    apart = rates(on_same, crowd.same) - rates(1.0 - on_same, crowd.different)
    votes = np.bincount(judge, minlength=judges)
    if float((votes * apart).sum()) <= 0.0:
        return np.ones(judges)
    tells = votes * np.maximum(apart, 0.0)
    mean = float((tells * apart).sum()) / float(tells.sum())
    return np.asarray(np.clip(apart / mean, -1.0, 1.0), np.float64)


def worker_quality(log: VoteLog, rows: Int32s, likely: Floats) -> list[WorkerQuality]:
    """The quality of all judges by their votes on the pairs `rows`; `likely` says how likely each pair is the same.

    A judge is drawn towards the crowd, and the crowd towards the mean typical one, by `worker_votes` votes each.
    """
    place, judge, label = log.standing(rows)
    says, judges, shrinkage = _sides(label), len(log.judges), CONSTANTS.worker_votes

    def rates(weight: Floats, usual: float) -> list[float]:
        # A sum and not a dot product: how that is divided among threads would show in its last digits.
        crowd = (float((weight * says).sum()) + shrinkage * usual) / (float(weight.sum()) + shrinkage)
        own = np.bincount(judge, weight * says, judges) + shrinkage * crowd
        shares: list[float] = (own / (np.bincount(judge, weight, judges) + shrinkage)).tolist()
        return shares

    usual_same, usual_different = np.mean(CONSTANTS.crowds, axis=0).tolist()
    on_same = likely[place]
    votes = np.bincount(judge, minlength=judges).tolist()
    columns = log.judges, votes, rates(1.0 - on_same, usual_different), rates(on_same, usual_same)
    return [WorkerQuality(worker, n, wrong, 1.0 - right) for worker, n, wrong, right in zip(*columns, strict=True)]
