"""What pairs that are no candidates say: two groups with few candidates between them are hardly one entity.

What made the candidates, a score or a rule, has passed over all other pairs. Where it passes over hardly any pair of
one entity, that speaks against joining two clusters of which it listed a few pairs and not the rest, whatever people
say of the few. How much it speaks, the clusters tell: of two records that are both with a third, the share that are
candidates. Where only records of two different tables are ever compared, that is half at the most.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.neighbourhood import Neighbourhood, how_many

_DOUBT = 10.0
"""So many pairs of records, both with a third and no candidates, are taken as seen before any is."""


def silence(near: Neighbourhood, weight: Floats, counts: float) -> Floats:
    """What speaks against each pair between two clusters, as log-odds: its part of the pairs that are no candidates.

    `weight` is what speaks for the pairs; `counts` is what of the silence is to count.
    """
    missing = counts * closed(near, near.labels(weight))
    labels = near.labels(weight, missing)
    left, right = labels[near.left], labels[near.right]
    sizes = np.bincount(labels, minlength=near.size)
    there = how_many(left, right)
    return np.where(left == right, 0.0, missing * (sizes[left] * sizes[right] - there) / there)


def closed(near: Neighbourhood, labels: Int32s) -> float:
    """Of two records that are with a third, how often they are a candidate.

    In a cluster so many pairs have to be candidates as hold it together: one fewer than it has records. It goes by the
    others.
    """
    sizes = np.bincount(labels, minlength=near.size)
    needed = np.maximum(sizes - 1, 0).sum()
    there = np.count_nonzero(labels[near.left] == labels[near.right]) - needed
    return float(there / ((sizes * (sizes - 1) // 2).sum() - needed + _DOUBT))
