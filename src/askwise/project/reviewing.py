"""The review queue: which clusters to look at next, their reviews, and reviews of many at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, Words, found_in
from askwise.checks import as_number
from askwise.errors import InputError
from askwise.kinds import text_of
from askwise.project.cluster_table import Board, prints_of
from askwise.project.desk import STATES, State, review_state
from askwise.project.events import Event
from askwise.project.pair_rows import links
from askwise.project.project import Project
from askwise.project.searching import Searching
from askwise.project.values import ClusterRow
from askwise.project.views import View, view_of

VIEWS = "views"
"""The preference with the saved views by name."""

_LINKS = 5


class Standing(NamedTuple):
    """The review of each cluster of a board: its state, as a position in `STATES`, and its review, or -1."""

    board: Board
    state: Int64s
    event: Int64s
    events: list[Event]


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A cluster in the queue. `help` is how useful it is to look at, by the view."""

    cluster: ClusterRow
    state: State
    reviewer: str | None
    time: float | None
    assignee: str | None
    conflict: bool
    help: float


@dataclass(frozen=True, slots=True)
class Total:
    """How many clusters and records are in a state."""

    state: State
    clusters: int
    records: int


@dataclass(frozen=True, slots=True)
class Around:
    """A cluster's place in a view, from 1 (None if it is not in it), and the ids before and after it."""

    place: int | None
    total: int
    previous: int | None
    next: int | None


class Reviewing:
    """The review queue of a project. Threads may share it."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.search = Searching(project)
        self._prints: dict[tuple[int, int], Words] = {}  # by inputs and event
        self._standing: tuple[int, Standing] | None = None
        self._sources: tuple[object, list[str]] | None = None

    def view(self, hidden: Collection[str] = (), /, **given: object) -> View:
        """A view of this project's clusters (see `View`) for someone who does not see the fields `hidden`.

        Which clusters have a word, or what their values add up to, would tell them.
        """
        table = self._project.table
        view = view_of(given, table)
        if view.words.strip() and hidden:
            raise InputError("some fields are hidden from you; use Search, which leaves them out")
        if view.value in hidden or (view.source and table.source_column in hidden):
            raise InputError("this field is hidden from you")
        return view

    # Looking.

    def standing(self) -> Standing:
        """The review of each cluster."""
        board, desk, known = self._project.board(), self._project.desk, self._standing
        if known is not None and known[0] == desk.last and known[1].board is board:
            return known[1]
        last, events = desk.last, desk.reviews
        prints = [self._prints_of(board, event) for event in events]
        every = np.concatenate([np.empty(0, np.uint64), *prints])
        number = np.repeat(np.arange(len(events)), [one.size for one in prints])
        order = np.lexsort((number, every))
        ordered, number = every[order], number[order]
        later = np.ones(ordered.size, np.bool_)
        later[:-1] = ordered[1:] != ordered[:-1]
        place, there = found_in(ordered[later], board.prints)
        event = np.where(there, number[later][place], -1) if ordered.size else np.full(len(board), -1)
        codes = np.array([STATES.index(review_state(one)) for one in events] + [0])  # the last is for none
        found = Standing(board, codes[event], event, events)
        self._standing = last, found
        return found

    def _prints_of(self, board: Board, event: Event) -> Words:
        key = board.state[0], event.id
        known = self._prints.get(key)
        if known is None:
            groups = [group for group in event.data["groups"] if all(record in board.records for record in group)]
            places = [board.records.position(record) for group in groups for record in group]
            starts = np.concatenate(([0], np.cumsum([len(group) for group in groups])[:-1])).astype(np.int64)
            known = np.add.reduceat(prints_of(np.array(places, np.int64)), starts) if groups else np.empty(0, np.uint64)
            self._prints[key] = known
        return known

    def found(self, view: View) -> tuple[Standing, Int64s]:
        """The places of the clusters of a view on the board, in order."""
        now = self.standing()
        chosen = np.flatnonzero(self._mask(now, view))
        key = self._key(now.board, view)[chosen]
        order = np.lexsort((now.board.ids[chosen], -key if view.order.startswith("-") else key))
        return now, chosen[order]

    def _key(self, board: Board, view: View) -> Floats | Int64s:
        match view.order.removeprefix("-"):
            case "size":
                return -board.size
            case "id":
                return board.ids
            case "confidence":
                return board.trust.right
        return -self._help(board, view)

    def _mask(self, now: Standing, view: View) -> Bools:
        board, right = now.board, now.board.trust.right
        mask = (board.size >= view.least_size) & (right >= view.least_confidence) & (right <= view.most_confidence)
        if view.most_size is not None:
            mask &= board.size <= view.most_size
        if view.states:
            mask &= np.isin(now.state, [STATES.index(state) for state in view.states])
        if view.conflict is not None:
            mask &= board.conflict == view.conflict
        if view.source:
            mask &= self._has(board, self._of_source(view.source))
        if view.reviewer:
            theirs = np.array([event.person == view.reviewer for event in now.events] + [False])
            mask &= theirs[now.event]
        if view.assignee:
            mask &= self._assigned(board, view.assignee)
        if view.words.strip():
            mask &= self._has(board, self.search.places(view.words))
        return mask

    @staticmethod
    def _has(board: Board, records: Int64s) -> Bools:
        """Which clusters have one of these records."""
        mask = np.zeros(len(board), np.bool_)
        mask[board.place[records[records < board.place.size]]] = True
        return mask

    def _of_source(self, source: str) -> Int64s:
        table = self._project.table
        if self._sources is None or self._sources[0] is not table:
            self._sources = table, table.sources or []
        sources = self._sources[1]
        if not sources:
            raise InputError("the records do not say which source they are from")
        return np.flatnonzero(np.array(sources, object) == source)

    def _assigned(self, board: Board, person: str) -> Bools:
        mask = np.zeros(len(board), np.bool_)
        for on, to in self._project.desk.assignments().items():
            kind, _, number = on.partition(" ")
            at = board.find(int(number)) if to == person and kind == "cluster" and number.isdigit() else None
            if at is not None:
                mask[at] = True
        return mask

    def _help(self, board: Board, view: View) -> Floats:
        if not view.value:
            return np.asarray((1.0 - board.trust.right) * board.size, np.float64)
        values = np.nan_to_num(np.asarray(self._project.table.columns[view.value], np.float64))[: board.place.size]
        return np.asarray((1.0 - board.trust.right) * np.bincount(board.place, values, len(board)), np.float64)

    def page(self, view: View, offset: int = 0, limit: int = 50) -> tuple[int, list[QueueRow]]:
        """How many clusters a view has, and some of them."""
        now, places = self.found(view)
        helps = self._help(now.board, view)
        return places.size, [self._row(now, at, float(helps[at])) for at in places[offset : offset + limit].tolist()]

    def row(self, number: int) -> QueueRow:
        """One cluster, by its lasting id."""
        now = self.standing()
        at = now.board.at(number)
        return self._row(now, at, float(self._help(now.board, View())[at]))

    def _row(self, now: Standing, at: int, help: float) -> QueueRow:
        event = now.events[now.event[at]] if now.event[at] >= 0 else None
        return QueueRow(
            cluster=now.board.row(at),
            state=STATES[now.state[at]],
            reviewer=None if event is None else event.person,
            time=None if event is None else event.time,
            assignee=self._project.desk.assigned_to(f"cluster {now.board.ids[at]}"),
            conflict=bool(now.board.conflict[at]),
            help=round(help, 6),
        )

    def totals(self, view: View | None = None) -> list[Total]:
        """How many clusters and records are in each state, in a view or overall."""
        now = self.standing()
        mask = np.ones(len(now.board), np.bool_) if view is None else self._mask(now, view)
        clusters = np.bincount(now.state[mask], minlength=len(STATES))
        records = np.bincount(now.state[mask], now.board.size[mask], len(STATES))
        return [Total(state, int(clusters[at]), int(records[at])) for at, state in enumerate(STATES)]

    def around(self, view: View, number: int) -> Around:
        """What comes before and after a cluster in a view.

        For a cluster that is not in it (any more), the next is the first of the view.
        """
        now, places = self.found(view)
        ids = now.board.ids[places]
        here = np.flatnonzero(ids == number)
        if not here.size:
            return Around(None, ids.size, None, int(ids[0]) if ids.size else None)
        at = int(here[0])
        before = int(ids[at - 1]) if at else None
        after = int(ids[at + 1]) if at + 1 < ids.size else None
        return Around(at + 1, ids.size, before, after)

    # Saying.

    def members(self, numbers: Sequence[int]) -> list[tuple[str, ...]]:
        """The records of clusters, given by their lasting ids."""
        board = self._project.board()
        return [board.names(board.at(number)) for number in numbers]

    def above(self, confidence: float, view: View) -> tuple[int, int]:
        """How many clusters, and how many records, `approve_above` would approve."""
        now, places = self._above(confidence, view)
        return places.size, int(now.board.size[places].sum())

    def approve_above(self, confidence: float, view: View, person: str, note: str = "") -> Event:
        """Approve the clusters of a view with at least this confidence, as one event."""
        now, places = self._above(confidence, view)
        groups = [now.board.names(at) for at in places.tolist()]
        return self._project.editing.review("approve", groups, person, note, if_same=True)

    def _above(self, confidence: float, view: View) -> tuple[Standing, Int32s | Int64s]:
        if not 0.0 < as_number(confidence) <= 1.0:
            raise InputError(f"the confidence {confidence!r} is not a number above 0 and up to 1")
        now, places = self.found(view)
        open_still = now.state[places] < STATES.index("approved")
        return now, places[open_still & (now.board.trust.right[places] >= confidence)]

    def ask_crowd(self, numbers: Sequence[int], person: str, votes: int = 1) -> int:
        """Ask the crowd about clusters: their most doubtful pairs come first. Returns how many pairs."""
        board = self._project.board()
        rows = [board.row(board.at(number)) for number in numbers]
        pairs = list(dict.fromkeys(pair for row in rows for pair in self._doubtful(row)))
        self._project.editing.review("ask", [row.members for row in rows], person)
        return self._project.ask_more(pairs, votes) if pairs else 0

    def _doubtful(self, row: ClusterRow) -> list[tuple[str, str]]:
        """The weakest links of a cluster, or else some of its pairs, and its nearest neighbour."""
        pairs = [(link.left, link.right) for link in links(self._project, row.members)[:_LINKS]]
        pairs = pairs or list(zip(row.members, row.members[1:], strict=False))[:_LINKS]
        return pairs if row.nearest is None else [*pairs, (row.members[0], row.nearest)]

    # Views that were kept.

    def views(self, person: str) -> dict[str, View]:
        """The views that a person has saved."""
        kept = self._project.desk.preference(person, VIEWS) or {}
        found = {}
        for name, given in kept.items():
            try:
                found[name] = view_of(given, self._project.table)
            except (InputError, TypeError):  # its field is gone
                continue
        return found

    def keep_view(self, name: str, view: View | None, person: str) -> None:
        """Save a view under a name; None deletes it."""
        name = text_of(name).strip()
        if not 0 < len(name) <= 100 or not name.isprintable():
            raise InputError("the name of a view has 1 to 100 characters, all of them printable")
        kept = {**(self._project.desk.preference(person, VIEWS) or {})}
        kept.pop(name, None)
        if view is not None:
            kept[name] = view.as_dict()
        self._project.editing.prefer(VIEWS, kept, person)
