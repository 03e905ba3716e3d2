"""Numbered steps from an empty database to the tables of today. A step that was released is never changed."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, inspect, select, text, update

from askwise.errors import StoreError
from askwise.project import schema

_CROWDS = (schema.sent, schema.studies, schema.visits, schema.known)
_LATER = (schema.votes, schema.history, schema.audits, *_CROWDS)


def _first(connection: Connection) -> None:
    tables = [table for table in schema.metadata.sorted_tables if table not in _LATER]
    schema.metadata.create_all(connection, tables)
    connection.execute(
        text(
            "CREATE TABLE votes (id BIGINT NOT NULL PRIMARY KEY, time DOUBLE PRECISION NOT NULL, action TEXT NOT NULL, "
            'worker TEXT NOT NULL, "left" TEXT, "right" TEXT, label BOOLEAN, source TEXT NOT NULL, '
            "task BIGINT REFERENCES tasks (id), seconds DOUBLE PRECISION, shown TEXT)"
        )
    )
    connection.execute(text('CREATE INDEX votes_on_pair ON votes ("left", "right", worker)'))
    connection.execute(text("CREATE INDEX votes_of_worker ON votes (worker)"))
    connection.execute(
        text(
            "CREATE TABLE history (vote BIGINT NOT NULL PRIMARY KEY, time DOUBLE PRECISION NOT NULL, "
            "questions BIGINT NOT NULL, votes BIGINT NOT NULL, clusters BIGINT NOT NULL, "
            "reliability DOUBLE PRECISION NOT NULL, assumed BIGINT NOT NULL)"
        )
    )


def _crowds(connection: Connection) -> None:
    schema.metadata.create_all(connection, _CROWDS)


def _expected(connection: Connection) -> None:
    for name in ("f1", "f1_low", "f1_high"):
        connection.execute(text(f"ALTER TABLE history ADD COLUMN {name} DOUBLE PRECISION"))
    schema.metadata.create_all(connection, [schema.audits])


def _probabilities(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE votes ADD COLUMN probability DOUBLE PRECISION"))


MIGRATIONS: list[Callable[[Connection], None]] = [_first, _crowds, _expected, _probabilities]
"""Step n brings a store from version n to n + 1. When a table changes, the step that made it becomes the DDL it ran."""


def version_of(connection: Connection) -> int:
    """The version of the tables; 0 for an empty database."""
    if not inspect(connection).has_table(schema.project.name):
        return 0
    found = connection.execute(text("SELECT version FROM project WHERE id = 1")).scalar()
    return 0 if found is None else int(found)


def migrate(connection: Connection, steps: list[Callable[[Connection], None]] | None = None) -> int:
    """Bring the tables up to date, in the transaction of `connection`; returns the version there was."""
    steps = MIGRATIONS if steps is None else steps
    before = version_of(connection)
    if before > len(steps):
        raise StoreError(
            f"the store has version {before}, and this Askwise knows up to {len(steps)}; install a newer one"
        )
    for step in steps[before:]:
        step(connection)
    if before < len(steps) and connection.execute(select(schema.project.c.id)).first():
        connection.execute(update(schema.project).values(version=len(steps)))
    return before
