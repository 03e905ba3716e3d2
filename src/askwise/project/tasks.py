"""Tasks: questions that workers hold. Runs inside a transaction."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import BigInteger, Connection, Double, Integer, SmallInteger, bindparam, case, func, or_, select, update

from askwise.project.bulk import Bulk, Query, adding
from askwise.project.rows import settings_of
from askwise.project.schema import LAPSED, OPEN, questions, tasks
from askwise.project.values import Settings, Task
from askwise.project.writer import Transaction

_THEIRS = func.coalesce(questions.c.assignee, tasks.c.worker) == tasks.c.worker
"""Whether the worker of a task may get its question: it is assigned to no one else."""

_WITH_PAIR = select(
    tasks.c.id,
    tasks.c.question,
    tasks.c.worker,
    tasks.c.until,
    tasks.c.swapped,
    tasks.c.again,
    tasks.c.state,
    tasks.c.vote,
    questions.c.left,
    questions.c.right,
    case((_THEIRS, questions.c.room), else_=0).label("room"),
    questions.c.assignee.is_not(None) & _THEIRS,
).join_from(tasks, questions, questions.c.id == tasks.c.question)

_BY_ID = Query(lambda among: _WITH_PAIR.where(among(tasks.c.id, "ids")))
_BY_WORKER = Query(
    lambda among: _WITH_PAIR.where(
        among(tasks.c.worker, "names"),
        tasks.c.state.in_((OPEN, LAPSED)),
        or_(tasks.c.state == OPEN, (questions.c.room > 0) & _THEIRS),
    )
)
_LYING = (tasks.c.state == OPEN) & ((tasks.c.until <= bindparam("now")) | (tasks.c.until > bindparam("end")))
_COUNT_LYING = select(tasks.c.question, func.count()).where(_LYING).group_by(tasks.c.question)
_LAPSE = update(tasks).where(_LYING).values(state=LAPSED)
_TASK = ("id", "question", "worker", "until", "swapped", "again", "state")
_ADD = adding(tasks, *_TASK)
_SET_STATE = Bulk(
    {"task": BigInteger(), "new_state": SmallInteger(), "new_vote": BigInteger()},
    lambda given: (
        update(tasks).where(tasks.c.id == given("task")).values(state=given("new_state"), vote=given("new_vote"))
    ),
)
_RENEW = Bulk(
    {"task": BigInteger(), "new_until": Double()},
    lambda given: update(tasks).where(tasks.c.id == given("task")).values(state=OPEN, until=given("new_until")),
)
_GROW = Bulk(
    {"question": BigInteger(), "more_room": Integer(), "more_votes": Integer()},
    lambda given: (
        update(questions)
        .where(questions.c.id == given("question"))
        .values(
            room=questions.c.room + given("more_room"),
            votes=questions.c.votes + given("more_votes"),
            touched=True,
        )
    ),
)


@dataclass(slots=True)
class Held:
    """A row of tasks, with the pair of its question, as it was read.

    `room` is what the question has for this worker; `assigned` says whether it is assigned to them.
    """

    id: int
    question: int
    worker: str
    until: float
    swapped: bool
    again: bool
    state: int
    vote: int | None
    left: str
    right: str
    room: int
    assigned: bool = False

    def task(self) -> Task:
        """What the worker sees of it."""
        left, right = (self.right, self.left) if self.swapped else (self.left, self.right)
        return Task(self.id, left, right, self.worker, self.until, self.swapped)


def tasks_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, Held]:
    """The tasks with these numbers that exist."""
    return {row.id: Held(*row) for row in _BY_ID.rows(connection, {"ids": list(ids)})}


def tasks_by_worker(connection: Connection, names: Iterable[str]) -> dict[str, list[Held]]:
    """The tasks of each worker, in the order in which they get them: first those they took back, the latest first.

    Tasks that ran out are included, unless another worker has them.
    """
    found: dict[str, list[Held]] = {}
    for row in _BY_WORKER.rows(connection, {"names": list(names)}):
        found.setdefault(row.worker, []).append(Held(*row))
    for held in found.values():
        held.sort(key=lambda task: (not task.again, -task.id if task.again else task.id))
    return found


def latest_end(now: float, settings: Settings) -> float:
    """The latest credible end of a lease; a later one was given out while the clock was ahead.

    The margin of one more lease and a minute covers clocks of several servers and leases that were just shortened.
    """
    return now + 2 * settings.lease_seconds + 60


def lapse(work: Transaction, now: float) -> None:
    """Free the questions whose lease has run out, or was given out while the clock was ahead."""
    times = {"now": now, "end": latest_end(now, settings_of(work))}
    back = work.connection.execute(_COUNT_LYING, times).all()
    if back:
        work.connection.execute(_LAPSE, times)
        grow(work, {question: (count, 0) for question, count in back})


def new_task(
    work: Transaction, question: int, left: str, right: str, worker: str, now: float, again: bool = False
) -> Held:
    """A task that is not in the table yet. The caller makes sure that there is room for it."""
    work.project["last_task"] += 1
    until = now + settings_of(work).lease_seconds
    swapped = random.random() < 0.5
    return Held(work.project["last_task"], question, worker, until, swapped, again, OPEN, None, left, right, 0)


def add_tasks(work: Transaction, new: Sequence[Held]) -> None:
    """Put new tasks in the table."""
    _ADD.run(work.connection, [{name: getattr(task, name) for name in _TASK} for task in new])


def renew(work: Transaction, until: Mapping[int, float]) -> None:
    """Give the workers these tasks again, until a new time."""
    _RENEW.run(work.connection, [{"task": task, "new_until": moment} for task, moment in until.items()])


def set_states(work: Transaction, changes: Iterable[tuple[int, int, int | None]]) -> None:
    """Set the state and the vote of tasks, given as (task, state, vote)."""
    names = ("task", "new_state", "new_vote")
    _SET_STATE.run(work.connection, [dict(zip(names, change, strict=True)) for change in changes])


def grow(work: Transaction, by: Mapping[int, tuple[int, int]]) -> None:
    """Add to the room and the votes of questions."""
    names = ("question", "more_room", "more_votes")
    _GROW.run(work.connection, [dict(zip(names, (question, *more), strict=True)) for question, more in by.items()])
