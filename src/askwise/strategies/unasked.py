"""Unasked candidates between two sets of records."""

import numpy as np

from askwise.arrays import Int32s
from askwise.graph import UncertainGraph


def all_unasked_between(graph: UncertainGraph, one: Int32s, two: Int32s) -> tuple[Int32s, Int32s]:
    """Every unasked candidate between two disjoint sets of records."""
    left, right = np.repeat(one, two.size), np.tile(two, one.size)
    left, right = np.minimum(left, right), np.maximum(left, right)
    unasked = ~graph.asked(left, right)
    if graph.candidates.listed:
        unasked &= graph.candidates.rows(left, right) >= 0
    return left[unasked], right[unasked]
