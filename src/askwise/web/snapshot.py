"""What pages and programs see of the engine: computed again when it has changed, but not all the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Generic, TypeVar

from askwise.project import ClusterRow, Project
from askwise.strategies import Question

_FRESH = 1.0  # seconds
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


class _Kept(Generic[Value]):
    """A value that is kept for as long as it is right, and a little longer if it takes long to compute."""

    def __init__(self, state: Callable[[], object], compute: Callable[[], Value]) -> None:
        self._state, self._compute = state, compute
        self._lock = Lock()
        self._known: tuple[Value, object, float] | None = None

    def get(self) -> Value:
        """The value, at most some seconds old: a tenth of the time at most goes into computing it."""
        with self._lock:
            if self._known is not None:
                value, state, good_until = self._known
                if time.monotonic() < good_until or state == self._state():
                    return value
            begin, state = time.monotonic(), self._state()
            value = self._compute()
            end = time.monotonic()
            self._known = value, state, end + max(_FRESH, _SHARE * (end - begin))
            return value

    def forget(self) -> None:
        """Compute it anew when it is wanted."""
        with self._lock:
            self._known = None


class Snapshot:
    """The clusters, and what is worth asking next."""

    def __init__(self, project: Project) -> None:
        def state() -> object:
            return id(project.resolution), project.resolution.votes.count

        self._clusters = _Kept(state, lambda: Clusters(project.clusters()))
        self._questions = _Kept(state, lambda: project.next_questions(_QUESTIONS))

    def clusters(self) -> Clusters:
        """The clusters."""
        return self._clusters.get()

    def questions(self) -> list[Question]:
        """Some questions, the most useful first."""
        return self._questions.get()

    def forget(self) -> None:
        """The owner has changed something, and wants to see it."""
        self._clusters.forget()
        self._questions.forget()
