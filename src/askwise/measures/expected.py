"""Expected precision, recall and F1 with intervals, without gold: docs/model.md, "What the scores are likely to be".

A clustering is compared with partitions drawn from the posterior (posterior.py). No evidence shows what the crowd and
the machine get wrong together. So beyond what was drawn, a share of the clusters is assumed to be joined wrongly, or
to lack as much. That share has a prior, and votes do not change it, not even those of an audit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats
from askwise.frames import html_table
from askwise.measures.posterior import Posterior

SHARED = (0.5, 4.5)
"""The beta prior of the share of clusters that workers and matcher both get wrong: mostly near 0, 10% on average."""

_EACH = 20  # shares that are drawn for each partition


class Interval(NamedTuple):
    """An expected value, and an interval that holds the true value with a given probability.

    Attributes
    ----------
    value, low, high : float
        The expected value and the ends of the interval.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


class ExpectedScores(NamedTuple):
    """Expected pairwise precision, recall and F1.

    Attributes
    ----------
    precision, recall, f1 : Interval
        Each with its interval.
    audited : int
        How many pairs of audits were answered.
    """

    precision: Interval
    recall: Interval
    f1: Interval
    audited: int

    def __str__(self) -> str:
        return f"precision {self.precision}, recall {self.recall}, F1 {self.f1}"

    def _repr_html_(self) -> str:
        rows = {"": ["precision", "recall", "F1"]}
        intervals = self.precision, self.recall, self.f1
        columns = {name: [getattr(one, name) for one in intervals] for name in Interval._fields}
        return html_table({**rows, **columns})


def expected_scores(posterior: Posterior, audited: int, levels: Sequence[float], seed: int) -> list[ExpectedScores]:
    """The expected scores, for each of `levels` with intervals that hold the truth with that probability."""
    scores = [_intervals(drawn, levels) for drawn in _scores(posterior, np.random.default_rng((seed, 4)))]
    return [ExpectedScores(precision, recall, f1, audited) for precision, recall, f1 in zip(*scores, strict=True)]


def _scores(posterior: Posterior, chance: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F1, drawn."""
    claimed, clusters = posterior.claimed, max(round(posterior.clusters / posterior.share), 1)
    right, true = (np.repeat(column, _EACH) for column in np.array(list(posterior.drawn())).T)
    share = chance.beta(*SHARED, right.size)
    joined = chance.random(right.size) < 0.5  # else: not joined
    wrong, absent = (chance.binomial(clusters, np.where(side, share, 0.0)) / clusters for side in (joined, ~joined))
    missed = true - right
    right = right * (1.0 - wrong)
    true = right / np.maximum(1.0 - absent, 1.0 / clusters) + missed
    precision = right / claimed if claimed else np.ones(right.size)
    recall = np.divide(right, true, out=np.ones(right.size), where=true > 0.0)
    f1 = np.divide(2.0 * right, claimed + true, out=np.ones(right.size), where=claimed + true > 0.0)
    return precision, recall, f1


def _intervals(drawn: Floats, levels: Sequence[float]) -> list[Interval]:
    """Around the median, an interval for each level."""
    value = float(np.median(drawn))
    ends = np.quantile(drawn, [((1.0 - level) / 2.0, (1.0 + level) / 2.0) for level in levels]).tolist()
    return [Interval(value, low, high) for low, high in ends]
