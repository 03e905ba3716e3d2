"""Logistic regression, held near what is known before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Floats, Singles

Matrix = NDArray[np.float64]

LEVEL_FIRMNESS = 0.1
"""What a regression of many pairs has to overcome to shift all of them alike: hardly anything."""

_MOST_STEPS = 50
_ENOUGH = 1e-5


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)), np.float64)


def add_traits(found: Floats, traits: Singles, counts: tuple[float, ...]) -> None:
    """Add what the traits of some pairs count.

    Trait by trait, not as a product of matrices: so a pair has the same last bit whatever pairs it is computed with, on
    one machine and on many.
    """
    for trait, each in enumerate(counts):
        found += np.multiply(traits[:, trait], each, dtype=np.float64)


def fit_logistic(
    traits: Matrix, target: Floats, weight: Floats, offset: Floats, centre: Floats, firmness: Floats
) -> tuple[Floats, Floats]:
    """Coefficients b such that logistic(offset + traits @ b) comes close to the targets (from 0 to 1).

    b has a normal prior around `centre` with precision `firmness`; row i counts `weight[i]`. Also returned, for each
    row: how far its own target moved its own prediction, to the first order.
    """
    b = centre.copy()
    for _ in range(_MOST_STEPS):
        slopes, curve, _ = _derivatives(traits, target, weight, offset, b, centre, firmness)
        step = np.linalg.solve(curve, slopes)
        largest = float(np.abs(step).max())
        b = b - step * min(1.0, 1.0 / largest if largest > 0.0 else 1.0)
        if largest < _ENOUGH:
            break
    _, curve, q = _derivatives(traits, target, weight, offset, b, centre, firmness)
    leverage = np.einsum("ij,ij->i", np.linalg.solve(curve, traits.T).T, traits)
    held = np.minimum(leverage * weight * q * (1.0 - q), 0.5)
    return b, leverage * weight * (target - q) / (1.0 - held)


def _derivatives(
    traits: Matrix, target: Floats, weight: Floats, offset: Floats, b: Floats, centre: Floats, firmness: Floats
) -> tuple[Floats, Matrix, Floats]:
    q = logistic(offset + traits @ b)
    slopes = traits.T @ (weight * (q - target)) + firmness * (b - centre)
    curve = (traits * (weight * q * (1.0 - q))[:, None]).T @ traits + np.diag(firmness)
    return slopes, curve, q
