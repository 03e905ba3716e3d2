"""From the points of many runs to the paper's tables: questions to an F1, curves, seconds per batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats
from askwise.experiments.runs import Point

Runs = dict[tuple[str, str], list[list[Point]]]  # by dataset and system: the runs, each in order


def by_system(points: Iterable[Point], experiment: str) -> Runs:
    """The runs of an experiment, by dataset and system."""
    grouped: dict[tuple[str, str], dict[int, list[Point]]] = {}
    for point in points:
        if point.experiment == experiment:
            grouped.setdefault((point.dataset, point.system), {}).setdefault(point.run, []).append(point)
    return {key: list(runs.values()) for key, runs in grouped.items()}


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over the runs that have a value, and how many of all have one."""

    mean: float
    deviation: float
    count: int
    of: int

    def __str__(self) -> str:
        if self.count == 0:
            return "never"
        missing = f" ({self.count} of {self.of})" if self.count < self.of else ""
        return f"{self.mean:,.0f} ± {self.deviation:,.0f}{missing}"


def spread(values: Iterable[float | None]) -> Spread:
    """Mean and standard deviation; None counts as missing."""
    values = list(values)
    known = [value for value in values if value is not None]
    if not known:
        return Spread(float("nan"), float("nan"), 0, len(values))
    return Spread(float(np.mean(known)), float(np.std(known)), len(known), len(values))


def questions_to(run: list[Point], f1: float) -> int | None:
    """After how many questions a run first reached an F1."""
    return next((point.questions for point in run if point.f1 >= f1), None)


def seconds_per_batch(run: list[Point], f1: float) -> float:
    """Mean computation per batch until the F1 was reached (or the end), the initial questions left out."""
    last = next((at for at, point in enumerate(run) if point.f1 >= f1), len(run) - 1)
    batches = run[1 : last + 1] or run[:1]
    return float(np.mean([point.seconds for point in batches]))


def mean_curve(runs: list[list[Point]], steps: int = 60) -> tuple[Floats, Floats, Floats]:
    """F1 against questions: a grid, the mean over runs, the standard deviation; a run that ended keeps its last F1."""
    furthest = max(run[-1].questions for run in runs)
    grid = np.linspace(min(run[0].questions for run in runs), furthest, steps)
    curves = np.array(
        [np.interp(grid, [point.questions for point in run], [point.f1 for point in run]) for run in runs]
    )
    return grid, curves.mean(axis=0), curves.std(axis=0)


def f1_after(run: list[Point], questions: float) -> float:
    """The F1 of a run after a number of questions; a run that ended keeps its last."""
    return float(np.interp(questions, [point.questions for point in run], [point.f1 for point in run]))


def mean_f1(run: list[Point], until: float) -> float:
    """The mean F1 of a run from its first question to `until`."""
    return float(np.mean([f1_after(run, at) for at in np.linspace(run[0].questions, until, 400)]))
