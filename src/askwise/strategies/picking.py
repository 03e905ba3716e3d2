"""Unasked candidates between two sets of records."""

import numpy as np

from askwise.arrays import Int32s
from askwise.graph import UncertainGraph
from askwise.kernels.picking import pick_any, pick_listed


def unasked_between(graph: UncertainGraph, one: Int32s, two: Int32s, seed: int) -> tuple[int, int] | None:
    """Any unasked candidate between two disjoint sets of records; the state and the seed decide which."""
    if one.size > two.size:
        one, two = two, one
    if graph.candidates.listed:
        candidates = graph.candidates
        u, v = pick_listed(
            one,
            two,
            np.uint64(seed),
            graph.chosen,
            candidates.starts,
            candidates.other,
            candidates.row,
            candidates.asked,
        )
    else:
        u, v = pick_any(one, two, np.uint64(seed), len(graph), *graph.pair_map)
    return (int(u), int(v)) if u >= 0 else None


def all_unasked_between(graph: UncertainGraph, one: Int32s, two: Int32s) -> tuple[Int32s, Int32s]:
    """Every unasked candidate between two disjoint sets of records."""
    left, right = np.repeat(one, two.size), np.tile(two, one.size)
    left, right = np.minimum(left, right), np.maximum(left, right)
    unasked = ~graph.asked(left, right)
    if graph.candidates.listed:
        unasked &= graph.candidates.rows(left, right) >= 0
    return left[unasked], right[unasked]
