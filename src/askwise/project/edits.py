"""Edits: a steward's decisions about clusters. An edit is a value; the database keeps it as an event.

An edit names groups of records: records of one group are the same, records of different groups are different. That
covers a split (several groups), a join (one group), a move (two) and a lock (one, as it is). `kept` are further pairs
that keep every other cluster as it was.

An edit counts unless it was undone. If edits contradict each other, the later one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from askwise.errors import InputError
from askwise.project.events import Event

Decision = tuple[str, str, bool]
"""Two records, and whether they are the same."""

EDITS = ("split", "join", "move", "decide", "lock")
REVIEWS = ("approve", "review", "ask", "reset")
UNDO, REDO = "undo", "redo"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit, and whether it counts."""

    id: int
    time: float
    person: str
    kind: str
    groups: tuple[tuple[str, ...], ...]
    kept: tuple[Decision, ...] = ()
    note: str = ""
    counts: bool = True

    @property
    def decisions(self) -> list[Decision]:
        """The edit as pairs: a chain through each group, and one pair between each two groups.

        Clusters that are locked together do not affect each other; `kept` has their neighbours.
        """
        return [*decisions_of(self.groups, self.kind), *self.kept]


def decisions_of(groups: Iterable[Sequence[str]], kind: str = "split") -> list[Decision]:
    """Groups as pairs: each record is the same as the next of its group, and first records of groups differ."""
    groups = [sorted(group) for group in groups if group]
    apart = [] if kind == "lock" else [(one[0], two[0], False) for one, two in combinations(groups, 2)]
    return [*apart, *((left, right, True) for group in groups for left, right in pairwise(group))]


def edit_of(event: Event, counts: bool = True) -> Edit:
    """The edit in an event."""
    data = event.data
    groups = tuple(tuple(group) for group in data["groups"])
    kept = tuple((left, right, same) for left, right, same in data.get("kept", ()))
    return Edit(event.id, event.time, event.person, event.kind, groups, kept, data.get("note", ""), counts)


def in_order(edits: Iterable[Edit]) -> list[Decision]:
    """The decisions of all edits that count. Each pair appears once, where it was decided last."""
    found: dict[tuple[str, str], bool] = {}
    for edit in edits:
        if edit.counts:
            for left, right, same in edit.decisions:
                pair = (left, right) if left < right else (right, left)
                found.pop(pair, None)
                found[pair] = same
    return [(*pair, same) for pair, same in found.items()]


def checked_groups(groups: Any, *, ordered: bool = False, most: int = 100_000) -> tuple[tuple[str, ...], ...]:
    """Groups in the form of an edit: no record twice, no empty group, the records of each in order.

    The order of the groups is kept only if they are `ordered`.
    """
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InputError("groups must be lists of record ids")
    found = [tuple(sorted(str(record) for record in group)) for group in groups if group and not isinstance(group, str)]
    seen: set[str] = set()
    for record in (record for group in found for record in group):
        if record in seen:
            raise InputError(f"record {record!r} is named twice; a record is in one group")
        seen.add(record)
    if not found:
        raise InputError("an edit needs at least one record")
    if len(seen) > most:
        raise InputError(f"an edit of {len(seen):,} records is too large; the limit is {most:,}")
    return tuple(found if ordered else sorted(found))
