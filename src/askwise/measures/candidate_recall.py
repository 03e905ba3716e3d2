"""Estimates what share of the matches is among the candidates, without known answers.

A cluster joins records that were never compared, through others. If the candidates contain all matches, all pairs
within clusters are candidates; the share that is not estimates what is missing. It cannot see matches that no chain of
candidates joins, and is too low where the clustering joins different entities.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Int32s
from askwise.candidate_pairs import Candidates


def candidate_recall(candidates: Candidates, label: Int32s) -> float:
    """The share of the pairs within clusters, given by a label for each record, that are candidates."""
    if not candidates.listed:
        return 1.0
    sizes = np.bincount(label).astype(np.int64)
    inside = int((sizes * (sizes - 1) // 2).sum())
    compared = int(np.count_nonzero(label[candidates.left] == label[candidates.right]))
    return compared / inside if inside else 1.0
