"""All constants of the model of the evidence, each with its unit and its reason (docs/model.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Crowd(NamedTuple):
    """How often a crowd says YES, on pairs that are the same and on pairs that are different."""

    same: float
    different: float


@dataclass(frozen=True)
class Constants:
    """What is not learned: 20 numbers. Odds and limits are log-odds; precisions are 1 / variance of a normal prior."""

    crowds: tuple[Crowd, ...] = (
        Crowd(0.75, 0.25),
        Crowd(0.85, 0.15),
        Crowd(0.90, 0.06),
        Crowd(0.65, 0.02),
        Crowd(0.52, 0.09),
    )
    """Typical crowds, the usual one first: careless, average and careful workers, people who compare products and miss
    a third of the matches, people who compare pictures and miss half. Measured crowds have 40 to 99% and 0.1 to 35%."""

    alike: tuple[float, ...] = (6.0, 20.0)
    """Concentrations of the beta-binomial of the votes on one pair, in votes: pairs that are easy or hard for every
    worker, and votes that are nearly independent. Measured crowds have 2 to more than 50."""

    usual: float = 4.0
    """Prior log-odds of the usual crowd against each of the others: a few votes do not force another one."""

    worker_votes: float = 20.0
    """Shrinkage of a worker towards the crowd, in votes."""

    calibration_precision: float = 0.2
    """Precision of the machine's intercept around 0 and its slope around 1, of the odds of pairs that it did not list
    around -`machine_limit`, and, without a machine, of the odds of a merge around 0."""

    trait_precision: float = 1.0
    """Precision of the weight of each trait (mean 0, variance 1), around 0."""

    machine_limit: float = 3.0
    """The machine's log-odds count up to here: a few votes can outweigh it."""

    correlation: float = 0.6
    """Correlation of the evidence on the pairs between the same two clusters: they err alike."""

    start_intercept: float = -1.0
    """Estimation begins with a stricter machine: what is joined wrongly at first would confirm itself."""

    surest: float = 6.0
    """Nothing that votes and machine say of a pair is surer, for no model is exact."""


CONSTANTS = Constants()
