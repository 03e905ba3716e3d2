"""What pages and programs see of the engine: computed again when it has changed, but not all the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Generic, TypeVar
from zlib import crc32

from askwise.project import ClusterRow, Project, Status
from askwise.strategies import Question

_FRESH = 1.0  # seconds for which clusters are shown at least
_SHARE = 10.0  # how many times longer than it took to compute something, it may be shown
_QUESTIONS = 5

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
        """The value, at most some seconds old: a tenth of the time at most goes into computing it."""
        with self._lock:
            if self._known is not None and (time.monotonic() < self._known[2] or self._known[1] == self._state()):
                return self._known[0]
            begin, state = time.monotonic(), self._state()
            value = self._compute()
            end = time.monotonic()
            self._known = value, state, end + max(self._least, _SHARE * (end - begin))
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
    """The clusters, where the project stands, and what is worth asking next."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._clusters = Kept(self._engine, lambda: Clusters(project.clusters()), _FRESH)
        self._questions = Kept(self._engine, lambda: project.next_questions(_QUESTIONS))
        self._status = Kept(self._all, project.status)

    def _engine(self) -> object:
        """What the engine took in."""
        return id(self._project.resolution), self._project.resolution.votes.count

    def _all(self) -> str:
        """Votes, settings, what waits, what the engine took in."""
        counts, settings = self._project.store.counts(), crc32(repr(self._project.settings).encode())
        return f"{counts.rows}.{counts.held}.{counts.open}.{settings:x}.{self._project.resolution.votes.count}"

    @property
    def version(self) -> str:
        """Changes whenever something changed that a page shows, and when what it showed may be computed anew."""
        return f"{self._all()}.{self._clusters.due:d}{self._questions.due:d}{self._status.due:d}"

    def clusters(self) -> Clusters:
        """The clusters."""
        return self._clusters.get()

    def questions(self) -> list[Question]:
        """Some questions, the most useful first."""
        return self._questions.get()

    def status(self) -> Status:
        """Where the project stands."""
        return self._status.get()

    def forget(self) -> None:
        """The owner has changed something, and wants to see it."""
        for kept in (self._clusters, self._questions, self._status):
            kept.forget()
