"""Reads and writes rows of the tables; what writes runs inside a transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, select

from askwise.project.bulk import Query, adding
from askwise.project.digests import following
from askwise.project.schema import requests, votes, workers
from askwise.project.values import Settings, VoteRow
from askwise.project.writer import Transaction

Value = TypeVar("Value")

_CHUNK = 500
VOTE_COLUMNS = [votes.c[field.name] for field in fields(VoteRow)]
"""The columns of a row of votes except its digest."""

_WORKERS = Query(lambda among: select(workers.c.name, workers.c.excluded).where(among(workers.c.name, "names")))
_REQUESTS = Query(lambda among: select(requests).where(among(requests.c.request, "requests")))
_ADD_VOTES = adding(votes, *(column.name for column in VOTE_COLUMNS), "digest")
_ADD_REQUESTS = adding(requests, "scope", "request", "first", "count")
_ADD_WORKERS = adding(workers, "name", "since", "excluded")


def settings_of(work: Transaction) -> Settings:
    """The settings as they are now."""
    return read_settings(work.project["settings"])


def read_settings(text: str) -> Settings:
    """Parse settings from the database."""
    found = json.loads(text)
    known = {field.name: found[field.name] for field in fields(Settings) if field.name in found}
    if "image_fields" in known:
        known["image_fields"] = tuple(known["image_fields"])
    if "hidden" in known:
        known["hidden"] = {role: tuple(names) for role, names in known["hidden"].items()}
    return Settings(**known)


def written_settings(settings: Settings) -> str:
    """Settings in the form of the database."""
    return json.dumps(asdict(settings))


def batched(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Split values into parts, because a statement has room for a limited number."""
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]


def register(work: Transaction, names: Collection[str], now: float) -> set[str]:
    """Add workers who are new; returns those whose votes are excluded."""
    found: dict[str, bool] = {}
    for some in batched(list(names)):
        found |= {row.name: row.excluded for row in _WORKERS.rows(work.connection, {"names": some})}
    new = [{"name": name, "since": now, "excluded": False} for name in dict.fromkeys(names) if name not in found]
    _ADD_WORKERS.run(work.connection, new)
    return {name for name, excluded in found.items() if excluded}


def repeated(work: Transaction, asked: Iterable[tuple[str, str | None]]) -> dict[tuple[str, str], tuple[int, int]]:
    """Of requests (scope, id), those that were carried out before: their first row, and how many rows."""
    ids = [request for _, request in asked if request is not None]
    if not ids:
        return {}
    found = _REQUESTS.rows(work.connection, {"requests": ids})
    return {(scope, request): (first, count) for scope, request, first, count in found}


def append_votes(work: Transaction, rows: Sequence[VoteRow]) -> list[VoteRow]:
    """Add rows with the next numbers."""
    first = work.project["last_vote"] + 1
    numbered = [replace(row, id=first + at) for at, row in enumerate(rows)]
    if numbered:
        values = [_columns(row) for row in numbered]
        for columns in values:
            columns["digest"] = work.project["digest"] = following(work.project["digest"], tuple(columns.values()))
        _ADD_VOTES.run(work.connection, values)
        work.project["last_vote"] = numbered[-1].id
    return numbered


def note_requests(work: Transaction, done: Iterable[tuple[str, str | None, int, int]]) -> None:
    """Record what was carried out, as (scope, id, first row, rows), so that it counts once."""
    names = ("scope", "request", "first", "count")
    values = [dict(zip(names, item, strict=True)) for item in done if item[1] is not None]
    _ADD_REQUESTS.run(work.connection, values)


def vote_rows(connection: Connection, *where: ColumnElement[bool], limit: int | None = None) -> list[VoteRow]:
    """The rows of votes for which all of `where` holds, in order."""
    found = connection.execute(select(*VOTE_COLUMNS).where(*where).order_by(votes.c.id).limit(limit))
    return [VoteRow(*row) for row in found.all()]


def _columns(row: VoteRow) -> dict[str, Any]:
    """The row as a database returns it; its digest depends on that."""
    values = {column.name: getattr(row, column.name) for column in VOTE_COLUMNS}
    for name in ("time", "seconds", "probability"):
        if values[name] is not None:
            values[name] = float(values[name]) + 0.0  # -0.0 becomes 0.0
    return values
