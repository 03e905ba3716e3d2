"""Requests that run at once: orders go to several threads, and replies are collected as they come."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

from askwise.crowds.protocol import Order, Reply

_GATHER = 0.02
"""Seconds; replies that come so close together are written down together."""


class Requests:
    """Runs `work` on orders in at most `most` threads. `work` raises no errors."""

    def __init__(self, work: Callable[[Order], Reply], most: int) -> None:
        self._work, self._most = work, most
        self._todo: SimpleQueue[Order | None] = SimpleQueue()
        self._done: SimpleQueue[Reply] = SimpleQueue()
        self._under_way = 0
        self._threads: list[Thread] = []

    @property
    def room(self) -> int:
        """How many more requests may run at once."""
        return self._most - self._under_way

    def start(self, orders: Sequence[Order]) -> None:
        """Start the requests for some orders."""
        while len(self._threads) < min(self._most, self._under_way + len(orders)):
            self._threads.append(Thread(target=self._run, name="askwise-llm", daemon=True))
            self._threads[-1].start()
        self._under_way += len(orders)
        for order in orders:
            self._todo.put(order)

    def replies(self, seconds: float) -> list[Reply]:
        """The replies so far; waits up to this many seconds for the first."""
        found: list[Reply] = []
        try:
            found.append(self._done.get(timeout=seconds))
            end = time.monotonic() + _GATHER
            while len(found) < self._under_way:
                found.append(self._done.get(timeout=max(end - time.monotonic(), 0.0)))
        except Empty:
            pass
        self._under_way -= len(found)
        return found

    def stop(self) -> None:
        """Let the threads end when they have done what is waiting."""
        for _ in self._threads:
            self._todo.put(None)

    def _run(self) -> None:
        while (order := self._todo.get()) is not None:
            self._done.put(self._work(order))
