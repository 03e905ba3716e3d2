"""First-link, best-link and vote: the records in random order, each to a cluster of those before it.

Elsner, Schudy: Bounding and comparing methods for correlation clustering beyond ILP (2009, aclanthology W09-1803).
First links to the latest earlier record that it matches, best to the one that it matches best, vote to the cluster with
the largest sum of log-odds. Each costs about E.
"""

from askwise.arrays import Int32s
from askwise.clustering.labels import shuffled, smallest_first
from askwise.graph import UncertainGraph
from askwise.kernels.blocks import neighbours
from askwise.kernels.ordered import BEST, FIRST, VOTE, link_in_order


def first_link(graph: UncertainGraph, nodes: Int32s, seed: int) -> Int32s:
    """To the cluster of the latest earlier record with p > 1/2."""
    return _linked(graph, nodes, seed, FIRST)


def best_link(graph: UncertainGraph, nodes: Int32s, seed: int) -> Int32s:
    """To the cluster of the earlier record with the largest p, if that is above 1/2."""
    return _linked(graph, nodes, seed, BEST)


def vote(graph: UncertainGraph, nodes: Int32s, seed: int) -> Int32s:
    """To the cluster of earlier records with the largest sum of log-odds, if that is positive."""
    return _linked(graph, nodes, seed, VOTE)


def _linked(graph: UncertainGraph, nodes: Int32s, seed: int, rule: int) -> Int32s:
    left, right, rows = graph.inside(nodes)
    starts, edges = neighbours(nodes.size, left, right)
    order = shuffled(nodes, seed)
    return smallest_first(link_in_order(order, starts, edges, left, right, graph.pair_weight[rows], rule))
