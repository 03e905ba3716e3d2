"""First questions that calibrate: pairs at all levels of what a machine says.

While little is known, it is worth most to know where matches begin. Questions about what is in doubt cannot tell: if
all are answered NO, was the machine too bold everywhere, or there alone? So every other one of the first questions is
about a pair at some level of the machine's log-odds, from sure that it is not to sure that it is.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.evidence.constants import CONSTANTS
from askwise.graph import UncertainGraph
from askwise.kernels.mixing import pair_hashes

FIRST = 40
"""Every other question calibrates, up to here."""

PAIRS = 50
"""But only one question for so many pairs that may be asked."""

_LOOKED_AT = 100_000
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_TIE = 1e-3


def calibrating(graph: UncertainGraph, value: Floats, k: int, seed: int) -> Int32s:
    """The rows of those among the next `k` questions that calibrate; `value` is 0 where a pair may not be asked.

    Their levels follow the golden ratio, which spreads them evenly however many there are.
    """
    pairs = graph.pair_count
    numbers = np.arange(graph.asked_count, graph.asked_count + k)
    numbers = numbers[(numbers % 2 == 0) & (numbers < min(FIRST, pairs // PAIRS))] // 2
    if not numbers.size:
        return np.empty(0, np.int32)
    rows = np.arange(0, pairs, -(-pairs // _LOOKED_AT), dtype=np.int32)
    free: Bools = value[rows] > 0.0
    rows = rows[free]
    # Pairs of equal log-odds come in an order of their own: there are many at the limit.
    order = pair_hashes(np.uint64(seed), graph.pair_u[rows], graph.pair_v[rows]).astype(np.float64) * 2.0**-64
    weight, found = graph.pair_weight[rows], []
    for number in numbers.tolist()[: rows.size]:
        level = CONSTANTS.machine_limit * (2.0 * ((number + 0.5) * _GOLDEN % 1.0) - 1.0)
        at = int((np.abs(weight - level) + _TIE * order).argmin())
        found.append(int(rows[at]))
        order[at] = np.inf
    return np.array(found, np.int32)
