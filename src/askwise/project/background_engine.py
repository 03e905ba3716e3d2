"""The engine beside the store: it takes votes in and chooses questions, in the background if there is one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic

_log = logging.getLogger(__name__)

PAUSE = 0.2
"""Seconds between two looks at the store; after work that took longer, as long as the work took."""


class Background:
    """Calls `work` again and again, until it is stopped. What goes wrong is kept for `failure`.

    `news` is what the last round returned.
    """

    def __init__(self, work: Callable[[], bool]) -> None:
        self._work = work
        self._stop = Event()
        self._wake = Event()
        self._begun = 0
        self._round = Lock()
        self._waiting: list[tuple[int, Callable[[], object]]] = []
        self.failure: Exception | None = None
        self.news = False
        self._thread = Thread(target=self._loop, name="askwise-engine", daemon=True)
        self._thread.start()

    def after_round(self, then: Callable[[], object]) -> bool:
        """Call something, in our thread, when a round has ended that begins from now on; False if none will."""
        with self._round:
            if self._stop.is_set():
                return False
            self._waiting.append((self._begun + 1, then))
        self._wake.set()
        return True

    def stop(self) -> None:
        """Stop after the present round, and call all that wait for another."""
        with self._round:
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
                self.news = self._work()
                self.failure = None
            except Exception as error:
                self.news = False
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
