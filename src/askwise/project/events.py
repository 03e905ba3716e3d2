"""Actions of people as rows that are only ever added. Each row carries a running digest (see `digests`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from askwise.errors import StoreError
from askwise.project.digests import following
from askwise.project.schema import events, project
from askwise.project.writer import Transaction, moment


@dataclass(frozen=True, slots=True)
class Event:
    """One row: who did what, and when. `data` depends on the kind."""

    id: int
    time: float
    person: str
    kind: str
    data: dict[str, Any]


def append(work: Transaction, person: str, kind: str, data: dict[str, Any], now: float) -> Event:
    """Add an event with the next number."""
    number, content = work.project["last_event"] + 1, json.dumps(data)
    now = float(now) + 0.0
    digest = following(work.project["event_digest"], (number, now, person, kind, content))
    values = {"id": number, "time": now, "person": person, "kind": kind, "data": content, "digest": digest}
    work.connection.execute(insert(events), values)
    work.project["last_event"], work.project["event_digest"] = number, digest
    return Event(number, now, person, kind, json.loads(content))


def noted(work: Transaction, person: str | None, kind: str, data: dict[str, Any], now: float | None = None) -> None:
    """Add an event if it is known who acted."""
    if person is not None:
        append(work, person, kind, data, moment(now))


def events_after(connection: Connection, last: int, limit: int | None = None) -> list[Event]:
    """The events after number `last`, in order."""
    found = connection.execute(select(events).where(events.c.id > last).order_by(events.c.id).limit(limit))
    return [Event(row.id, row.time, row.person, row.kind, json.loads(row.data)) for row in found]


def latest_events(connection: Connection, before: int, limit: int) -> list[Event]:
    """The latest events before number `before`, the latest first."""
    query = select(events).where(events.c.id < before).order_by(events.c.id.desc()).limit(limit)
    return [Event(row.id, row.time, row.person, row.kind, json.loads(row.data)) for row in connection.execute(query)]


def check_events(connection: Connection) -> int:
    """The number of events; an error if one is missing or was changed."""
    digest, count = "", 0
    about = connection.execute(select(project.c.last_event, project.c.event_digest)).one()
    for row in connection.execute(select(events).order_by(events.c.id)):
        count += 1
        digest = following(digest, (row.id, row.time, row.person, row.kind, row.data))
        if row.id != count or digest != row.digest:
            raise StoreError(f"event {count:,} is missing or not as it was written; restore a backup")
    if (count, digest) != tuple(about):
        raise StoreError(f"the last of {about.last_event:,} events is missing; restore a backup")
    return count
