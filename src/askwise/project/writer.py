"""One transaction for as many callers as are waiting: a write to disk costs the same for one or fifty."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import SQLAlchemyError

from askwise.errors import AskwiseError, StoreError
from askwise.project import schema

Result = TypeVar("Result")

MOST = 200
"""Callers that share a transaction."""


class Transaction:
    """What the callers of one transaction share. The row `project` is locked, so nobody else writes."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.lapsed_at = 0.0
        locked = select(schema.project).with_for_update()
        self.project: dict[str, Any] = dict(connection.execute(locked).mappings().one())
        self._before = dict(self.project)

    def finish(self) -> None:
        """Write back what changed of the row `project`."""
        changed = {name: value for name, value in self.project.items() if value != self._before[name]}
        if changed:
            self.connection.execute(schema.project.update().values(changed))


Operation = Callable[[Transaction], Any]


class Writer:
    """Runs operations in the order in which they came, and answers when they are on disk.

    An operation raises an AskwiseError only before it has written anything: then it alone fails. If the database fails,
    nothing of the transaction is kept, and each operation is tried again by itself.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: SimpleQueue[tuple[Operation, Future[Any]] | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False

    def run(self, operation: Callable[[Transaction], Result]) -> Result:
        """Run an operation and wait until it is on disk."""
        return self.submit(operation).result()

    def submit(self, operation: Callable[[Transaction], Result]) -> Future[Result]:
        """Run an operation; the future is done when it is on disk."""
        future: Future[Result] = Future()
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed")
            if self._thread is None:
                self._thread = Thread(target=self._loop, name="askwise-writer", daemon=True)
                self._thread.start()
            self._queue.put((operation, future))
        return future

    def close(self) -> None:
        """Finish what was begun, and stop."""
        with self._lock:
            self._closed = True
            thread = self._thread
            self._queue.put(None)
        if thread is not None:
            thread.join()

    def _loop(self) -> None:
        while (first := self._queue.get()) is not None:
            waiting = [first]
            while len(waiting) < MOST:
                try:
                    item = self._queue.get_nowait()
                except Empty:
                    break
                if item is None:
                    self._queue.put(None)
                    break
                waiting.append(item)
            self._commit(waiting)

    def _commit(self, waiting: list[tuple[Operation, Future[Any]]]) -> None:
        try:
            outcomes = self._transact([operation for operation, _ in waiting])
        except Exception as error:
            if len(waiting) > 1:
                for item in waiting:
                    self._commit([item])
            else:
                waiting[0][1].set_exception(store_error(error))
            return
        for (_, future), (result, failure) in zip(waiting, outcomes, strict=True):
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)

    def _transact(self, operations: list[Operation]) -> list[tuple[Any, AskwiseError | None]]:
        outcomes: list[tuple[Any, AskwiseError | None]] = []
        with self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            transaction = Transaction(connection)
            for operation in operations:
                try:
                    outcomes.append((operation(transaction), None))
                except AskwiseError as error:
                    outcomes.append((None, error))
            transaction.finish()
        return outcomes


def store_error(error: Exception) -> Exception:
    """A database's error as one clear line; other errors as they are."""
    if not isinstance(error, SQLAlchemyError):
        return error
    said = str(getattr(error, "orig", None) or error).strip().splitlines()
    return StoreError(f"the store failed: {said[0] if said else type(error).__name__}")
