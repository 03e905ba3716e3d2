"""Questions that are assigned to one worker: this worker gets them first, and others do not get them.

An assignment ends with the worker's vote. If it is withdrawn, if the worker is excluded, or if their last link is
revoked, it ends too, and anyone may get the question.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select, tuple_

from askwise.errors import InputError
from askwise.project import checks
from askwise.project.engine import Engine
from askwise.project.events import noted
from askwise.project.reserved import Pair, free, reserve, workers_of
from askwise.project.rows import batched
from askwise.project.schema import questions
from askwise.project.values import OWNER
from askwise.project.writer import Transaction

_NAMED = 20


class Reserving:
    """Assigns questions to workers. `by` is who does it."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._store = engine, engine.store

    def assign(self, pairs: Iterable[tuple[str, str]], worker: str, *, by: str = OWNER) -> int:
        """Assign pairs to a worker, who gets them in this order; returns how many.

        Pairs that the worker has answered are left out. A question that has all its votes gets one more.
        """
        chosen = [checks.pair(self._engine.records, *pair) for pair in pairs]

        def write(work: Transaction) -> int:
            able = workers_of(work.connection)
            if worker not in able:
                others = f"choose from: {', '.join(able[:_NAMED])}" if able else "make a link for a worker first"
                raise InputError(f"{worker[:40]!r} is not a worker who gets questions; {others}")
            new = reserve(work, chosen, worker)
            noted(work, by if new else None, "questions", {"pairs": new, "to": worker})
            return len(new)

        return self._store.change(write)

    def withdraw(self, pairs: Iterable[tuple[str, str]], *, by: str = OWNER) -> int:
        """Let anyone get these pairs again; returns how many were assigned."""
        chosen = [checks.pair(self._engine.records, *pair) for pair in pairs]

        def write(work: Transaction) -> int:
            among = (tuple_(questions.c.left, questions.c.right).in_(some) for some in batched(chosen))
            return _freed(work, [pair for where in among for pair in free(work, where)], by)

        return self._store.change(write)

    def withdraw_all(self, worker: str, *, by: str = OWNER) -> int:
        """Let anyone get all pairs that are assigned to a worker; returns how many."""
        return self._store.change(lambda work: _freed(work, free(work, questions.c.assignee == worker), by))

    def all(self) -> dict[Pair, str]:
        """The pairs that are assigned, with their workers, in the order in which each gets them."""
        columns = questions.c.left, questions.c.right, questions.c.assignee
        query = select(*columns).where(questions.c.assignee.is_not(None))
        with self._store.reading() as connection:
            rows = connection.execute(query.order_by(questions.c.assignee, questions.c.rank)).all()
        return {(row.left, row.right): row.assignee for row in rows}

    def on(self, left: str, right: str) -> str | None:
        """The worker to whom a pair is assigned."""
        one, two = checks.pair(self._engine.records, left, right)
        query = select(questions.c.assignee).where(questions.c.left == one, questions.c.right == two)
        with self._store.reading() as connection:
            return connection.execute(query).scalar()

    def workers(self) -> list[str]:
        """To whom questions can be assigned."""
        with self._store.reading() as connection:
            return workers_of(connection)


def _freed(work: Transaction, pairs: list[Pair], by: str) -> int:
    noted(work, by if pairs else None, "questions", {"pairs": pairs, "to": ""})
    return len(pairs)
