"""Transitive closure: every two records joined by a chain of YES majorities are the same; a tie counts as NO.

What most tools do today, kept for comparison: one wrong YES merges two entities. Wang, Li, Kraska, Franklin, Feng 2013
(doi:10.1145/2463676.2465280).
"""

from askwise.arrays import Int32s
from askwise.graph import UncertainGraph
from askwise.kernels.partition import positive_parts


def closure(graph: UncertainGraph, nodes: Int32s, seed: int) -> Int32s:
    """Cluster by connected components of the pairs with p > 1/2. Costs about E."""
    left, right, rows = graph.inside(nodes)
    return positive_parts(nodes.size, left, right, graph.pair_weight[rows])
