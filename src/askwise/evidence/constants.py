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
        Crowd(0.80, 0.20),
        Crowd(0.90, 0.08),
        Crowd(0.60, 0.03),
        Crowd(0.50, 0.22),
        Crowd(0.70, 0.30),
    )
    """Typical crowds, the usual one first: average workers, careful ones, people who miss many matches and invent few
    (products), people who find it hard (pictures), and poor workers. Measured crowds have 40 to 99% and 0.1 to 35%."""

    alike: tuple[float, ...] = (6.0, 20.0)
    """Concentrations of the beta-binomial of the votes on one pair, in votes: pairs that are easy or hard for every
    worker, and votes that are nearly independent. Measured crowds have 2 to more than 50."""

    usual: float = 10.0
    """Prior log-odds of the usual crowd against each of the others: a few dozen votes do not force another one. And of
    a machine that ranks pairs against one whose own log-odds say nothing."""

    worker_votes: float = 10.0
    """How much workers differ: the concentration of their rates around those of the crowd, in votes."""

    guessers: float = 0.01
    """Prior probability that a worker guesses, whatever the pair; and as much that one says the opposite."""

    trait_precision: float = 1.0
    """Precision of what all traits together say around 0, per standard deviation of the machine's log-odds. Of the
    log-odds of pairs that the machine did not list, around -`machine_limit`; and, without a machine, of the log-odds
    of a merge around 0."""

    threshold_precision: float = 4.0
    """Precision of the machine's threshold around 0, per standard deviation of its log-odds."""

    slope_precision: float = 16.0
    """Precision of the logarithm of the machine's slope around 0: usually a quarter more or less than it says."""

    machine_limit: float = 3.0
    """The machine's log-odds count up to here: a few votes can outweigh it."""

    correlation: float = 0.6
    """Correlation of the evidence on the pairs between the same two clusters: they err alike."""

    @property
    def surest(self) -> float:
        """Nothing that votes and machine say of a pair is surer, for no model is exact.

        Votes that agree with a machine at its limit can add as much again.
        """
        return 2.0 * self.machine_limit


CONSTANTS = Constants()
