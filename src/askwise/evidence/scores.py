"""Scores as evidence: a score per pair, read as log-odds until votes say better.

A score from 0 to 1 is read as a probability, so 1/2 is even; one that can be negative as a weight in bits (Splink's
`match_weight`), so 0 is even; anything else is even at its middle. Where the cut really lies and how steep it is, votes
teach (learned.py).
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.common_neighbours import with_neighbours
from askwise.evidence.machine import MOST, Machine


def machine_of(score: Floats, left: Int32s, right: Int32s, records: int) -> Machine:
    """The machine whose view the scores of the pairs (left[i], right[i]) are."""
    machine = Machine(score_lean(score), np.empty((score.size, 0), np.float32))
    return with_neighbours(machine, left, right, records)


def score_lean(score: Floats) -> Floats:
    """Scores as log-odds."""
    low, high = float(score.min(initial=0.0)), float(score.max(initial=1.0))
    if low < 0.0:
        lean = score * np.log(2.0)
    elif high <= 1.0:
        inside = np.clip(score, 1e-9, 1.0 - 1e-9)
        lean = np.log(inside) - np.log1p(-inside)
    else:
        lean = MOST * (2.0 * score / high - 1.0)
    return np.asarray(np.clip(lean, -MOST, MOST), np.float64)
