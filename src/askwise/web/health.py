"""The health of a served project, for its owner, /health and /metrics."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock, Thread

from sqlalchemy import select

from askwise.errors import AskwiseError
from askwise.project import Project, schema
from askwise.web.wording import seconds

LEAST_FREE = 200 * 1024 * 1024
"""Bytes that should be free on the disk of a project."""

FRESH = 2.0  # seconds for which what was found is shown
PATIENCE = 5.0  # seconds that the store has for an answer
_JUMP = 30.0  # seconds; a clock that is off by more was set, and did not drift
SHOWN = 3600.0  # seconds for which a jump of the clock is reported


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something the owner should know. If it `stops` the service, workers cannot answer."""

    what: str
    detail: str
    stops: bool = False


class Health:
    """Checks the engine, the database, the disk and the clock; each result is kept for some seconds."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = Lock()
        self._known: tuple[float, list[Trouble]] = (0.0, [])
        self._look: tuple[float, Future[list[Trouble]]] | None = None  # a look into the store that has not ended
        self._clocks = time.time(), time.monotonic()
        self._jump: tuple[float, float] | None = None  # when it was seen, and how far it was

    def troubles(self) -> list[Trouble]:
        """The present troubles."""
        with self._lock:
            if time.monotonic() >= self._known[0]:
                found = [*self._engine(), *self._store(), *self._disk(), *self._clock()]
                self._known = time.monotonic() + FRESH, found
            return self._known[1]

    def _engine(self) -> list[Trouble]:
        failure = self._project.failure
        if failure is None:
            return []
        said = f"Votes are kept, but clusters and questions no longer follow them: {failure}"
        return [Trouble("engine", said)]

    def _store(self) -> list[Trouble]:
        """Check the database in a thread of its own, because it may hang without an error."""
        if self._look is None:
            self._look = time.monotonic(), Future()
            Thread(target=_fulfil, args=(self._look[1], self._looked), name="askwise-health", daemon=True).start()
        since, look = self._look
        try:
            found = look.result(PATIENCE)
        except TimeoutError:
            waited = seconds(time.monotonic() - since)
            return [Trouble("store", f"The store does not answer: no reply for {waited}", stops=True)]
        self._look = None
        return found

    def _looked(self) -> list[Trouble]:
        store, votes = self._project.store, schema.votes
        refused = store.refusal
        if refused is not None:
            return [Trouble("store", f"The last answers could not be saved: {refused}", stops=True)]
        try:
            with store.reading() as connection:
                last = connection.execute(select(votes.c.time).order_by(votes.c.id.desc()).limit(1)).scalar()
        except AskwiseError as error:
            return [Trouble("store", f"The store does not answer: {error}", stops=True)]
        ahead = (last or 0.0) - time.time()
        if ahead <= _JUMP:
            return []
        return [Trouble("clock", f"The last vote is dated {seconds(ahead)} ahead of now: a clock is or was wrong")]

    def _disk(self) -> list[Trouble]:
        try:
            free = self.free
        except OSError as error:
            return [Trouble("disk", f"The project's folder cannot be read: {error.strerror}")]
        if free >= LEAST_FREE:
            return []
        return [Trouble("disk", f"Only {free // 1024**2:,} MB are free on the disk of the project; make room")]

    @property
    def free(self) -> int:
        """Free bytes on the project's disk."""
        return shutil.disk_usage(self._project.folder).free

    def _clock(self) -> list[Trouble]:
        """Whether the clock was set while the server ran; from then on it counts as right."""
        wall, steady = time.time(), time.monotonic()
        jump = (wall - self._clocks[0]) - (steady - self._clocks[1])
        self._clocks = wall, steady
        if abs(jump) > _JUMP:
            self._jump = steady, jump
        if self._jump is None or steady - self._jump[0] > SHOWN:
            return []
        way = "forward" if self._jump[1] > 0 else "back"
        said = f"The clock was set {way} by {seconds(abs(self._jump[1]))}; times of votes around then are wrong"
        return [Trouble("clock", said)]


def _fulfil(future: Future[list[Trouble]], look: Callable[[], list[Trouble]]) -> None:
    try:
        future.set_result(look())
    except Exception as error:
        future.set_exception(error)
