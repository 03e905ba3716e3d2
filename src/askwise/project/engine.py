"""The engine of a project: follows the database and chooses questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock, RLock
from typing import Any

import numpy as np

from askwise.blocking import candidates as find_candidates
from askwise.candidate_pairs import ScoredPairs
from askwise.columns import Use
from askwise.errors import StoreError
from askwise.measures.expected import ExpectedScores
from askwise.project import folder as files
from askwise.project.additions import OWN_SCORE, joined, merged, more_pairs
from askwise.project.audit import Audit
from askwise.project.cluster_table import Board, made_board
from askwise.project.column_file import read_use, write_use
from askwise.project.desk import Desk
from askwise.project.disputes import disputed
from askwise.project.identity import lasting_ids
from askwise.project.machine_file import kept_machine
from askwise.project.rebuilding import Replay
from askwise.project.rule_file import RuleBook, read_book, write_book
from askwise.project.several_sources import links_of
from askwise.project.store import Store
from askwise.project.values import ClusterRow, Point, Status, ordered
from askwise.records import Records
from askwise.resolution import Resolution
from askwise.rules import Constraints, Rule
from askwise.tables import Table

Progress = Callable[[str, int, int], object]


NOTE_EVERY = 5.0
"""The least number of seconds between two points of the history."""

PATIENCE = 0.2
"""Seconds that viewers of clusters wait for the engine before they see the clusters as they were."""

BOARD_SHARE = 20.0
"""How long confidences may be shown while votes come in, as a multiple of the time to compute them."""


class Engine:
    """A `Resolution` that is kept up to date from the database. Any thread may call any method."""

    def __init__(self, folder: Path, about: files.About, store: Store, progress: Progress | None) -> None:
        self._folder = folder
        self._about = about
        self._store = store
        self.lock = RLock()
        self._measuring = Lock()
        self.desk = Desk(store)
        self._note_at = 0.0
        self._noted = 0
        self._settled: tuple[int, int] | None = None
        self._load(progress or _silent)

    def _load(self, progress: Progress) -> None:
        """Read the inputs, and take in all votes."""
        inputs = self._store.inputs
        progress("records", 0, 5)
        table = files.read_records(self._folder, self._about.id, self._about.source).used(read_use(self._folder))
        progress("pairs", 1, 5)
        pairs = files.read_pairs(self._folder, table.ids, self._about.score)
        progress("matcher", 2, 5)
        machine = kept_machine(self._folder, table, pairs)
        progress("votes", 3, 5)
        replay = Replay(self._store)
        votes = replay.beginning()
        progress("clusters", 4, 5)
        rules = read_book(self._folder).rules
        resolution = Resolution(table, pairs, votes=votes, machine=machine, rules=rules)
        self.desk.follow()
        self._decisions = self.desk.decisions
        resolution.set_decisions(self._decisions)
        self._decided = self._followed = self.desk.last
        self.table: Table = table
        self.resolution = resolution
        self._inputs, self._replay = inputs, replay
        self._audit = Audit(self._store, resolution)
        self._measured: tuple[tuple[int, ...], Point, ExpectedScores] | None = None
        self._board: Board | None = None
        self._board_at = 0.0
        self._chosen: tuple[float, ...] = ()
        self._share = self._store.settings.audit
        progress("clusters", 5, 5)

    @property
    def records(self) -> Records:
        """The ids of the records."""
        return self.resolution.graph.records

    @property
    def state(self) -> tuple[int, int, int]:
        """What the engine has taken in: inputs, the last row of votes, the last event that changed a decision."""
        return self._inputs, self._replay.last, self._decided

    @property
    def taken(self) -> int:
        """The number of the last row of votes taken in."""
        return self._replay.last

    def refresh(self) -> int:
        """Take in new rows from the database; returns how many."""
        with self.lock:
            before = self._replay.last
            if self._store.inputs != self._inputs:
                self._load(_silent)
                return self._replay.last - before
            while (found := self._replay.following()) is None or found[0]:
                if found is None:
                    self._load(_silent)
                    break
                self.resolution.add_votes(found[1])
            self.desk.follow()
            if self.desk.last != self._followed:
                decisions = self.desk.decisions
                if decisions != self._decisions:
                    self.resolution.set_decisions(decisions)
                    self._decisions, self._decided = decisions, self.desk.last
                self._followed = self.desk.last
            self._audit.follow()
            return self._replay.last - before

    def fill(self) -> int:
        """Choose questions if few unseen ones are left, or others are better; returns how many are new."""
        self._drop_settled()
        settings = self._store.settings
        fresh, seen = self._store.queued()
        if fresh >= max(1, settings.batch // 2) and settings.audit == self._share:
            return 0
        with self.lock:
            state = (*self.state, settings.batch, settings.audit, fresh, len(seen))
            if state == self._chosen:
                return 0
            self._chosen, self._share = state, settings.audit
            drawn = self._audit.pairs(settings, set(seen))
            questions = self.resolution.next_questions(settings.batch + len(seen))
        known = {*seen, *drawn}
        pairs = [ordered(str(question.left), str(question.right)) for question in questions]
        chosen = [pair for pair in pairs if pair not in known]
        for at, pair in enumerate(drawn):  # evenly among the others: those at the end may be chosen anew
            chosen.insert(at * max(1, settings.batch // len(drawn)), pair)
        return self._store.fill(chosen[: settings.batch])

    def _drop_settled(self) -> None:
        """Ask no more what rules or decisions have settled since the questions were chosen."""
        with self.lock:
            state = self._inputs, self._decided
            if state == self._settled:
                return
            waiting = self._store.waiting()
            said = self.resolution.settled(waiting)
        settled = [pair for pair, same in zip(waiting, said, strict=True) if same is not None]
        if settled:
            self._store.settle(settled)
        self._settled = state

    def follow(self) -> bool:
        """Take in new rows and choose questions; returns whether there are new questions."""
        self.refresh()
        return self.fill() > 0

    def summarize(self) -> bool:
        """Bring up to date what owners look at, the history and the board. Workers do not wait for it."""
        self.note()
        if self._board is not None and time.monotonic() >= self._board_at:
            self.board(exact=True)
        return False

    def note(self) -> None:
        """Add a point to the history, if there is something new and it does not take too much time."""
        begin = time.monotonic()
        if begin >= self._note_at and self._replay.last > self._noted:
            point, _ = self.measure()
            self._store.add_point(point)
            self._noted = point.vote
            self._note_at = time.monotonic() + max(NOTE_EVERY, 20.0 * (time.monotonic() - begin))

    def add(self, new: Table, pairs: Any, progress: Progress | None) -> int:
        """Add records after the existing ones."""
        with self.lock:
            table = joined(self.table, new)
            old = files.read_pairs(self._folder, self.table.ids, self._about.score)
            rules = read_book(self._folder).rules
            Constraints(Records(table.ids), rules, table).check()
            scored = more_pairs(
                table, len(self.table), old, pairs, partial(self._found, rules=rules, progress=progress)
            )

            def write(place: Path) -> None:
                files.write_records(place, table, self._about.id)
                if scored is not None:
                    files.write_pairs(place, scored)

            self._store.change_inputs(self._folder, self._inputs, write)
            self._load(progress or _silent)
        return len(new)

    def _found(self, table: Table, rules: list[Rule], progress: Progress | None = None) -> ScoredPairs:
        """The candidates that Askwise finds itself."""
        return find_candidates(table, links=links_of(self._about), rules=rules, progress=progress)

    def change_rules(self, change: Callable[[RuleBook], RuleBook], by: str) -> RuleBook:
        """Change the rules for everyone who works on the project; returns those that hold now.

        If rules were withdrawn, pairs that they had excluded become candidates.
        """
        with self.lock:
            self.refresh()
            before = read_book(self._folder)
            after = change(before)
            added = [f"{number}: {rule.name}" for number, rule in after.numbered if number not in dict(before.numbered)]
            gone = [f"{number}: {rule.name}" for number, rule in before.numbered if number not in dict(after.numbered)]
            Constraints(self.records, after.rules, self.table).check()
            scored = files.read_pairs(self._folder, self.table.ids, self._about.score)
            if scored is not None and scored.score_name == OWN_SCORE and set(before.numbered) - set(after.numbered):
                scored = merged(scored, self._found(self.table, after.rules))

            def write(place: Path) -> None:
                write_book(place, after)
                if scored is not None:
                    files.write_pairs(place, scored)

            said = by, "rules", {"added": added, "withdrawn": gone}
            self._store.change_inputs(self._folder, self._inputs, write, said)
            self._load(_silent)
            return after

    def change_use(self, use: Use) -> None:
        """Change what columns are for, for everyone. Candidates that Askwise found are found again."""
        with self.lock:
            self.refresh()
            table = self.table.used(use)
            scored = files.read_pairs(self._folder, table.ids, self._about.score)
            again = table.compared != self.table.compared and scored is not None and scored.score_name == OWN_SCORE
            if again:
                scored = self._found(table, read_book(self._folder).rules)

            def write(place: Path) -> None:
                write_use(place, use)
                if again and scored is not None:
                    files.write_pairs(place, scored)

            self._store.change_inputs(self._folder, self._inputs, write)
            self._load(_silent)

    def record(self, id: str, names: Iterable[str] | None = None) -> dict[str, object]:
        """The fields of a record that people see, or those named."""
        if id not in self.records and self._store.inputs != self._inputs:
            self.refresh()  # another process has added records
        at = self.records.position(id)
        return {name: plain(self.table.columns[name][at]) for name in (self.table.shown if names is None else names)}

    def measure(self) -> tuple[Point, ExpectedScores]:
        """The present measures; computed once for each state, mostly without the lock."""
        with self._measuring:
            with self.lock:
                state = *self.state, self._audit.size
                if self._measured is not None and self._measured[0] == state:
                    return self._measured[1:]
                reliability = self.resolution.reliability
                pending = self.resolution.expecting()
                point = Point(
                    vote=self._replay.last,
                    time=time.time(),
                    questions=self.resolution.asked,
                    votes=self._replay.votes,
                    clusters=len(self.resolution.clustering),
                    reliability=float(reliability),
                    assumed=reliability.assumed,
                )
            (expected,) = pending()
            f1 = expected.f1
            self._measured = state, replace(point, f1=f1.value, f1_low=f1.low, f1_high=f1.high), expected
            return self._measured[1:]

    def status(self) -> Status:
        """Where the project stands, as of the last refresh."""
        counts, settings = self._store.counts(), self._store.settings
        point, expected = self.measure()
        candidates = self.resolution.graph.candidates
        return Status(
            name=self._about.name,
            records=len(self.table),
            candidates=candidates.total,
            asked=point.questions,
            to_ask=self.resolution.to_ask,
            open_questions=counts.open,
            held=counts.held,
            votes=counts.votes,
            workers=counts.workers,
            clusters=point.clusters,
            reliability=point.reliability,
            assumed=point.assumed,
            precision=expected.precision.value,
            recall=expected.recall.value,
            f1=expected.f1.value,
            f1_low=expected.f1.low,
            f1_high=expected.f1.high,
            cost=counts.answered * settings.price + counts.spent,
            currency=settings.currency,
            budget=settings.budget,
            paused=settings.paused,
            candidate_recall=self.resolution.candidate_recall,
            precision_low=expected.precision.low,
            precision_high=expected.precision.high,
            recall_low=expected.recall.low,
            recall_high=expected.recall.high,
        )

    def clusters(self) -> list[ClusterRow]:
        """The clusters with lasting ids and confidence, the largest first; computed once for each state."""
        return list(self.board(exact=True).rows)

    def board(self, *, exact: bool = False) -> Board:
        """All clusters, as of the last refresh.

        Unless it must be `exact`, the confidence of unchanged clusters may be some seconds old, and while the engine is
        busy for long, this is the board before.
        """
        known = self._board
        if known is not None and known.state == self.state and (known.exact or not exact):
            return known
        if not self.lock.acquire(timeout=-1 if exact or known is None else PATIENCE):
            assert known is not None
            return known
        try:
            known = self._board
            if known is None or known.state != self.state or (exact and not known.exact):
                begin = time.monotonic()
                before = None if exact else known
                known = made_board(self.state, self.resolution, disputed(self.resolution).rows, self._lasting, before)
                self._board = known
                if known.exact:
                    self._board_at = time.monotonic() + BOARD_SHARE * (time.monotonic() - begin)
            return known
        finally:
            self.lock.release()

    def seen(self) -> None:
        """Bring the board up to date after an edit. The caller holds the lock."""
        if self._board is not None:
            self.board()

    def _lasting(self, roots: Any) -> Any:
        for _ in range(100):
            version, following, before = self._store.cluster_ids()
            numbers, free = lasting_ids(before, roots, following)
            if np.array_equal(numbers, before) or self._store.keep_cluster_ids(version, free, numbers):
                return numbers
        raise StoreError("others keep writing cluster ids; try again")


def _silent(what: str, done: int, total: int) -> None:
    """No progress is shown."""


def plain(value: Any) -> object:
    """A value of a column as a Python object; None for missing values."""
    if isinstance(value, np.ndarray):  # a vector
        return None
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else value.item()
    if isinstance(value, np.generic):
        value = value.item()
    return None if value != value else value
