"""What a machine says of pairs before any votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats, Singles

MOST = 6.0
"""A score is not read as surer than this, as log-odds."""

_NO_SPREAD = 1e-6


@dataclass(frozen=True)
class Machine:
    """A machine's view of the first pairs of a graph, row by row.

    `lean` is its log-odds that the two are the same, as far as they are known without votes. `traits` are what else may
    matter, a column each, with mean 0 and variance 1: votes tell what they are worth.
    """

    lean: Floats
    traits: Singles

    def __len__(self) -> int:
        return self.lean.size


def standard(value: Singles) -> Singles:
    """Mean 0 and variance 1; 0 where the value is missing, or where all are the same but for rounding."""
    known = ~np.isnan(value)
    spread = float(value[known].std(dtype=np.float64)) if known.any() else 0.0
    if spread < _NO_SPREAD:
        return np.zeros_like(value)
    out = np.where(known, (value - value[known].mean(dtype=np.float64)) / spread, 0.0)
    return out.astype(np.float32)
