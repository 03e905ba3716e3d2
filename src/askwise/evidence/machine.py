"""What a machine says of pairs before any votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askwise.arrays import Bytes, Floats, Singles
from askwise.evidence.parts import COMPANY, FIELD, START, Part, summed

MOST = 6.0
"""A score is not read as surer than this, as log-odds."""

_NO_SPREAD = 1e-6


WHOLE, SCORE = "whole record", "score"
"""What a part of a machine's view is called that is about no single field."""


@dataclass(frozen=True)
class Levels:
    """What a machine's own log-odds are made of, beside a first guess by whole records.

    Of each similarity in `names`, `level` has the level of each pair and `weights` what a level weighs; `start` is the
    same for all pairs.
    """

    names: tuple[str, ...]
    level: Bytes
    weights: Floats
    start: float


@dataclass(frozen=True)
class Machine:
    """A machine's view of the first pairs of a graph, row by row.

    `lean` is its log-odds that the two are the same, as far as they are known without votes. `traits` are what else may
    matter, a column each, with mean 0 and variance 1: votes tell what they are worth. `names` are the traits' names,
    `levels` what the log-odds are made of, if they are not a score.
    """

    lean: Floats
    traits: Singles
    names: tuple[str, ...] = ()
    levels: Levels | None = None

    def __len__(self) -> int:
        return self.lean.size

    @cached_property
    def spread(self) -> float:
        """The standard deviation of `lean`, in single precision: the order of the pairs does not show."""
        spread = float(np.float32(self.lean.std())) if self.lean.size else 0.0
        return spread if spread > _NO_SPREAD else 1.0

    def parts(self, row: int, intercept: float, slope: float, weights: Sequence[float]) -> list[Part]:
        """What `intercept` + `slope` * lean + `weights` * traits is made of, for one pair."""
        lean, parts = float(self.lean[row]), []
        if self.levels is None:
            parts.append(Part(START, "", intercept))
        else:
            parts.append(Part(START, "", intercept + slope * self.levels.start))
            lean -= self.levels.start
            for at, name in enumerate(self.levels.names):
                weight = float(self.levels.weights[at, self.levels.level[row, at]])
                parts.append(Part(FIELD, name, slope * weight))
                lean -= weight
        parts.append(Part(FIELD, SCORE if self.levels is None else WHOLE, slope * lean))
        names = self.names or ("",) * len(weights)
        for at, (name, weight) in enumerate(zip(names, weights, strict=False)):
            kind = COMPANY if name == COMPANY else FIELD
            parts.append(Part(kind, "" if kind == COMPANY else name, weight * float(self.traits[row, at])))
        return summed(parts)


def standard(value: Singles) -> Singles:
    """Mean 0 and variance 1; 0 where the value is missing, or where all are the same but for rounding."""
    known = ~np.isnan(value)
    spread = float(value[known].std(dtype=np.float64)) if known.any() else 0.0
    if spread < _NO_SPREAD:
        return np.zeros_like(value)
    out = np.where(known, (value - value[known].mean(dtype=np.float64)) / spread, 0.0)
    return out.astype(np.float32)
