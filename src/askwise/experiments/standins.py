"""Stand-ins for datasets whose votes are not public, made from the figures in the paper's Table 2.

The numbers of records, entities and votes per pair, and the mean error, are the published ones. The rest is drawn:
cluster sizes are skewed (entity i gets a share of 1 / i**skew), and error rates differ from pair to pair.
"""

from dataclasses import dataclass

import numpy as np

from askwise.checks import known_name
from askwise.crowds import SimulatedCrowd
from askwise.errors import InputError
from askwise.experiments.dataset import Dataset


@dataclass(frozen=True)
class Figures:
    """The paper's figures for a dataset, and how it asks; `candidates` is None if all pairs were asked.

    `budget` and `skew` are ours: how far the curves are drawn, and how unequal the clusters are (Cora's are very
    unequal: its largest has 102 of 949 records).
    """

    records: int
    entities: int
    error: float
    votes: int
    candidates: int | None
    initial: int
    batch: int
    target: float
    budget: int
    skew: float = 0.5


PUBLISHED = {
    "allsports": Figures(267, 86, 0.0567, 10, None, 2000, 320, 0.9, 24_000),
    "gymnastics": Figures(94, 12, 0.1065, 5, None, 200, 40, 0.9, 4_371),
    "landmarks": Figures(529, 15, 0.0482, 5, None, 1400, 120, 0.9, 18_000),
    "cora": Figures(949, 165, 0.2777, 5, 29_281, 2000, 300, 0.8, 29_281, 1.0),
}


@dataclass(frozen=True)
class Options:
    """What may be changed about a stand-in; None keeps the published figure.

    `skew`: entity i gets a share of 1 / i**skew of the records. `correlation`: the share of pairs whose error rate is
    that of their two entities, so that errors between two entities that look alike come together. `votes`: on a pair
    each time that it is asked.
    """

    records: int | None = None
    entities: int | None = None
    error: float | None = None
    skew: float | None = None
    correlation: float = 0.0
    votes: int | None = None


def standin(name: str, seed: int = 0, options: Options | None = None) -> Dataset:
    """A dataset with the published figures of that name; another seed gives other clusters and votes."""
    figures = known_name("stand-in", name, PUBLISHED)
    options = options or Options()
    records = figures.records if options.records is None else options.records
    entities = figures.entities if options.entities is None else options.entities
    gold = skewed_clusters(records, entities, figures.skew if options.skew is None else options.skew, seed)
    error = figures.error if options.error is None else options.error
    return Dataset(
        name=f"standin:{name}",
        gold=gold,
        crowd=SimulatedCrowd(gold, error, options.votes or figures.votes, seed, correlation=options.correlation),
        candidates=None if figures.candidates is None else blocked(gold, figures.candidates, seed),
        scored=None,
        table=None,
        initial=figures.initial,
        batch=figures.batch,
        target=figures.target,
        budget=figures.budget,
    )


def blocked(gold: dict[str, int], count: int, seed: int) -> list[tuple[str, str]]:
    """`count` candidates like those of blocking: up to two thirds within entities, the rest from other pairs."""
    chance = np.random.default_rng((seed, count))
    records = list(gold)
    owners = np.array(list(gold.values()))
    left, right = np.triu_indices(len(records), 1)
    same = owners[left] == owners[right]
    matching = chance.permutation(np.flatnonzero(same))[: 2 * count // 3]
    others = chance.permutation(np.flatnonzero(~same))[: count - matching.size]
    chosen = np.sort(np.concatenate((matching, others)))
    return [(records[u], records[v]) for u, v in zip(left[chosen].tolist(), right[chosen].tolist(), strict=True)]


def skewed_clusters(records: int, entities: int, skew: float, seed: int) -> dict[str, int]:
    """Each record's entity; every entity has at least one record."""
    if not 1 <= entities <= records:
        raise InputError(f"{entities!r} entities cannot share {records!r} records")
    if not 0.0 <= skew <= 10.0:
        raise InputError(f"skew = {skew!r} is not a number from 0 to 10")
    chance = np.random.default_rng((seed, records, entities))
    shares = 1.0 / np.arange(1, entities + 1) ** skew
    sizes = 1 + chance.multinomial(records - entities, shares / shares.sum())
    owners = chance.permutation(np.repeat(np.arange(entities), sizes))
    return {f"r{number}": int(owner) for number, owner in enumerate(owners)}
