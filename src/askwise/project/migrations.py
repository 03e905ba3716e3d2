"""Numbered steps from an empty database to the present tables. A released step is never changed."""

from __future__ import annotations

import json
from collections.abc import Callable

from sqlalchemy import Connection, bindparam, insert, inspect, select, text, update

from askwise.errors import StoreError
from askwise.project import schema
from askwise.project.digests import following

_CROWDS = (schema.sent, schema.studies, schema.visits, schema.known)
MOST_JOINS = 100
"""People who may join by a link for many, by default."""

_DESK = (schema.events, schema.people)
_MOVES = (schema.clusterings, schema.moves)
_LATER = (
    schema.project,
    schema.questions,
    schema.votes,
    schema.invites,
    schema.history,
    schema.audits,
    schema.sessions,
    *_CROWDS,
    *_DESK,
    *_MOVES,
)


def _first(connection: Connection) -> None:
    serial = "BIGSERIAL" if connection.dialect.name == "postgresql" else "INTEGER"
    connection.execute(
        text(
            f'CREATE TABLE questions (id {serial} NOT NULL PRIMARY KEY, "left" TEXT NOT NULL, "right" TEXT NOT NULL, '
            "wanted INTEGER NOT NULL, votes INTEGER NOT NULL, room INTEGER NOT NULL, rank BIGINT NOT NULL, "
            'touched BOOLEAN NOT NULL, UNIQUE ("left", "right"))'
        )
    )
    connection.execute(text("CREATE INDEX questions_next ON questions (rank) WHERE room > 0"))
    tables = [table for table in schema.metadata.sorted_tables if table not in _LATER]
    schema.metadata.create_all(connection, tables)
    connection.execute(
        text(
            "CREATE TABLE project (id INTEGER NOT NULL PRIMARY KEY, version INTEGER NOT NULL, key TEXT NOT NULL, "
            "name TEXT NOT NULL, inputs INTEGER NOT NULL, last_vote BIGINT NOT NULL, last_task BIGINT NOT NULL, "
            "answered BIGINT NOT NULL, settings TEXT NOT NULL)"
        )
    )
    connection.execute(
        text(
            f"CREATE TABLE invites (id {serial} NOT NULL PRIMARY KEY, digest TEXT NOT NULL UNIQUE, worker TEXT, "
            "note TEXT NOT NULL, created DOUBLE PRECISION NOT NULL, revoked DOUBLE PRECISION)"
        )
    )
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


def _years(connection: Connection) -> None:
    """Add running digests to rows, personal links for those who join by a link for many, and owners' sessions."""
    connection.execute(text("ALTER TABLE project ADD COLUMN digest TEXT NOT NULL DEFAULT ''"))
    connection.execute(text("ALTER TABLE project ADD COLUMN files TEXT"))
    connection.execute(text("ALTER TABLE votes ADD COLUMN digest TEXT NOT NULL DEFAULT ''"))
    connection.execute(text("ALTER TABLE invites ADD COLUMN parent BIGINT"))
    connection.execute(text("ALTER TABLE invites ADD COLUMN most INTEGER"))
    connection.execute(text(f"UPDATE invites SET most = {MOST_JOINS} WHERE worker IS NULL"))
    connection.execute(
        text("CREATE TABLE sessions (digest TEXT NOT NULL PRIMARY KEY, until DOUBLE PRECISION NOT NULL)")
    )
    _chain(connection)


def _chain(connection: Connection) -> None:
    """Compute the digests of the existing rows."""
    votes, last, digest = schema.votes, 0, ""
    columns = [column for column in votes.columns if column is not votes.c.digest]
    write = update(votes).where(votes.c.id == bindparam("row")).values(digest=bindparam("new"))
    while rows := connection.execute(
        select(*columns).where(votes.c.id > last).order_by(votes.c.id).limit(10_000)
    ).all():
        new = []
        for row in rows:
            digest = following(digest, tuple(row))
            new.append({"row": row.id, "new": digest})
        connection.execute(write, new)
        last = rows[-1].id
    connection.execute(update(schema.project).values(digest=digest))


def _desk(connection: Connection) -> None:
    """Add events for edits and other actions, and several people with roles."""
    for column in ("last_event BIGINT NOT NULL DEFAULT 0", "event_digest TEXT NOT NULL DEFAULT ''"):
        connection.execute(text(f"ALTER TABLE project ADD COLUMN {column}"))
    connection.execute(text("ALTER TABLE invites ADD COLUMN role TEXT NOT NULL DEFAULT 'worker'"))
    connection.execute(text("ALTER TABLE sessions ADD COLUMN person TEXT NOT NULL DEFAULT 'owner'"))
    schema.metadata.create_all(connection, _DESK)
    _decisions_as_events(connection)


def _decisions_as_events(connection: Connection) -> None:
    """Turn the owners' decisions, which were kept among the votes, into edits."""
    votes = schema.votes
    standing: dict[tuple[str, str], int] = {}
    rows: list[tuple[float, str, dict[str, object]]] = []
    theirs = (votes.c.worker == "owner") & (votes.c.left.is_not(None))
    theirs &= (votes.c.source == "owner") | (votes.c.action == "undo")
    for row in connection.execute(select(votes).where(theirs).order_by(votes.c.id)):
        pair = row.left, row.right
        if pair in standing:
            rows.append((row.time, "undo", {"edit": standing.pop(pair)}))
        if row.action == "vote" and row.label is not None:
            groups = [[row.left, row.right]] if row.label else [[row.left], [row.right]]
            rows.append((row.time, "decide", {"groups": groups, "kept": [], "note": ""}))
            standing[pair] = len(rows)
    digest = ""
    for number, (when, kind, data) in enumerate(rows, 1):
        content = (number, when, "owner", kind, json.dumps(data))
        digest = following(digest, content)
        names = ("id", "time", "person", "kind", "data", "digest")
        connection.execute(insert(schema.events), dict(zip(names, (*content, digest), strict=True)))
    connection.execute(update(schema.project).values(last_event=len(rows), event_digest=digest))


def _by_right(connection: Connection) -> None:
    """The votes on a record are found without going through all of them, whichever side of a pair it is on."""
    connection.execute(text('CREATE INDEX votes_on_right ON votes ("right")'))


def _moves(connection: Connection) -> None:
    """Add which records moved from cluster to cluster, and questions that are assigned to a worker."""
    schema.metadata.create_all(connection, _MOVES)
    connection.execute(text("ALTER TABLE questions ADD COLUMN assignee TEXT"))
    connection.execute(text("DROP INDEX questions_next"))
    connection.execute(text("CREATE INDEX questions_next ON questions (assignee, rank) WHERE room > 0"))


MIGRATIONS: list[Callable[[Connection], None]] = [
    _first,
    _crowds,
    _expected,
    _probabilities,
    _years,
    _desk,
    _by_right,
    _moves,
]
"""Step n brings a store from version n to n + 1. When a table changes, the step that made it becomes the DDL it ran."""


def version_of(connection: Connection) -> int:
    """The version of the tables; 0 for an empty database."""
    if not inspect(connection).has_table(schema.project.name):
        return 0
    found = connection.execute(text("SELECT version FROM project WHERE id = 1")).scalar()
    return 0 if found is None else int(found)


def migrate(connection: Connection, steps: list[Callable[[Connection], None]] | None = None) -> int:
    """Bring the tables up to date, in the transaction of `connection`; returns the version before."""
    steps = MIGRATIONS if steps is None else steps
    before = version_of(connection)
    if before > len(steps):
        raise StoreError(
            f"the store has version {before}, and this Askwise supports up to {len(steps)}; install a newer one"
        )
    for step in steps[before:]:
        step(connection)
    if before < len(steps) and connection.execute(select(schema.project.c.id)).first():
        connection.execute(update(schema.project).values(version=len(steps)))
    return before
