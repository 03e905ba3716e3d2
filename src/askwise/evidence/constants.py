"""All constants of the model of the evidence, each with its unit and its reason (docs/model.md)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Constants:
    """What is not learned. Rates, odds and limits are log-odds; precisions are 1 / variance of a normal prior."""

    same: float = 1.1
    """Usual rate of YES on pairs that are the same (75%), and the mean of its prior. Crowds that were measured have 40%
    to 99%."""

    different: float = -1.9
    """Usual rate of YES on pairs that are different (13%), and the mean of its prior. Measured: 0.1% to 35%."""

    rate_sd: float = 0.6
    """Standard deviation of both priors: how far crowds are from the usual rates."""

    least_ratio: float = 1.5
    """The least log-odds ratio of a YES that a crowd may have: where less is learned, the usual rates are used, because
    votes on doubtful pairs alone hardly tell rates. Measured crowds have 0.9 to 8."""

    same_alike: float = 5.0
    """Concentration of the beta-binomial of the votes on a pair that is the same, in votes: an easy pair is easy for
    every worker."""

    different_alike: float = 7.0
    """The same for a pair that is different."""

    worker_votes: float = 20.0
    """Shrinkage of a worker towards the crowd, in votes."""

    intercept_precision: float = 0.5
    """Precision of the machine's intercept, around 0, and of the odds of pairs that it did not list."""

    slope_precision: float = 0.5
    """Precision of the slope of the machine's own log-odds, around 1."""

    trait_precision: float = 1.0
    """Precision of the weight of each trait (mean 0, variance 1), around 0."""

    machine_limit: float = 3.0
    """The machine's log-odds count up to here: a few votes can outweigh it."""

    unlisted: float = -3.0
    """Prior mean of the log-odds of a pair that has votes and that the machine did not list."""

    correlation: float = 0.6
    """Correlation of the evidence on the pairs between the same two clusters: they err alike."""

    merge: float = -2.0
    """Prior mean of the log-odds that two clusters of which nothing is known are the same."""

    merge_precision: float = 0.25
    """Precision of that."""

    start_intercept: float = -1.0
    """Estimation begins with a stricter machine: what is joined wrongly at first would confirm itself."""

    start_same: float = -0.1
    """A second start of the rate of YES on pairs that are the same: a crowd that misses half of them."""

    start_different: float = -0.6
    """A third start, of the rate on pairs that are different: a crowd that says YES to a third of them."""

    surest: float = 6.0
    """Nothing that votes and machine say of a pair is surer, for no model is exact."""


CONSTANTS = Constants()
