"""What pages and programs see of the engine: computed again when it has changed, but not all the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar
from zlib import crc32

from askwise.project import ClusterRow, Point, Project, Status
from askwise.project.insight import PairRow, WorkerRow, conflicts, worker_rows
from askwise.strategies import Question

_FRESH = 1.0  # seconds for which clusters are shown at least
_SHARE = 50.0  # how many times longer than it took to compute something, it may be shown; there are some such things
_LONGEST = 60.0  # seconds for which it is shown at the most
_QUESTIONS = 5
_CONFLICTS = 500

Value = TypeVar("Value")


@dataclass(frozen=True)
class Clusters:
    """All clusters at one moment."""

    rows: list[ClusterRow] = field(repr=False)

    @cached_property
    def by_id(self) -> dict[int, ClusterRow]:
        """Clusters by their lasting ids."""
        return {row.id: row for row in self.rows}

    @cached_property
    def of_record(self) -> dict[str, ClusterRow]:
        """The cluster that each record is in."""
        return {member: row for row in self.rows for member in row.members}


class Kept(Generic[Value]):
    """A value that is kept for as long as it is right, and a little longer if it takes long to compute."""

    def __init__(self, state: Callable[[], object], compute: Callable[[], Value], least: float = 0.0) -> None:
        self._state, self._compute, self._least = state, compute, least
        self._lock = Lock()
        self._known: tuple[Value, object, float] | None = None

    def get(self) -> Value:
        """The value, at most some seconds old: a fiftieth of the time goes into computing it, up to a minute."""
        with self._lock:
            if self._known is not None and (time.monotonic() < self._known[2] or self._known[1] == self._state()):
                return self._known[0]
            begin, state = time.monotonic(), self._state()
            value = self._compute()
            end = time.monotonic()
            self._known = value, state, end + max(self._least, min(_LONGEST, _SHARE * (end - begin)))
            return value

    @property
    def due(self) -> bool:
        """Whether what is kept is no longer right, and may be computed anew."""
        known = self._known
        return known is not None and time.monotonic() >= known[2] and known[1] != self._state()

    def forget(self) -> None:
        """Compute it anew when it is wanted."""
        with self._lock:
            self._known = None


class Snapshot:
    """What the owner's pages show, computed for all who look at it: together it takes a small share of the time."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._clusters = Kept(self._engine, lambda: Clusters(project.clusters()), _FRESH)
        self._questions = Kept(self._engine, lambda: project.next_questions(_QUESTIONS))
        self._status = Kept(self._all, project.status)
        self._history = Kept(self._all, project.history)
        self._workers = Kept(self._all, lambda: worker_rows(project))
        self._conflicts = Kept(self._engine, lambda: conflicts(project, 0, _CONFLICTS))
        self._kept: list[Kept[Any]] = [self._clusters, self._questions, self._status, self._history]
        self._kept += [self._workers, self._conflicts]

    def _engine(self) -> object:
        """What the engine took in."""
        return self._project.state

    def _all(self) -> str:
        """Inputs, votes, settings, what was given out, what the engine took in; one row of the store tells."""
        row = self._project.store.about()
        settings = crc32(row.settings.encode())
        taken = "-".join(map(str, self._project.state))
        return f"{row.inputs}.{row.last_vote}.{row.last_task}.{row.answered}.{row.last_event}.{settings:x}.{taken}"

    @property
    def version(self) -> str:
        """Changes whenever something changed that a page shows, and when what it showed may be computed anew."""
        return f"{self._all()}.{''.join(f'{kept.due:d}' for kept in self._kept)}"

    def clusters(self) -> Clusters:
        """The clusters."""
        return self._clusters.get()

    def questions(self) -> list[Question]:
        """Some questions, the most useful first."""
        return self._questions.get()

    def status(self) -> Status:
        """Where the project stands."""
        return self._status.get()

    def history(self) -> list[Point]:
        """What was known over time."""
        return self._history.get()

    def workers(self) -> list[WorkerRow]:
        """Everybody who came."""
        return self._workers.get()

    def conflicts(self, offset: int, limit: int) -> tuple[int, list[PairRow]]:
        """The pairs on which workers disagree, how many and some of them; what is far down is looked up anew."""
        total, rows = self._conflicts.get()
        if offset + limit > _CONFLICTS:
            return conflicts(self._project, offset, limit)
        return total, rows[offset : offset + limit]

    def forget(self) -> None:
        """The owner has changed something, and wants to see it."""
        for kept in self._kept:
            kept.forget()
