"""Evidence on Spark: one fit on the driver, applied to every pair wherever it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, Singles, found_in
from askwise.errors import InputError
from askwise.evidence import LEARNED, uses_machine
from askwise.evidence.constants import Crowd
from askwise.evidence.known import Known
from askwise.evidence.learned import Learned
from askwise.evidence.machine import Machine
from askwise.evidence.model import Parameters, Voters
from askwise.evidence.scores import score_lean
from askwise.evidence.votes import Ballots, VoteLog
from askwise.kernels.constraints import Values
from askwise.spark.pair_arrays import SIZE, Pairs


@dataclass(frozen=True)
class Belief:
    """The fitted evidence without the pairs; `low` and `high` bound the scores of all of them.

    `left`, `right` and `own` are the pairs, in order, whose own votes moved the machine's odds of them, and by how
    much.
    """

    low: float
    high: float
    parameters: Parameters
    left: Int64s
    right: Int64s
    own: Floats

    def machine(self, score: Floats, traits: Singles) -> Machine:
        """The machine's view of some pairs; how a score is read depends on the range of all."""
        return Machine(score_lean(np.append(score, (self.low, self.high)))[:-2], traits)

    def _model(self, pairs: Pairs, left: Int64s, right: Int64s) -> Learned:
        """The model of some pairs (left[i], right[i]), of which `pairs` are the first."""
        model = Learned(self.machine(pairs.score, pairs.traits), Known({}), False, 0)
        at, there = found_in(self.left * SIZE + self.right, left * SIZE + right)
        model.use(self.parameters, np.flatnonzero(there).astype(np.int32), self.own[at[there]])
        return model

    def p_unvoted(self, pairs: Pairs) -> Floats:
        """The evidence for pairs without votes."""
        model = self._model(pairs, pairs.left, pairs.right)
        return model.p(VoteLog(), np.arange(pairs.score.size, dtype=np.int32))

    def p_voted(self, left: Int64s, right: Int64s, known: Pairs, log: VoteLog) -> Floats:
        """The evidence for pairs with votes, in the order of the log's rows; those `known` by a score come first."""
        return self._model(known, left, right).p(log, np.arange(left.size, dtype=np.int32))

    def as_dict(self) -> dict[str, Any]:
        """Everything, for a JSON file."""
        plain = asdict(self.parameters)
        if (counts := self.parameters.counts) is not None:
            plain["counts"] = counts.tolist()
        pairs = {name: getattr(self, name).tolist() for name in ("left", "right", "own")}
        return {"low": self.low, "high": self.high, "parameters": plain, **pairs}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Belief:
        """The inverse of `as_dict`."""
        learned = dict(plain["parameters"])
        learned["traits"] = tuple(learned["traits"])
        learned["voters"] = tuple(Voters(Crowd(*crowd), alike, weight) for crowd, alike, weight in learned["voters"])
        if learned["counts"] is not None:
            learned["counts"] = np.array(learned["counts"], np.float64)
        left, right = (np.array(plain[name], np.int64) for name in ("left", "right"))
        own = np.array(plain["own"], np.float64)
        return cls(plain["low"], plain["high"], Parameters(**learned), left, right, own)


def check_evidence(name: str) -> None:
    """Accept only evidence that starts from scores: without it, most pairs of a large table would have none."""
    if not uses_machine(name):
        usable = ", ".join(sorted(known for known in LEARNED if uses_machine(known)))
        raise InputError(f"evidence {name!r} does not use scores; on Spark choose one of: {usable}")


def fit_length(name: str, pairs: int, votes: int) -> int:
    """The number of votes up to which the evidence is fitted, given the number of pairs; 0 means not yet."""
    no_memory: Floats = np.broadcast_to(np.float64(0.0), (pairs,))
    model = Learned(None, Known({}), LEARNED[name][1], 0)
    model.machine = Machine(no_memory, np.empty((0, 0), np.float32))
    return model.fit_at(votes)


def untried(low: float, high: float) -> Belief:
    """The evidence before any fit."""
    none = np.empty(0, np.int64)
    return Belief(low, high, Parameters(), none, none, np.empty(0))


def fitted(
    name: str, seed: int, low: float, high: float, pairs: Pairs, said: Ballots, values: Values | None = None
) -> Belief:
    """Learn from votes; `pairs` (in order) are those to look at, and have all that were voted on and have a score."""
    left, right, score, traits = pairs
    rows, ends_left, ends_right = rows_among(left, right, said)
    log = VoteLog()
    log.add(rows, said.workers, said.labels)
    model = Learned(untried(low, high).machine(score, traits), Known({}), LEARNED[name][1], seed, values=values)
    model.fit(log, ends_left.astype(np.int32), ends_right.astype(np.int32))
    u, v = ends_left[model.rows], ends_right[model.rows]
    order = np.lexsort((v, u))
    return Belief(low, high, model.parameters, u[order], v[order], model.own[order])


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
