"""The database of a project: SQLite or PostgreSQL, set up so that what is committed is on disk.

An open SQLite database has a write-ahead log next to it (votes.sqlite-wal), which holds the latest votes. The last
process to close it folds the log in and switches the file out of write-ahead mode. So a file in that mode without a log
was copied while in use, and the latest votes are missing from it.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from askwise.errors import InputError, StoreError

# Seconds (and milliseconds) until a PostgreSQL server that does not answer counts as gone.
_PATIENCE = {
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
_WAITING = 60.0  # seconds for others who write
_OPEN = b"\2\2"  # what bytes 18 and 19 of the file say while there is a write-ahead log


def store_url(text: str | URL) -> URL:
    """The address of a database, or an error: sqlite:///path or postgresql://user@host/database."""
    try:
        url = make_url(text)
    except ArgumentError:
        raise InputError("the store's address cannot be read; it looks like postgresql://user@host/database") from None
    kind = url.get_backend_name()
    if kind == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise InputError(f"a store of the kind {kind!r} is not known; choose sqlite or postgresql")
    return url.set(drivername="sqlite+pysqlite")


def sqlite_file(url: URL) -> Path | None:
    """The file of a SQLite store; None for PostgreSQL."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _prepare_postgresql(connection: Any, _: object) -> None:
    """Set time limits, so that a process that stopped inside a transaction blocks no one forever."""
    connection.autocommit = True
    connection.execute("SET idle_in_transaction_session_timeout = '60s'")
    connection.execute("SET lock_timeout = '90s'")
    connection.autocommit = False


def engine_of(url: URL, *, read_only: bool = False) -> Engine:
    """Connections to a database. A connection with the option `writes` locks out other writers."""
    if url.get_backend_name() == "postgresql":
        try:
            engine = create_engine(url, pool_pre_ping=True, connect_args=_PATIENCE)
        except ModuleNotFoundError:
            raise InputError("PostgreSQL needs the extra postgres: pip install 'askwise[postgres]'") from None
        event.listen(engine, "connect", _prepare_postgresql)
        return engine
    file = sqlite_file(url)
    if read_only and file is not None:
        engine = create_engine(url, creator=lambda: read_only_connection(file, check_same_thread=False))
    else:
        engine = create_engine(url, connect_args={"timeout": _WAITING})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        if not read_only:
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def read_only_connection(file: Path, **options: Any) -> sqlite3.Connection:
    """A connection that changes nothing, even in a folder that cannot be written to."""
    address = f"file:{quote(str(file))}?mode=ro"
    if not log_of(file).exists():
        address += "" if is_writable(file) else "&immutable=1"
    connection: sqlite3.Connection = sqlite3.connect(
        address, uri=True, timeout=_WAITING, isolation_level=None, **options
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"cannot read {file}: {error}") from None
    return connection


def is_writable(file: Path) -> bool:
    """Whether a SQLite file and its log can be written."""
    return all(os.access(path, os.W_OK, effective_ids=True) for path in (file, file.parent))


def log_of(file: Path) -> Path:
    """The write-ahead log of a SQLite file."""
    return file.with_name(f"{file.name}-wal")


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """A lock: only one process at a time opens or closes a SQLite file."""
    handle = os.open(file.parent, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def misses_its_log(file: Path) -> bool:
    """Whether the file was copied while it was in use, without its write-ahead log."""
    with file.open("rb") as opened:
        in_use = opened.read(20)[18:] == _OPEN
    if not in_use or log_of(file).exists():
        return False
    with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro&immutable=1", uri=True)) as connection:
        try:
            (version,) = connection.execute("SELECT version FROM project").fetchone()
        except (sqlite3.Error, TypeError):
            return False  # something else is wrong with it, and will be said
    return bool(version >= 5)  # stores of earlier versions stayed in this mode when they were closed


def close_file(file: Path) -> None:
    """Fold the write-ahead log in, unless other processes have the file open; then the last one does."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(file, timeout=0.0, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
