"""What holds a cluster together and what separates it from others, for people who review clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, unordered
from askwise.project.pair_rows import PairRow, pair_rows
from askwise.project.project import Project
from askwise.rules import Step

UNASKED, YES, NO, EVEN, SAME, DIFFERENT = range(6)
"""States of a pair: not asked; mostly yes, mostly no, or even votes; decided, or settled by a rule."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a cluster's records, by position in it: the state of each (see above), and its votes."""

    left: Int32s
    right: Int32s
    known: Int8s
    yes: Floats
    no: Floats


@dataclass(frozen=True, slots=True)
class Seam:
    """Two groups of a cluster that it could split into, or two clusters that could join, and the pairs between them.

    The strongest pairs come first. `log_odds` is the sum over all of them; if it is positive, the evidence holds the
    groups together. `rules` keep them apart. `total` counts the pairs; `links` has some of them.
    """

    one: tuple[str, ...]
    two: tuple[str, ...]
    log_odds: float
    links: tuple[tuple[PairRow, float], ...]
    total: int
    rules: tuple[Step, ...] = ()


def pairs_inside(project: Project, members: Sequence[str]) -> Pairs:
    """The pairs among some records that were asked, were decided, or may still be asked."""
    with project.lock:
        graph, votes = project.resolution.graph, project.resolution.votes
        positions = _positions(project, members)
        order = np.argsort(positions).astype(np.int32)
        nodes = positions[order]
        if graph.candidates.listed:
            one, two, _ = graph.candidates.inside(nodes, graph.place)
            asked_one, asked_two, _ = graph.inside(nodes)
            keys = np.unique(np.concatenate((unordered(one, two), unordered(asked_one, asked_two))))
            one, two = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        else:
            one, two = (side.astype(np.int32) for side in np.triu_indices(nodes.size, 1))
        rows = graph.find_rows(nodes[one], nodes[two])
        there = rows >= 0
        yes, no, fixed = np.zeros(rows.size), np.zeros(rows.size), np.zeros(rows.size, np.int8)
        yes[there], no[there] = votes.tally(rows[there])
        fixed[there] = graph.pair_fixed[rows[there]]
    cases: list[Bools] = [fixed > 0, fixed < 0, yes > no, no > yes, yes + no > 0]
    known = np.select(cases, [SAME, DIFFERENT, YES, NO, EVEN], UNASKED).astype(np.int8)
    return Pairs(order[one], order[two], known, yes, no)


def weakest_seam(project: Project, members: Sequence[str], limit: int = 10) -> Seam | None:
    """The two groups of a cluster with the weakest paths between them; None if nothing holds it together.

    It is the last merge of single linkage: of all divisions in two, the one whose strongest link is weakest.
    """
    with project.lock:
        graph = project.resolution.graph
        nodes = np.sort(_positions(project, members))
        one, two, rows = graph.inside(nodes)
        group = _halves(one, two, graph.pair_weight[rows], nodes.size)
        if group is None:
            return None
        return _seam(project, nodes[group], nodes[~group], rows[group[one] != group[two]], limit)


def seam_between(project: Project, one: Sequence[str], two: Sequence[str], limit: int = 10) -> Seam:
    """The evidence between two clusters, and the rules that keep them apart."""
    with project.lock:
        resolution = project.resolution
        first, second = (np.sort(_positions(project, side)) for side in (one, two))
        nodes = np.sort(np.concatenate((first, second)))
        left, right, rows = resolution.graph.inside(nodes)
        inside = np.isin(nodes, first)
        found = _seam(project, first, second, rows[inside[left] != inside[right]], limit)
        blocked = resolution.explain(one[0], two[0])
    return Seam(found.one, found.two, found.log_odds, found.links, found.total, blocked.rules or blocked.blocked)


def _seam(project: Project, one: Int32s, two: Int32s, rows: Int32s, limit: int) -> Seam:
    graph = project.resolution.graph
    weight = graph.pair_weight[rows]
    strongest = np.argsort(-weight, kind="stable")[:limit]
    links = zip(pair_rows(project.resolution, rows[strongest]), weight[strongest].tolist(), strict=True)
    sides = [tuple(str(graph.records.ids[at]) for at in side.tolist()) for side in (one, two)]
    if len(sides[0]) < len(sides[1]):
        sides.reverse()
    return Seam(sides[0], sides[1], float(weight.sum()), tuple(links), int(rows.size))


def _halves(one: Int32s, two: Int32s, weight: Floats, size: int) -> Bools | None:
    """The records on one side of the weakest link of the strongest spanning tree; None if there is no tree."""
    parent = list(range(size))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    left = size
    for at in np.argsort(-weight, kind="stable").tolist():
        a, b = root(int(one[at])), root(int(two[at]))
        if a == b:
            continue
        left -= 1
        if left == 1:
            side: Bools = np.array([root(node) == a for node in range(size)], np.bool_)
            return side
        parent[a] = b
    return None


def _positions(project: Project, members: Sequence[str]) -> Int32s:
    records = project.resolution.graph.records
    return np.array([records.position(member) for member in members], np.int32)
