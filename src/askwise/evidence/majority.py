"""The majority's answer, believed with a fixed accuracy of 0.9, as DENSE does.

Verroios, Garcia-Molina: Entity resolution with crowd errors (ICDE 2015, doi:10.1109/ICDE.2015.7113286). p is 0.9 where
most say YES, 0.1 where most say NO, and 0.5 in a tie.
"""

import numpy as np

from askwise.arrays import Floats

ACCURACY = 0.9


def majority(yes: Floats, no: Floats) -> Floats:
    """The accuracy of the majority's answer, NaN for a pair without a YES or a NO."""
    p: Floats = np.where(yes > no, ACCURACY, np.where(yes < no, 1.0 - ACCURACY, 0.5))
    p[yes + no == 0] = np.nan
    return p
