"""Pivoting, and the refinement that follows it where everything needed is known.

ACD (Wang, Xiao, Lee: Crowd-based deduplication, SIGMOD 2015, doi:10.1145/2723372.2723739). Pivoting: the records in
random order; each that is in no cluster yet takes all such records that it matches (share of YES above 1/2).
Refinement: split one record off its cluster, or merge two clusters, while that has a positive benefit; here only the
operations that need no further question. Those that do are the business of the strategy `pc_pivot`, and once they were
asked, of this.
"""

from askwise.arrays import Int32s
from askwise.clustering.numbering import shuffled, smallest_first
from askwise.clustering.operations import Shares, apply_free_operations
from askwise.clustering.subgraph import Subgraph
from askwise.kernels.blocks import neighbours
from askwise.kernels.linking import pivot_in_order


def pivot(some: Subgraph, seed: int) -> Int32s:
    """Cluster by pivoting and refinement. Costs about E, and E log E for every round of refinement."""
    shares = Shares(some.graph, some.nodes).contracted(some)
    return apply_free_operations(shares, pivoted(some, seed))


def pivoted(some: Subgraph, seed: int) -> Int32s:
    """Pivoting alone."""
    starts, edges = neighbours(some.nodes.size, some.left, some.right)
    order = shuffled(some.nodes, seed)
    return smallest_first(pivot_in_order(order, starts, edges, some.left, some.right, some.weight, some.values.copy()))
