"""The reason for a question, in words, for the owner of a project; workers never see it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from askwise.arrays import Int32s
from askwise.graph import UncertainGraph
from askwise.kernels.partition import Membership
from askwise.kernels.question_values import JOIN, LEAVE_LEFT, LEAVE_RIGHT, MOVE_LEFT, MOVE_RIGHT


def reasons(
    graph: UncertainGraph, clusters: Membership, left: Int32s, right: Int32s, changes: Sequence[int] = ()
) -> list[str]:
    """What each question is for; `changes` (kernels/question_values.py) are what answers may lead to, if known."""
    ids, label, size_of = graph.records.ids, clusters.label, clusters.size_of
    rows = graph.find_rows(left, right)
    evidence = np.where(rows >= 0, graph.pair_p[rows], np.nan)
    together = label[left] == label[right]
    columns = (left, right, evidence, together, size_of[label[left]], size_of[label[right]])
    found = []
    for at, (u, v, p, within, one, other) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        known = "nothing is known about these two" if math.isnan(p) else f"so far they are {p:.0%} likely the same"
        kind = changes[at] if changes else None
        if within:
            what = f"would confirm {_cluster(one)}"
            if kind in (LEAVE_LEFT, LEAVE_RIGHT):
                what = f"would confirm {_cluster(one)}, or take {ids[u if kind == LEAVE_LEFT else v]!r} out of it"
        elif kind in (MOVE_LEFT, MOVE_RIGHT):
            moved, target = (ids[u], other) if kind == MOVE_LEFT else (ids[v], one)
            what = f"could move {moved!r} to {_cluster(target)}"
        else:
            what = f"{'could join' if kind == JOIN else 'compares'} {_cluster(one)} and {_cluster(other)}"
        found.append(f"{what}: {known}")
    return found


def _cluster(size: int) -> str:
    return "a record by itself" if size == 1 else f"a cluster of {size:,} records"
