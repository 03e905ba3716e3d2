"""Tables of pairs for owners: links of a cluster, pairs in conflict, candidates that were never asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from askwise.arrays import Int32s
from askwise.project.disputes import disputed
from askwise.project.project import Project
from askwise.project.values import Status
from askwise.resolution import Resolution


def tally_texts(yes: float, no: float) -> tuple[str, str]:
    """Votes as texts: 3 and 1, or 1.9 and 0.1 if some are probabilities."""
    digits = 0 if yes == int(yes) else 1
    return f"{yes:.{digits}f}", f"{no:.{digits}f}"


def tally_text(yes: float, no: float) -> str:
    """Votes in words."""
    return "{} yes, {} no".format(*tally_texts(yes, no))


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two records, the votes that count on them, and their probability (None if unknown)."""

    left: str
    right: str
    yes: float
    no: float
    p: float | None

    @property
    def tally(self) -> str:
        """The votes in words."""
        return tally_text(self.yes, self.no)


@dataclass(frozen=True, slots=True)
class Parts:
    """The candidates that were asked, settled without being asked, and never asked: they add up to all candidates.

    `beyond` are pairs with answers that are not candidates.
    """

    asked: int
    settled: int
    never: int
    beyond: int


def links(project: Project, members: Sequence[str]) -> list[PairRow]:
    """The pairs with evidence inside a cluster, the weakest first."""
    with project.lock:
        resolution = project.resolution
        records = resolution.graph.records
        positions = np.sort(np.array([records.position(member) for member in members], np.int32))
        _, _, rows = resolution.graph.inside(positions)
        return sorted(pair_rows(resolution, rows), key=lambda row: (row.p, row.left, row.right))


def conflicts(project: Project, offset: int, limit: int) -> tuple[int, list[PairRow]]:
    """The pairs on which workers disagree with each other or, all of them, with the clusters; the most divided first.

    Pairs settled by rules or decisions do not count. Returns how many there are, and some of them.
    """
    with project.lock:
        resolution = project.resolution
        rows, yes, no, against = disputed(resolution)
        order = np.lexsort((rows, -(yes + no), -np.where(against, 0.5, np.minimum(yes, no) / (yes + no))))
        return rows.size, pair_rows(resolution, rows[order[offset : offset + limit]])


def conflicts_of(project: Project, members: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs in conflict with a record of a cluster."""
    with project.lock:
        resolution = project.resolution
        graph, rows = resolution.graph, disputed(resolution).rows
        places = np.array([graph.records.position(member) for member in members], np.int32)
        here = np.isin(graph.pair_u[rows], places) | np.isin(graph.pair_v[rows], places)
        return [(row.left, row.right) for row in pair_rows(resolution, rows[here])]


def never_asked(project: Project, offset: int, limit: int) -> tuple[int, list[PairRow]]:
    """The candidates that were never asked, the most likely first; how many there are, and some of them."""
    with project.lock:
        resolution = project.resolution
        graph = resolution.graph
        if not graph.candidates.listed:
            every = ((u, v) for u, v in combinations(range(len(graph)), 2) if not _asked(resolution, u, v))
            some = list(islice(every, offset, offset + limit))
            ids = graph.records.ids
            return resolution.to_ask, [PairRow(str(ids[u]), str(ids[v]), 0, 0, None) for u, v in some]
        left, right = graph.unasked()
        rows = graph.find_rows(left, right)
        p = np.where(rows >= 0, graph.pair_p[rows], np.nan)
        rank = np.where(np.isnan(p), _scores(resolution), p)
        chosen = np.argsort(-rank, kind="stable")[offset : offset + limit]
        ids = graph.records.ids
        return left.size, [
            PairRow(str(ids[left[at]]), str(ids[right[at]]), 0, 0, None if np.isnan(p[at]) else float(p[at]))
            for at in chosen.tolist()
        ]


def asked_candidates(resolution: Resolution) -> tuple[int, int]:
    """How many candidates have answers, and how many pairs with answers are not candidates."""
    graph, votes = resolution.graph, resolution.votes
    answered = np.zeros(graph.pair_count, np.bool_)
    answered[votes.pair[: votes.count]] = True
    rows = np.flatnonzero(answered & graph.pair_asked[: graph.pair_count]).astype(np.int32)
    if not graph.candidates.listed:
        return rows.size, 0
    listed = int((graph.candidates.rows(graph.pair_u[rows], graph.pair_v[rows]) >= 0).sum())
    return listed, rows.size - listed


def candidate_parts(project: Project, status: Status) -> Parts:
    """What became of the candidates that a status counts."""
    with project.lock:
        asked, beyond = asked_candidates(project.resolution)
    asked = min(asked, status.candidates - status.to_ask)  # votes may have come since
    return Parts(asked, status.candidates - status.to_ask - asked, status.to_ask, beyond)


def pair_rows(resolution: Resolution, rows: Int32s) -> list[PairRow]:
    """What is known of pairs, by their rows in the graph."""
    graph = resolution.graph
    ids = graph.records.ids
    yes, no = resolution.votes.tally(rows)
    found = []
    for row, ayes, noes in zip(rows.tolist(), yes.tolist(), no.tolist(), strict=True):
        one, two = sorted((str(ids[graph.pair_u[row]]), str(ids[graph.pair_v[row]])))
        p = float(graph.pair_p[row])
        found.append(PairRow(one, two, ayes, noes, None if p != p else p))
    return found


def _asked(resolution: Resolution, u: int, v: int) -> bool:
    return bool(resolution.graph.asked(np.array([u], np.int32), np.array([v], np.int32))[0])


def _scores(resolution: Resolution) -> float | np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    candidates = resolution.graph.candidates
    return 0.0 if candidates.score is None else candidates.score[~candidates.asked]
