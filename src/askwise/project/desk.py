"""Which edits count, what was reviewed, who is assigned to which cluster, and comments.

All of it is derived from the events, so it is the same on every server and after every crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any, Literal

from askwise.errors import InputError
from askwise.project.edits import EDITS, REDO, REVIEWS, UNDO, Decision, Edit, edit_of, in_order
from askwise.project.events import Event, events_after
from askwise.project.store import Store
from askwise.project.values import ordered

State = Literal["new", "in review", "approved", "sent to the crowd"]
STATES: tuple[State, ...] = ("new", "in review", "approved", "sent to the crowd")
_STATE_OF: dict[str, State] = {"approve": "approved", "lock": "approved", "review": "in review", "reset": "new"}
_STATE_OF["ask"] = "sent to the crowd"


def subject(on: str) -> str:
    """What a comment or an assignment is about, or an error if it is neither a cluster nor a pair."""
    kind, _, what = str(on).partition(" ")
    if (kind == "cluster" and what.isdecimal()) or (kind == "pair" and what.count("\t") == 1):
        return on
    raise InputError(f"{on!r} is neither 'cluster NUMBER' nor 'pair LEFT<tab>RIGHT'")


def on_pair(left: str, right: str) -> str:
    """The name under which comments on a pair and its assignment are kept."""
    return "pair " + "\t".join(ordered(left, right))


def review_state(event: Event) -> State:
    """The state that a review gives to the clusters it names."""
    return _STATE_OF[event.kind]


@dataclass(frozen=True, slots=True)
class Review:
    """A review of a cluster, given by its records: its state, by whom, when, and by which event."""

    state: State
    person: str
    time: float
    event: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a cluster or a pair."""

    id: int
    time: float
    person: str
    text: str


@dataclass(frozen=True, slots=True)
class HandValue:
    """A value of a golden record that a person has set."""

    value: str
    person: str
    time: float
    event: int


@dataclass(slots=True)
class _Said:
    edits: dict[int, Edit] = field(default_factory=dict)
    reviews: dict[int, tuple[Event, bool]] = field(default_factory=dict)
    comments: dict[str, list[Comment]] = field(default_factory=dict)
    assigned: dict[str, str] = field(default_factory=dict)
    preferences: dict[tuple[str, str], Any] = field(default_factory=dict)
    values: dict[tuple[str, str], HandValue] = field(default_factory=dict)


class Desk:
    """Follows the events of a database. Threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._said = _Said()
        self._lock = RLock()
        self._reviewed: dict[frozenset[str], Review] | None = None
        self._decisions: list[Decision] | None = None
        self.last = 0
        self.follow()

    def follow(self) -> bool:
        """Take in new events; returns whether there were any."""
        with self._lock:
            with self._store.reading() as connection:
                new = events_after(connection, self.last)
            for event in new:
                self._take(event)
                self.last = event.id
            if new:
                self._reviewed = self._decisions = None
            return bool(new)

    def _take(self, event: Event) -> None:
        said, data = self._said, event.data
        if event.kind in EDITS:
            said.edits[event.id] = edit_of(event)
        if event.kind in REVIEWS or event.kind == "lock":
            said.reviews[event.id] = event, True
        elif event.kind in (UNDO, REDO):
            number, counts = int(data["edit"]), event.kind == REDO
            if number in said.edits:
                said.edits[number] = replace(said.edits[number], counts=counts)
            if number in said.reviews:
                said.reviews[number] = said.reviews[number][0], counts
        elif event.kind == "comment":
            said.comments.setdefault(data["on"], []).append(Comment(event.id, event.time, event.person, data["text"]))
        elif event.kind == "assign":
            for on in data["on"]:
                said.assigned.pop(on, None)
                if data["to"]:
                    said.assigned[on] = data["to"]
        elif event.kind == "value":
            for record in data["records"]:
                said.values.pop((record, data["field"]), None)
                if data["value"] is not None:
                    given = HandValue(data["value"], event.person, event.time, event.id)
                    said.values[record, data["field"]] = given
        elif event.kind == "prefer":
            said.preferences[data["for"], data["name"]] = data["value"]

    @property
    def decisions(self) -> list[Decision]:
        """The decisions that count, in order."""
        with self._lock:
            if self._decisions is None:
                self._decisions = in_order(self._said.edits.values())
            return self._decisions

    def decision_on(self, left: str, right: str) -> bool | None:
        """The decision on a pair itself, or None."""
        pair = ordered(left, right)
        return next((same for one, two, same in self.decisions if (one, two) == pair), None)

    @property
    def edits(self) -> list[Edit]:
        """All edits, including undone ones."""
        with self._lock:
            return list(self._said.edits.values())

    def edits_of(self, records: Iterable[str]) -> list[Edit]:
        """The edits that name any of these records, the latest first."""
        wanted = set(records)
        return [edit for edit in reversed(self.edits) if any(wanted.intersection(group) for group in edit.groups)]

    def can(self, kind: str, number: int) -> None:
        """Raise an error unless the edit or review can be undone or redone."""
        with self._lock:
            edit, review = self._said.edits.get(number), self._said.reviews.get(number)
        if edit is None and review is None:
            raise InputError(f"there is no edit {number}")
        counts = edit.counts if edit is not None else review is not None and review[1]
        if counts != (kind == UNDO):
            raise InputError(f"edit {number} {'counts already' if counts else 'was undone already'}")

    def undoable(self, person: str | None = None) -> int | None:
        """The last edit or review that counts, by a person or by anyone."""
        return self._last(True, person)

    def redoable(self, person: str | None = None) -> int | None:
        """The first undone edit or review after those that count, by a person or by anyone."""
        with self._lock:
            undone = [number for number, counts, who in self._all() if not counts and person in (None, who)]
        after = self._last(True, person) or 0
        return next((number for number in sorted(undone) if number > after), None)

    def _last(self, counts: bool, person: str | None) -> int | None:
        with self._lock:
            found = [number for number, now, who in self._all() if now == counts and person in (None, who)]
        return max(found, default=None)

    def _all(self) -> list[tuple[int, bool, str]]:
        edits = [(edit.id, edit.counts, edit.person) for edit in self._said.edits.values()]
        reviews = self._said.reviews.items()
        return edits + [(n, now, event.person) for n, (event, now) in reviews if n not in self._said.edits]

    # Reviews.

    def review_of(self, members: Sequence[str]) -> Review | None:
        """The last review of the cluster with exactly these records, or None."""
        return self._reviews().get(frozenset(members))

    def _reviews(self) -> dict[frozenset[str], Review]:
        with self._lock:
            if self._reviewed is None:
                self._reviewed = {
                    frozenset(group): Review(review_state(event), event.person, event.time, event.id, tuple(group))
                    for event in self.reviews
                    for group in event.data["groups"]
                }
            return self._reviewed

    @property
    def reviews(self) -> list[Event]:
        """The reviews that count, in order; `review_state` gives the state for each of their groups."""
        with self._lock:
            return [event for event, counts in self._said.reviews.values() if counts]

    # Comments and assignments; `on` is "cluster 17" or what `on_pair` says.

    def all_reviews(self) -> list[tuple[Event, bool]]:
        """All reviews, and whether they count; a lock is an edit too."""
        with self._lock:
            return list(self._said.reviews.values())

    def all_comments(self) -> dict[str, list[Comment]]:
        """All comments, by what they are about."""
        with self._lock:
            return {on: list(said) for on, said in self._said.comments.items()}

    def comments(self, on: str) -> list[Comment]:
        """The comments on a cluster or a pair, in order."""
        with self._lock:
            return list(self._said.comments.get(on, ()))

    def assigned_to(self, on: str) -> str | None:
        """The person to whom a cluster or a pair is assigned."""
        return self._said.assigned.get(on)

    def assignments(self) -> dict[str, str]:
        """All assignments, with their persons."""
        with self._lock:
            return dict(self._said.assigned)

    def hand_values(self) -> dict[tuple[str, str], HandValue]:
        """The values of golden records set by hand, by record and field."""
        with self._lock:
            return dict(self._said.values)

    # Preferences: which columns to show, saved views. Those of the project have no person.

    def preference(self, person: str, name: str) -> Any:
        """A person's preference, or else the project's; None if there is neither."""
        with self._lock:
            own = self._said.preferences.get((person, name))
            return self._said.preferences.get(("", name)) if own is None else own
