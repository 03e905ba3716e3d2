"""Evidence on Spark: one fit on the driver, and what it makes of every pair wherever that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, Singles, found_in
from askwise.errors import InputError
from askwise.evidence import LEARNED, uses_machine
from askwise.evidence.company import FIRMNESS
from askwise.evidence.known import Known
from askwise.evidence.learned import Learned
from askwise.evidence.machine import MOST_UNTRIED, Machine
from askwise.evidence.prior import EVEN
from askwise.evidence.rates import VoteRates
from askwise.evidence.scores import score_lean
from askwise.evidence.view import Leaning, View
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import WorkerRates
from askwise.spark.inputs import Ballots
from askwise.spark.listed import SIZE, Pairs

_NOTHING: Floats = np.empty(0)


@dataclass(frozen=True)
class Belief:
    """What was learned, without the pairs; `low` and `high` bound the scores of all of them.

    `left`, `right`, `opinion` and `silence` are the pairs, in order, where the opinion is not what score and traits
    make it, for their own votes were taken out of it, or the votes on others of the same two groups speak for them; or
    where what is no candidate speaks against them.
    """

    low: float
    high: float
    view: View
    left: Int64s
    right: Int64s
    opinion: Floats
    silence: Floats

    def machine(self, score: Floats, traits: Singles) -> Machine:
        """What the machine thinks of some pairs: how a score is read depends on the range of all."""
        lean = score_lean(np.append(score, (self.low, self.high)))[:-2]
        return Machine(lean, traits, np.full(traits.shape[1], FIRMNESS))

    def _model(self, machine: Machine, left: Int64s, right: Int64s) -> Learned:
        leaning = self.view.leaning
        opinion = machine.lean.copy() if leaning is None else leaning.opinion(machine.lean, machine.traits)
        at, there = found_in(self.left * SIZE + self.right, (left * SIZE + right)[: opinion.size])
        opinion[there] = self.opinion[at[there]]
        silence: Floats = np.zeros(opinion.size)
        silence[there] = self.silence[at[there]]
        model = Learned(machine, Known({}), False, 0)
        model.view = replace(self.view, opinion=opinion, silence=silence)
        return model

    def p_unvoted(self, pairs: Pairs) -> Floats:
        """The evidence for pairs without votes."""
        model = self._model(self.machine(pairs.score, pairs.traits), pairs.left, pairs.right)
        return model.p(VoteLog(), np.arange(pairs.score.size, dtype=np.int32))

    def p_voted(self, left: Int64s, right: Int64s, known: Pairs, log: VoteLog) -> Floats:
        """The evidence for pairs with votes, in the order of the log's rows; those `known` by a score come first."""
        model = self._model(self.machine(known.score, known.traits), left, right)
        return model.p(log, np.arange(left.size, dtype=np.int32))

    def as_dict(self) -> dict[str, Any]:
        """All of it, for a JSON file."""
        view = self.view
        plain = asdict(view)
        del plain["opinion"], plain["silence"], plain["odds"]
        if view.workers is not None:
            plain["workers"] |= {name: getattr(view.workers, name).tolist() for name in ("same", "different", "votes")}
        pairs = {name: getattr(self, name).tolist() for name in ("left", "right", "opinion", "silence")}
        return {"low": self.low, "high": self.high, "view": plain, **pairs}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Belief:
        """What `as_dict` made."""
        view = dict(plain["view"])
        for name in ("same", "different"):
            view[name] = VoteRates(**view[name])
        view["odds"] = EVEN  # where there are scores, nothing else is known before votes
        if view["leaning"] is not None:
            view["leaning"] = Leaning(**view["leaning"] | {"traits": tuple(view["leaning"]["traits"])})
        if view["workers"] is not None:
            rates = dict(view["workers"])
            for name, kind in (("same", np.float64), ("different", np.float64), ("votes", np.int32)):
                rates[name] = np.array(rates[name], kind)
            view["workers"] = WorkerRates(**rates)
        left, right = (np.array(plain[name], np.int64) for name in ("left", "right"))
        opinion, silence = (np.array(plain[name], np.float64) for name in ("opinion", "silence"))
        return cls(plain["low"], plain["high"], View(_NOTHING, **view), left, right, opinion, silence)


def check_evidence(name: str) -> None:
    """Only evidence that begins from scores: without it, most pairs of a large table would have none."""
    if not uses_machine(name):
        usable = ", ".join(sorted(known for known in LEARNED if uses_machine(known)))
        raise InputError(f"evidence {name!r} does not use scores; on Spark choose one of: {usable}")


def fit_length(name: str, pairs: int, votes: int) -> int:
    """Up to which vote the evidence is fitted, given the number of pairs; 0 is not yet."""
    no_memory: Floats = np.broadcast_to(np.float64(0.0), (pairs,))
    machine = Machine(no_memory, np.empty((0, 0), np.float32), _NOTHING)
    return Learned(machine, Known({}), LEARNED[name][1], 0).fit_at(votes)


def untried(low: float, high: float) -> Belief:
    """What is believed before any fit."""
    none = np.empty(0, np.int64)
    return Belief(low, high, View(_NOTHING, most=MOST_UNTRIED), none, none, _NOTHING, _NOTHING)


def fitted(name: str, seed: int, low: float, high: float, pairs: Pairs, said: Ballots) -> Belief:
    """Learn from votes; `pairs` (in order) are those to look at, and have all that were voted on and have a score."""
    left, right, score, traits = pairs
    before = untried(low, high)
    machine = before.machine(score, traits)
    rows, ends_left, ends_right = rows_among(left, right, said)
    log = VoteLog()
    log.add(rows, said.workers, said.labels)
    model = Learned(machine, Known({}), LEARNED[name][1], seed)
    model.fit(log, ends_left.astype(np.int32), ends_right.astype(np.int32))
    if model.view.leaning is None:
        return before
    opinion, silence = model.view.opinion, model.view.against(np.arange(score.size, dtype=np.int32))
    own = np.flatnonzero((opinion != model.view.leaning.opinion(machine.lean, traits)) | (silence != 0.0))
    view = replace(model.view, opinion=_NOTHING, silence=_NOTHING)
    return Belief(low, high, view, left[own], right[own], opinion[own], silence[own])


def rows_among(left: Int64s, right: Int64s, said: Ballots) -> tuple[Int32s, Int64s, Int64s]:
    """The row of each vote among pairs in order; pairs that are not there follow, in the order of their votes.

    Also returned are both ends of all rows.
    """
    keys = left * SIZE + right
    voted = said.left * SIZE + said.right
    at, there = found_in(keys, voted)
    rows = at.astype(np.int32)
    beside, first, number = np.unique(voted[~there], return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    rows[~there] = keys.size + rank[number]
    every = np.concatenate((keys, beside[order]))
    return rows, every // SIZE, every % SIZE
