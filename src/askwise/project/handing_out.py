"""Gives workers questions, while the engine follows the votes in the background, or in between."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import Future
from contextlib import suppress

from askwise.errors import StoreError
from askwise.project.background_engine import Background
from askwise.project.choosing import Choosing, renewed_after
from askwise.project.store import Store
from askwise.project.summaries import Summaries
from askwise.project.values import Task

PATIENCE = 2.0
"""The most seconds that a worker waits for the engine to choose questions when none is left."""


class HandingOut:
    """Gives workers questions. After `start`, the engine runs in the background; before, it runs when it has to."""

    def __init__(self, store: Store, choosing: Choosing, summaries: Summaries) -> None:
        self._store, self._choosing, self._summaries = store, choosing, summaries
        self._threads: tuple[Background, Background] | None = None
        self._given = 0

    @property
    def failure(self) -> Exception | None:
        """Why the engine in the background cannot follow, if it cannot."""
        return next(filter(None, [one.failure for one in self._threads or ()]), None)

    def start(self) -> None:
        """Run the engine in the background until `stop`."""
        if self._threads is None:
            following = Background(self._choosing.follow, "askwise-engine")
            self._threads = following, Background(self._summaries.summarize, "askwise-summaries")

    def stop(self) -> None:
        """Stop the engine in the background."""
        for background in self._threads or ():
            background.stop()
        self._threads = None

    def take(self, worker: str, beside: Collection[int], now: float | None) -> Task | None:
        """Give a worker a question; wait for the engine if none is left."""
        if self._threads is None and self._given >= renewed_after(self._store.settings):
            self._choosing.follow()
            self._given = 0
        task = self._store.take(worker, beside, now=now)
        # A worker must not be told that nothing is left only because the engine is behind.
        if task is None and self._threads is None and self._choosing.follow():
            task = self._store.take(worker, beside, now=now)
        if task is None and self._threads is not None:
            with suppress(TimeoutError):
                task = self.take_soon(worker, beside).result(PATIENCE)
        self._given += task is not None
        return task

    def take_soon(self, worker: str, beside: Collection[int]) -> Future[Task | None]:
        """Without waiting. It tries again as long as the engine in the background brings new questions."""
        found: Future[Task | None] = Future()
        before, again = -1, True  # rounds that had brought questions at the attempt before; whether to try once more

        def attempt() -> None:
            nonlocal before, again
            brought = 0 if self._threads is None else self._threads[0].brought
            before, again = brought, brought > before
            try:
                self._store.take_soon(worker, beside).add_done_callback(look)
            except StoreError as error:  # it was closed meanwhile
                found.set_exception(error)

        def look(taken: Future[Task | None]) -> None:
            threads, error = self._threads, taken.exception()
            if error is not None:
                found.set_exception(error)
                return
            done = taken.result() is not None or not again
            if done or threads is None or not threads[0].after_round(attempt):
                found.set_result(taken.result())

        attempt()
        return found
