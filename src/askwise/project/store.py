"""The database of a project: votes, questions, tasks, workers, invites and settings, in SQLite or PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
import weakref
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    Row,
    case,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from askwise.arrays import Int64s
from askwise.errors import InputError, StoreError
from askwise.project import changing, joining, queue, schema
from askwise.project.answering import Said, answer_all, undo
from askwise.project.assignment import Take, take_all
from askwise.project.database import (
    alone,
    close_file,
    engine_of,
    log_of,
    misses_its_log,
    read_only_connection,
    sqlite_file,
    store_url,
)
from askwise.project.events import Event, append, latest_events
from askwise.project.migrations import MIGRATIONS, MOST_JOINS, migrate, version_of
from askwise.project.rows import read_settings, settings_of, vote_rows, written_settings
from askwise.project.tasks import tasks_by_worker
from askwise.project.values import OWNER, Counts, Invite, Point, Settings, Task, VoteRow, Worker
from askwise.project.writer import Result, Transaction, Writer, store_error

COPIED = (
    "{file} was copied while it was in use, without the log beside it ({file.name}-wal): the latest votes are missing; "
    "copy both files, or restore a backup (to go on without these votes: askwise doctor --accept)"
)
_LOCK = 4715770  # any number that no other program takes for its own lock
_SIGN = case((schema.votes.c.action == "vote", 1), (schema.votes.c.action == "undo", -1), else_=0)


class Store:
    """Everything that is written while people work.

    Every method is one transaction; threads and processes may share it. When a method returns, its result is on disk.
    """

    def __init__(self, url: str | URL, *, read_only: bool = False) -> None:
        self.url = store_url(url)
        self._engine = engine_of(self.url, read_only=read_only)
        self._writer = Writer(self._engine)
        file = None if read_only else sqlite_file(self.url)
        self._closing = weakref.finalize(self, _close, self._engine, file)
        self._copied: tempfile.TemporaryDirectory[str] | None = None

    def create(self, key: str, name: str, files: str | None = None) -> None:
        """Make the tables for the project `key`, in an empty database. `files` is the digest of the inputs."""
        file = sqlite_file(self.url)
        if file is not None and not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))  # the log gets the same mode
        with self.writing() as connection:
            if version_of(connection):
                raise InputError(f"the store {self.address} holds a project already; give it a database of its own")
            migrate(connection)
            row: dict[str, Any] = {"id": 1, "version": len(MIGRATIONS), "key": key, "name": name, "inputs": 1}
            row |= {"last_vote": 0, "last_task": 0, "answered": 0, "settings": written_settings(Settings())}
            row |= {"digest": "", "files": files}
            connection.execute(insert(schema.project), row)

    def open(self, key: str) -> None:
        """Check that the database is that of the project `key`, and bring its tables up to date."""
        if self.check(key) < len(MIGRATIONS):
            with self.writing() as connection:
                migrate(connection)
            if sqlite_file(self.url) is not None:
                with self._engine.connect() as connection:  # `misses_its_log` uses the version in the file itself
                    connection.exec_driver_sql("ROLLBACK")
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def seal(self, files: Callable[[], str]) -> None:
        """Keep the digest of the project's inputs, if that was not done when they were written."""

        def write(work: Transaction) -> None:
            work.project["files"] = files()

        if self.about().files is None:
            self._writer.one(write)

    def about(self) -> Row[Any]:
        """The row `project`."""
        with self.reading() as connection:
            return connection.execute(select(schema.project)).one()

    def check(self, key: str) -> int:
        """The version of the tables of the project `key`, or an error; changes nothing."""
        file = sqlite_file(self.url)
        if file is not None:
            if not file.is_file():
                raise StoreError(f"{file} is missing: that is where the votes are; restore it from a backup")
            with alone(file):
                if misses_its_log(file):
                    raise StoreError(COPIED.format(file=file))
                with self.reading():
                    pass  # from here on the file has a log, and others cannot take that away
        with self.reading() as connection:
            version = version_of(connection)
            if version == 0:
                raise StoreError(f"the store {self.address} is empty")
            if version > len(MIGRATIONS):
                migrate(connection)  # says that it is too new
            if connection.execute(select(schema.project.c.key)).scalar_one() != key:
                raise StoreError(f"the store {self.address} belongs to another project")
        return version

    @classmethod
    def copy_of(cls, url: URL) -> Store:
        """A read-only copy of a SQLite database that cannot be written to; refused if that would lose votes."""
        file = sqlite_file(url)
        assert file is not None
        if misses_its_log(file):
            raise StoreError(COPIED.format(file=file))
        place = tempfile.TemporaryDirectory(prefix="askwise-")
        copy = Path(place.name) / file.name
        with closing(read_only_connection(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        store = cls(URL.create("sqlite", database=str(copy)))
        store._copied = place
        return store

    @property
    def read_only(self) -> bool:
        """Whether it is a read-only copy."""
        return self._copied is not None

    @property
    def _changing(self) -> Writer:
        """The writer, if there is one."""
        if self.read_only:
            raise StoreError(
                "this project cannot be written to, so it is open for reading only; check who owns its folder"
            )
        return self._writer

    @property
    def refusal(self) -> StoreError | None:
        """Why the last change could not be written, or empty."""
        self._writer.try_again()
        return self._writer.refusal

    @property
    def address(self) -> str:
        """The address of the database, without a password."""
        return self.url.render_as_string(hide_password=True)

    def close(self) -> None:
        """Finish pending changes and close the database."""
        self._writer.close()
        self._closing()
        if self._copied is not None:
            self._copied.cleanup()

    # Work.

    def take(self, worker: str, beside: Collection[int] = (), *, now: float | None = None) -> Task | None:
        """Give a worker a question; see `assignment.take_all`."""
        return self.take_soon(worker, beside, now=now).result()

    def take_soon(self, worker: str, beside: Collection[int] = (), *, now: float | None = None) -> Future[Task | None]:
        """`take` without waiting: the future is done when the task is on disk."""
        return self._changing.submit(take_all, Take(worker, beside, _now(now)))

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
        return self.answer_soon(Said(task, worker, label, source, request, seconds, shown, _now(now))).result()

    def answer_soon(self, said: Said) -> Future[VoteRow]:
        """`answer` without waiting: the future is done when the answer is on disk."""
        return self._changing.submit(answer_all, said)

    def undo(self, worker: str, source: str, *, request: str | None = None, now: float | None = None) -> Task | None:
        """Take an answer back; see `answering.undo`."""
        return self._changing.one(lambda work: undo(work, worker, source, request, _now(now)))

    def add_votes(self, rows: Sequence[VoteRow], scope: str, request: str | None = None) -> int:
        """Add votes from elsewhere; see `queue.add_votes`."""
        return self._changing.one(lambda work: queue.add_votes(work, rows, scope, request)) if rows else 0

    def fill(self, pairs: Sequence[tuple[str, str]]) -> int:
        """Fill the queue; see `queue.fill`."""
        return self._changing.one(lambda work: queue.fill(work, pairs))

    def settle(self, pairs: Sequence[tuple[str, str]]) -> None:
        """See `queue.settle`."""
        self._changing.one(lambda work: queue.settle(work, pairs))

    def ask_more(self, pairs: Sequence[tuple[str, str]], more: int) -> int:
        """Ask for further votes; see `queue.ask_more`."""
        return self._changing.one(lambda work: queue.ask_more(work, pairs, more))

    def set_excluded(
        self, worker: str, excluded: bool, source: str, *, by: str | None = None, now: float | None = None
    ) -> bool:
        """Exclude or include a worker; see `queue.set_excluded`."""

        def write(work: Transaction) -> bool:
            new = queue.set_excluded(work, worker, excluded, source, _now(now))
            _noted(work, by if new else None, "exclude" if excluded else "include", {"worker": worker}, now)
            return new

        return self._changing.one(write)

    def change_settings(self, changes: dict[str, Any], *, by: str | None = None) -> Settings:
        """Change settings, from the next question on."""

        def change(work: Transaction) -> Settings:
            before = settings_of(work)
            settings = replace(before, **changes)
            work.project["settings"] = written_settings(settings)
            if settings.votes != before.votes:
                queue.want(work, settings.votes - before.votes)
            _noted(work, by, "settings", {name: getattr(settings, name) for name in changes})
            return settings

        return self._changing.one(change)

    def change_inputs(
        self, folder: Path, before: int, write: Callable[[Path], object], said: changing.Said | None = None
    ) -> None:
        """Let `write` make files for the project's folder, unless others did since the inputs were number `before`.

        `said` becomes an event: who, what, and details.
        """

        def change(work: Transaction) -> None:
            if work.project["inputs"] != before:
                raise StoreError("others have just changed the project's records; try again")
            found = changing.prepared(folder, before, write, said)
            changing.carried_out(folder)
            _take_over(work, found)

        self.carry_on(folder)
        self._changing.one(change)
        self._changing.one(lambda work: changing.clear(folder, work.project["inputs"]))

    def carry_on(self, folder: Path) -> None:
        """Carry a change of the project's files to its end, if a process ended in the middle of it."""

        def change(work: Transaction) -> None:
            found = changing.unfinished(folder)
            if found is not None and found.inputs == work.project["inputs"]:
                changing.carried_out(folder)
                _take_over(work, found)

        if changing.is_there(folder):
            self._changing.one(change)
            self._changing.one(lambda work: changing.clear(folder, work.project["inputs"]))

    def change(self, operation: Callable[[Transaction], Result]) -> Result:
        """A transaction of a part of the project with tables of its own: ledger, studies."""
        return self._changing.one(operation)

    # Reading.

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise store_error(error) from None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that locks out other writers, for changes of the tables themselves."""
        with self._failing(), self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            if self.url.get_backend_name() == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for reading one moment of the database."""
        with self._failing(), self._engine.connect() as connection, connection.begin():
            yield connection

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

    # Invites.

    def invite(
        self,
        digest: str,
        worker: str | None = None,
        note: str = "",
        *,
        most: int = MOST_JOINS,
        role: str = "worker",
        by: str | None = None,
        now: float | None = None,
    ) -> Invite:
        """Keep a new link, by the digest of its secret: for someone in a role, or for up to `most` workers.

        Here and below, `by` is who does it, which makes it an event too.
        """

        def write(work: Transaction) -> Invite:
            made = joining.invite(work, digest, worker, note, most, _now(now), role)
            _noted(work, by, "invite", {"id": made.id, "name": worker, "role": role, "note": note}, now)
            return made

        return self._changing.one(write)

    def join(self, invite: int, digest: str, worker: str, *, back: bool = False, now: float | None = None) -> Invite:
        """Join by a link; see `joining.join`."""
        return self._changing.one(lambda work: joining.join(work, invite, digest, worker, back, _now(now)))

    def revoke(self, invite: int, *, by: str | None = None, now: float | None = None) -> bool:
        """Revoke a link; see `joining.revoke`."""

        def write(work: Transaction) -> bool:
            valid = joining.revoke(work, invite, _now(now))
            _noted(work, by if valid else None, "revoke", {"id": invite}, now)
            return valid

        return self._changing.one(write)

    def invites(self) -> list[Invite]:
        """All links, including revoked ones."""
        with self.reading() as connection:
            return [Invite(*row) for row in connection.execute(select(schema.invites).order_by(schema.invites.c.id))]

    def invite_of(self, digest: str) -> Invite | None:
        """The link with that digest, if it is valid."""
        table = schema.invites
        with self.reading() as connection:
            found = connection.execute(select(table).where(table.c.digest == digest, table.c.revoked.is_(None))).first()
            return None if found is None else Invite(*found)

    # Where the owner is signed in.

    def add_session(self, digest: str, until: float, person: str = OWNER) -> None:
        """Keep a new session, by the digest of its cookie; expired ones are dropped."""
        table = schema.sessions

        def write(work: Transaction) -> None:
            work.connection.execute(delete(table).where(table.c.until < time.time()))
            work.connection.execute(insert(table), {"digest": digest, "until": until, "person": person})

        self._changing.one(write)

    def session(self, digest: str) -> tuple[float, str] | None:
        """When a session expires, and whose it is, if there is one."""
        table = schema.sessions
        with self.reading() as connection:
            found = connection.execute(select(table.c.until, table.c.person).where(table.c.digest == digest)).first()
            return None if found is None else (found.until, found.person)

    def sessions(self, person: str = OWNER) -> int:
        """How many sessions a person has."""
        table = schema.sessions
        with self.reading() as connection:
            good = select(func.count()).where(table.c.until > time.time(), table.c.person == person)
            return int(connection.execute(good).scalar_one())

    def end_sessions(self, digest: str, *, others: bool) -> None:
        """End the session with this digest, or all others of the same person."""
        table = schema.sessions
        mine = select(table.c.person).where(table.c.digest == digest).scalar_subquery()
        which = (table.c.digest != digest) & (table.c.person == mine) if others else table.c.digest == digest
        self._changing.one(lambda work: work.connection.execute(delete(table).where(which)))

    # Events.

    def add_event(
        self, person: str, kind: str, data: dict[str, Any], *, after: int | None = None, now: float | None = None
    ) -> Event | None:
        """Add an event; with `after`, only if that is the last event, else None."""

        def write(work: Transaction) -> Event | None:
            if after is not None and work.project["last_event"] != after:
                return None
            return append(work, person, kind, data, _now(now))

        return self._changing.one(write)

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

        self._writer.one(write)

    def cluster_ids(self) -> tuple[int, int, Int64s]:
        """A version, the next free cluster id, and the ids of the records; version 0 means none yet."""
        with self.reading() as connection:
            found = connection.execute(select(schema.cluster_ids)).first()
        if found is None:
            return 0, 1, np.empty(0, np.int64)
        return found.version, found.following, np.frombuffer(zlib.decompress(found.ids), np.int64)

    def keep_cluster_ids(self, version: int, following: int, ids: Int64s) -> bool:
        """Keep the ids that follow those of `version`; False if another process was faster."""
        table = schema.cluster_ids
        packed = zlib.compress(ids.astype("<i8").tobytes(), 1)
        values = {"id": 1, "version": version + 1, "following": following, "ids": packed}

        def write(work: Transaction) -> bool:
            if (work.connection.execute(select(table.c.version)).scalar() or 0) != version:
                return False
            work.connection.execute(update(table).values(values) if version else insert(table).values(values))
            return True

        return self._writer.one(write)


def _close(engine: Engine, file: Path | None) -> None:
    if file is None or not file.exists():
        engine.dispose()
        return
    with alone(file):
        logged = log_of(file).exists()
        engine.dispose()
        if logged:
            close_file(file)


def _take_over(work: Transaction, change: changing.Change) -> None:
    work.project["files"] = change.digest
    work.project["inputs"] += 1
    if change.said is not None:
        _noted(work, *change.said)


def _noted(work: Transaction, by: str | None, kind: str, data: dict[str, Any], now: float | None = None) -> None:
    """Add an event if it is known who acted."""
    if by is not None:
        append(work, by, kind, data, _now(now))


def _now(now: float | None) -> float:
    return time.time() if now is None else now
