"""What the votes on some pairs of the same two groups of look-alikes say of the other pairs of these groups.

A machine that is wrong about a pair is wrong in the same way about the others of the same two groups of records, and so
is the share of YES to expect there. What two groups are off by, in log-odds, is normal, with a variance that the votes
tell. It is said of the pairs that nobody was asked about: those that were have votes of their own, and would otherwise
count twice.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, found_in
from askwise.evidence.neighbourhood import both
from askwise.evidence.regression import logistic

_STEPS = 20
_LONGEST = 1.0
_VARIANCE, _FIRMNESS = 0.25, 5.0


def deviations(left: Int32s, right: Int32s, places: Int64s, opinion: Floats, share: Floats, weight: Floats) -> Floats:
    """How far the share of YES on each pair is likely to be from what is expected, as log-odds; 0 where nothing tells.

    `left` and `right` are the groups of the two records of each pair. At `places` are those with votes: `opinion` is
    what is expected of them (log-odds), `share` the share of YES, and `weight` what that counts. Nothing is said of
    these, nor of pairs inside a group.
    """
    groups = both(left, right)
    kinds, which, many = np.unique(groups[places], return_inverse=True, return_counts=True)
    at, there = found_in(kinds, groups)
    said: Floats = np.zeros(left.size)
    said[there] = _found(which, many > 1, opinion, share, weight)[at[there]]
    said[places] = 0.0
    return np.where(left == right, 0.0, said)


def _found(which: Int64s, several: Bools, opinion: Floats, share: Floats, weight: Floats) -> Floats:
    """The deviation of each two groups; of those with `several` pairs that have votes, the variance is learned."""
    count = several.size
    found, variance = np.zeros(count), _VARIANCE
    for _ in range(_STEPS):
        q = logistic(opinion + found[which])
        slopes = np.bincount(which, weight * (share - q), count) - found / variance
        curve = np.bincount(which, weight * q * (1.0 - q), count) + 1.0 / variance
        found = found + np.clip(slopes / curve, -_LONGEST, _LONGEST)
        told = float(np.sum((found**2 + 1.0 / curve)[several]))
        variance = (_FIRMNESS * _VARIANCE + told) / (_FIRMNESS + float(several.sum()))
    return found
