"""The engine beside the store: it takes votes in and chooses questions, in the background if there is one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Condition, Event, Thread
from time import monotonic

_log = logging.getLogger(__name__)

PAUSE = 0.2
"""Seconds between two looks at the store; after work that took longer, as long as the work took."""


class Background:
    """Calls `work` again and again, until it is stopped. What goes wrong is kept for `failure`."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._stop = Event()
        self._wake = Event()
        self._begun = self._ended = 0
        self._round = Condition()
        self._waiting: list[tuple[int, Callable[[], object]]] = []
        self.failure: Exception | None = None
        self._thread = Thread(target=self._loop, name="askwise-engine", daemon=True)
        self._thread.start()

    def catch_up(self, seconds: float) -> bool:
        """Wait for a round that begins from now on to end; returns whether one did in that time."""
        with self._round:
            wanted = self._begun + 1
            self._wake.set()
            return self._round.wait_for(lambda: self._ended >= wanted or self._stop.is_set(), seconds)

    def after_round(self, then: Callable[[], object]) -> None:
        """Call something, in our thread, when a round has ended that begins from now on."""
        with self._round:
            self._waiting.append((self._begun + 1, then))
        self._wake.set()

    def stop(self) -> None:
        """Stop after the present round."""
        self._stop.set()
        self._wake.set()
        self._thread.join()
        for _, then in self._waiting:
            then()

    def _loop(self) -> None:
        while not self._stop.is_set():
            begin = monotonic()
            with self._round:
                self._begun += 1
            try:
                self._work()
                self.failure = None
            except Exception as error:
                if self.failure is None:
                    _log.warning("the engine cannot follow the votes: %s", error)
                self.failure = error
            with self._round:
                self._ended = self._begun
                self._round.notify_all()
                due = [then for wanted, then in self._waiting if wanted <= self._ended]
                self._waiting = [(wanted, then) for wanted, then in self._waiting if wanted > self._ended]
            for then in due:
                then()
            self._wake.wait(max(PAUSE, monotonic() - begin))
            self._wake.clear()
