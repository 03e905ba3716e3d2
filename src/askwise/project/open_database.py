"""An open database of a project: made, upgraded, checked, read and written, with the errors that people understand."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, Row, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from askwise.errors import InputError, StoreError
from askwise.project import schema
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
from askwise.project.migrations import MIGRATIONS, migrate, version_of
from askwise.project.rows import written_settings
from askwise.project.values import Settings
from askwise.project.writer import Result, Transaction, Writer, store_error

COPIED = (
    "{file} was copied while it was in use, without the log beside it ({file.name}-wal): the latest votes are missing; "
    "copy both files, or restore a backup (to go on without these votes: askwise doctor --accept)"
)
_LOCK = 4715770  # any number that no other program takes for its own lock


class OpenDatabase:
    """A database in SQLite or PostgreSQL; threads and processes may share it."""

    def __init__(self, url: str | URL, *, read_only: bool = False) -> None:
        self.url = store_url(url)
        self.engine = engine_of(self.url, read_only=read_only)
        self._writer = Writer(self.engine)
        file = None if read_only else sqlite_file(self.url)
        self._closing = weakref.finalize(self, _close, self.engine, file)
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
                with self.engine.connect() as connection:  # `misses_its_log` uses the version in the file itself
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
    def copy_of(cls, url: URL) -> Self:
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
    def writer(self) -> Writer:
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

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise store_error(error) from None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that locks out other writers, for changes of the tables themselves."""
        with self._failing(), self.engine.connect().execution_options(writes=True) as connection, connection.begin():
            if self.url.get_backend_name() == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for reading one moment of the database."""
        with self._failing(), self.engine.connect() as connection, connection.begin():
            yield connection

    def change(self, operation: Callable[[Transaction], Result]) -> Result:
        """Run a transaction. When this returns, its result is on disk."""
        return self.writer.one(operation)

    def derive(self, operation: Callable[[Transaction], Result]) -> Result:
        """Run a transaction that keeps what can be computed again, so that it may be lost with a read-only copy."""
        return self._writer.one(operation)


def _close(engine: Engine, file: Path | None) -> None:
    if file is None or not file.exists():
        engine.dispose()
        return
    with alone(file):
        logged = log_of(file).exists()
        engine.dispose()
        if logged:
            close_file(file)
