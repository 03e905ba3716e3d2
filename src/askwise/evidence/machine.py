"""What a machine thinks of pairs, before and beside the votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.arrays import Floats, Singles

MOST = 6.0
"""Nothing is surer than this, as log-odds."""

MOST_MACHINE, MOST_UNTRIED = 4.0, 2.5
"""A machine is less sure than that, so that votes can outweigh it; three or four can, as long as no votes have shown
what it is worth."""

_NO_SPREAD = 1e-6


@dataclass(frozen=True)
class Machine:
    """A machine's view of the first pairs of a graph, row by row.

    `lean` is the log-odds that the two are the same, as far as it is known without votes. `traits` are what else may
    matter, a column each, with mean 0 and variance 1; votes will tell, and the larger a column's `firmness`, the more
    votes it takes.
    """

    lean: Floats
    traits: Singles
    firmness: Floats

    def __len__(self) -> int:
        return self.lean.size


def standard(value: Singles) -> Singles:
    """Mean 0 and variance 1; 0 where it cannot be said, or where all are the same but for rounding."""
    known = ~np.isnan(value)
    spread = float(value[known].std(dtype=np.float64)) if known.any() else 0.0
    if spread < _NO_SPREAD:
        return np.zeros_like(value)
    out = np.where(known, (value - value[known].mean(dtype=np.float64)) / spread, 0.0)
    return out.astype(np.float32)
