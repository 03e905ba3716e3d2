"""Is a project in order? Looks at the folder and the store, and changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, func, select, text

from askwise.errors import AskwiseError, ProjectError, StoreError
from askwise.plurals import plural
from askwise.project import checks, digests, file_changes, folder, queue, schema
from askwise.project.column_file import read_use
from askwise.project.database import alone, close_file, sqlite_file
from askwise.project.events import check_events
from askwise.project.migrations import MIGRATIONS, version_of
from askwise.project.rows import VOTE_COLUMNS
from askwise.project.rule_file import read_book
from askwise.project.store import Store
from askwise.project.tasks import latest_end
from askwise.records import Records
from askwise.rules import Constraints
from askwise.tables import Table


class Finding(NamedTuple):
    """What was looked at, whether it is in order, and a remark."""

    what: str
    good: bool
    detail: str


def examine(path: Path) -> list[Finding]:
    """Look at everything; what cannot be looked at because of an earlier finding is left out."""
    findings: list[Finding] = []

    def look(what: str, work: Callable[[], str]) -> bool:
        try:
            findings.append(Finding(what, True, work()))
        except (AskwiseError, OSError) as error:
            findings.append(Finding(what, False, str(error)))
        return findings[-1].good

    if not look("folder", lambda: _about(path)):
        return findings
    about = folder.read_about(path)
    tables: list[Table] = []
    if look("records", lambda: _records(path, about, tables)):
        look("pairs", lambda: _pairs(path, about, tables[0]))
        look("rules", lambda: _rules(path, tables[0]))
    store = Store(checks.store_of(path, about), read_only=True)
    try:
        if look("store", lambda: _store(store, about)):
            for what, work in _contents(store, path, tables):
                look(what, work)
    finally:
        store.close()
    return findings


def accept(path: Path) -> None:
    """Go on with a SQLite store that was copied without its log: the votes that are missing are given up."""
    file = sqlite_file(checks.store_of(path, folder.read_about(path)))
    if file is not None and file.is_file():
        with alone(file):
            close_file(file)


def _about(path: Path) -> str:
    about = folder.read_about(path)
    left = sorted(found.name for found in path.glob("*.new"))
    seen = " (others on this machine can read it: chmod -R go= FOLDER)" if path.stat().st_mode & 0o077 else ""
    return f"project {about.name!r}{seen}" + (f"; left over, and may be deleted: {', '.join(left)}" if left else "")


def _records(path: Path, about: folder.About, tables: list[Table]) -> str:
    tables.append(folder.read_records(path, about.id, about.source).used(read_use(path)))
    return f"{len(tables[0]):,} records, {len(tables[0].fields)} fields"


def _pairs(path: Path, about: folder.About, table: Table) -> str:
    pairs = folder.read_pairs(path, table.ids, about.score)
    return "every pair may be asked" if pairs is None else f"{len(pairs):,} pairs, {pairs.score_name}"


def _rules(path: Path, table: Table) -> str:
    rules = read_book(path).rules
    Constraints.of(Records(table.ids), rules, table).check()
    return plural(len(rules), "rule")


def _store(store: Store, about: folder.About) -> str:
    version = store.check(about.key)
    if store.url.get_backend_name() == "sqlite":
        with store.reading() as connection:
            said = connection.execute(text("PRAGMA integrity_check")).scalar_one()
        if said != "ok":
            raise StoreError(f"SQLite finds the file damaged: {said}")
    older = "" if version == len(MIGRATIONS) else f"; version {version}, to be brought up to date when it is opened"
    return store.address + older


def _contents(store: Store, path: Path, tables: list[Table]) -> Iterator[tuple[str, Callable[[], str]]]:
    with store.reading() as connection:
        if version_of(connection) < len(MIGRATIONS):
            return
    yield "inputs", lambda: _inputs(store, path)
    yield "votes", lambda: _votes(store)
    yield "events", lambda: _events(store)
    if tables:
        yield "votes and records", lambda: _known(store, tables[0])
    yield "queue", lambda: _queue(store)
    yield "leases", lambda: _leases(store)


def _inputs(store: Store, path: Path) -> str:
    kept = store.about().files
    if file_changes.is_there(path):
        return "they are being changed, or a change was interrupted; opening the project completes it"
    if kept is None:
        return "their digest is added when the project is next opened"
    if kept != digests.of_files(path):
        raise ProjectError(
            f"{folder.RECORDS} or {folder.PAIRS} is not as Askwise wrote it (pairs name records by their row, so even "
            "another order of rows makes them wrong); restore a backup"
        )
    return "records and pairs are as they were written"


def _events(store: Store) -> str:
    with store.reading() as connection:
        return f"{check_events(connection):,} events, none missing, none changed"


def _votes(store: Store) -> str:
    with store.reading() as connection:
        count, last = connection.execute(select(func.count(), func.max(schema.votes.c.id))).one()
        noted = connection.execute(select(schema.project.c.last_vote)).scalar_one()
        digest = connection.execute(select(schema.project.c.digest)).scalar_one()
        if count != (last or 0) or count != noted:
            raise StoreError(
                f"{noted:,} rows were written, but there are {count:,}, up to number {last}; restore a backup"
            )
        _unchanged(connection, digest)
    return f"{count:,} rows, none missing, none changed" + (f"; digest {digest}" if digest else "")


def _unchanged(connection: Connection, last: str) -> None:
    """Each row has the digest of its content and of the row before."""
    before = ""
    rows = connection.execution_options(yield_per=10_000).execute(
        select(*VOTE_COLUMNS, schema.votes.c.digest).order_by(schema.votes.c.id)
    )
    with closing(rows):
        for row in rows:
            if digests.following(before, tuple(row)[:-1]) != row.digest:
                raise StoreError(f"row {row.id:,} of the votes is not as it was written; restore a backup")
            before = row.digest
    if before != last:
        raise StoreError("the last row of the votes is not the one that was written last; restore a backup")


def _known(store: Store, table: Table) -> str:
    known = set(table.ids)
    votes = schema.votes
    with store.reading() as connection:
        for side in (votes.c.left, votes.c.right):
            for record in connection.scalars(select(side).where(side.is_not(None)).distinct()):
                if record not in known:
                    raise ProjectError(f"there are votes on {record!r}, which is not among the records")
    return "all votes are on records of the project"


def _queue(store: Store) -> str:
    with store.reading() as connection:
        wrong = queue.miscounted(connection)
    if wrong:
        raise StoreError(f"{wrong:,} questions count their votes wrongly")
    counts = store.counts()
    return f"{counts.open:,} questions open, {counts.held:,} with workers"


def _leases(store: Store) -> str:
    end, tasks = latest_end(time.time(), store.settings), schema.tasks
    late = (tasks.c.state == schema.OPEN) & (tasks.c.until > end)
    with store.reading() as connection:
        count, until = connection.execute(select(func.count(), func.max(tasks.c.until)).where(late)).one()
    if count:
        raise StoreError(
            f"{count:,} questions are with workers until {_date(until)}: the clock was wrong when they were given out; "
            "the next worker who asks for a question frees them"
        )
    return "no question is held for longer than it should be"


def _date(moment: float) -> str:
    try:
        return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, ValueError, OSError):
        return "the end of time"
