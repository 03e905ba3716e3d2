"""Pairs in conflict: workers disagree with each other, or all of them with the clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.resolution import Resolution


class Disputes(NamedTuple):
    """Rows of pairs, their votes, and whether all votes contradict the clusters."""

    rows: Int32s
    yes: Floats
    no: Floats
    against: Bools


def disputed(resolution: Resolution) -> Disputes:
    """The pairs in conflict, in the order of their rows. Pairs settled by rules or decisions do not count."""
    graph, roots = resolution.graph, resolution.clustering.roots
    rows = resolution.votes.voted()
    rows = rows[graph.pair_fixed[rows] == 0]
    places, _, said = resolution.votes.standing(rows)
    sides = [np.bincount(places[side], minlength=rows.size) for side in (said > 0.5, said < 0.5)]
    together = roots[graph.pair_u[rows]] == roots[graph.pair_v[rows]]
    against = np.where(together, (sides[0] == 0) & (sides[1] > 1), (sides[1] == 0) & (sides[0] > 1))
    divided = np.flatnonzero((np.minimum(*sides) > 0) | against)
    yes, no = resolution.votes.tally(rows)
    return Disputes(rows[divided], yes[divided], no[divided], against[divided])
