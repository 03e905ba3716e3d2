"""Tables for owners: links of a cluster, pairs in conflict or never asked, workers, the effect of an exclusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.clustering.partition import Clustering
from askwise.evidence import VoteLog
from askwise.project.disputes import disputed
from askwise.project.project import Project
from askwise.project.queue import checked
from askwise.project.values import OWNER, Status
from askwise.resolution import Resolution

_PARTS, _LEAST = 10, 5
"""Parts of a worker's votes that show how agreement changes, at the most, and votes in one of them, at the least."""


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
class WorkerRow:
    """A worker: votes, seconds that one takes, agreement with what the others say, estimated error rates.

    `over_time` is the agreement in equal parts of their votes, the first votes first. `controls` counts answers to
    questions with known answers, and `controls_wrong` those of them that were wrong.
    """

    name: str
    votes: int
    seconds: float | None
    excluded: bool
    agreement: float | None
    over_time: tuple[float, ...]
    controls: int
    controls_wrong: int
    false_yes: float | None
    false_no: float | None


@dataclass(frozen=True, slots=True)
class Parts:
    """The candidates that were asked, settled without being asked, and never asked: they add up to all candidates.

    `beyond` are pairs with answers that are not candidates.
    """

    asked: int
    settled: int
    never: int
    beyond: int


@dataclass(frozen=True, slots=True)
class Change:
    """How the clustering changed: clusters before and after, and records that are with other records now."""

    before: int
    after: int
    moved: int


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


def worker_rows(project: Project) -> list[WorkerRow]:
    """Everyone who has voted, with estimates of their quality."""
    with project.lock:
        quality = {str(known.worker): known for known in project.resolution.worker_quality()}
        agreement = _agreement(project.resolution)
    with project.store.reading() as connection:
        controls = checked(connection)
    rows = []
    for worker in project.workers():
        known = None if worker.excluded else quality.get(worker.name)
        overall, over_time = (None, ()) if worker.excluded else agreement.get(worker.name, (None, ()))
        rows.append(
            WorkerRow(
                worker.name,
                worker.votes,
                worker.seconds,
                worker.excluded,
                overall,
                over_time,
                *controls.get(worker.name, (0, 0)),
                None if known is None else known.false_yes,
                None if known is None else known.false_no,
            )
        )
    return rows


def set_excluded(project: Project, worker: str, excluded: bool, *, by: str = OWNER) -> Change:
    """Exclude or include a worker; returns what changes."""
    with project.lock:
        project.refresh()
        before = project.resolution.clustering
        (project.exclude if excluded else project.include)(worker, by=by)
        project.refresh()
        return _change(before, project.resolution.clustering)


def _change(before: Clustering, after: Clustering) -> Change:
    moved = sum(len(cluster) for cluster in after if cluster not in before)
    return Change(len(before), len(after), moved)


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


def _agreement(resolution: Resolution) -> dict[str, tuple[float, tuple[float, ...]]]:
    """For each worker, how often they say what most others say of a pair, where the others are not divided evenly.

    In all, and in parts of their votes in the order in which they came.
    """
    votes = resolution.votes
    rows = votes.voted()
    places, judges, said = votes.standing(rows)
    yes, no = votes.tally(rows)
    lead = (yes - no)[places] - (2.0 * said - 1.0)
    told = (lead != 0.0) & (said != 0.5)
    agrees = ((lead > 0.0) == (said > 0.5))[told]
    order = np.lexsort((_last_said(votes, rows[places[told]], judges[told]), judges[told]))
    starts = np.searchsorted(judges[told][order], np.arange(len(votes.judges) + 1))
    found = {}
    for name, first, end in zip(votes.judges, starts, starts[1:], strict=False):
        own = agrees[order[first:end]]
        if own.size:
            parts = np.array_split(own, min(_PARTS, max(1, own.size // _LEAST)))
            found[str(name)] = float(own.mean()), tuple(float(part.mean()) for part in parts)
    return found


def _last_said(votes: VoteLog, rows: Int32s, judges: Int32s) -> Int64s:
    """Where in the log each of these judges last said something about these pairs."""
    number = {name: at for at, name in enumerate(votes.judges)}
    of = [number[name[0] if isinstance(name, tuple) and len(name) == 2 else name] for name in votes.workers]
    many = np.int64(max(1, len(number)))
    said = votes.pair[: votes.count] * many + np.array(of, np.int64)[votes.worker[: votes.count]]
    order = np.argsort(said, kind="stable")
    return order[np.searchsorted(said[order], rows * many + judges, side="right") - 1]


def _asked(resolution: Resolution, u: int, v: int) -> bool:
    return bool(resolution.graph.asked(np.array([u], np.int32), np.array([v], np.int32))[0])


def _scores(resolution: Resolution) -> float | np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    candidates = resolution.graph.candidates
    return 0.0 if candidates.score is None else candidates.score[~candidates.asked]
