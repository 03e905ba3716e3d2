"""Askwise: entity resolution with people and models who make mistakes.

The names below are all there is to import; they load what computes (numpy, numba) when first used, so that commands
which compute nothing start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from askwise.version import __version__

if TYPE_CHECKING:
    from askwise.blocking import candidates
    from askwise.candidate_pairs import ScoredPairs
    from askwise.clustering import Clustering, cluster, log_likelihood
    from askwise.crowds import ReplayCrowd, SimulatedCrowd
    from askwise.errors import AskwiseError, InputError
    from askwise.evidence import Vote
    from askwise.evidence.workers import WorkerQuality
    from askwise.explaining import Explanation
    from askwise.gold_scores import Scores, pairwise_scores
    from askwise.graph import UncertainGraph
    from askwise.measures import Estimate, ExpectedScores, Interval, connectivity, disconnectivity, reliability
    from askwise.measures.confidence import Confidence
    from askwise.pair_tables import read_pairs
    from askwise.project import Project
    from askwise.resolution import Resolution
    from askwise.resolving import Until, resolve
    from askwise.rules import Rule, read_rules
    from askwise.strategies import Question
    from askwise.tables import Table, read_sources

_HOME = {
    "AskwiseError": "errors",
    "Clustering": "clustering",
    "Confidence": "measures.confidence",
    "Estimate": "measures",
    "ExpectedScores": "measures",
    "Explanation": "explaining",
    "InputError": "errors",
    "Interval": "measures",
    "Project": "project",
    "Question": "strategies",
    "ReplayCrowd": "crowds",
    "Resolution": "resolution",
    "Rule": "rules",
    "ScoredPairs": "candidate_pairs",
    "Scores": "gold_scores",
    "SimulatedCrowd": "crowds",
    "Table": "tables",
    "UncertainGraph": "graph",
    "Until": "resolving",
    "Vote": "evidence",
    "WorkerQuality": "evidence.workers",
    "candidates": "blocking",
    "cluster": "clustering",
    "connectivity": "measures",
    "disconnectivity": "measures",
    "log_likelihood": "clustering",
    "pairwise_scores": "gold_scores",
    "read_pairs": "pair_tables",
    "read_rules": "rules",
    "read_sources": "tables",
    "reliability": "measures",
    "resolve": "resolving",
}

__all__ = [
    "AskwiseError",
    "Clustering",
    "Confidence",
    "Estimate",
    "ExpectedScores",
    "Explanation",
    "InputError",
    "Interval",
    "Project",
    "Question",
    "ReplayCrowd",
    "Resolution",
    "Rule",
    "ScoredPairs",
    "Scores",
    "SimulatedCrowd",
    "Table",
    "UncertainGraph",
    "Until",
    "Vote",
    "WorkerQuality",
    "__version__",
    "candidates",
    "cluster",
    "connectivity",
    "disconnectivity",
    "log_likelihood",
    "pairwise_scores",
    "read_pairs",
    "read_rules",
    "read_sources",
    "reliability",
    "resolve",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
