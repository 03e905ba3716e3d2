"""Which pairs are the same, from the shape of their similarities alone: a mixture of two normal distributions.

Similarities of pairs that are the same, and of pairs that are different, are normal with one covariance and two means;
so the log-odds of a pair are linear in its similarities. Means, covariance and the share of pairs that are the same are
found by expectation-maximisation, from a first guess. That is ZeroER's model (2020, doi:10.1145/3318464.3389743) with
one covariance instead of two: with two, the wider one takes in whatever is unusual.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Singles
from askwise.evidence.regression import Matrix, logistic

SHRUNK = 0.5
"""The share by which correlations are reduced."""

RIDGE = 0.1
"""A variance that is added to all similarities, which have variance 1: none is known exactly."""

MOST_ROWS = 1 << 20
"""Of more pairs, as many at regular distances are looked at."""

_ROUNDS, _ENOUGH = 200, 1e-5
_TINY = 1e-12
_SUREST = 30.0


class Line(NamedTuple):
    """Log-odds as a linear function: `start` + `weights` * similarities.

    `apart` says how far apart the two means are, in these log-odds: the square of their distance in deviations.
    """

    start: float
    weights: Floats
    apart: float

    def times(self, part: float) -> Line:
        """A part of these log-odds."""
        return Line(part * self.start, part * self.weights, part * self.apart)


def two_normals(similarities: Singles, likely: Floats) -> Line:
    """The log-odds of pairs whose similarities are rows with mean 0 and variance 1; `likely` is the first guess."""
    step = -(-likely.size // MOST_ROWS) or 1
    x, likely = similarities[::step].astype(np.float64), likely[::step]
    total = x.T @ x / max(likely.size, 1)
    line = _line(x, total, likely)
    for _ in range(_ROUNDS):
        before = likely
        likely = logistic(np.clip(line.start + x @ line.weights, -_SUREST, _SUREST))
        line = _line(x, total, likely)
        if not likely.size or float(np.abs(likely - before).max()) < _ENOUGH:
            break
    return line


def _line(x: Matrix, total: Matrix, likely: Floats) -> Line:
    """The log-odds, if pairs are as likely the same as `likely` says; no similarity counts against a pair."""
    same, size = float(likely.sum()), likely.size
    least = 1.0 / (size + 2.0)
    share = min(max(same / max(size, 1), least), 1.0 - least)
    sums, whole = likely @ x, x.sum(axis=0)
    mean, other = sums / max(same, _TINY), (whole - sums) / max(size - same, _TINY)
    apart = mean - other
    part = same / max(size, 1)
    within = total - np.outer(whole, whole) / max(size, 1) ** 2 - part * (1.0 - part) * np.outer(apart, apart)
    regular = (1.0 - SHRUNK) * within + np.diag(SHRUNK * np.diag(within) + RIDGE)
    weights = np.maximum(np.linalg.solve(regular, apart), 0.0)
    spread = float(weights @ within @ weights)
    weights *= float(weights @ apart) / spread if spread > _TINY else 0.0
    start = np.log(share / (1.0 - share)) - 0.5 * float(weights @ (mean + other))
    return Line(float(start), weights, float(weights @ apart))
