"""The paper's evidence: the share of YES among the votes on a pair; a probability is in part a YES, in part a NO.

p = yes / (yes + no), kept inside (0, 1): unanimous votes give `UNANIMOUS` or 1 - `UNANIMOUS`, because a certainty could
never be outvoted and products of certainties are 0 / 0. The paper (section 2, doi:10.1145/3132847.3132876) only says
that p lies strictly between 0 and 1.
"""

import numpy as np

from askwise.arrays import Floats

UNANIMOUS = 0.01
"""One wrong unanimous answer in a hundred; see docs/engine.md for what other values do."""


def ratio(yes: Floats, no: Floats) -> Floats:
    """The share of YES, NaN for a pair without a YES or a NO."""
    total = yes + no
    share: Floats = np.full(total.size, np.nan)
    np.divide(yes, total, out=share, where=total > 0)
    return share.clip(UNANIMOUS, 1.0 - UNANIMOUS)
