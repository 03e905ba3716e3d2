"""What a machine thinks of pairs, before and beside the votes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askwise.arrays import Floats, Int32s, Singles

MOST = 6.0
"""Nothing is surer than this, as log-odds."""

MOST_MACHINE, MOST_UNTRIED = 4.0, 2.5
"""A machine is less sure than that, so that votes can outweigh it; three or four can, as long as no votes have shown
what it is worth."""

SPOKESMEN = 200
"""So many pairs stand for all that the machine has a view of."""

_NO_SPREAD = 1e-6
_DOUBTFUL = 50
_MANY = 200_000


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

    @cached_property
    def mean(self) -> float:
        """The mean of `lean`."""
        return float(self.lean.mean())

    @cached_property
    def spread(self) -> float:
        """The standard deviation of `lean`, or 1 where all are alike."""
        return float(self.lean.std()) or 1.0

    @cached_property
    def spokesmen(self) -> Int32s:
        """Rows that are spread evenly over the range of the view."""
        rows = self._some
        order = rows[np.argsort(self.lean[rows], kind="stable")]
        lean = self.lean[order]
        places = np.searchsorted(lean, np.linspace(lean[0], lean[-1], SPOKESMEN))
        return order[np.minimum(places, order.size - 1)]

    @cached_property
    def doubtful(self) -> Int32s:
        """Rows of which the machine is of two minds."""
        rows = self._some
        return rows[np.argsort(np.abs(self.lean[rows]), kind="stable")[: max(_DOUBTFUL, rows.size // 100)]]

    @property
    def _some(self) -> Int32s:
        """Rows to look at for all: every one, or so many evenly out of them."""
        return np.arange(0, len(self), -(-len(self) // _MANY), dtype=np.int32)

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
