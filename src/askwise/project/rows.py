"""Rows in and out of the tables; what writes is a part of a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select

from askwise.project.schema import requests, votes, workers
from askwise.project.values import Settings, VoteRow
from askwise.project.writer import Transaction


def settings_of(work: Transaction) -> Settings:
    """The settings as they are now."""
    return read_settings(work.project["settings"])


def read_settings(text: str) -> Settings:
    """Settings out of the store."""
    found = json.loads(text)
    known = {field.name: found[field.name] for field in fields(Settings) if field.name in found}
    if "image_fields" in known:
        known["image_fields"] = tuple(known["image_fields"])
    return Settings(**known)


def written_settings(settings: Settings) -> str:
    """Settings as the store keeps them."""
    return json.dumps(asdict(settings))


def register(work: Transaction, worker: str, now: float) -> bool:
    """Note who this is, if it is somebody new; returns whether their votes are excluded."""
    found = work.connection.execute(select(workers.c.excluded).where(workers.c.name == worker)).scalar()
    if found is None:
        work.connection.execute(insert(workers), {"name": worker, "since": now, "excluded": False})
    return bool(found)


def repeated(work: Transaction, scope: str, request: str | None) -> tuple[int, int] | None:
    """The first row and the number of rows that this request wrote before, if it did."""
    if request is None:
        return None
    found = work.connection.execute(
        select(requests.c.first, requests.c.count).where(requests.c.scope == scope, requests.c.request == request)
    ).first()
    return None if found is None else (found[0], found[1])


def append_votes(work: Transaction, rows: Sequence[VoteRow], scope: str, request: str | None) -> list[VoteRow]:
    """Add rows, numbered on from the last; and note the request, so that it counts once."""
    first = work.project["last_vote"] + 1
    numbered = [replace(row, id=first + at) for at, row in enumerate(rows)]
    if numbered:
        work.connection.execute(insert(votes), [_columns(row) for row in numbered])
        work.project["last_vote"] = numbered[-1].id
    if request is not None:
        values = {"scope": scope, "request": request, "first": first, "count": len(numbered)}
        work.connection.execute(insert(requests), values)
    return numbered


def vote_rows(connection: Connection, *where: ColumnElement[bool], limit: int | None = None) -> list[VoteRow]:
    """The rows of votes for which all of `where` holds, in order."""
    found = connection.execute(select(votes).where(*where).order_by(votes.c.id).limit(limit))
    return [VoteRow(*row) for row in found.all()]


def _columns(row: VoteRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "time": row.time,
        "action": row.action,
        "worker": row.worker,
        "left": row.left,
        "right": row.right,
        "label": row.label,
        "source": row.source,
        "task": row.task,
        "seconds": row.seconds,
        "shown": row.shown,
    }
