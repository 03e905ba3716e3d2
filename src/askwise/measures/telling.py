"""What the votes on a pair tell, as log-odds: on pairs that are the same, less on the others.

Which pairs are the same, nobody knows for certain. To go by what all votes make likely would let votes confirm
themselves: workers who guess would seem to tell much. So of the judges on a pair, each half is taken at what the other
half, and the machine, hold for likely.
"""

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence import EvidenceModel, VoteLog
from askwise.evidence.regression import logistic

_SURE = 30.0  # as log-odds: there is always some doubt
_ENOUGH = 50_000


def what_votes_tell(evidence: EvidenceModel, log: VoteLog, rows: Int32s, weight: Floats) -> float:
    """What the votes on some pairs tell; `weight` is all that is known of them, as log-odds.

    Of very many pairs, every so many-th is enough for a mean.
    """
    if not rows.size:
        return 0.0
    some = np.arange(0, rows.size, -(-rows.size // _ENOUGH))
    rows, weight = rows[some], weight[some]
    before = weight - evidence.said(log, rows)
    one, other = (evidence.said(half, rows) for half in log.halves(rows))
    return _apart(one, before + other) + _apart(other, before + one)


def _apart(said: Floats, odds: Floats) -> float:
    """What is said of pairs that are likely the same (log-odds), on average, less what is said of the others."""
    likely = logistic(np.clip(odds, -_SURE, _SURE))
    return float(np.average(said, weights=likely) - np.average(said, weights=1.0 - likely))
