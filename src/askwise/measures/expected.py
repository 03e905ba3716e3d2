"""Precision, recall and F1 to expect, with intervals, and no gold.

What is likely wrong and missed (mistakes.py) is a model's word, and it may be off by a factor. By experience
(docs/experiments.md), without an audit: mistakes are often far fewer than it says, and sometimes more; wrong pairs many
more where votes hardly tell pairs that are the same from others, because then nobody checks the machine. An audit
(audit.py) says how many of its pairs the model would have wrong or missed, and how many are: it makes the factor
narrower.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats
from askwise.measures.audit import Drawn
from askwise.measures.mistakes import Mistakes

FEWER, MORE = 1.5, 0.8
"""How far off the number of mistakes is likely to be, downwards and upwards, as the logarithm of a factor."""

UNTOLD, MOST = 2.0, 2.0
"""Divided by what the votes on a pair tell, this is how far off the number of wrong pairs may be upwards besides; but
not more than that in all."""

ANSWERED = 0.5
"""What a pair of an audit counts: workers err on it as they do on others."""

_DRAWS = 4_000
_LOGS: Floats = np.linspace(-8.0, 8.0, 1601)


class Interval(NamedTuple):
    """What to expect, and between what it lies, with a probability that was asked for."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


class ExpectedScores(NamedTuple):
    """Pairwise precision, recall and F1 to expect, and on how many answered pairs of an audit that rests."""

    precision: Interval
    recall: Interval
    f1: Interval
    audited: int


def expected_scores(
    found: Mistakes, audit: Drawn, same: Floats, tells: float, levels: Sequence[float], seed: int
) -> list[ExpectedScores]:
    """The scores to expect, for each of `levels` with intervals that hold the truth with that probability.

    `same` is how likely each pair of the audit is the same, NaN where nobody has answered; `tells` is what the votes on
    a pair tell, in log-odds.
    """
    answered = ~np.isnan(same)
    left, right, likely = audit.left[answered], audit.right[answered], same[answered]
    together = found.together(left, right)
    mistaken, foreseen = np.where(together, 1.0 - likely, likely), found.chance(left, right)
    chance = np.random.default_rng((seed, 3))

    def number(kind: Bools, mean: float, variance: float, more: float) -> tuple[float, Floats]:
        """How many mistakes of a kind: to expect, and drawn."""
        weight = _weights(audit.chance[answered][kind])
        known = _known(float(weight @ mistaken[kind]), float(weight @ foreseen[kind]), more)
        spread = np.log1p(variance / mean**2) if mean else 0.0
        whole = mean * np.exp(np.sqrt(spread) * chance.standard_normal(_DRAWS) - 0.5 * spread)
        factor = np.exp(np.interp(chance.random(_DRAWS), known, _LOGS))
        return mean * float(np.exp(np.interp(0.5, known, _LOGS))), chance.poisson(whole * factor).astype(float)

    more = min(float(np.hypot(MORE, UNTOLD / tells)), MOST) if tells > 0.0 else MOST
    wrong = number(together, found.wrong, found.wrong_variance, more)
    missed = number(~together, found.missed, found.missed_variance, MORE)
    values = _scores(found.claimed, *(np.array([one[0]]) for one in (wrong, missed)))
    drawn = _scores(found.claimed, wrong[1], missed[1])
    intervals = (_intervals(float(value[0]), some, levels) for value, some in zip(values, drawn, strict=True))
    audited = int(answered.sum())
    return [ExpectedScores(precision, recall, f1, audited) for precision, recall, f1 in zip(*intervals, strict=True)]


def _known(hits: float, foretold: float, more: float) -> Floats:
    """How likely the factor's logarithm is below each of `_LOGS`, after `hits` mistakes of an audit for those foretold.

    Before, it is normal on either side of 0, with the spreads `FEWER` and `more`, and both sides are as likely.
    """
    spread = np.where(_LOGS < 0.0, FEWER, more)
    log_density = -0.5 * (_LOGS / spread) ** 2 - np.log(spread) + hits * _LOGS - foretold * np.exp(_LOGS)
    below = np.cumsum(np.exp(log_density - log_density.max()))
    return np.asarray(below / below[-1], np.float64)


def _intervals(value: float, drawn: Floats, levels: Sequence[float]) -> list[Interval]:
    """Around one value, an interval for each level."""
    ends = np.quantile(drawn, [((1.0 - level) / 2.0, (1.0 + level) / 2.0) for level in levels]).tolist()
    return [Interval(min(max(value, low), high), low, high) for low, high in ends]


def _weights(chance: Floats) -> Floats:
    """What each drawn pair counts: for as many as it speaks for, and all together as if they were so many alike."""
    if not chance.size:
        return chance
    speaks_for = 1.0 / chance
    return np.asarray(ANSWERED * speaks_for * speaks_for.sum() / (speaks_for**2).sum(), np.float64)


def _scores(claimed: float, wrong: Floats, missed: Floats) -> tuple[Floats, Floats, Floats]:
    right = claimed - np.minimum(wrong, claimed)
    precision = right / claimed if claimed else np.ones(right.size)
    true = right + missed
    recall = np.divide(right, true, out=np.ones(right.size), where=true > 0.0)
    f1 = np.divide(2.0 * right, claimed + true, out=np.ones(right.size), where=claimed + true > 0.0)
    return precision, recall, f1
