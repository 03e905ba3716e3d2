"""Keeps the queue of questions filled with those that help most."""

from __future__ import annotations

from askwise.project.engine import Engine
from askwise.project.values import Settings, ordered

_PARTS = 20
"""A batch has this many parts."""


def renewed_after(settings: Settings) -> int:
    """After how many answers waiting questions give way to better ones: a small part of a batch.

    Waiting for half of a batch of 200 cost a quarter of what the first 100 answers add to F1 (docs/experiments.md).
    """
    return max(1, settings.batch // _PARTS)


class Choosing:
    """Chooses questions for workers by what the engine knows. Any thread may call any method."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._store = engine, engine.store
        self._settled: tuple[int, int] | None = None
        self._chosen: tuple[float, ...] = ()
        self._taken = engine.taken
        self._share = engine.store.settings.audit

    def fill(self) -> int:
        """Choose the unseen questions anew if few are left, or answers came since; returns how many are new.

        A change of the share of audits does so, too.
        """
        self._drop_settled()
        settings = self._store.settings
        fresh, seen = self._store.queued()
        answered = self._engine.taken - self._taken >= renewed_after(settings)
        if fresh >= max(1, settings.batch // 2) and not answered and settings.audit == self._share:
            return 0
        with self._engine.lock:
            state = (*self._engine.state, settings.batch, settings.audit, fresh, len(seen))
            if state == self._chosen:
                return 0
            self._chosen, self._share, self._taken = state, settings.audit, self._engine.taken
            drawn = self._engine.audit.pairs(settings, set(seen))
            questions = self._engine.resolution.next_questions(settings.batch + len(seen))
        known = {*seen, *drawn}
        pairs = [ordered(str(question.left), str(question.right)) for question in questions]
        chosen = [pair for pair in pairs if pair not in known]
        for at, pair in enumerate(drawn):  # evenly among the others: those at the end may be chosen anew
            chosen.insert(at * max(1, settings.batch // len(drawn)), pair)
        return self._store.fill(chosen[: settings.batch])

    def _drop_settled(self) -> None:
        """Ask no more what rules or decisions have settled since the questions were chosen."""
        with self._engine.lock:
            inputs, _, decided = self._engine.state
            state = inputs, decided
            if state == self._settled:
                return
            waiting = self._store.waiting()
            said = self._engine.resolution.settled(waiting)
        settled = [pair for pair, same in zip(waiting, said, strict=True) if same is not None]
        if settled:
            self._store.settle(settled)
        self._settled = state

    def follow(self) -> bool:
        """Take in new rows and choose questions; returns whether there are new questions."""
        self._engine.refresh()
        return self.fill() > 0
