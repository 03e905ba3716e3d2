"""How many of the matches are candidates, estimated without known answers.

A cluster joins records that were never compared, through others. If candidates hold all matches, the pairs within
clusters are candidates; the share that is not estimates what candidates miss. It says nothing of matches that no chain
of candidates joins, and is too low where the clustering joins what is different.
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
