"""How votes fall on pairs that are the same, or that are not: a beta-binomial whose mean rises with the machine's view.

The YES among n votes on a pair are beta-binomial with mean m and concentration k: votes on one pair are alike, because
the pair is easy or hard for everybody. log(m / (1 - m)) = level + slope * x, where x is what the machine thinks of the
pair: what looks alike to a machine looks alike to people.

A vote may be a YES in part only, and for the rest a NO. So numbers of votes are real numbers, and products over votes
go on between the whole numbers as the gamma function does.
"""

import numpy as np

from askwise.arrays import Floats
from askwise.kernels.compiled import compiled

LEAST = 1e-3  # a mean is kept this far from 0 and 1
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
    """The same for n below 1, in few logarithms."""
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
def _rising_slope(a: float, n: float) -> float:
    """The derivative of `log_rising` by a."""
    total = 0.0
    whole = int(n)
    for i in range(whole):
        total += 1.0 / (a + i)
    return total if whole == n else total + _rising_part_slope(a + whole, n - whole)


@compiled
def _rising_part_slope(a: float, n: float) -> float:
    """The same for n below 1."""
    total = 0.0
    while a < _LARGE:
        total += 1.0 / a - 1.0 / (a + n)
        a += 1.0
    return float(total + _stirling_slope(a + n) - _stirling_slope(a))


@compiled
def _stirling_slope(x: float) -> float:
    """The derivative of `_stirling`."""
    inverse = 1.0 / (x * x)
    return float(np.log(x) - 0.5 / x - inverse * (1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse / 252.0)))


@compiled
def mean_at(level: float, slope: float, x: float) -> float:
    """The mean share of YES."""
    mean = 1.0 / (1.0 + np.exp(-(level + slope * x)))
    return float(min(max(mean, LEAST), 1.0 - LEAST))


@compiled
def log_chance(yes: Floats, no: Floats, x: Floats, level: float, slope: float, concentration: float) -> Floats:
    """log P(these votes, in any one order) for each pair."""
    out = np.empty(yes.size)
    for i in range(yes.size):
        mean = mean_at(level, slope, x[i])
        a, b = mean * concentration, (1.0 - mean) * concentration
        out[i] = log_rising(a, yes[i]) + log_rising(b, no[i]) - log_rising(concentration, yes[i] + no[i])
    return out


@compiled
def penalty(
    theta: Floats, yes: Floats, no: Floats, x: Floats, weight: Floats, centre: Floats, spread: Floats, slopes: Floats
) -> float:
    """What `fit_rates` makes small: minus the log-likelihood and the log-prior; fills `slopes` with its derivatives.

    `theta` holds level, slope and log concentration, each with a normal prior of that centre and spread.
    """
    concentration = np.exp(theta[2])
    total = 0.0
    slopes[:] = 0.0
    for i in range(yes.size):
        if weight[i] == 0.0:
            continue
        raw = theta[0] + theta[1] * x[i]
        mean = mean_at(theta[0], theta[1], x[i])
        a, b = mean * concentration, (1.0 - mean) * concentration
        votes = yes[i] + no[i]
        total -= weight[i] * (log_rising(a, yes[i]) + log_rising(b, no[i]) - log_rising(concentration, votes))
        by_a, by_b = _rising_slope(a, yes[i]), _rising_slope(b, no[i])
        by_raw = (by_a - by_b) * mean * (1.0 - mean) * concentration
        if abs(raw) < 6.9:  # beyond, the mean is at its limit
            slopes[0] -= weight[i] * by_raw
            slopes[1] -= weight[i] * by_raw * x[i]
        slopes[2] -= weight[i] * (by_a * a + by_b * b - _rising_slope(concentration, votes) * concentration)
    for j in range(3):
        away = (theta[j] - centre[j]) / spread[j]
        total += 0.5 * away * away
        slopes[j] += away / spread[j]
    return float(total)


@compiled
def _step(second: Floats, damping: float, slopes: Floats) -> Floats:
    """Solve (second + damping * identity) * step = slopes by elimination; along the slopes where that is not convex."""
    matrix = second.copy()
    step = slopes.copy()
    for j in range(3):
        matrix[j, j] += damping
    for j in range(3):
        if matrix[j, j] < 1e-9:
            return slopes / (damping + 1.0)
        for i in range(j + 1, 3):
            factor = matrix[i, j] / matrix[j, j]
            for k in range(j, 3):
                matrix[i, k] -= factor * matrix[j, k]
            step[i] -= factor * step[j]
    for j in range(2, -1, -1):
        for k in range(j + 1, 3):
            step[j] -= matrix[j, k] * step[k]
        step[j] /= matrix[j, j]
    return step


@compiled
def fit_rates(
    yes: Floats, no: Floats, x: Floats, weight: Floats, centre: Floats, spread: Floats, low: Floats, high: Floats
) -> tuple[Floats, float]:
    """Level, slope and log concentration that explain the votes best, inside their limits, and the penalty there.

    Newton's method with the second derivatives by differences, damped until every step helps.
    """
    theta = centre.copy()
    slopes, nudged = np.zeros(3), np.zeros(3)
    value = penalty(theta, yes, no, x, weight, centre, spread, slopes)
    damping = 1.0
    for _ in range(40):
        second = np.zeros((3, 3))
        for j in range(3):
            step = 1e-4
            theta[j] += step
            penalty(theta, yes, no, x, weight, centre, spread, nudged)
            theta[j] -= step
            second[j] = (nudged - slopes) / step
        second = 0.5 * (second + second.T)
        better = False
        for _ in range(12):
            new = np.minimum(np.maximum(theta - _step(second, damping, slopes), low), high)
            found = penalty(new, yes, no, x, weight, centre, spread, nudged)
            if found < value:
                better = True
                break
            damping *= 4.0
        if not better:
            break
        gain = value - found
        theta, value = new, found
        slopes[:] = nudged
        damping = max(damping * 0.2, 1e-6)
        if gain < 1e-6:
            break
    return theta, value
