"""Workers' answers to their tasks, and undos. Runs inside a transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import select, update

from askwise.errors import AskwiseError, TaskError
from askwise.project.rows import append_votes, note_requests, register, repeated, vote_rows
from askwise.project.schema import ANSWERED, LAPSED, UNDONE, questions, tasks, votes
from askwise.project.tasks import Held, add_tasks, grow, lapse, new_task, set_states, tasks_by_id, tasks_by_worker
from askwise.project.values import Task, VoteRow
from askwise.project.writer import Transaction


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """A worker's answer to a task."""

    task: int
    worker: str
    label: bool | None
    source: str
    request: str | None
    seconds: float | None
    shown: str | None
    now: float
    probability: float | None = None


def answer_all(work: Transaction, orders: list[TaskAnswer]) -> list[VoteRow | AskwiseError]:
    """Record votes. A repeated request, or the same answer to a task, counts once; another answer is an error."""
    now = max(order.now for order in orders)
    lapse(work, now)
    before = repeated(work, [(order.worker, order.request) for order in orders])
    excluded = register(work, {order.worker for order in orders}, now)
    held = tasks_by_id(work.connection, {order.task for order in orders})
    following = work.project["last_vote"] + 1
    new: list[TaskAnswer] = []
    row_of: list[int | AskwiseError] = []  # for each order, the number of its row
    rooms: dict[int, int] = {}
    for order in orders:
        key = (order.worker, order.request or "")
        if key in before:
            row_of.append(before[key][0])
            continue
        try:
            found = _checked(order, held.get(order.task), excluded, rooms)
        except AskwiseError as error:
            row_of.append(error)
            continue
        if found is None:
            found = following + len(new)
            held[order.task].state, held[order.task].vote = ANSWERED, found
            new.append(order)
            if order.request is not None:
                before[key] = (found, 1)
        row_of.append(found)
    rows = {row.id: row for row in append_votes(work, [_row(order, held[order.task]) for order in new])}
    _keep(work, new, held, rooms, following)
    old = {number for number in row_of if isinstance(number, int)} - rows.keys()
    if old:
        rows |= {row.id: row for row in vote_rows(work.connection, votes.c.id.in_(old))}
    return [
        _found(order, number if isinstance(number, AskwiseError) else rows[number])
        for order, number in zip(orders, row_of, strict=True)
    ]


def _found(order: TaskAnswer, row: VoteRow | AskwiseError) -> VoteRow | AskwiseError:
    """Return the row unless it has another answer."""
    if isinstance(row, AskwiseError) or (row.label, row.probability) == (order.label, order.probability):
        return row
    return TaskError(f"task {order.task} has another answer already; undo it first")


def _checked(order: TaskAnswer, task: Held | None, excluded: set[str], rooms: dict[int, int]) -> int | None:
    """The row of the answer that the task already has, None if it has none, or an error."""
    if order.worker in excluded:
        raise TaskError(f"the worker {order.worker!r} is excluded")
    if task is None or task.worker != order.worker:
        raise TaskError(f"there is no task {order.task} of the worker {order.worker!r}")
    if task.state == UNDONE:
        raise TaskError(f"the answer to task {order.task} was taken back; answer the task that replaced it")
    if task.state == LAPSED:
        if task.room + rooms.get(task.question, 0) <= 0:
            raise TaskError(f"task {order.task} ran out of time, and others have its question now; take another one")
        rooms[task.question] = rooms.get(task.question, 0) - 1
    return task.vote if task.state == ANSWERED else None


def _row(order: TaskAnswer, task: Held) -> VoteRow:
    shown = order.shown if order.shown is not None else json.dumps({"swapped": task.swapped})
    return VoteRow(
        id=0,
        time=order.now,
        action="vote",
        worker=order.worker,
        left=task.left,
        right=task.right,
        label=order.label,
        source=order.source,
        task=order.task,
        seconds=order.seconds,
        shown=shown,
        probability=order.probability,
    )


def _keep(work: Transaction, new: list[TaskAnswer], held: dict[int, Held], rooms: dict[int, int], first: int) -> None:
    """Record what became of the tasks, the questions and the requests."""
    work.project["answered"] += len(new)
    set_states(work, [(order.task, ANSWERED, held[order.task].vote) for order in new])
    more: dict[int, tuple[int, int]] = {}
    for order in new:
        question = held[order.task].question
        more[question] = (rooms.get(question, 0), more.get(question, (0, 0))[1] + 1)
    grow(work, more)
    finished = [held[order.task].question for order in new if held[order.task].assigned]
    if finished:
        work.connection.execute(update(questions).where(questions.c.id.in_(finished)).values(assignee=None))
    note_requests(work, [(order.worker, order.request, first + at, 1) for at, order in enumerate(new)])


def undo(work: Transaction, worker: str, source: str, request: str | None, now: float) -> Task | None:
    """Take back the worker's last valid answer and give them its question again; None if there is none."""
    lapse(work, now)
    if repeated(work, [(worker, request)]).get((worker, request or "")):
        again = tasks_by_worker(work.connection, [worker]).get(worker, [])
        return again[0].task() if again else None
    if register(work, [worker], now):
        return None
    mine = select(tasks.c.id).where(tasks.c.worker == worker, tasks.c.state == ANSWERED)
    last = work.connection.execute(mine.order_by(tasks.c.vote.desc()).limit(1)).scalar()
    if last is None:
        return None
    task = tasks_by_id(work.connection, [last])[last]
    (row,) = append_votes(work, [VoteRow(0, now, "undo", worker, task.left, task.right, None, source, last)])
    note_requests(work, [(worker, request, row.id, 1)])
    work.project["answered"] -= 1
    set_states(work, [(last, UNDONE, task.vote)])
    grow(work, {task.question: (0, -1)})
    new = new_task(work, task.question, task.left, task.right, worker, now, again=True)
    add_tasks(work, [new])
    return new.task()
