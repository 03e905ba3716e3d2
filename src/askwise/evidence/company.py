"""The company that a pair keeps, as traits: what the other candidates say of a pair, before any vote.

A pair that looks alike may be one of many inside an entity, or the only link between two that have others of their own;
of two products that look like the same third, one at most may be it. A machine that looks at a pair by itself sees none
of that, nor does a clustering that only adds up. What it is worth differs from table to table, so votes tell.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s, Singles
from askwise.blocking.parallel import Parts
from askwise.evidence.machine import MOST, Machine, standard
from askwise.evidence.regression import logistic
from askwise.kernels.candidate_pairs import both_sides
from askwise.kernels.company import best_two, company_of

FIRMNESS = 10.0
"""What votes must overcome to change what company counts."""

_SHARE = 1 << 15


def in_company(machine: Machine, left: Int32s, right: Int32s, records: int) -> Machine:
    """The machine with the company of its pairs (left[i], right[i]) as further traits."""
    found = company(machine.lean, left, right, records)
    for trait in range(found.shape[1]):
        found[:, trait] = standard(found[:, trait])
    traits = np.column_stack((machine.traits, found)) if machine.traits.size else found
    return Machine(machine.lean, traits, np.append(machine.firmness, [FIRMNESS] * found.shape[1]))


def company(lean: Floats, left: Int32s, right: Int32s, records: int) -> Singles:
    """For each pair: the best third record as log-odds, the share of third partners in common, the best rival."""
    starts, other, row = both_sides(records, left, right)
    likely = logistic(np.clip(lean, -MOST, MOST)).astype(np.float32)[row]
    best = best_two(starts, likely)
    found = np.zeros((left.size, 3), np.float32)

    def some(begin: int, end: int) -> None:
        company_of(begin, end, starts, other, row, likely, *best, found)

    Parts().all("company", records, _SHARE, some)
    found[:, 0], found[:, 2] = _log_odds(found[:, 0]), _log_odds(found[:, 2])
    return found


def _log_odds(likely: Singles) -> Singles:
    """Log-odds, no surer than a machine may be; where there is nobody, as bad as can be."""
    inside = np.clip(likely, *logistic(np.array([-MOST, MOST]))).astype(np.float32)
    return np.asarray(np.log(inside) - np.log1p(-inside), np.float32)
