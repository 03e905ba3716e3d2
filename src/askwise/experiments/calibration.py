"""Whether expected scores can be trusted: expectations along a run, and how often the truth was in the interval."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from askwise.gold_scores import Scores
from askwise.resolution import Resolution

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
POINTS = 20
"""How often along a run intervals are noted: they cost as much as a batch, and change little from one to the next."""

Shares = dict[tuple[str, float], float]  # by score and level: the share of intervals that hold the truth


@dataclass(frozen=True)
class Promise:
    """The interval of one score, at one level, at one point of a run, and the true score there."""

    experiment: str
    dataset: str
    system: str
    run: int
    questions: int
    score: str
    level: float
    low: float
    expected: float
    high: float
    truth: float

    def __post_init__(self) -> None:
        """Refuse values that no run can have written, so that other files are detected."""
        if self.score not in Scores._fields or self.level not in LEVELS:
            raise ValueError(f"no interval is kept for {self.score!r} at level {self.level}")

    @property
    def held(self) -> bool:
        """Whether the interval holds the truth."""
        return self.low <= self.truth <= self.high


class Watch:
    """Records expected scores about twenty times along a run, without changing it."""

    def __init__(self, budget: int, experiment: str, dataset: str, system: str, run: int) -> None:
        self.promises: list[Promise] = []
        self._whose = experiment, dataset, system, run
        self._step = budget / POINTS
        self._next = 0.0

    def look(self, resolution: Resolution, truth: Scores) -> None:
        """Call this after every batch."""
        asked = resolution.asked
        if asked < self._next:
            return
        self._next = max(self._next + self._step, asked)
        for level, expected in zip(LEVELS, resolution.expected_at(LEVELS), strict=True):
            for score, true in truth._asdict().items():
                value, low, high = getattr(expected, score)
                # Rounded alike, so that what is equal but for the last digits is equal.
                figures = (round(figure, 6) for figure in (low, value, high, true))
                self.promises.append(Promise(*self._whose, asked, score, level, *figures))


def shares(promises: Iterable[Promise]) -> Shares:
    """How often intervals hold the truth, by score and level."""
    held: dict[tuple[str, float], list[bool]] = {}
    for promise in promises:
        held.setdefault((promise.score, promise.level), []).append(promise.held)
    return {key: float(np.mean(some)) for key, some in held.items()}


def mean_shares(many: Collection[Shares]) -> Shares:
    """The unweighted mean of several."""
    return {key: float(np.mean([one[key] for one in many])) for key in next(iter(many), {})}
