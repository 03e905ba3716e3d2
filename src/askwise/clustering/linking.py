"""First-link, best-link and vote: the records in random order, each to a cluster of those before it.

Elsner, Schudy: Bounding and comparing methods for correlation clustering beyond ILP (2009, aclanthology W09-1803).
First links to the latest earlier record that it matches, best to the one that it matches best, vote to the cluster with
the largest sum of log-odds. Each costs about E.
"""

from askwise.arrays import Int32s
from askwise.clustering.numbering import shuffled, smallest_first
from askwise.clustering.subgraph import Subgraph
from askwise.kernels.blocks import neighbours
from askwise.kernels.linking import BEST, FIRST, VOTE, link_in_order


def first_link(some: Subgraph, seed: int) -> Int32s:
    """To the cluster of the latest earlier record with p > 1/2."""
    return _linked(some, seed, FIRST)


def best_link(some: Subgraph, seed: int) -> Int32s:
    """To the cluster of the earlier record with the largest p, if that is above 1/2."""
    return _linked(some, seed, BEST)


def vote(some: Subgraph, seed: int) -> Int32s:
    """To the cluster of earlier records with the largest sum of log-odds, if that is positive."""
    return _linked(some, seed, VOTE)


def _linked(some: Subgraph, seed: int, rule: int) -> Int32s:
    starts, edges = neighbours(some.nodes.size, some.left, some.right)
    order = shuffled(some.nodes, seed)
    around = starts, edges, some.left, some.right, some.weight
    return smallest_first(link_in_order(order, *around, rule, some.values.copy()))
