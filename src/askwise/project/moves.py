"""Lasting cluster ids, and which records went from cluster to cluster: when, and what may have moved them.

What was taken in since the version before may have moved a record: votes and edits if they are about a record of the
cluster that it left or of the one it went to; fits, rules, new records and excluded workers in any case.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import insert, select, update

from askwise.arrays import Bools, Int32s, Int64s
from askwise.errors import StoreError
from askwise.project import schema
from askwise.project.bulk import adding
from askwise.project.cluster_ids import lasting_ids
from askwise.project.edits import EDITS, REDO, UNDO
from askwise.project.engine import Engine
from askwise.project.events import Event, events_after
from askwise.project.writer import Transaction

VOTES, EDIT, RULES, INPUTS, WORKERS, FIT = (1 << place for place in range(6))
"""What may have moved a record; the database keeps the sum."""

CAUSES = {
    VOTES: "votes",
    EDIT: "an edit",
    RULES: "rules",
    INPUTS: "new records or columns",
    WORKERS: "a worker excluded or included",
    FIT: "a new fit",
}

MOST_VOTES = 10_000
"""If more votes than this came between two versions, any of them may have moved a record."""

AT_ONCE = 2_000
"""Moves in one transaction, because votes wait for it."""

_TURNS = (*EDITS, UNDO, REDO)
_TRIES = 100
_ADD = adding(schema.moves, "record", "version", "origin", "cluster", "causes")


class Taken(NamedTuple):
    """What the engine has taken in: number of inputs, last row of votes, last event, votes at the last fit."""

    inputs: int
    vote: int
    event: int
    fit: int


class LastingIds:
    """Gives every record its lasting cluster id. The caller holds the engine's lock."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._store = engine, engine.store
        self._last: tuple[int, Taken] | None = None

    def ids(self, roots: Int32s) -> Int64s:
        """The cluster id of each record; what is new is kept."""
        for _ in range(_TRIES):
            version, following, before = self._kept()
            numbers, free = lasting_ids(before, roots, following)
            now = self._taken()
            if np.array_equal(numbers, before) or self._keep(version, free, before, numbers, now):
                changed = not np.array_equal(numbers, before)
                self._last = version + changed, now
                return numbers
        raise StoreError("others keep writing cluster ids; try again")

    def _taken(self) -> Taken:
        resolution, (inputs, vote, _) = self._engine.resolution, self._engine.state
        return Taken(inputs, vote, self._engine.desk.last, resolution.evidence.fit_at(resolution.votes.count))

    def _kept(self) -> tuple[int, int, Int64s]:
        """A version, the next free cluster id, and the ids of the records; version 0 means none yet."""
        with self._store.reading() as connection:
            found = connection.execute(select(schema.cluster_ids)).first()
        if found is None:
            return 0, 1, np.empty(0, np.int64)
        return found.version, found.following, np.frombuffer(zlib.decompress(found.ids), np.int64)

    def _keep(self, version: int, free: int, before: Int64s, ids: Int64s, now: Taken) -> bool:
        """Keep the ids that follow those of `version`; False if another process was faster."""
        moved = np.flatnonzero(ids[: before.size] != before)
        causes = self._causes(self._since(version), now, before, ids)[moved] if moved.size else moved
        columns = moved.tolist(), before[moved].tolist(), ids[moved].tolist(), causes.tolist()
        names = "record", "origin", "cluster", "causes"
        rows = [{"version": version + 1, **dict(zip(names, row, strict=True))} for row in zip(*columns, strict=True)]
        table = schema.cluster_ids
        packed = zlib.compress(ids.astype("<i8").tobytes(), 1)
        values = {"id": 1, "version": version + 1, "following": free, "ids": packed}

        def write(work: Transaction) -> bool:
            connection = work.connection
            if (connection.execute(select(table.c.version)).scalar() or 0) != version:
                return False
            connection.execute(update(table).values(values) if version else insert(table).values(values))
            taken = {"version": version + 1, "time": time.time(), **now._asdict()}
            connection.execute(insert(schema.clusterings), taken)
            _add(rows[:AT_ONCE], work)
            return True

        kept = self._store.derive(write)
        for start in range(AT_ONCE, len(rows) if kept else 0, AT_ONCE):
            self._store.derive(partial(_add, rows[start : start + AT_ONCE]))
        return kept

    def _since(self, version: int) -> Taken | None:
        """What had been taken in when the ids were those of `version`; None if an earlier Askwise made them."""
        if self._last is not None and self._last[0] == version:
            return self._last[1]
        table = schema.clusterings
        columns = (table.c[name] for name in Taken._fields)
        with self._store.reading() as connection:
            found = connection.execute(select(*columns).where(table.c.version == version)).first()
        return None if found is None else Taken(*found)

    def _causes(self, since: Taken | None, now: Taken, before: Int64s, ids: Int64s) -> Int64s:
        """For each record that had an id, what may have moved it."""
        found = np.zeros(before.size, np.int64)
        if since is None:
            return found
        with self._store.reading() as connection:
            events = [one for one in events_after(connection, since.event) if one.id <= now.event]
        kinds = [event.kind for event in events]
        rules = kinds.count("rules")
        for cause, came in (
            (RULES, rules > 0),
            (INPUTS, now.inputs - since.inputs > rules),
            (WORKERS, "exclude" in kinds or "include" in kinds),
            (FIT, now.fit != since.fit),
        ):
            found += cause * came
        found += EDIT * _near(self._edited(events), before, ids)
        if now.vote > since.vote:
            found += VOTES * _near(self._voted(since.vote, now.vote), before, ids)
            found[found == 0] = VOTES  # on other clusters, which changed these too
        return found

    def _edited(self, events: Iterable[Event]) -> Int32s:
        """The positions of the records that some events decide about."""
        edits = {edit.id: edit for edit in self._engine.desk.edits}
        numbers = [event.id if event.kind in EDITS else event.data["edit"] for event in events if event.kind in _TURNS]
        chosen = [edits[number] for number in numbers if number in edits]
        pairs = [one[:2] for edit in chosen for one in edit.decisions]
        alone = [group[0] for edit in chosen for group in edit.groups]
        position = self._engine.records.position
        return np.array([position(record) for record in [*alone, *(one for pair in pairs for one in pair)]], np.int32)

    def _voted(self, first: int, last: int) -> Int32s | None:
        """The positions of the records with votes in some rows; None if there are too many."""
        votes = schema.votes
        query = select(votes.c.left, votes.c.right).where(votes.c.id > first, votes.c.id <= last)
        with self._store.reading() as connection:
            rows = connection.execute(query.where(votes.c.left.is_not(None)).limit(MOST_VOTES + 1)).all()
        if len(rows) > MOST_VOTES:
            return None
        return np.concatenate(self._engine.records.pairs([(row.left, row.right) for row in rows]))


def _add(rows: list[dict[str, Any]], work: Transaction) -> None:
    _ADD.run(work.connection, rows)


def _near(positions: Int32s | None, before: Int64s, ids: Int64s) -> Bools:
    """Which records were or are in a cluster of these records; all if it is unknown which records."""
    if positions is None:
        return np.ones(before.size, np.bool_)
    clusters = np.unique(np.concatenate((before[positions[positions < before.size]], ids[positions])))
    return np.isin(before, clusters) | np.isin(ids[: before.size], clusters)
