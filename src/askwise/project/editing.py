"""Edits of a project: preview, make, undo and redo them, each in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from askwise.errors import InputError, StoreError
from askwise.project import checks
from askwise.project.desk import Desk, subject
from askwise.project.edits import EDITS, REDO, REVIEWS, UNDO, checked_groups, in_order
from askwise.project.engine import Engine
from askwise.project.events import Event
from askwise.project.planning import Plan, plan, preview_of
from askwise.project.summaries import Summaries

_TRIES = 20
LONGEST_NOTE = 2000
LONGEST_PREFERENCE = 50_000


def _agreed(plan: Plan) -> None:
    """Whatever is planned may be done."""


class Editing:
    """The actions of stewards. `person` is who acts; every method that changes something adds one event."""

    def __init__(self, engine: Engine, summaries: Summaries) -> None:
        self._engine, self._store, self._summaries = engine, engine.store, summaries
        self._last: tuple[object, Plan] | None = None

    @property
    def desk(self) -> Desk:
        """What was done so far."""
        return self._engine.desk

    def preview(self, kind: str, groups: Iterable[Iterable[str]]) -> Plan:
        """What an edit would change, in its clusters and elsewhere. Changes nothing."""
        found = self._checked(kind, groups)
        with self._engine.lock:
            self._engine.refresh()
            return self._planned(kind, found)

    def edit(
        self,
        kind: str,
        groups: Iterable[Iterable[str]],
        person: str,
        note: str = "",
        agreed: Callable[[Plan], object] = _agreed,
    ) -> Event:
        """Make an edit. Only the clusters that it names change. If `agreed` raises an error, nothing does.

        "split": each group becomes a cluster, and so does the rest of each cluster. "join": the clusters of all records
        become one. "move": the first group goes to the cluster of the second. "lock": the clusters of the records stay
        as they are, whatever the votes say, and are approved. "decide" is about one pair only: the same if in one
        group, different if in two.
        """
        found = self._checked(kind, groups)
        note = _note(note)

        def data() -> dict[str, Any]:
            made = self._planned(kind, found)
            agreed(made)
            return {"groups": made.groups, "kept": made.kept, "note": note}

        return self._event(person, kind, data)

    def _checked(self, kind: str, groups: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
        if kind not in EDITS:
            raise InputError(f"{kind!r} is not an edit; choose {', '.join(EDITS)}")
        found = checked_groups(groups, ordered=kind == "move")
        for record in (record for group in found for record in group):
            self._engine.records.position(record)
        if kind == "decide" and sum(map(len, found)) != 2:
            raise InputError("a decision is about two records")
        if kind == "move" and len(found) != 2:
            raise InputError("a move needs two groups: the records, and a record of the cluster that they go to")
        if kind in ("split", "join"):
            self._refuse_nothing(kind, found)
        return found

    def _refuse_nothing(self, kind: str, groups: tuple[tuple[str, ...], ...]) -> None:
        """Raise an error unless a split has records on both sides and a join two clusters."""
        label = self._engine.resolution.clustering.roots
        places = [self._engine.records.position(record) for group in groups for record in group]
        roots = {int(label[at]) for at in places}
        if kind == "join" and len(roots) < 2:
            raise InputError("a join needs records of two clusters; these are in one already")
        if kind == "split" and len(groups) < 2 and int((label == min(roots)).sum()) == len(places):
            raise InputError("choose some records of the cluster, but not all of them")

    def review(
        self, kind: str, clusters: Iterable[Sequence[str]], person: str, note: str = "", *, if_same: bool = False
    ) -> Event:
        """Mark clusters, given by their records, as approved, in review, for the crowd, or new.

        If a cluster has other records by now, that is an error; with `if_same`, it is skipped.
        """
        if kind not in REVIEWS:
            raise InputError(f"{kind!r} is not a review; choose {', '.join(REVIEWS)}")
        position = self._engine.records.position
        places = [sorted({position(record) for record in members}) for members in clusters]
        note = _note(note)

        def data() -> dict[str, Any]:
            roots, ids = self._engine.resolution.clustering.roots, self._engine.records.ids
            size = np.bincount(roots, minlength=roots.size)
            groups = []
            for members in places:
                named = [str(ids[at]) for at in members]
                if members and (roots[members] == roots[members[0]]).all() and size[roots[members[0]]] == len(members):
                    groups.append(named)
                elif not if_same:
                    raise InputError(f"the cluster of {named[0] if named else 'no record'!r} has changed; look again")
            if not groups:
                raise InputError("there is no cluster to review")
            return {"groups": groups, "note": note}

        return self._event(person, kind, data)

    def undo(self, number: int, person: str) -> Event:
        """Undo an edit or a review, however old."""
        return self.turn(UNDO, number, person)

    def redo(self, number: int, person: str) -> Event:
        """Redo an undone edit or review, in its old place."""
        return self.turn(REDO, number, person)

    def turn(self, kind: str, number: int, person: str, agreed: Callable[[Plan], object] | None = None) -> Event:
        """Undo or redo. With `agreed` it is planned before, and an error of that prevents it."""

        def data() -> dict[str, Any]:
            self.desk.can(kind, number)
            if agreed is not None:
                agreed(self._planned(kind, number))
            return {"edit": number}

        return self._event(person, kind, data)

    def preview_turn(self, kind: str, number: int) -> Plan:
        """What undoing or redoing an edit would change."""
        with self._engine.lock:
            self._engine.refresh()
            self.desk.can(kind, number)
            return self._planned(kind, number)

    def _planned(self, kind: str, about: tuple[tuple[str, ...], ...] | int) -> Plan:
        """The plan of an edit of groups, or of a turn of an edit by its number.

        People look at a plan and then carry it out: if nothing has changed in between, it is not made again.
        """
        key = self._engine.loads, self._engine.state, self.desk.last, kind, about
        if self._last is None or self._last[0] != key:
            self._last = key, self._made(kind, about)
        return self._last[1]

    def _made(self, kind: str, about: tuple[tuple[str, ...], ...] | int) -> Plan:
        resolution, desk = self._engine.resolution, self.desk
        if not isinstance(about, int):
            return plan(resolution, desk.decisions, kind, about)
        edits = [replace(one, counts=kind == REDO) if one.id == about else one for one in desk.edits]
        return preview_of(resolution, desk.decisions, in_order(edits), kind)

    def comment(self, on: str, text: str, person: str) -> Event:
        """Comment on "cluster NUMBER", or on a pair: "pair LEFT<tab>RIGHT"."""
        if not text.strip():
            raise InputError("the comment is empty")
        return self._event(person, "comment", lambda: {"on": subject(on), "text": _note(text)})

    def assign(self, on: Sequence[str], to: str, person: str) -> Event:
        """Assign clusters or pairs to a person; an empty `to` removes the assignment."""
        return self._event(person, "assign", lambda: {"on": list(map(subject, on)), "to": to})

    def prefer(self, name: str, value: Any, person: str, *, everyone: bool = False) -> Event:
        """Keep a preference of a person, or for `everyone` of the project: any JSON value, or None for nothing."""
        size = len(json.dumps(value))
        if size > LONGEST_PREFERENCE:
            raise InputError(f"a preference of {size:,} characters is too long; the limit is {LONGEST_PREFERENCE:,}")
        data = {"for": "" if everyone else person, "name": name, "value": value}
        return self._event(person, "prefer", lambda: data)

    def set_values(self, records: Sequence[str], field: str, value: str | None, person: str) -> Event:
        """Set values of golden records by hand, or remove them; see `golden`."""
        data = {"records": list(records), "field": field, "value": value}
        return self._event(person, "value", lambda: data)

    def note(self, person: str, kind: str, data: dict[str, Any]) -> None:
        """Log an action whose result is kept elsewhere."""
        self._store.add_event(checks.plain("person", person), kind, data)

    def _event(self, person: str, kind: str, data: Any) -> Event:
        """Add an event that is valid at the moment it is written, and let the engine take it in."""
        checks.plain("person", person)
        with self._engine.lock:
            for _ in range(_TRIES):
                self._engine.refresh()
                event = self._store.add_event(person, kind, data(), after=self.desk.last)
                if event is not None:
                    self._engine.refresh()
                    self._summaries.seen()
                    return event
        raise StoreError("others keep editing; try again")


def _note(text: str) -> str:
    if len(text) > LONGEST_NOTE or "\0" in text:
        raise InputError(f"a note has at most {LONGEST_NOTE:,} characters")
    return text.strip()
