"""The division of a table's pairs into same and different, before any vote: log-odds as a sum over traits.

A mixture (mixture.py) finds a division from a lax and from a strict first guess; if they differ, the one counts whose
two sides are further apart. How far a pair is ahead of its rivals does not count in it: it is a trait that votes weigh.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s, Singles
from askwise.evidence.machine import MOST, standard
from askwise.evidence.regression import add_traits, logistic
from askwise.kernels.rivals import ahead
from askwise.matching.mixture import Line, two_normals

EVEN, STEEPNESS = (0.5, 0.65), 30.0
"""Where a first guess is even, lax and strict, and how steep it is there."""

PART = 0.5
"""How much of the mixture's log-odds counts: similarities are not quite normal, and one slip shows in several."""

FEW = 30
"""Of the log-odds from this number of pairs half is believed; of more pairs, more."""


def divided(cosine: Singles, traits: Singles, left: Int32s, right: Int32s, records: int) -> Line:
    """The log-odds of the pairs (left[i], right[i]) by their traits, which have mean 0 and variance 1.

    The last column of `traits` is filled in: how far a pair is ahead of its rivals, by these log-odds. `cosine` is how
    alike two records are.
    """
    own = traits[:, :-1]
    likely = (logistic(STEEPNESS * (cosine.astype(np.float64) - even)) for even in EVEN)
    line = max((two_normals(own, guess) for guess in likely), key=lambda line: line.apart)
    odds: Floats = np.full(cosine.size, PART * line.start)
    add_traits(odds, own, tuple((PART * line.weights).tolist()))
    traits[:, -1] = standard(ahead(left, right, np.clip(odds, -MOST, MOST).astype(np.float32), records))
    part = min(PART, 2.0 * MOST / line.apart) if line.apart > 0.0 else PART
    return line._replace(weights=np.append(line.weights, 0.0)).times(part * cosine.size / (cosine.size + FEW))
