"""Graphs with signed weights that look like entity resolution, for clusterers alone.

Entities have 1 + floor(Gamma(0.8, 5.6)) records, about five, and lie in a row. Every record proposes ten partners: up
to six of its own entity, the others from the four entities to either side (95%) or from anywhere. What is proposed
twice counts once: some 7.5 pairs a record. Each pair has five votes with an error of its own, Beta(1, 9), and weighs
the log-odds of the share of YES, kept within 0.02 and 0.98. Numbers and order of the records are shuffled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s

PROPOSALS, OWN, AROUND, NEAR = 10, 6, 4, 0.95
VOTES, CERTAIN = 5, 0.02


class SignedGraph(NamedTuple):
    """Pairs of `size` records in order (left < right) and their weights: above 0, they seem the same."""

    size: int
    left: Int32s
    right: Int32s
    weight: Floats

    def cut(self, labels: Int32s) -> float:
        """The sum of the weights between clusters: the lower, the better."""
        return float(self.weight[labels[self.left] != labels[self.right]].sum())


def signed_graph(records: int, seed: int) -> SignedGraph:
    """One such graph."""
    chance = np.random.default_rng(seed)
    sizes = _entity_sizes(records, chance)
    entity = np.repeat(np.arange(sizes.size), sizes)
    one, two = _proposals(sizes, entity, chance)
    low, high = np.minimum(one, two), np.maximum(one, two)
    keys = np.unique((low * records + high)[low != high])
    shuffled = chance.permutation(records)
    same = entity[keys // records] == entity[keys % records]
    one, two = shuffled[keys // records], shuffled[keys % records]
    order = chance.permutation(keys.size)
    one, two, same = one[order], two[order], same[order]
    error = chance.beta(1, 9, same.size)
    share = chance.binomial(VOTES, np.where(same, 1.0 - error, error)) / VOTES
    share = share.clip(CERTAIN, 1.0 - CERTAIN)
    left, right = np.minimum(one, two).astype(np.int32), np.maximum(one, two).astype(np.int32)
    order = np.lexsort((right, left))
    return SignedGraph(records, left[order], right[order], np.log(share / (1.0 - share))[order])


def _entity_sizes(records: int, chance: np.random.Generator) -> Int64s:
    """The sizes of all entities, the last cut so that they add up."""
    sizes = 1 + np.floor(chance.gamma(0.8, 5.6, size=records // 2 + 100)).astype(np.int64)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), records)) + 1]
    sizes[-1] -= sizes.sum() - records
    return sizes


def _proposals(sizes: Int64s, entity: Int64s, chance: np.random.Generator) -> tuple[Int64s, Int64s]:
    """Every record as often as it proposes, and its partners; a record may propose itself or one twice."""
    records = entity.size
    begin = np.cumsum(sizes) - sizes
    record = np.repeat(np.arange(records), PROPOSALS)
    turn = np.tile(np.arange(PROPOSALS), records)
    home = entity[record]
    size = sizes[home]
    first = np.repeat(chance.integers(0, 1 << 30, records), PROPOSALS)
    inside = begin[home] + (record - begin[home] + 1 + (first + turn) % np.maximum(size - 1, 1)) % size
    step = chance.integers(1, AROUND + 1, record.size) * chance.choice([-1, 1], record.size)
    beside = (home + step).clip(0, sizes.size - 1)
    near = begin[beside] + (chance.random(record.size) * sizes[beside]).astype(np.int64)
    anywhere = chance.integers(0, records, record.size)
    outside = np.where(chance.random(record.size) < NEAR, near, anywhere)
    return record, np.where(turn < np.minimum(size - 1, OWN), inside, outside)
