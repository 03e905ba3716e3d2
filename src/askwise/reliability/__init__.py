"""How far to trust a clustering: connectivity of each cluster, disconnectivity of each two (paper, section 3.1)."""

from askwise.reliability.estimate import FLOOR, Estimate
from askwise.reliability.measures import connectivity, disconnectivity, reliability

__all__ = ["FLOOR", "Estimate", "connectivity", "disconnectivity", "reliability"]
