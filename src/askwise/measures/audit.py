"""Pairs drawn at random, each with the probability of being drawn, as a fair sample for judging a clustering.

Questions that a strategy chose say little about others. A pair of the audit was drawn with a known probability,
whatever the clustering was then, so it stands for 1 / probability pairs of any clustering.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph


class Drawn(NamedTuple):
    """Pairs of positions, and the probability of each in one draw."""

    left: Int32s
    right: Int32s
    chance: Floats

    def with_more(self, other: Drawn) -> Drawn:
        """These and further ones."""
        left, right = np.concatenate((self.left, other.left)), np.concatenate((self.right, other.right))
        return Drawn(left, right, np.concatenate((self.chance, other.chance)))


NONE_DRAWN = Drawn(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))


def draw(graph: UncertainGraph, partition: Partition, k: int, seed: tuple[int, int]) -> Drawn:
    """`k` pairs, with replacement: half of pairs that are together, half of others.

    Where the candidates are listed, half of the others evenly and half by how likely they are the same; else evenly.
    """
    chance = np.random.default_rng(seed)
    if graph.candidates.listed:
        return _listed(graph, partition.label, k, chance)
    return _of_all(partition, k, chance)


def _listed(graph: UncertainGraph, label: Int32s, k: int, chance: np.random.Generator) -> Drawn:
    left, right = graph.candidates.left, graph.candidates.right
    together: Bools = label[left] == label[right]
    likely = np.where(together, 0.0, np.nan_to_num(graph.p_of(left, right)))
    parts = [
        (share, part / part.sum())
        for share, part in ((0.5, together * 1.0), (0.25, ~together * 1.0), (0.25, likely))
        if part.sum() > 0.0
    ]
    whole = sum(share for share, _ in parts)
    probability: Floats = sum((share / whole * part for share, part in parts), np.zeros(left.size))
    rows = chance.choice(left.size, k, p=probability) if left.size else np.empty(0, np.int64)
    return Drawn(left[rows], right[rows], probability[rows])


def _of_all(partition: Partition, k: int, chance: np.random.Generator) -> Drawn:
    """Pairs of all records, half of them together if there are enough."""
    label, size = partition.label, partition.size_of[partition.label].astype(np.float64)
    records, claimed = label.size, float((size - 1.0).sum() / 2.0)
    apart = records * (records - 1) / 2.0 - claimed
    share = 0.5 if claimed and apart else float(claimed > 0)
    found: list[tuple[int, int]] = []
    within = round(share * k)
    for u in chance.choice(records, within, p=(size - 1.0) / (size - 1.0).sum()) if within else ():
        members = partition.members(int(label[u]))
        found.append((int(u), int(chance.choice(members[members != u]))))
    while len(found) < k and apart:
        u, v = chance.integers(records, size=2).tolist()
        if label[u] != label[v]:
            found.append((u, v))
    pairs = np.sort(np.array(found, np.int32).reshape(-1, 2), axis=1)
    together = label[pairs[:, 0]] == label[pairs[:, 1]]
    probability = np.where(together, share / max(claimed, 1.0), (1.0 - share) / max(apart, 1.0))
    return Drawn(pairs[:, 0].copy(), pairs[:, 1].copy(), probability)
