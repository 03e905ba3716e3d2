"""MinMax's decision: the edges from the heaviest to the lightest, where each merges or tells apart.

A positive edge (weight p) merges its two clusters unless they were told apart; a negative one (weight 1 - p) tells its
two clusters apart unless they are one; in a tie the negative comes first. Gruenheid, Kossmann, Ramesh, Widom:
Crowdsourcing entity resolution: when is A=B? (ETH technical report 2012). The same as greedy merging where the edge of
the largest absolute weight speaks for two clusters (mutex watershed, Wolf et al. 2018).
"""

from askwise.arrays import Int32s
from askwise.clustering.subgraph import Subgraph
from askwise.kernels.agglomerate import STRONGEST


def minmax(some: Subgraph, seed: int) -> Int32s:
    """Cluster by MinMax. Costs about E log E."""
    return some.components.merged(STRONGEST)
