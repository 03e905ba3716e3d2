"""How far to trust a clustering: connectivity of each cluster, disconnectivity of each two (paper, section 3.1)."""

from askwise.measures.estimate import FLOOR, Estimate
from askwise.measures.expected import ExpectedScores, Interval
from askwise.measures.reliability import connectivity, disconnectivity, reliability

__all__ = ["FLOOR", "Estimate", "ExpectedScores", "Interval", "connectivity", "disconnectivity", "reliability"]
