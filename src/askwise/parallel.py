"""Work in parts on several threads, with progress; the result does not depend on the number of threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Progress = Callable[[str, int, int], object]
"""Called with what is being done, how many records or pairs are done, and how many there are."""

Result = TypeVar("Result")


class Parts:
    """Runs the parts of a long work, and returns their results in order."""

    def __init__(self, threads: int | None = None, progress: Progress | None = None) -> None:
        self.threads = threads or os.cpu_count() or 1
        self._progress = progress

    def each(self, what: str, total: int, size: int, work: Callable[[int, int], Result]) -> Iterator[Result]:
        """Run `work(first, last)` for every `size` of `total`; few results wait at a time.

        A single part, or work for a single thread, runs directly: starting a thread takes longer than small work.
        """
        parts = [(first, min(first + size, total)) for first in range(0, total, size)]
        if self.threads == 1 or len(parts) == 1:
            for first, last in parts:
                found = work(first, last)
                self._tell(what, last, total)
                yield found
            return
        waiting: deque[tuple[int, Future[Result]]] = deque()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for first, last in parts:
                    waiting.append((last, pool.submit(work, first, last)))
                    if len(waiting) > 2 * self.threads:
                        yield self._result(what, total, waiting)
                while waiting:
                    yield self._result(what, total, waiting)
            finally:
                for _, future in waiting:
                    future.cancel()

    def all(self, what: str, total: int, size: int, work: Callable[[int, int], object]) -> None:
        """Like `each`, for work that writes its results into their places."""
        deque(self.each(what, total, size, work), maxlen=0)

    def _result(self, what: str, total: int, waiting: deque[tuple[int, Future[Result]]]) -> Result:
        done, future = waiting.popleft()
        found = future.result()
        self._tell(what, done, total)
        return found

    def _tell(self, what: str, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(what, done, total)
