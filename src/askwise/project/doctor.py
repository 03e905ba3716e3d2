"""Is a project in order? Looks at the folder and the store, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select, text

from askwise.errors import AskwiseError, ProjectError, StoreError
from askwise.project import checks, folder, queue, schema
from askwise.project.migrations import MIGRATIONS
from askwise.project.store import Store
from askwise.tables import Table


class Finding(NamedTuple):
    """What was looked at, whether it is in order, and what is to be said about it."""

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
    store = Store(checks.store_of(path, about))
    try:
        if look("store", lambda: _store(store, about)):
            for what, work in _contents(store, tables):
                look(what, work)
    finally:
        store.close()
    return findings


def _about(path: Path) -> str:
    about = folder.read_about(path)
    left = sorted(found.name for found in path.glob("*.new"))
    return f"project {about.name!r}" + (f"; left over, and may be deleted: {', '.join(left)}" if left else "")


def _records(path: Path, about: folder.About, tables: list[Table]) -> str:
    tables.append(folder.read_records(path, about.id))
    return f"{len(tables[0]):,} records, {len(tables[0].fields)} fields"


def _pairs(path: Path, about: folder.About, table: Table) -> str:
    pairs = folder.read_pairs(path, table.ids, about.score)
    return "every pair may be asked" if pairs is None else f"{len(pairs):,} pairs, {pairs.score_name}"


def _store(store: Store, about: folder.About) -> str:
    version = store.check(about.key)
    if store.url.get_backend_name() == "sqlite":
        with store.reading() as connection:
            said = connection.execute(text("PRAGMA integrity_check")).scalar_one()
        if said != "ok":
            raise StoreError(f"SQLite finds the file damaged: {said}")
    older = "" if version == len(MIGRATIONS) else f"; version {version}, to be brought up to date when it is opened"
    return store.address + older


def _contents(store: Store, tables: list[Table]) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "votes", lambda: _votes(store)
    if tables:
        yield "votes and records", lambda: _known(store, tables[0])
    yield "queue", lambda: _queue(store)


def _votes(store: Store) -> str:
    with store.reading() as connection:
        count, last = connection.execute(select(func.count(), func.max(schema.votes.c.id))).one()
        noted = connection.execute(select(schema.project.c.last_vote)).scalar_one()
    if count != (last or 0) or count != noted:
        raise StoreError(f"{noted:,} rows were written, but there are {count:,}, up to number {last}; restore a backup")
    return f"{count:,} rows, none missing"


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
