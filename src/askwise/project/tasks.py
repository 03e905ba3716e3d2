"""Who gets which question, and what becomes of it. Each function is a part of a transaction."""

from __future__ import annotations

import json
import random
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, bindparam, case, exists, func, insert, or_, select, update

from askwise.errors import TaskError
from askwise.project.rows import append_votes, register, repeated, settings_of, vote_rows
from askwise.project.schema import ANSWERED, LAPSED, OPEN, UNDONE, questions, tasks, votes
from askwise.project.values import LABELS, Task, VoteRow
from askwise.project.writer import Transaction

_HELD = (
    select(tasks, questions.c.left, questions.c.right, questions.c.room)
    .join(questions, questions.c.id == tasks.c.question)
    .order_by(tasks.c.again.desc(), case((tasks.c.again, -tasks.c.id), else_=tasks.c.id))
)

_HELD_BY = _HELD.where(
    tasks.c.worker == bindparam("who"),
    tasks.c.state.in_((OPEN, LAPSED)),
    or_(tasks.c.state == OPEN, questions.c.room > 0),
)

_NEXT = (
    select(questions.c.id, questions.c.left, questions.c.right)
    .where(
        questions.c.room > 0,
        ~exists().where(tasks.c.question == questions.c.id, tasks.c.worker == bindparam("who")),
        ~exists().where(
            votes.c.left == questions.c.left, votes.c.right == questions.c.right, votes.c.worker == bindparam("who")
        ),
    )
    .order_by(questions.c.rank)
    .limit(1)
)


def lapse(work: Transaction, now: float) -> None:
    """Give back the questions whose time has run out; once a transaction is enough."""
    if now <= work.lapsed_at:
        return
    work.lapsed_at = now
    lying = (tasks.c.state == OPEN) & (tasks.c.until <= now)
    back = work.connection.execute(
        select(tasks.c.question, func.count().label("back")).where(lying).group_by(tasks.c.question)
    ).all()
    if back:
        work.connection.execute(update(tasks).where(lying).values(state=LAPSED))
        for question, count in back:
            _make_room(work, question, count)


def take(work: Transaction, worker: str, beside: Collection[int], now: float) -> Task | None:
    """A question for the worker: one that they have and that is not among `beside`, or a new one; None: there is none.

    What they were given and left lying is theirs again, as long as nobody else has it.
    """
    lapse(work, now)
    if register(work, worker, now):
        return None
    settings = settings_of(work)
    if settings.paused:
        return None
    held = _held(work, worker, beside)
    if held is not None:
        if held.state == LAPSED:
            _make_room(work, held.question, -1)
        until = now + settings.lease_seconds
        work.connection.execute(update(tasks).where(tasks.c.id == held.id).values(until=until, state=OPEN))
        return _task(held.id, held.left, held.right, worker, until, held.swapped)
    if settings.budget is not None and _spent(work) >= settings.budget:
        return None
    found = work.connection.execute(_NEXT, {"who": worker}).first()
    if found is None:
        return None
    _make_room(work, found.id, -1)
    return give(work, found.id, found.left, found.right, worker, now)


def give(work: Transaction, question: int, left: str, right: str, worker: str, now: float, again: bool = False) -> Task:
    """Make a new task of a question; there is room for it."""
    until = now + settings_of(work).lease_seconds
    swapped = random.random() < 0.5
    values = {"question": question, "worker": worker, "until": until, "swapped": swapped, "again": again, "state": OPEN}
    number = work.connection.execute(insert(tasks).returning(tasks.c.id), values).scalar_one()
    return _task(number, left, right, worker, until, swapped)


def answer(
    work: Transaction,
    number: int,
    worker: str,
    said: str,
    source: str,
    request: str | None,
    seconds: float | None,
    shown: str | None,
    now: float,
) -> VoteRow:
    """Put a vote down for a task. A repeated request, or the same answer to the same task, counts once."""
    before = repeated(work, worker, request)
    if before is not None:
        return vote_rows(work.connection, votes.c.id == before[0])[0]
    lapse(work, now)
    if register(work, worker, now):
        raise TaskError(f"the worker {worker!r} is excluded")
    task = work.connection.execute(_HELD.where(tasks.c.id == number)).first()
    if task is None or task.worker != worker:
        raise TaskError(f"there is no task {number} of the worker {worker!r}")
    if task.state == UNDONE:
        raise TaskError(f"the answer to task {number} was taken back; answer the task that came in its place")
    if task.state == ANSWERED:
        row = vote_rows(work.connection, votes.c.id == task.vote)[0]
        if row.label is not LABELS[said]:
            raise TaskError(f"task {number} has another answer already; undo it first")
        return row
    if task.state == LAPSED:
        if task.room <= 0:
            raise TaskError(f"task {number} was left lying, and others have answered meanwhile; take another question")
        _make_room(work, task.question, -1)
    row = VoteRow(
        0,
        now,
        "vote",
        worker,
        task.left,
        task.right,
        LABELS[said],
        source,
        number,
        seconds,
        shown if shown is not None else json.dumps({"swapped": task.swapped}),
    )
    (first,) = append_votes(work, [row], worker, request)
    work.project["answered"] += 1
    work.connection.execute(update(tasks).where(tasks.c.id == number).values(state=ANSWERED, vote=first.id))
    work.connection.execute(
        update(questions).where(questions.c.id == task.question).values(votes=questions.c.votes + 1)
    )
    return first


def undo(work: Transaction, worker: str, source: str, request: str | None, now: float) -> Task | None:
    """Take back the worker's last answer that stands, and give them its question again; None if there is none."""
    before = repeated(work, worker, request)
    if before is not None:
        held = _held(work, worker, ())
        return None if held is None else _task(held.id, held.left, held.right, worker, held.until, held.swapped)
    lapse(work, now)
    if register(work, worker, now):
        return None
    last = work.connection.execute(
        select(tasks, questions.c.left, questions.c.right)
        .join(questions, questions.c.id == tasks.c.question)
        .where(tasks.c.worker == worker, tasks.c.state == ANSWERED)
        .order_by(tasks.c.vote.desc())
        .limit(1)
    ).first()
    if last is None:
        return None
    row = VoteRow(0, now, "undo", worker, last.left, last.right, None, source, last.id)
    append_votes(work, [row], worker, request)
    work.project["answered"] -= 1
    work.connection.execute(update(tasks).where(tasks.c.id == last.id).values(state=UNDONE))
    work.connection.execute(
        update(questions).where(questions.c.id == last.question).values(votes=questions.c.votes - 1)
    )
    return give(work, last.question, last.left, last.right, worker, now, again=True)


def open_tasks(connection: Connection, worker: str) -> list[Task]:
    """What the worker has, in the order in which they get it; what was left lying too, if nobody else has it."""
    return [
        _task(row.id, row.left, row.right, worker, row.until, row.swapped)
        for row in connection.execute(_HELD_BY, {"who": worker}).all()
    ]


def _held(work: Transaction, worker: str, beside: Collection[int]) -> Row[Any] | None:
    rows = work.connection.execute(_HELD_BY, {"who": worker}).all()
    return next((row for row in rows if row.id not in beside), None)


def _spent(work: Transaction) -> int:
    """Votes of tasks that stand, and tasks that may still become votes."""
    held = select(func.count()).select_from(tasks).where(tasks.c.state == OPEN)
    return int(work.project["answered"]) + int(work.connection.execute(held).scalar_one())


def _make_room(work: Transaction, question: int, more: int) -> None:
    work.connection.execute(
        update(questions).where(questions.c.id == question).values(room=questions.c.room + more, touched=True)
    )


def _task(number: int, left: str, right: str, worker: str, until: float, swapped: bool) -> Task:
    return Task(number, *((right, left) if swapped else (left, right)), worker, until, swapped)
