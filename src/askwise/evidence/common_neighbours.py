"""Traits of a pair that its neighbours make: what the other candidates say of a pair, before any vote.

A pair that looks alike may be one of many inside an entity, or the only link between two that have others of their own;
of two products that look like the same third, one at most may be it. A machine that looks at a pair by itself sees none
of that, nor does a clustering that only adds up. What it is worth differs from table to table, so votes tell.

Where candidates have no scores, the list itself says something: how many third records the two have in common, and how
many candidates each has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from askwise.arrays import Floats, Int32s, Singles
from askwise.evidence.machine import MOST, Machine, standard
from askwise.evidence.parts import NEIGHBOURS
from askwise.evidence.regression import logistic
from askwise.kernels.candidate_pairs import both_sides
from askwise.kernels.common_neighbours import best_two, common_neighbours
from askwise.parallel import Parts

_SHARE = 1 << 15


def with_neighbours(machine: Machine, left: Int32s, right: Int32s, records: int) -> Machine:
    """The machine with what the neighbours of its pairs (left[i], right[i]) say as further traits."""
    found = _standard(scored_neighbours(machine.lean, left, right, records))
    traits = np.column_stack((machine.traits, found)) if machine.traits.size else found
    return replace(machine, traits=traits, names=(*machine.names, *[NEIGHBOURS] * found.shape[1]))


def scored_neighbours(lean: Floats, left: Int32s, right: Int32s, records: int) -> Singles:
    """For each pair: the best third record as log-odds, the share of third partners in common, the best rival."""
    found = _neighbours(logistic(np.clip(lean, -MOST, MOST)).astype(np.float32), left, right, records)
    found[:, 0], found[:, 2] = _log_odds(found[:, 0]), _log_odds(found[:, 2])
    return found


def listed_neighbours(left: Int32s, right: Int32s, records: int) -> Singles:
    """For each pair of a list: the share of third partners in common, how many these are, how many partners there are.

    The last two as logarithms, the last of the product of what the two records have.
    """
    found = _neighbours(np.ones(left.size, np.float32), left, right, records)
    share = found[:, 1].astype(np.float64)
    partners = np.bincount(left, minlength=records) + np.bincount(right, minlength=records)
    others = partners[left] + partners[right] - 2  # those in common are counted twice
    found[:, 0] = share
    found[:, 1] = np.log1p(np.rint((share * (1.0 + others) - 1.0) / (1.0 + share)))
    found[:, 2] = np.log(partners[left]) + np.log(partners[right])
    return found


class Listed:
    """What the list of candidates says of a pair, where they have no scores: traits with mean 0 and variance 1.

    `number_of` gives the candidates' numbers of some rows, -1 where a row is none; of such a pair nothing is said.
    """

    def __init__(self, left: Int32s, right: Int32s, records: int, number_of: Callable[[Int32s], Int32s]) -> None:
        self._list = left, right, records
        self._number_of = number_of

    @cached_property
    def traits(self) -> Singles:
        """The traits of all candidates; found when they are first needed, in a fit."""
        return _standard(listed_neighbours(*self._list))

    def of(self, rows: Int32s) -> Singles:
        """The traits of some rows."""
        numbers = self._number_of(rows)
        return np.where(numbers[:, None] >= 0, self.traits[numbers], np.float32(0.0))


def _standard(found: Singles) -> Singles:
    """Each column with mean 0 and variance 1, in place."""
    for trait in range(found.shape[1]):
        found[:, trait] = standard(found[:, trait])
    return found


def _neighbours(likely: Singles, left: Int32s, right: Int32s, records: int) -> Singles:
    """What `common_neighbours` finds for each pair, if it is so likely."""
    starts, other, row = both_sides(records, left, right)
    likely = likely[row]
    best = best_two(starts, likely)
    found = np.zeros((left.size, 3), np.float32)

    def some(begin: int, end: int) -> None:
        common_neighbours(begin, end, starts, other, row, likely, *best, found)

    Parts().all("neighbours", records, _SHARE, some)
    return found


def _log_odds(likely: Singles) -> Singles:
    """Log-odds, no surer than a machine may be; the lowest possible where there is none."""
    inside = np.clip(likely, *logistic(np.array([-MOST, MOST]))).astype(np.float32)
    return np.asarray(np.log(inside) - np.log1p(-inside), np.float32)
