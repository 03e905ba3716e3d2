"""Questions that are drawn at random. The database has what was drawn, and the engine follows it."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from sqlalchemy import func, insert, select

from askwise.project.schema import audits
from askwise.project.store import Store
from askwise.project.values import Settings, ordered
from askwise.project.writer import Transaction
from askwise.resolution import Resolution

Drawn = tuple[str, str, float]


class Audit:
    """Draws pairs for a `Resolution`, and tells it what was drawn earlier or by others. Rows are only ever added."""

    def __init__(self, store: Store, resolution: Resolution) -> None:
        self._store = store
        self._resolution = resolution
        self.size = 0
        self.follow()

    def follow(self) -> None:
        """Take in new rows from the database."""
        with self._store.reading() as connection:
            if connection.execute(select(func.coalesce(func.max(audits.c.id), 0))).scalar_one() == self.size:
                return
            found = connection.execute(
                select(audits.c.left, audits.c.right, audits.c.probability).order_by(audits.c.id)
            )
            drawn = [(left, right, probability) for left, right, probability in found]
        self._resolution.resume_audit(drawn)
        self.size = len(drawn)

    def pairs(self, settings: Settings, skip: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
        """The drawn pairs to ask now, as many as are due in a batch; draws more if needed.

        Over time this is the share in the settings; a batch never has a larger share.
        """
        if not settings.audit:
            return []
        if self.size < 0:
            self.follow()
        waiting = self._waiting(skip)
        due = int(settings.audit * (self._resolution.asked + settings.batch)) - self.size
        wanted = min(due, math.ceil(settings.audit * settings.batch) - len(waiting))
        if wanted <= 0 or not self._resolution.to_ask:
            return waiting
        before, self.size = self.size, -1  # if it cannot be kept, `follow` puts that right
        self._resolution.audit(wanted)
        new = [(str(left), str(right), chance) for left, right, chance in self._resolution.audited[before:]]
        if self._keep(before, new):
            self.size = before + len(new)
        else:
            self.follow()
        return self._waiting(skip)

    def _waiting(self, skip: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
        """The drawn pairs that were not asked yet."""
        drawn = dict.fromkeys(ordered(str(left), str(right)) for left, right, _ in self._resolution.audited)
        pairs = [pair for pair in drawn if pair not in skip]
        asked = self._resolution.graph.asked(*self._resolution.graph.records.pairs(pairs))
        return [pairs[at] for at in np.flatnonzero(~asked).tolist()]

    def _keep(self, before: int, drawn: list[Drawn]) -> bool:
        """Store what was drawn, unless others have added rows since there were `before`."""
        rows = [
            {"id": at, "left": left, "right": right, "probability": chance}
            for at, (left, right, chance) in enumerate(drawn, before + 1)
        ]

        def write(work: Transaction) -> bool:
            if work.connection.execute(select(func.count()).select_from(audits)).scalar_one() != before:
                return False
            if rows:
                work.connection.execute(insert(audits), rows)
            return True

        return self._store.change(write)
