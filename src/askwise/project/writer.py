"""One transaction for all callers that wait: a write to disk costs the same for one or fifty."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, select, update
from sqlalchemy.exc import SQLAlchemyError

from askwise.errors import AskwiseError, StoreError
from askwise.project import schema

Order = TypeVar("Order")
Result = TypeVar("Result")

MOST_AT_ONCE = 200
"""Callers that share a transaction."""

REMEMBERED = 10.0
"""The least number of seconds to report a refusal: on a full disk, small changes may still succeed."""


def moment(now: float | None) -> float:
    """The time that is given, or the present, in seconds since 1970."""
    return time.time() if now is None else now


class Transaction:
    """What the callers of one transaction share. The row `project` is locked, so there is no other writer."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        locked = select(schema.project).with_for_update()
        self.project: dict[str, Any] = dict(connection.execute(locked).mappings().one())
        self._before = dict(self.project)

    def finish(self) -> None:
        """Write back the changes of the row `project`."""
        changed = {name: value for name, value in self.project.items() if value != self._before[name]}
        if changed:
            self.connection.execute(update(schema.project).values(changed))


Operation = Callable[[Transaction, list[Order]], list[Result | AskwiseError]]
"""Carries out many orders of one kind at once. An order that fails by itself has an error as its result."""


class _Waiting(NamedTuple):
    operation: Operation[Any, Any]
    order: Any
    future: Future[Any]


class Writer:
    """Carries out orders, and answers when they are on disk.

    Orders that wait at the same time share a transaction. If the database refuses something, nothing of the transaction
    is kept, and each order is tried again by itself. If the commit fails, it is unknown whether it succeeded: all
    callers get that error, and none is tried again.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False
        self._refused: tuple[float, StoreError] | None = None

    @property
    def refusal(self) -> StoreError | None:
        """Why the database refused an order, if it did recently or has carried out nothing since."""
        return None if self._refused is None else self._refused[1]

    def try_again(self) -> None:
        """Test with a small write whether the database takes orders again, if no other order will show it."""
        if self._refused is not None and time.monotonic() > self._refused[0]:
            with suppress(StoreError):
                self.one(_touch)

    def one(self, operation: Callable[[Transaction], Result]) -> Result:
        """Carry out a single order, and wait until it is on disk."""
        result: Result = self.submit(_each, operation).result()
        return result

    def submit(self, operation: Operation[Order, Result], order: Order) -> Future[Result]:
        """Carry out an order; the future is done when it is on disk."""
        future: Future[Result] = Future()
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed")
            if self._thread is None:
                self._thread = Thread(target=self._loop, name="askwise-writer", daemon=True)
                self._thread.start()
            self._queue.put(_Waiting(operation, order, future))
        return future

    def close(self) -> None:
        """Finish pending orders and stop."""
        with self._lock:
            self._closed = True
            thread = self._thread
            self._queue.put(None)
        if thread is not None:
            thread.join()

    def _loop(self) -> None:
        while (first := self._queue.get()) is not None:
            waiting = [first] if first.future.set_running_or_notify_cancel() else []
            while len(waiting) < MOST_AT_ONCE:
                try:
                    item = self._queue.get_nowait()
                except Empty:
                    break
                if item is None:
                    self._queue.put(None)
                    break
                if item.future.set_running_or_notify_cancel():  # else its caller has given up
                    waiting.append(item)
            if waiting:
                self._commit(waiting)

    def _commit(self, waiting: list[_Waiting]) -> None:
        try:
            done = self._transact(waiting)
        except Exception as error:
            if len(waiting) > 1 and not isinstance(error, StoreError):
                for item in waiting:
                    self._commit([item])
            else:
                said = store_error(error)
                if isinstance(said, StoreError):
                    self._refused = time.monotonic() + REMEMBERED, said
                for item in waiting:
                    item.future.set_exception(said)
            return
        if self._refused is not None and time.monotonic() > self._refused[0]:
            self._refused = None
        for item, result in done:
            if isinstance(result, AskwiseError):
                item.future.set_exception(result)
            else:
                item.future.set_result(result)

    def _transact(self, waiting: list[_Waiting]) -> list[tuple[_Waiting, Any]]:
        kinds: dict[Operation[Any, Any], list[_Waiting]] = {}
        for item in waiting:
            kinds.setdefault(item.operation, []).append(item)
        done: list[tuple[_Waiting, Any]] = []
        with self._engine.connect().execution_options(writes=True) as connection, connection.begin() as begun:
            transaction = Transaction(connection)
            for operation, items in kinds.items():
                results = operation(transaction, [item.order for item in items])
                done += zip(items, results, strict=True)
            transaction.finish()
            try:
                begun.commit()
            except SQLAlchemyError as error:
                raise StoreError(f"{store_error(error)}; check whether your change was kept, and try again") from None
        return done


def _touch(work: Transaction) -> None:
    """A write that changes nothing."""
    work.connection.execute(update(schema.project).values(version=schema.project.c.version))


def _each(work: Transaction, operations: list[Callable[[Transaction], Any]]) -> list[Any]:
    """Operations on single orders; they raise an AskwiseError only before they have written anything."""
    results: list[Any] = []
    for operation in operations:
        try:
            results.append(operation(work))
        except AskwiseError as error:
            results.append(error)
    return results


def store_error(error: Exception) -> Exception:
    """A database error as one clear line; other errors unchanged."""
    if not isinstance(error, SQLAlchemyError):
        return error
    said = str(getattr(error, "orig", None) or error).strip().splitlines()
    return StoreError(f"the store failed: {said[0] if said else type(error).__name__}")
