"""A cached view of the engine for pages and programs, renewed after changes, but not too often.

No page waits for long: slow computations run in the background, and meanwhile pages show the old value. A page that
comes before the first value is told so (`BusyError`) and tries again by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, Generic, TypeVar
from zlib import crc32

from askwise.errors import AskwiseError
from askwise.project import ClusterRow, Point, Project, Status
from askwise.project.cluster_table import Board
from askwise.project.pair_rows import PairRow, Parts, candidate_parts, conflicts, never_asked
from askwise.project.worker_rows import WorkerRow, worker_rows
from askwise.strategies import Question

PATIENCE = 0.3  # seconds that a page waits for a value
SHOWN_FOR = 50.0  # how many times longer than it took to compute it, something may be shown
_LONGEST = 60.0  # seconds for which it is shown at the most
_QUESTIONS = 5
_CONFLICTS = 500

Value = TypeVar("Value")


class _ById:
    """Clusters by their lasting ids."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def get(self, number: int) -> ClusterRow | None:
        """The cluster, if there is one."""
        at = self._board.find(number)
        return None if at is None else self._board.row(at)


class _OfRecord:
    """The cluster of each record."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def __getitem__(self, record: str) -> ClusterRow:
        return self._board.row(self._board.of(record))


class Clusters:
    """All clusters at one moment."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.by_id = _ById(board)
        self.of_record = _OfRecord(board)

    @property
    def rows(self) -> list[ClusterRow]:
        """All of them, the largest first."""
        return self.board.rows


class BusyError(AskwiseError):
    """The first value is still being computed."""


class Kept(Generic[Value]):
    """A cached value that is renewed when it is out of date, a little later if it takes long to compute."""

    def __init__(self, state: Callable[[], object], compute: Callable[[], Value]) -> None:
        self._state, self._compute = state, compute
        self._lock = Lock()
        self._known: tuple[Value, object, float] | None = None
        self._forgotten = False
        self._beside: Future[None] | None = None

    def get(self, patience: float | None = PATIENCE) -> Value:
        """The value, at most some seconds old: a fiftieth of the time goes into computing it, up to a minute.

        Without `patience`, a program waits for the first one for as long as it takes.
        """
        end = time.monotonic() + PATIENCE
        while True:
            known = self._known
            if known is not None and not self._wanted(known):
                return known[0]
            try:
                self._begin().result(None if known is None and patience is None else max(0.0, end - time.monotonic()))
            except TimeoutError:
                known = self._known
                if known is None:
                    raise BusyError("this is still being computed; try again in a moment") from None
                return known[0]

    def _wanted(self, known: tuple[Value, object, float]) -> bool:
        return self._forgotten or (time.monotonic() >= known[2] and known[1] != self._state())

    def _begin(self) -> Future[None]:
        """Compute it in the background, unless that is being done."""
        with self._lock:
            if self._beside is None or self._beside.done():
                self._beside = Future()
                Thread(target=self._renew, args=(self._beside,), name="snapshot", daemon=True).start()
            return self._beside

    def _renew(self, done: Future[None]) -> None:
        self._forgotten = False
        begin = time.monotonic()
        try:
            state = self._state()
            value = self._compute()
            end = time.monotonic()
            self._known = value, state, end + min(_LONGEST, SHOWN_FOR * (end - begin))
            done.set_result(None)
        except Exception as error:
            done.set_exception(error)

    @property
    def due(self) -> bool:
        """Whether the value is out of date and may be computed again."""
        known = self._known
        return known is not None and self._wanted(known)

    @property
    def busy(self) -> bool:
        """Whether it is being computed."""
        return self._beside is not None and not self._beside.done()

    def forget(self) -> None:
        """Compute it again at the next use."""
        self._forgotten = True

    def start(self) -> None:
        """Compute it, before anyone wants it."""
        self._begin()


class Snapshot:
    """The data of the owner's pages, computed once for all viewers, in a small share of the time."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._clusters: Clusters | None = None
        self._first = Kept(lambda: None, project.board)
        self._questions = Kept(self._engine, lambda: project.next_questions(_QUESTIONS))
        self._status = Kept(self._all, self._standing)
        self._history = Kept(self._all, project.history)
        self._workers = Kept(self._all, lambda: worker_rows(project))
        self._conflicts = Kept(self._engine, lambda: conflicts(project, 0, _CONFLICTS))
        self._unasked = Kept(self._engine, lambda: never_asked(project, 0, _CONFLICTS))
        self._kept: list[Kept[Any]] = [self._questions, self._status, self._history, self._workers, self._conflicts]
        self._kept.append(self._unasked)
        self._first.start()
        self._status.start()

    def _engine(self) -> object:
        """What the engine has taken in."""
        return self._project.state

    def _all(self) -> str:
        """Inputs, votes, settings, open tasks and the engine's state, from one row of the database."""
        row = self._project.store.about()
        settings = crc32(row.settings.encode())
        taken = "-".join(map(str, self._project.state))
        return f"{row.inputs}.{row.last_vote}.{row.last_task}.{row.answered}.{row.last_event}.{settings:x}.{taken}"

    def _standing(self) -> tuple[Status, Parts]:
        status = self._project.status()
        return status, candidate_parts(self._project, status)

    @property
    def version(self) -> str:
        """Changes when something on a page changed, or may be computed again."""
        return f"{self._all()}.{''.join(f'{kept.due or kept.busy:d}' for kept in self._kept)}"

    def clusters(self, patience: float | None = PATIENCE) -> Clusters:
        """The clusters; see `Engine.board`."""
        self._first.get(patience)
        board, known = self._project.board(), self._clusters
        if known is None or known.board is not board:
            known = self._clusters = Clusters(board)
        return known

    def questions(self) -> list[Question]:
        """Some questions, the most useful first."""
        return self._questions.get()

    def status(self, patience: float | None = PATIENCE) -> Status:
        """Where the project stands."""
        return self._status.get(patience)[0]

    def parts(self) -> Parts:
        """Which of the candidates that the status counts were asked."""
        return self._status.get()[1]

    def history(self) -> list[Point]:
        """The history."""
        return self._history.get()

    def workers(self, patience: float | None = PATIENCE) -> list[WorkerRow]:
        """Everyone who has voted."""
        return self._workers.get(patience)

    def conflicts(self, offset: int, limit: int) -> tuple[int, list[PairRow]]:
        """The pairs on which workers disagree, how many and some of them; those far down are looked up again."""
        total, rows = self._conflicts.get()
        if offset + limit > _CONFLICTS:
            return conflicts(self._project, offset, limit)
        return total, rows[offset : offset + limit]

    def never_asked(self, offset: int, limit: int) -> tuple[int, list[PairRow]]:
        """The candidates never asked, how many and some of them; those far down are looked up again."""
        total, rows = self._unasked.get()
        if offset + limit > _CONFLICTS:
            return never_asked(self._project, offset, limit)
        return total, rows[offset : offset + limit]

    def forget(self) -> None:
        """Renew everything, because the owner has changed something."""
        for kept in self._kept:
            kept.forget()
