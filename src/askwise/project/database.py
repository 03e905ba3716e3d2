"""Where a store is: SQLite or PostgreSQL, each set up so that what is committed is on disk."""

from __future__ import annotations

from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from askwise.errors import InputError


def store_url(text: str | URL) -> URL:
    """A store's address, or an error: sqlite:///path or postgresql://user@host/database."""
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


def _prepare_postgresql(connection: Any, _: object) -> None:
    """Nobody waits for ever on a process that stopped in the middle of a transaction."""
    connection.autocommit = True
    connection.execute("SET idle_in_transaction_session_timeout = '60s'")
    connection.execute("SET lock_timeout = '90s'")
    connection.autocommit = False


def engine_of(url: URL) -> Engine:
    """Connections to a database; one that is made with the option `writes` locks out other writers."""
    if url.get_backend_name() == "postgresql":
        try:
            engine = create_engine(url, pool_pre_ping=True)
        except ModuleNotFoundError:
            raise InputError("PostgreSQL needs the extra postgres: pip install 'askwise[postgres]'") from None
        event.listen(engine, "connect", _prepare_postgresql)
        return engine
    engine = create_engine(url, connect_args={"timeout": 60.0})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
