"""How votes fall on pairs that are the same, or on pairs that are different: a beta-binomial.

The YES among n votes on a pair are beta-binomial with mean m and concentration k: votes on one pair are alike, because
the pair is easy or hard for everybody.

A vote may be a YES in part only, and for the rest a NO. So numbers of votes are real numbers, and products over votes
go on between the whole numbers as the gamma function does.
"""

import numpy as np

from askwise.arrays import Floats
from askwise.kernels.compiled import compiled

_MANY = 32
_LARGE = 12.0  # from here on Stirling's series is good to 1e-11


@compiled
def log_rising(a: float, n: float) -> float:
    """log of a (a + 1) ... (a + n - 1), that is log Gamma(a + n) - log Gamma(a)."""
    if n > _MANY:
        return float(_log_gamma(a + n) - _log_gamma(a))
    total = 0.0
    whole = int(n)
    for i in range(whole):
        total += np.log(a + i)
    return total if whole == n else total + _log_rising_part(a + whole, n - whole)


@compiled
def _log_rising_part(a: float, n: float) -> float:
    """`log_rising` for n below 1, in few logarithms."""
    ratio = 1.0
    while a < _LARGE:
        ratio *= a / (a + n)
        a += 1.0
    return float(np.log(ratio) + _stirling(a + n) - _stirling(a))


@compiled
def _log_gamma(x: float) -> float:
    """By Stirling's series, after the argument is made large."""
    shift = 0.0
    while x < _LARGE:
        shift -= np.log(x)
        x += 1.0
    return float(shift + _stirling(x))


@compiled
def _stirling(x: float) -> float:
    """log Gamma of a large number."""
    inverse = 1.0 / (x * x)
    series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse / 1260.0)) / x
    return float((x - 0.5) * np.log(x) - x + 0.9189385332046727 + series)


@compiled
def _log_chance(yes: float, no: float, mean: float, alike: float) -> float:
    a, b = mean * alike, (1.0 - mean) * alike
    return float(log_rising(a, yes) + log_rising(b, no) - log_rising(alike, yes + no))


@compiled
def log_chance(yes: Floats, no: Floats, mean: float, alike: float) -> Floats:
    """log P(these votes, in any one order) for each pair; `mean` is the rate of YES, `alike` the concentration."""
    out = np.empty(yes.size)
    for i in range(yes.size):
        out[i] = _log_chance(yes[i], no[i], mean, alike)
    return out
