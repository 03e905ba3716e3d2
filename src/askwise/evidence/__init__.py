"""Votes in, probabilities out: an evidence model turns the votes on pairs, and what machines think of them, into p.

A model that learns nothing is a function from two arrays, the YES and the NO votes of some pairs, to an array of
probabilities (NaN where there is no evidence). Adding one is a file here and a line in `TALLIED`.
"""

from typing import Protocol

from askwise.arrays import Floats, Int32s
from askwise.checks import known_name
from askwise.evidence.common_neighbours import Listed
from askwise.evidence.known import Known
from askwise.evidence.learned import Learned
from askwise.evidence.machine import Machine
from askwise.evidence.majority import majority
from askwise.evidence.parts import Part
from askwise.evidence.ratio import ratio
from askwise.evidence.smoothed import smoothed
from askwise.evidence.tallied import Tallied
from askwise.evidence.votes import Label, Vote, VoteLog, checked
from askwise.kernels.constraints import Values

__all__ = ["MODELS", "EvidenceModel", "Label", "Vote", "VoteLog", "checked", "evidence_model", "uses_machine"]

TALLIED = {"ratio": ratio, "majority": majority, "smoothed": smoothed}
"""Models that look at a pair's own votes only."""

LEARNED = {"auto": (True, True), "scores": (True, False), "workers": (False, True)}
"""Models that learn: whether they use what machines think of pairs, and whether they tell workers apart."""

MODELS: dict[str, object] = {**TALLIED, **LEARNED}


class EvidenceModel(Protocol):
    """What makes p of votes."""

    def fit_at(self, votes: int) -> int:
        """When the last fit is due if the log has this many votes: a length of the log, 0 if there is no fit."""

    def fit(self, log: VoteLog, left: Int32s, right: Int32s) -> None:
        """Learn from the votes in the log; `left` and `right` are the records of every row."""

    def p(self, log: VoteLog, rows: Int32s) -> Floats:
        """The evidence for some rows, NaN where there is none."""

    def parts(self, log: VoteLog, row: int) -> list[Part]:
        """What the log-odds of a pair are made of."""

    def unasked_odds(self) -> Floats | None:
        """What is likely of all listed candidates before any vote on them, as log-odds; None if unknown."""

    def likely(self, log: VoteLog, left: Int32s, right: Int32s, weight: Floats, labels: Int32s, rows: Int32s) -> Floats:
        """How likely some pairs with votes are the same, given the clusters (`labels`) and all evidence (`weight`)."""

    def machine_and_votes(self, log: VoteLog, rows: Int32s) -> tuple[Floats | None, Floats, Floats]:
        """The log-odds of a machine for some rows (None if there is none), and their YES and NO as they count."""


def uses_machine(name: str) -> bool:
    """Whether the model of that name uses what machines think of pairs."""
    known_name("evidence", name, MODELS)
    return name in LEARNED and LEARNED[name][0]


def evidence_model(
    name: str,
    machine: Machine | None = None,
    known: dict[int, bool] | None = None,
    seed: int = 0,
    listed: Listed | None = None,
    values: Values | None = None,
) -> EvidenceModel:
    """The evidence model of that name; `known` maps rows to what is certain of them.

    Where there is no machine, the list of candidates, `listed`, says which pairs to ask. `values` are those of all
    records of which a cluster has at most one.
    """
    known_name("evidence", name, MODELS)
    if name in TALLIED:
        return Tallied(TALLIED[name], Known(known or {}))
    with_machine, by_worker = LEARNED[name]
    if not with_machine:
        machine = listed = None
    return Learned(machine, Known(known or {}), by_worker, seed, listed, values)
