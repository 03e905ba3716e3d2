"""Tables of workers for owners: who agrees with the others, who is how often wrong, the effect of an exclusion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.clustering.partition import Clustering
from askwise.evidence import VoteLog
from askwise.project.project import Project
from askwise.project.queue import checked
from askwise.project.values import OWNER
from askwise.resolution import Resolution

_PARTS, _LEAST = 10, 5
"""Parts of a worker's votes that show how agreement changes, at the most, and votes in one of them, at the least."""


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
class Change:
    """How the clustering changed: clusters before and after, and records that are with other records now."""

    before: int
    after: int
    moved: int


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
