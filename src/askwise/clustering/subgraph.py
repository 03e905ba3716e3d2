"""The input of a clusterer: some records, and the pairs with evidence among them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.components import Components
from askwise.graph import UncertainGraph
from askwise.kernels.constraints import Values, contracted, held_by
from askwise.kernels.partition import positive_parts


class Subgraph:
    """Some records of a graph, in order; pairs are places among them, in order.

    With `component`, which names each record's component of pairs with p > 1/2, the pairs are found by one pass over
    all that there are, and those between components are left out: for most of a graph at once, that is much quicker.

    Records that must be together are one: the first stands for all of them, with what they have of `values`. The others
    have no pairs, and follow it in `expanded`.
    """

    def __init__(self, graph: UncertainGraph, nodes: Int32s, component: Int32s | None = None) -> None:
        self.graph = graph
        self.nodes = nodes
        self.left: Int32s
        self.right: Int32s
        self.left, self.right, rows = graph.inside(nodes) if component is None else graph.within(nodes, component)
        self.weight: Floats = graph.pair_weight[rows]
        whole = nodes.size == len(graph)
        self.values: Values = graph.values if whole else graph.values[nodes]
        self.stands_for: Int32s | None = None
        if graph.any_fixed:
            self._contract(np.flatnonzero(graph.pair_fixed[rows] > 0).astype(np.int32))

    @property
    def ruled(self) -> bool:
        """Whether rules may keep records apart."""
        return self.graph.any_fixed or self.values.shape[1] > 0

    def _contract(self, fixed: Int32s) -> None:
        """Make one record of those that the pairs `fixed` hold together, with the sum of their evidence."""
        if not fixed.size:
            return
        size = self.nodes.size
        left, right = self.left[fixed], self.right[fixed]
        first = positive_parts(size, left, right, np.ones(fixed.size))
        held = np.zeros(size, np.bool_)
        held[left] = held[right] = True
        self.left, self.right, self.weight, keys, weights = contracted(first, held, self.left, self.right, self.weight)
        found, place = np.unique(keys, return_inverse=True)
        self.left = np.append(self.left, (found // size).astype(np.int32))
        self.right = np.append(self.right, (found % size).astype(np.int32))
        self.weight = np.append(self.weight, np.bincount(place, weights, found.size))
        self.stands_for = first
        if self.values.shape[1]:
            self.values = self.values.copy()
            some = np.flatnonzero(held).astype(np.int32)
            held_by(first, some, self.values.copy(), self.values)

    def expanded(self, labels: Int32s) -> Int32s:
        """The labels of all records, given those of the ones that stand for others."""
        return labels if self.stands_for is None else labels[self.stands_for]

    @cached_property
    def components(self) -> Components:
        """This graph, divided into the components of pairs with p > 1/2."""
        return Components(self.nodes.size, self.left, self.right, self.weight, self.values)
