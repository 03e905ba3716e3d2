"""MinMax's decision: from the heaviest edge to the lightest, each merges or separates.

A positive edge (weight p) merges its two clusters unless they were separated. A negative one (weight 1 - p) separates
its two clusters unless they are one; in a tie, the negative comes first. Gruenheid, Kossmann, Ramesh, Widom:
Crowdsourcing entity resolution: when is A=B? (ETH technical report 2012). It equals greedy merging by the edge of
largest absolute weight between two clusters (mutex watershed, Wolf et al. 2018).
"""

from askwise.arrays import Int32s
from askwise.clustering.subgraph import Subgraph
from askwise.kernels.agglomerate import STRONGEST


def minmax(some: Subgraph, seed: int) -> Int32s:
    """Cluster by MinMax. Costs about E log E."""
    return some.components.merged(STRONGEST)
