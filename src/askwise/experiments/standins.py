"""Stand-ins for datasets whose votes are not public, made from the figures that the paper publishes (its Table 2).

The number of records, entities, votes per pair and the mean error are the published ones. The rest is drawn: cluster
sizes are skewed (entity i gets a share of 1 / i**skew), and error rates differ from pair to pair.
"""

from dataclasses import dataclass

import numpy as np

from askwise.checks import known_name
from askwise.crowds import SimulatedCrowd
from askwise.errors import InputError
from askwise.experiments.dataset import Dataset


@dataclass(frozen=True)
class Figures:
    """What the paper publishes about a dataset, and how it asks on it."""

    records: int
    entities: int
    error: float
    votes: int
    initial: int
    batch: int
    target: float


PUBLISHED = {
    "allsports": Figures(267, 86, 0.0567, 10, 2000, 320, 0.9),
    "gymnastics": Figures(94, 12, 0.1065, 5, 200, 40, 0.9),
    "landmarks": Figures(529, 15, 0.0482, 5, 1400, 120, 0.9),
    "cora": Figures(949, 165, 0.2777, 5, 2000, 300, 0.8),
}


def standin(name: str, seed: int = 0, skew: float = 0.5) -> Dataset:
    """A dataset with the published figures of that name; another seed gives other clusters and other votes."""
    figures = known_name("stand-in", name, PUBLISHED)
    gold = skewed_clusters(figures.records, figures.entities, skew, seed)
    return Dataset(
        name=f"standin:{name}",
        gold=gold,
        crowd=SimulatedCrowd(gold, figures.error, figures.votes, seed),
        candidates=None,
        initial=figures.initial,
        batch=figures.batch,
        target=figures.target,
    )


def skewed_clusters(records: int, entities: int, skew: float, seed: int) -> dict[str, int]:
    """Each record's entity; every entity has at least one record."""
    if not 1 <= entities <= records:
        raise InputError(f"{entities!r} entities cannot share {records!r} records")
    chance = np.random.default_rng((seed, records, entities))
    shares = 1.0 / np.arange(1, entities + 1) ** skew
    sizes = 1 + chance.multinomial(records - entities, shares / shares.sum())
    owners = chance.permutation(np.repeat(np.arange(entities), sizes))
    return {f"r{number}": int(owner) for number, owner in enumerate(owners)}
