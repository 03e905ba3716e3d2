"""What a clusterer looks at: some records, and the pairs with evidence among them."""

from __future__ import annotations

from functools import cached_property

from askwise.arrays import Floats, Int32s
from askwise.components import Components
from askwise.graph import UncertainGraph


class Subgraph:
    """Some records of a graph, in order; pairs are places among them, in order.

    With `component`, which names each record's component of pairs with p > 1/2, the pairs are found by one pass over
    all that there are, and those between components are left out: for most of a graph at once, that is much quicker.
    """

    def __init__(self, graph: UncertainGraph, nodes: Int32s, component: Int32s | None = None) -> None:
        self.graph = graph
        self.nodes = nodes
        self.left: Int32s
        self.right: Int32s
        self.left, self.right, rows = graph.inside(nodes) if component is None else graph.within(nodes, component)
        self.weight: Floats = graph.pair_weight[rows]

    @cached_property
    def components(self) -> Components:
        """The same, divided into the components of pairs with p > 1/2."""
        return Components(self.nodes.size, self.left, self.right, self.weight)
