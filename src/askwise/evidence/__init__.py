"""Votes in, probabilities out: an evidence model turns the tallies of pairs into p.

A model is a function from two arrays, the YES and the NO votes of some pairs, to an array of probabilities (NaN where
there is no evidence). Adding one is a file here and a line in `MODELS`.
"""

from collections.abc import Callable

from askwise.arrays import Floats, Int32s
from askwise.checks import known_name
from askwise.evidence.majority import majority
from askwise.evidence.ratio import ratio
from askwise.evidence.votes import Vote, VoteLog, checked

__all__ = ["MODELS", "EvidenceModel", "Vote", "VoteLog", "checked", "evidence_model"]

EvidenceModel = Callable[[Int32s, Int32s], Floats]

MODELS: dict[str, EvidenceModel] = {"ratio": ratio, "majority": majority}


def evidence_model(name: str) -> EvidenceModel:
    """The evidence model of that name."""
    return known_name("evidence", name, MODELS)
