"""Evidence in which the number of votes matters: 1 of 1 is not 5 of 5.

Every vote is right with the same chance, and votes on a pair are alike: the YES are beta-binomial with mean `RIGHT` on
pairs that are the same, 1 - `RIGHT` on those that are not, and a concentration of `ALIKE`. p is what Bayes' rule makes
of that, from even odds. Nothing is learned; `workers` and `auto` learn the rates.
"""

import numpy as np

from askwise.arrays import Floats
from askwise.kernels.rates import log_chance

RIGHT, ALIKE = 0.8, 5.0


def smoothed(yes: Floats, no: Floats) -> Floats:
    """The posterior probability, NaN for a pair without a YES or a NO."""
    weight = log_chance(yes, no, RIGHT, ALIKE) - log_chance(yes, no, 1.0 - RIGHT, ALIKE)
    p: Floats = 1.0 / (1.0 + np.exp(-weight))
    p[yes + no == 0] = np.nan
    return p
