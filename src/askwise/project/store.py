"""The database of a project: votes, questions, tasks, workers and settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, case, func, insert, select

from askwise.errors import StoreError
from askwise.project import file_changes, queue, schema
from askwise.project.answering import TaskAnswer, answer_all, undo
from askwise.project.assignment import Take, take_all
from askwise.project.events import Event, append, latest_events, noted
from askwise.project.open_database import OpenDatabase
from askwise.project.rows import read_settings, settings_of, vote_rows, written_settings
from askwise.project.tasks import tasks_by_worker
from askwise.project.values import Counts, Point, Settings, Task, VoteRow, Worker
from askwise.project.writer import Transaction, moment

_SIGN = case((schema.votes.c.action == "vote", 1), (schema.votes.c.action == "undo", -1), else_=0)


class Store(OpenDatabase):
    """Everything that is written while people work.

    Every method is one transaction; threads and processes may share it. When a method returns, its result is on disk.
    """

    # Work.

    def take(self, worker: str, beside: Collection[int] = (), *, now: float | None = None) -> Task | None:
        """Give a worker a question; see `assignment.take_all`."""
        return self.take_soon(worker, beside, now=now).result()

    def take_soon(self, worker: str, beside: Collection[int] = (), *, now: float | None = None) -> Future[Task | None]:
        """`take` without waiting: the future is done when the task is on disk."""
        return self.writer.submit(take_all, Take(worker, beside, moment(now)))

    def answer(
        self,
        task: int,
        worker: str,
        label: bool | None,
        source: str,
        *,
        request: str | None = None,
        seconds: float | None = None,
        shown: str | None = None,
        now: float | None = None,
    ) -> VoteRow:
        """Record an answer; see `answering.answer_all`."""
        return self.answer_soon(TaskAnswer(task, worker, label, source, request, seconds, shown, moment(now))).result()

    def answer_soon(self, said: TaskAnswer) -> Future[VoteRow]:
        """`answer` without waiting: the future is done when the answer is on disk."""
        return self.writer.submit(answer_all, said)

    def undo(self, worker: str, source: str, *, request: str | None = None, now: float | None = None) -> Task | None:
        """Take an answer back; see `answering.undo`."""
        return self.change(lambda work: undo(work, worker, source, request, moment(now)))

    def add_votes(self, rows: Sequence[VoteRow], scope: str, request: str | None = None) -> int:
        """Add votes from elsewhere; see `queue.add_votes`."""
        return self.change(lambda work: queue.add_votes(work, rows, scope, request)) if rows else 0

    def fill(self, pairs: Sequence[tuple[str, str]]) -> int:
        """Fill the queue; see `queue.fill`."""
        return self.change(lambda work: queue.fill(work, pairs))

    def settle(self, pairs: Sequence[tuple[str, str]]) -> None:
        """See `queue.settle`."""
        self.change(lambda work: queue.settle(work, pairs))

    def ask_more(self, pairs: Sequence[tuple[str, str]], more: int) -> int:
        """Ask for further votes; see `queue.ask_more`."""
        return self.change(lambda work: queue.ask_more(work, pairs, more))

    def set_excluded(
        self, worker: str, excluded: bool, source: str, *, by: str | None = None, now: float | None = None
    ) -> bool:
        """Exclude or include a worker; see `queue.set_excluded`."""

        def write(work: Transaction) -> bool:
            new = queue.set_excluded(work, worker, excluded, source, moment(now))
            noted(work, by if new else None, "exclude" if excluded else "include", {"worker": worker}, now)
            return new

        return self.change(write)

    def change_settings(self, changes: dict[str, Any], *, by: str | None = None) -> Settings:
        """Change settings, from the next question on."""

        def change(work: Transaction) -> Settings:
            before = settings_of(work)
            settings = replace(before, **changes)
            work.project["settings"] = written_settings(settings)
            if settings.votes != before.votes:
                queue.want(work, settings.votes - before.votes)
            noted(work, by, "settings", {name: getattr(settings, name) for name in changes})
            return settings

        return self.change(change)

    def change_inputs(
        self, folder: Path, before: int, write: Callable[[Path], object], said: file_changes.Said | None = None
    ) -> None:
        """Let `write` make files for the project's folder, unless others did since the inputs were number `before`.

        `said` becomes an event: who, what, and details.
        """

        def change(work: Transaction) -> None:
            if work.project["inputs"] != before:
                raise StoreError("others have just changed the project's records; try again")
            found = file_changes.prepared(folder, before, write, said)
            file_changes.carried_out(folder)
            file_changes.tell(work, found)

        self.carry_on(folder)
        self.change(change)
        self.change(lambda work: file_changes.clear(folder, work.project["inputs"]))

    def carry_on(self, folder: Path) -> None:
        """Carry a change of the project's files to its end, if a process ended in the middle of it."""

        def change(work: Transaction) -> None:
            found = file_changes.unfinished(folder)
            if found is not None and found.inputs == work.project["inputs"]:
                file_changes.carried_out(folder)
                file_changes.tell(work, found)

        if file_changes.is_there(folder):
            self.change(change)
            self.change(lambda work: file_changes.clear(folder, work.project["inputs"]))

    # Reading.

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        with self.reading() as connection:
            return read_settings(connection.execute(select(schema.project.c.settings)).scalar_one())

    @property
    def inputs(self) -> int:
        """How often records were given; a higher number means that there are new ones."""
        with self.reading() as connection:
            return int(connection.execute(select(schema.project.c.inputs)).scalar_one())

    def votes(self, *where: ColumnElement[bool], limit: int | None = None) -> list[VoteRow]:
        """Rows in the order in which they were added."""
        with self.reading() as connection:
            return vote_rows(connection, *where, limit=limit)

    def votes_after(self, last: int, limit: int) -> list[VoteRow]:
        """The rows after number `last`."""
        return self.votes(schema.votes.c.id > last, limit=limit)

    def votes_on(self, left: str, right: str) -> list[VoteRow]:
        """The rows about a pair, given with the smaller id first."""
        return self.votes(schema.votes.c.left == left, schema.votes.c.right == right)

    def votes_of(self, worker: str, before: int | None = None) -> list[VoteRow]:
        """The rows of a worker before number `before`."""
        mine = schema.votes.c.worker == worker
        return self.votes(mine) if before is None else self.votes(mine, schema.votes.c.id < before)

    def tasks_of(self, worker: str) -> list[Task]:
        """The tasks that a worker has, in the order in which `take` gives them."""
        with self.reading() as connection:
            return [held.task() for held in tasks_by_worker(connection, [worker]).get(worker, [])]

    def queued(self) -> tuple[int, list[tuple[str, str]]]:
        """How many questions no one has seen, and the pairs that someone has but no one voted on."""
        table = schema.questions
        with self.reading() as connection:
            fresh = connection.execute(
                select(func.count()).select_from(table).where(~table.c.touched, table.c.room > 0)
            )
            seen = connection.execute(select(table.c.left, table.c.right).where(table.c.touched, table.c.votes == 0))
            return fresh.scalar_one(), [(left, right) for left, right in seen.all()]

    def waiting(self) -> list[tuple[str, str]]:
        """The pairs of all questions that more workers may get."""
        table = schema.questions
        with self.reading() as connection:
            rows = connection.execute(select(table.c.left, table.c.right).where(table.c.room > 0)).all()
            return [(left, right) for left, right in rows]

    def counts(self) -> Counts:
        """How much of everything there is."""
        questions = schema.questions
        with self.reading() as connection:

            def count(table: Any, *where: Any) -> int:
                return int(connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one())

            return Counts(
                votes=int(connection.execute(select(func.coalesce(func.sum(_SIGN), 0))).scalar_one()),
                rows=int(connection.execute(select(schema.project.c.last_vote)).scalar_one()),
                questions=count(questions, questions.c.touched),
                open=count(questions, questions.c.room > 0),
                held=count(schema.tasks, schema.tasks.c.state == schema.OPEN),
                workers=count(schema.workers),
                answered=int(connection.execute(select(schema.project.c.answered)).scalar_one()),
                spent=float(connection.execute(select(func.coalesce(func.sum(schema.sent.c.cost), 0.0))).scalar_one()),
            )

    def workers(self) -> list[Worker]:
        """Everyone who has voted, with the number of their valid answers and the mean time for one."""
        table, votes = schema.workers, schema.votes
        given = (
            select(votes.c.worker, func.sum(_SIGN).label("votes"), func.avg(votes.c.seconds).label("seconds"))
            .where(votes.c.action.in_(("vote", "undo")))
            .group_by(votes.c.worker)
            .subquery()
        )
        query = (
            select(table.c.name, table.c.since, table.c.excluded, func.coalesce(given.c.votes, 0), given.c.seconds)
            .outerjoin(given, given.c.worker == table.c.name)
            .order_by(table.c.since, table.c.name)
        )
        with self.reading() as connection:
            return [Worker(*row) for row in connection.execute(query).all()]

    # Events.

    def add_event(
        self, person: str, kind: str, data: dict[str, Any], *, after: int | None = None, now: float | None = None
    ) -> Event | None:
        """Add an event; with `after`, only if that is the last event, else None."""

        def write(work: Transaction) -> Event | None:
            if after is not None and work.project["last_event"] != after:
                return None
            return append(work, person, kind, data, moment(now))

        return self.change(write)

    def events(self, before: int = 2**62, limit: int = 100) -> list[Event]:
        """The latest events before a number, the latest first."""
        with self.reading() as connection:
            return latest_events(connection, before, limit)

    # What is derived, but kept.

    def history(self) -> list[Point]:
        """The points of the history."""
        with self.reading() as connection:
            return [Point(*row) for row in connection.execute(select(schema.history).order_by(schema.history.c.vote))]

    def add_point(self, point: Point) -> None:
        """Add a point to the history, unless it is there."""
        table = schema.history

        def write(work: Transaction) -> None:
            if not work.connection.execute(select(table.c.vote).where(table.c.vote == point.vote)).first():
                values = {column.name: getattr(point, column.name) for column in table.columns}
                work.connection.execute(insert(table), values)

        self.derive(write)
