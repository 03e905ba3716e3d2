"""What a machine says of pairs before any votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askwise.arrays import Floats, Singles
from askwise.evidence.parts import FIELD, NEIGHBOURS, START, Part, summed

MOST = 6.0
"""A score is not read as surer than this, as log-odds."""

_NO_SPREAD = 1e-6


SCORE = "score"
"""What a machine's own log-odds are called where they are a score."""


@dataclass(frozen=True)
class Machine:
    """A machine's view of the first pairs of a graph, row by row.

    `lean` is its log-odds that the two are the same, as far as they are known without votes. `traits` are what else may
    matter, a column each, with mean 0 and variance 1: votes tell what they are worth. `names` are the traits' names. If
    `lean` is not a score, it is `start` + `weights` * the first traits.
    """

    lean: Floats
    traits: Singles
    names: tuple[str, ...] = ()
    start: float = 0.0
    weights: tuple[float, ...] = ()

    def __len__(self) -> int:
        return self.lean.size

    @cached_property
    def spread(self) -> float:
        """The standard deviation of `lean`, in single precision: the order of the pairs does not show."""
        spread = float(np.float32(self.lean.std())) if self.lean.size else 0.0
        return spread if spread > _NO_SPREAD else 1.0

    @cached_property
    def tails(self) -> Floats:
        """How heavy the tails of the traits are: the mean fourth power, 1 if a trait is normal, and at least 1.

        A trait that is 0 for most pairs and large for a few would move these few by much more than others.
        """
        fourth = [
            np.square(np.square(self.traits[:, at], dtype=np.float64)).mean() for at in range(self.traits.shape[1])
        ]
        return np.maximum(np.array(fourth, np.float32).astype(np.float64) / 3.0, 1.0)

    def parts(self, row: int, intercept: float, slope: float, weights: Sequence[float]) -> list[Part]:
        """What `intercept` + `slope` * lean + `weights` * traits is made of, for one pair."""
        parts = [Part(START, "", intercept + slope * self.start)]
        if not self.weights:
            parts.append(Part(FIELD, SCORE, slope * (float(self.lean[row]) - self.start)))
        names = self.names or ("",) * len(weights)
        own = [slope * weight for weight in self.weights]
        for at, name in enumerate(names):
            weight = (own[at] if at < len(own) else 0.0) + (weights[at] if at < len(weights) else 0.0)
            kind = NEIGHBOURS if name == NEIGHBOURS else FIELD
            parts.append(Part(kind, "" if kind == NEIGHBOURS else name, weight * float(self.traits[row, at])))
        return summed(parts)


def standard(value: Singles) -> Singles:
    """Mean 0 and variance 1; 0 where the value is missing, or where all are the same but for rounding."""
    known = ~np.isnan(value)
    spread = float(value[known].std(dtype=np.float64)) if known.any() else 0.0
    if spread < _NO_SPREAD:
        return np.zeros_like(value)
    out = np.where(known, (value - value[known].mean(dtype=np.float64)) / spread, 0.0)
    return out.astype(np.float32)
