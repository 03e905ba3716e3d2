"""Runs the engine in the background: one thread follows the votes and chooses questions, another computes summaries."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic

_log = logging.getLogger(__name__)

PAUSE = 0.2
"""Seconds between two checks of the database; after longer work, as long as the work took."""


class Background:
    """Calls `work` repeatedly until it is stopped.

    `failure` has the last error, and `brought` counts the rounds with news.
    """

    def __init__(self, work: Callable[[], bool], name: str) -> None:
        self._work = work
        self._stop = Event()
        self._wake = Event()
        self._begun = 0
        self._round = Lock()
        self._waiting: list[tuple[int, Callable[[], object]]] = []
        self.failure: Exception | None = None
        self.brought = 0
        self._thread = Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def after_round(self, then: Callable[[], object]) -> bool:
        """Call a function, in this thread, after the next full round; False if there will be none."""
        with self._round:
            if self._stop.is_set():
                return False
            self._waiting.append((self._begun + 1, then))
        self._wake.set()
        return True

    def stop(self) -> None:
        """Stop after the present round, and call everything that waits for another."""
        with self._round:
            self._stop.set()
        self._wake.set()
        self._thread.join()

    def _loop(self) -> None:
        try:
            self._rounds()
        finally:  # whatever ended it, nothing waits for a round that will not come
            with self._round:
                self._stop.set()
            for _, then in self._waiting:
                then()

    def _rounds(self) -> None:
        while not self._stop.is_set():
            begin = monotonic()
            with self._round:
                self._begun += 1
            try:
                self.brought += self._work()
                self.failure = None
            except Exception as error:
                if self.failure is None:
                    _log.warning("the engine cannot follow the votes: %s", error)
                self.failure = error
            with self._round:
                due = [then for wanted, then in self._waiting if wanted <= self._begun]
                self._waiting = [(wanted, then) for wanted, then in self._waiting if wanted > self._begun]
            for then in due:
                then()
            self._wake.wait(max(PAUSE, monotonic() - begin))
            self._wake.clear()
