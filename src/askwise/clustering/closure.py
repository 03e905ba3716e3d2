"""Transitive closure: every two records joined by a chain of YES majorities are the same; a tie counts as NO.

What most tools do today, kept for comparison: one wrong YES merges two entities. Wang, Li, Kraska, Franklin, Feng 2013
(doi:10.1145/2463676.2465280).
"""

from askwise.arrays import Int32s
from askwise.clustering.subgraph import Subgraph


def closure(some: Subgraph, seed: int) -> Int32s:
    """Cluster by connected components of the pairs with p > 1/2. Costs about E."""
    return some.components.part
