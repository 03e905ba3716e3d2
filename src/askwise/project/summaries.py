"""What owners look at: the measures over time, and the clusters with their confidence. Workers do not wait for it."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Lock

from askwise.measures.expected import ExpectedScores
from askwise.project.cluster_table import Board, made_board
from askwise.project.disputes import disputed
from askwise.project.engine import Engine
from askwise.project.moves import LastingIds
from askwise.project.values import ClusterRow, Point, Status

NOTE_EVERY = 5.0
"""The least number of seconds between two points of the history."""

BOARD_SHARE = 20.0
"""How long confidences may be shown while votes come in, as a multiple of the time to compute them."""


class Summaries:
    """What follows from the engine's state. It is computed once for each state, and any thread may call any method."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._store = engine, engine.store
        self.measuring = Lock()
        self._measured: tuple[tuple[int, ...], Point, ExpectedScores] | None = None
        self._note_at, self._noted = 0.0, 0
        self._board: tuple[int, Board] | None = None
        self._board_at = 0.0
        self._lasting = LastingIds(engine)

    def summarize(self) -> bool:
        """Bring up to date what owners look at, the history and the board. Workers do not wait for it."""
        self.note()
        if self._known() is not None and time.monotonic() >= self._board_at:
            self.board(exact=True)
        return False

    def note(self) -> None:
        """Add a point to the history, if there is something new and it does not take too much time."""
        begin = time.monotonic()
        if begin >= self._note_at and self._engine.taken > self._noted:
            point, _ = self.measure()
            self._store.add_point(point)
            self._noted = point.vote
            self._note_at = time.monotonic() + max(NOTE_EVERY, 20.0 * (time.monotonic() - begin))

    def measure(self) -> tuple[Point, ExpectedScores]:
        """The present measures; computed once for each state, mostly without the lock.

        The caller may hold the lock, so nothing here waits for it while others wait for what is computed.
        """
        with self._engine.lock:
            resolution = self._engine.resolution
            state = self._engine.loads, *self._engine.state, self._engine.audit.size
            if self._measured is not None and self._measured[0] == state:
                return self._measured[1:]
            reliability = resolution.reliability
            pending = resolution.expecting()
            point = Point(
                vote=self._engine.taken,
                time=time.time(),
                questions=resolution.asked,
                votes=self._engine.votes,
                clusters=len(resolution.clustering),
                reliability=float(reliability),
                assumed=reliability.assumed,
            )
        with self.measuring:
            if self._measured is not None and self._measured[0] == state:
                return self._measured[1:]
            (expected,) = pending()
            f1 = expected.f1
            self._measured = state, replace(point, f1=f1.value, f1_low=f1.low, f1_high=f1.high), expected
            return self._measured[1:]

    def status(self) -> Status:
        """Where the project stands, as of the last refresh."""
        counts, settings = self._store.counts(), self._store.settings
        point, expected = self.measure()
        resolution = self._engine.resolution
        return Status(
            name=self._engine.about.name,
            records=len(self._engine.table),
            candidates=resolution.graph.candidates.total,
            asked=point.questions,
            to_ask=resolution.to_ask,
            open_questions=counts.open,
            held=counts.held,
            votes=counts.votes,
            workers=counts.workers,
            clusters=point.clusters,
            reliability=point.reliability,
            assumed=point.assumed,
            precision=expected.precision.value,
            recall=expected.recall.value,
            f1=expected.f1.value,
            f1_low=expected.f1.low,
            f1_high=expected.f1.high,
            cost=counts.answered * settings.price + counts.spent,
            currency=settings.currency,
            budget=settings.budget,
            paused=settings.paused,
            candidate_recall=resolution.candidate_recall,
            precision_low=expected.precision.low,
            precision_high=expected.precision.high,
            recall_low=expected.recall.low,
            recall_high=expected.recall.high,
        )

    def clusters(self) -> list[ClusterRow]:
        """The clusters with lasting ids and confidence, the largest first; computed once for each state."""
        return list(self.board(exact=True).rows)

    def board(self, *, exact: bool = False) -> Board:
        """All clusters, as of the last refresh.

        Unless it must be `exact`, the confidence of unchanged clusters may be some seconds old, and while the engine is
        busy for long, this is the board before.
        """
        known = self._known()
        if known is not None and known.state == self._engine.state and (known.exact or not exact):
            return known
        waiting = exact or known is None
        if not (self._engine.lock.acquire() if waiting else self._engine.acquired_soon()):
            assert known is not None
            return known
        try:
            known, engine = self._known(), self._engine
            if known is None or known.state != engine.state or (exact and not known.exact):
                begin = time.monotonic()
                before = None if exact else known
                conflicts = disputed(engine.resolution).rows
                known = made_board(engine.state, engine.resolution, conflicts, self._lasting.ids, before)
                self._board = engine.loads, known
                if known.exact:
                    self._board_at = time.monotonic() + BOARD_SHARE * (time.monotonic() - begin)
            return known
        finally:
            self._engine.lock.release()

    def _known(self) -> Board | None:
        """The last board, unless the inputs were loaded again since."""
        kept = self._board
        return None if kept is None or kept[0] != self._engine.loads else kept[1]

    def seen(self) -> None:
        """Bring the board up to date after an edit. The caller holds the lock."""
        if self._known() is not None:
            self.board()
