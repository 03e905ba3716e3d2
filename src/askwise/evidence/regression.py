"""Logistic regression with a normal prior (ridge)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Floats, Singles

Matrix = NDArray[np.float64]

_MOST_STEPS = 50
_ENOUGH = 1e-5
_MOST_HELD = 0.75  # of a prediction by its own target: nearer to 1, the first order says nothing


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)), np.float64)


def log_odds(p: Floats) -> Floats:
    """The inverse of `logistic`."""
    return np.asarray(np.log(p) - np.log1p(-p), np.float64)


def add_traits(found: Floats, traits: Singles, weights: tuple[float, ...]) -> None:
    """Add the weighted traits of some pairs.

    Trait by trait, not as a product of matrices: so a pair has the same last bit whatever pairs it is computed with, on
    one machine and on many.
    """
    for trait, weight in enumerate(weights):
        found += np.multiply(traits[:, trait], weight, dtype=np.float64)


def fit_logistic(columns: Matrix, target: Floats, centre: Floats, precision: Floats) -> tuple[Floats, Floats]:
    """Coefficients b such that logistic(columns @ b) comes close to the targets (from 0 to 1).

    b has a normal prior around `centre` with that precision. Also returned, for each row: how far its own target moved
    its own prediction, as log-odds and to the first order.
    """
    b = centre.copy()
    for _ in range(_MOST_STEPS):
        slopes, curve, _ = _derivatives(columns, target, b, centre, precision)
        step = np.linalg.solve(curve, slopes)
        largest = float(np.abs(step).max())
        b = b - step * min(1.0, 1.0 / largest if largest > 0.0 else 1.0)
        if largest < _ENOUGH:
            break
    _, curve, q = _derivatives(columns, target, b, centre, precision)
    leverage = np.einsum("ij,ij->i", np.linalg.solve(curve, columns.T).T, columns)
    held = np.minimum(leverage * q * (1.0 - q), _MOST_HELD)
    return b, leverage * (target - q) / (1.0 - held)


def _derivatives(
    columns: Matrix, target: Floats, b: Floats, centre: Floats, precision: Floats
) -> tuple[Floats, Matrix, Floats]:
    q = logistic(columns @ b)
    slopes = columns.T @ (q - target) + precision * (b - centre)
    curve = (columns * (q * (1.0 - q))[:, None]).T @ columns + np.diag(precision)
    return slopes, curve, q
