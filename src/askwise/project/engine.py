"""The engine of a project: a `Resolution` that follows the database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from askwise.project import folder as files
from askwise.project.audit import Audit
from askwise.project.column_file import read_use
from askwise.project.desk import Desk
from askwise.project.machine_file import kept_machine
from askwise.project.rebuilding import Replay
from askwise.project.rule_file import read_book
from askwise.project.store import Store
from askwise.records import Records
from askwise.resolution import Resolution
from askwise.tables import Table

Progress = Callable[[str, int, int], object]

PATIENCE = 0.2
"""Seconds that viewers wait for the engine before they see the clusters as they were, and no evidence."""

BUSY_FOR = 1.0
"""Seconds for which no viewer waits as long as that again: a page has many parts, and each would wait."""


class Engine:
    """A `Resolution` that is kept up to date from the database. Any thread may call any method."""

    def __init__(self, folder: Path, about: files.About, store: Store, progress: Progress | None) -> None:
        self.folder, self.about, self.store = folder, about, store
        self.lock = RLock()
        self._busy_until = 0.0
        self.desk = Desk(store)
        self.loads = 0
        self.load(progress)

    def load(self, progress: Progress | None = None) -> None:
        """Read the inputs, and take in all votes. The caller holds the lock. `loads` counts how often that was done."""
        progress = progress or _silent
        inputs = self.store.inputs
        progress("records", 0, 5)
        table = files.read_records(self.folder, self.about.id, self.about.source).used(read_use(self.folder))
        progress("pairs", 1, 5)
        pairs = files.read_pairs(self.folder, table.ids, self.about.score)
        progress("matcher", 2, 5)
        machine = kept_machine(self.folder, table, pairs)
        progress("votes", 3, 5)
        replay = Replay(self.store)
        votes = replay.beginning()
        progress("clusters", 4, 5)
        rules = read_book(self.folder).rules
        resolution = Resolution(table, pairs, votes=votes, machine=machine, rules=rules)
        self.desk.follow()
        self._decisions = self.desk.decisions
        resolution.set_decisions(self._decisions)
        self._decided = self._followed = self.desk.last
        self.table: Table = table
        self.resolution = resolution
        self._inputs, self._replay = inputs, replay
        self.audit = Audit(self.store, resolution)
        self.loads += 1
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

    @property
    def votes(self) -> int:
        """How many votes were taken in, without those taken back."""
        return self._replay.votes

    def refresh(self) -> int:
        """Take in new rows from the database; returns how many."""
        with self.lock:
            before = self._replay.last
            if self.store.inputs != self._inputs:
                self.load()
                return self._replay.last - before
            while (found := self._replay.following()) is None or found[0]:
                if found is None:
                    self.load()
                    break
                self.resolution.add_votes(found[1])
            self.desk.follow()
            if self.desk.last != self._followed:
                decisions = self.desk.decisions
                if decisions != self._decisions:
                    self.resolution.set_decisions(decisions)
                    self._decisions, self._decided = decisions, self.desk.last
                self._followed = self.desk.last
            self.audit.follow()
            return self._replay.last - before

    @contextmanager
    def glance(self) -> Iterator[bool]:
        """Hold the lock, if it can be had soon: True, and `resolution` may be looked at, or False."""
        held = self.acquired_soon()
        try:
            yield held
        finally:
            if held:
                self.lock.release()

    def acquired_soon(self) -> bool:
        """Acquire the lock, unless the engine is busy for long; returns whether that was done."""
        patient = time.monotonic() >= self._busy_until
        held = self.lock.acquire(timeout=PATIENCE if patient else PATIENCE / 10)
        if patient and not held:
            self._busy_until = time.monotonic() + BUSY_FOR
        return held

    def record(self, id: str, names: Iterable[str] | None = None) -> dict[str, object]:
        """The fields of a record that people see, or those named."""
        if id not in self.records and self.store.inputs != self._inputs:
            self.refresh()  # another process has added records
        at = self.records.position(id)
        return {name: plain(self.table.columns[name][at]) for name in (self.table.shown if names is None else names)}


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
