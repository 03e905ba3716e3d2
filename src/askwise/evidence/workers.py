"""Workers of different quality: how much a vote of each of them counts.

A worker answers the question, guesses whatever the pair, or says the opposite. How likely each of these is follows from
the worker's YES and NO on pairs that are likely the same and on pairs that are not, with rates that are integrated
over. A vote counts by how likely its worker answers, less how likely the worker says the opposite. So a worker who
always says YES, or always NO, counts nothing once there are enough votes on both kinds of pairs, and one who says the
opposite counts against. A new worker counts like the others.

How likely a pair is the same goes by all other evidence, which includes that same is transitive (unlike Dawid and Skene
1979, doi:10.2307/2346806).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.constants import CONSTANTS, Crowd
from askwise.evidence.regression import log_odds, logistic
from askwise.evidence.votes import VoteLog
from askwise.kernels.rates import log_chance

_SURE = 1e-12
_ROUNDS = 4


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


class _Votes:
    """Votes (1 for YES, 0 for NO), whose they are, and how likely each pair is the same before the vote."""

    def __init__(self, judge: Int32s, says: Floats, likely: Floats, judges: int) -> None:
        self._judge, self._says, self._likely, self._judges = judge, says, likely, judges

    def _number(self, weight: Floats) -> Floats:
        """The sum over the votes of each judge."""
        return np.asarray(np.bincount(self._judge, weight, self._judges), np.float64)

    def _tally(self, share: Floats) -> tuple[Floats, Floats]:
        """The YES and NO of each judge, if of each vote a share counts."""
        return self._number(share * self._says), self._number(share * (1.0 - self._says))

    def log_evidence(self, mean: Crowd) -> Floats:
        """log P(votes of each judge), the judge's two rates being beta-distributed around those of `mean`.

        A lower bound: exact but for pairs of which it is not known whether they are the same. There the vote itself
        says which is likelier, given the judge's rates so far (variational Bayes). To count such a vote by what is
        likely before it would make a judge who sees hardly any pair that is the same look like one who guesses.
        """
        strength, before, says = CONSTANTS.worker_votes, self._likely, self._says
        rates = [np.full(self._judges, rate) for rate in mean]
        for _ in range(_ROUNDS):
            same, different = (says * rate[self._judge] + (1.0 - says) * (1.0 - rate[self._judge]) for rate in rates)
            share = before * same / (before * same + (1.0 - before) * different)
            share = np.clip(share, _SURE, 1.0 - _SURE)
            tallies = self._tally(share), self._tally(1.0 - share)
            rates = [
                (yes + strength * rate) / (yes + no + strength) for (yes, no), rate in zip(tallies, mean, strict=True)
            ]
        chosen = share * np.log(before / share) + (1.0 - share) * np.log((1.0 - before) / (1.0 - share))
        found = self._number(chosen)
        for tally, rate in zip(tallies, mean, strict=True):
            found += log_chance(*tally, rate, strength)
        return found

    def log_evidence_of_guessing(self) -> Floats:
        """log P(votes of each judge), one rate for all pairs, uniform from 0 to 1."""
        return log_chance(*self._tally(np.ones(self._says.size)), 0.5, 2.0)


def vote_counts(log: VoteLog, rows: Int32s, likely: Floats, ratio: Callable[[Floats, Floats], Floats]) -> Floats:
    """For each judge, from -1 to 1, how much a vote counts: P(answers the question) - P(says the opposite).

    That is relative to the judge who is surest to answer: if all seem to guess, what they are measured by is wrong.
    `likely` says how likely each of the pairs `rows` is the same by all votes, `ratio` what votes on a pair tell. A
    vote is measured by what is likely without it, or it would confirm itself. Where votes tell nothing on the whole,
    all count as one.
    """
    place, judge, label = log.standing(rows)
    says, judges = _sides(label), len(log.judges)
    yes, no = (np.bincount(place, side, rows.size)[place].astype(np.float64) for side in (says, 1.0 - says))
    own = ratio(yes, no) - ratio(yes - says, no - (1.0 - says))
    on_same = logistic(log_odds(np.clip(likely, _SURE, 1.0 - _SURE))[place] - own)

    usual, votes = CONSTANTS.crowds[0], _Votes(judge, says, np.clip(on_same, _SURE, 1.0 - _SURE), judges)
    answers = votes.log_evidence(usual) + np.log(1.0 - 2.0 * CONSTANTS.guessers)
    opposite = votes.log_evidence(Crowd(usual.different, usual.same)) + np.log(CONSTANTS.guessers)
    guesses = votes.log_evidence_of_guessing() + np.log(CONSTANTS.guessers)
    every = np.logaddexp(np.logaddexp(answers, opposite), guesses)
    tells = np.exp(answers - every) - np.exp(opposite - every)
    if float((np.bincount(judge, minlength=judges) * tells).sum()) <= 0.0:
        return np.ones(judges)
    return np.asarray(np.maximum(tells / tells.max(), -1.0), np.float64)


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
