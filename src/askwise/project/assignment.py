"""Decides which worker gets which question, for many workers at once. Runs inside a transaction."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam, exists, func, select

from askwise.errors import AskwiseError
from askwise.project.bulk import Query
from askwise.project.queue import asked_beside, unseen_known
from askwise.project.rows import register, settings_of
from askwise.project.schema import LAPSED, OPEN, questions, tasks, votes
from askwise.project.tasks import Held, add_tasks, grow, lapse, new_task, renew, tasks_by_worker
from askwise.project.values import Settings, Task
from askwise.project.writer import Transaction

_OPEN = (
    select(questions.c.id, questions.c.left, questions.c.right, questions.c.room)
    .where(questions.c.room > 0)
    .order_by(questions.c.assignee, questions.c.rank)
    .limit(bindparam("most"))
)
_FIRST = _OPEN.where(questions.c.assignee.is_(None))
_UNSEEN = _OPEN.where(
    ~exists().where(tasks.c.question == questions.c.id, tasks.c.worker == bindparam("who")),
    ~exists().where(
        votes.c.left == questions.c.left, votes.c.right == questions.c.right, votes.c.worker == bindparam("who")
    ),
)
_NEXT = _UNSEEN.where(questions.c.assignee.is_(None))
_ASSIGNED = _UNSEEN.where(questions.c.assignee == bindparam("who"))
_ANY_ASSIGNED = select(questions.c.id).where(questions.c.room > 0, questions.c.assignee.is_not(None)).limit(1)
_HAD = Query(
    lambda among: (
        select(tasks.c.worker, tasks.c.question)
        .where(among(tasks.c.question, "ids"), among(tasks.c.worker, "names"))
        .union_all(
            select(votes.c.worker, questions.c.id)
            .join_from(questions, votes, (votes.c.left == questions.c.left) & (votes.c.right == questions.c.right))
            .where(among(questions.c.id, "ids"), among(votes.c.worker, "names"))
        )
    )
)
_HELD = select(func.count()).select_from(tasks).where(tasks.c.state == OPEN)


class Take(NamedTuple):
    """A worker who asks for a question, other than the tasks in `beside`."""

    worker: str
    beside: Collection[int]
    now: float


def take_all(work: Transaction, orders: list[Take]) -> list[Task | AskwiseError | None]:
    """A task for each worker: one that they have and that is not in `beside`, or a new one; None if there is none.

    A task that a worker left unanswered is theirs again unless another worker has taken it. No one gets a pair twice.
    """
    now = max(order.now for order in orders)
    lapse(work, now)
    names = list(dict.fromkeys(order.worker for order in orders))
    excluded = register(work, names, now)
    settings = settings_of(work)
    if settings.paused:
        return [None] * len(orders)
    return _Round(work, names, settings).results([None if order.worker in excluded else order for order in orders])


class _Round:
    """Questions for several workers, out of those that are free now."""

    def __init__(self, work: Transaction, names: list[str], settings: Settings) -> None:
        self._work = work
        self._settings = settings
        self._held = tasks_by_worker(work.connection, names)
        self._given: dict[int, int] = {}  # question: places given away in this round
        self._renewed: dict[int, float] = {}
        self._new: list[Held] = []
        self._free = self._money()
        self._most = 2 * len(names) + 8
        self._open = work.connection.execute(_FIRST, {"most": self._most}).all()
        found = {"ids": [row.id for row in self._open], "names": names}
        self._seen = {tuple(row) for row in _HAD.rows(work.connection, found)}
        self._assigned = work.connection.execute(_ANY_ASSIGNED).first() is not None

    def _money(self) -> float:
        """How many more tasks the budget allows."""
        if self._settings.budget is None:
            return float("inf")
        held = int(self._work.connection.execute(_HELD).scalar_one())
        return self._settings.budget - int(self._work.project["answered"]) - held

    def results(self, orders: list[Take | None]) -> list[Task | AskwiseError | None]:
        """A task for each, or None."""
        found = [
            None if order is None else self._again(order) or self._control(order) or self._fresh(order)
            for order in orders
        ]
        add_tasks(self._work, self._new)
        renew(self._work, self._renewed)
        grow(self._work, {question: (-places, 0) for question, places in self._given.items()})
        return [None if held is None else held.task() for held in found]

    def _again(self, order: Take) -> Held | None:
        """A task that the worker already has, with a full lease."""
        for held in self._held.get(order.worker, []):
            if held.id in order.beside:
                continue
            if held.state == LAPSED:
                if held.room <= self._given.get(held.question, 0) or self._free <= 0:
                    continue
                self._place(held.question)
                held.state = OPEN
            held.until = self._renewed[held.id] = order.now + self._settings.lease_seconds
            return held
        return None

    def _control(self, order: Take) -> Held | None:
        """Now and then a question with a known answer; people whom a panel sends have such in their packs."""
        if random.random() >= self._settings.controls or self._free <= 0 or ":" in order.worker:
            return None
        pair = unseen_known(self._work, order.worker)
        if pair is None or any((held.left, held.right) == pair for held in self._held.get(order.worker, [])):
            return None
        number = asked_beside(self._work, *pair)
        self._seen.add((order.worker, number))
        return self._given_to(order, number, *pair)

    def _fresh(self, order: Take) -> Held | None:
        """A question that the worker has not seen."""
        if self._free <= 0:
            return None
        for number, left, right, room in self._candidates(order.worker):
            if (order.worker, number) not in self._seen and room > self._given.get(number, 0):
                self._seen.add((order.worker, number))
                return self._given_to(order, number, left, right)
        return None

    def _given_to(self, order: Take, number: int, left: str, right: str) -> Held:
        self._place(number)
        held = new_task(self._work, number, left, right, order.worker, order.now)
        self._held.setdefault(order.worker, []).append(held)
        self._new.append(held)
        return held

    def _candidates(self, worker: str) -> Iterator[Any]:
        """Questions with room, in the order to ask them: the worker's own, those that anyone may get, then others."""
        if self._assigned:
            yield from self._further(_ASSIGNED, worker)
        yield from self._open
        if len(self._open) == self._most:
            yield from self._further(_NEXT, worker)

    def _further(self, query: Select[Any], worker: str) -> Sequence[Any]:
        """More than were given away in this round."""
        return self._work.connection.execute(query, {"who": worker, "most": len(self._given) + 1}).all()

    def _place(self, question: int) -> None:
        self._given[question] = self._given.get(question, 0) + 1
        self._free -= 1
