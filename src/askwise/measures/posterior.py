"""Partitions drawn from the posterior: docs/model.md, "What the scores are likely to be".

The votes say which crowd is likely, and how to read the machine. Both are drawn by their probability; for each draw, a
partition is drawn given the evidence. The clustering is then compared with these partitions instead of gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, disagreeing, unordered
from askwise.clustering.partition import Partition
from askwise.evidence import EvidenceModel, VoteLog
from askwise.evidence.constants import CONSTANTS, Crowd
from askwise.evidence.regression import logistic
from askwise.graph import UncertainGraph
from askwise.kernels.adjacency import pairs_among
from askwise.kernels.mixing import pair_hashes
from askwise.kernels.posterior import chances, draw_partition
from askwise.kernels.rates import log_chance

SPREAD = 0.3
"""All evidence may count more or less than it should, at once: the standard deviation of the factor's logarithm."""

DRAWS, SWEEPS = 60, 8
"""Partitions that are drawn, and how often each record moves before one counts."""

MOST_RECORDS = 5_000
"""Of more records, those of a sample of the clusters move."""

_CERTAIN = 50.0  # the weight of a pair that is fixed
_ROUNDS = 30


@dataclass(frozen=True)
class Reading:
    """A way to read the evidence: a crowd, the price of a join and the slope of the machine's log-odds.

    `covariance` is that of price and slope, or of the price alone if there is no machine.
    """

    crowd: Crowd
    alike: float
    mean: Floats
    covariance: Floats
    log_posterior: float


class Compared(NamedTuple):
    """A clustering against a drawn partition: pairs that both have, and pairs of the partition."""

    right: float
    true: float


class Pairs(NamedTuple):
    """Pairs with evidence: the machine's log-odds, the votes as they count, and what is fixed (1, -1, 0).

    `tallies` are the different numbers of YES and NO votes that occur, and `tally` is which of them a pair has.
    """

    left: Int32s
    right: Int32s
    machine: Floats | None
    tallies: tuple[Floats, Floats]
    tally: Int64s
    fixed: Floats

    def weights(self, crowd: Crowd, alike: float, slope: float) -> Floats:
        """The log-odds of each pair, but for the price of a join."""
        same, different = (log_chance(*self.tallies, rate, alike) for rate in crowd)
        weight = _limited(same - different)[self.tally]
        if self.machine is not None:
            weight += slope * self.machine
        return np.where(self.fixed == 0.0, weight, _CERTAIN * self.fixed)


class _Around(NamedTuple):
    """The records that move and those near them, counted from 0: their pairs at both ends, their clusters."""

    total: int
    near: Int64s
    starts: Int64s
    other: Int32s
    found: Int32s
    sizes: Int64s
    active: Int32s
    never: float


class Posterior:
    """Partitions to compare a clustering with."""

    def __init__(
        self, graph: UncertainGraph, partition: Partition, evidence: EvidenceModel, log: VoteLog, seed: int
    ) -> None:
        self._graph, self._partition, self._evidence, self._log = graph, partition, evidence, log
        self._seed = seed
        self._label = partition.label.copy()
        self._moving = _sample(self._label, partition.size_of, seed)
        self._pairs = self._among(self._moving)
        self.claimed, self.clusters = self._claims()
        self._readings = self._read()

    def _among(self, moving: Bools) -> Pairs:
        """The pairs with evidence that a record that moves is in, in the order of their records."""
        graph = self._graph
        count = graph.pair_count
        left, right = graph.pair_u[:count], graph.pair_v[:count]
        rows = np.arange(count, dtype=np.int32) if moving.all() else pairs_among(moving, left, right, 1)
        rows = rows[~np.isnan(graph.pair_p[rows])].astype(np.int32)
        rows = rows[np.lexsort((right[rows], left[rows]))]
        return self._pairs_at(rows)

    def _pairs_at(self, rows: Int32s) -> Pairs:
        graph = self._graph
        left, right = graph.pair_u[rows], graph.pair_v[rows]
        machine, yes, no = self._evidence.machine_and_votes(self._log, rows)
        fixed = graph.pair_fixed[rows].astype(np.float64)
        held = self._partition.held
        if held.shape[1]:
            fixed[disagreeing(held[self._label[left]], held[self._label[right]])] = -1.0
        voted = np.flatnonzero(yes + no > 0.0)
        different, which = np.unique(yes[voted] + 1j * no[voted], return_inverse=True)
        votes = np.append(0.0, different.real), np.append(0.0, different.imag)
        tally = np.zeros(rows.size, np.int64)
        tally[voted] = which + 1
        return Pairs(left, right, None if machine is None else _limited(machine), votes, tally, fixed)

    def _claims(self) -> tuple[float, int]:
        """Pairs that are together, and clusters of two and more, among records that move."""
        size = np.bincount(self._label[self._moving], minlength=self._label.size).astype(np.float64)
        return float((size * (size - 1.0)).sum() / 2.0), int(np.count_nonzero(size > 1.0))

    @property
    def share(self) -> float:
        """The share of the records that move."""
        return float(self._moving.mean()) if self._moving.size else 1.0

    def _read(self) -> list[Reading]:
        """The reading of the evidence by each typical crowd."""
        joins = _Joins(self._label, self._moving, self._pairs)
        return [joins.read(crowd, alike) for alike in CONSTANTS.alike for crowd in CONSTANTS.crowds]

    @property
    def likeliest(self) -> Reading:
        """The reading with the highest posterior probability."""
        return max(self._readings, key=lambda one: one.log_posterior)

    def prepare(self) -> None:
        """Copy what `drawn` needs, so that later changes do not matter."""
        self._around  # noqa: B018

    @cached_property
    def _around(self) -> _Around:
        moving, pairs = self._moving, self._pairs
        nodes = np.unique(np.concatenate((np.flatnonzero(moving), pairs.left, pairs.right))).astype(np.int32)
        left, right = (np.searchsorted(nodes, side).astype(np.int32) for side in (pairs.left, pairs.right))
        near = np.argsort(np.concatenate((left, right)), kind="stable")
        starts = np.searchsorted(np.concatenate((left, right))[near], np.arange(nodes.size + 1)).astype(np.int64)
        other = np.concatenate((right, left))[near].astype(np.int32)
        roots, which = np.unique(self._label[nodes], return_inverse=True)
        found = which.astype(np.int32)
        sizes = np.zeros(nodes.size, np.int64)
        sizes[: roots.size] = self._partition.size_of[roots]
        active = np.flatnonzero(moving[nodes]).astype(np.int32)
        never = self._never_compared() * self.share if pairs.machine is None else 0.0
        return _Around(nodes.size, near, starts, other, found, sizes, active, never)

    def drawn(self) -> Iterator[Compared]:
        """The clustering against each of `DRAWS` partitions."""
        pairs = self._pairs
        count, near, starts, other, found, sizes, active, never = self._around
        chance = np.random.default_rng((self._seed, 3))
        for number, reading in enumerate(self._some(chance)):
            price, slope = self._price_and_slope(reading, chance)
            factor = float(np.exp(SPREAD * chance.standard_normal()))
            weight = factor * pairs.weights(reading.crowd, reading.alike, slope)
            label, size = found.copy(), sizes.copy()
            state = np.uint64(number + 1) * np.uint64(1 << 32) + np.uint64(self._seed)
            both = np.concatenate((weight, weight))[near]
            draw_partition(active, starts, other, both, factor * price, SWEEPS, state, label, size)
            keys = np.unique(found[active].astype(np.int64) * count + label[active], return_counts=True)[1]
            true = float((size[label[active]] - 1).sum()) / 2.0
            unknown = float(logistic(np.array([price]))[0]) * never
            yield Compared(float((keys * (keys - 1)).sum()) / 2.0, true + unknown)

    def _some(self, chance: np.random.Generator) -> Iterator[Reading]:
        """`DRAWS` readings, each as often as it is likely."""
        logs = np.array([one.log_posterior for one in self._readings])
        likely = np.exp(logs - logs.max())
        upto = np.cumsum(likely / likely.sum())
        at = np.searchsorted(upto, (np.arange(DRAWS) + 0.5) / DRAWS)
        for which in chance.permutation(np.minimum(at, upto.size - 1)).tolist():
            yield self._readings[which]

    @staticmethod
    def _price_and_slope(reading: Reading, chance: np.random.Generator) -> tuple[float, float]:
        drawn = reading.mean + np.linalg.cholesky(reading.covariance) @ chance.standard_normal(reading.mean.size)
        if drawn.size == 1:
            return min(float(drawn[0]), 0.0), 0.0
        return float(drawn[0]), max(float(drawn[1]), 0.0)

    def _never_compared(self) -> float:
        """How many pairs that may be asked lie between clusters that were not compared."""
        graph, label = self._graph, self._label
        rows = np.flatnonzero(~np.isnan(graph.pair_p[: graph.pair_count]))
        compared = _between(label[graph.pair_u[rows]], label[graph.pair_v[rows]])
        candidates = graph.candidates
        if candidates.listed:
            possible = _between(label[candidates.left], label[candidates.right])
            return float(np.count_nonzero(~np.isin(possible, compared)))
        size = self._partition.size_of.astype(np.float64)
        compared = np.unique(compared)
        together = float((size[label] - 1.0).sum()) / 2.0
        known = float((size[compared >> 32] * size[compared & 0xFFFFFFFF]).sum())
        return max(label.size * (label.size - 1) / 2.0 - together - known, 0.0)

    @property
    def apart_unasked(self) -> float:
        """The probability that two clusters are apart that were never compared."""
        return float(logistic(-self.likeliest.mean[:1])[0])

    def cluster_chances(self, members: Int32s, starts: Int64s) -> Floats:
        """The probability that each of some clusters is right; members[starts[i]] is the first of cluster i."""
        graph = self._graph
        weight = np.full(graph.pair_count, np.nan)
        if starts.size > 2:
            rows = np.flatnonzero(~np.isnan(graph.pair_p[: graph.pair_count])).astype(np.int32)
        else:
            rows = graph.pairs_at(members)
            rows = rows[~np.isnan(graph.pair_p[rows])]
        reading = self.likeliest
        slope = 0.0 if reading.mean.size == 1 else float(reading.mean[1])
        weight[rows] = self._pairs_at(rows).weights(reading.crowd, reading.alike, slope)
        found = chances(members, starts, self._label, graph.adjacency, weight, float(reading.mean[0]))
        return np.round(found, 6)  # pairs may be in another order, and so would sums be


class _Joins:
    """What a price and a slope are learned from: each record with its cluster, and every two compared clusters.

    A cluster of n records stands for n - 1 joins, so each of its records counts (n - 1) / n. What the machine says of n
    pairs is alike: their sum is divided by 1 + (n - 1) correlation.
    """

    def __init__(self, label: Int32s, moving: Bools, pairs: Pairs) -> None:
        one, two = label[pairs.left], label[pairs.right]
        free = pairs.fixed == 0.0
        inside, between = np.flatnonzero(free & (one == two) & moving[pairs.left]), np.flatnonzero(free & (one != two))
        compared, at = np.unique(_between(one, two)[free[one != two]], return_inverse=True)
        self._place = np.concatenate((pairs.left[inside], pairs.right[inside], label.size + at))
        self._pair = np.concatenate((inside, inside, between))
        self._size = label.size + compared.size
        size = np.bincount(label, minlength=label.size)[label]
        counts = np.concatenate(((size - 1.0) / size, np.ones(compared.size)))
        half = np.concatenate((np.full(label.size, 0.5), np.ones(compared.size)))
        tally = pairs.tally[self._pair]
        said = np.add(*pairs.tallies)[tally] > 0.0
        self._voted_place, self._tally = self._place[said], tally[said]
        self._on = np.flatnonzero(np.bincount(self._voted_place, minlength=self._size) > 0)
        self._counts = counts[self._on]
        self._yes_half = half[self._on]
        self._tallies = pairs.tallies
        self._yes, self._votes = self._sum(pairs.tallies[0]), self._sum(np.add(*pairs.tallies))
        self._columns = np.ones((self._on.size, 1 if pairs.machine is None else 2))
        if pairs.machine is not None:
            number = np.bincount(self._place, minlength=self._size)[self._on]
            total = np.bincount(self._place, pairs.machine[self._pair], self._size)[self._on]
            self._columns[:, 1] = total / (1.0 + (number - 1.0) * CONSTANTS.correlation)

    def _sum(self, values: Floats) -> Floats:
        """What each tally is worth, summed over the pairs with votes of each join."""
        found = np.bincount(self._voted_place, values[self._tally], self._size)[self._on]
        return np.asarray(found, np.float64)

    def read(self, usual: Crowd, alike: float) -> Reading:
        """The reading of a crowd like `usual`, by expectation-maximisation: price, slope, and the crowd's own rates.

        The rates have a prior worth `worker_votes` votes, price and slope N(0, 1) and N(1, 1).
        """
        columns, centre = self._columns, np.array([0.0, 1.0])[: self._columns.shape[1]]
        precision = np.full(centre.size, CONSTANTS.trait_precision)
        b, crowd = centre.copy(), usual
        for _ in range(_ROUNDS):
            same, different = self._log_chances(crowd, alike)
            before = columns @ b
            prior, likely = logistic(before), logistic(before + same - different)
            slopes = columns.T @ (self._counts * (likely - prior)) - precision * (b - centre)
            curve = (columns * (self._counts * prior * (1.0 - prior))[:, None]).T @ columns + np.diag(precision)
            step = np.linalg.solve(curve, slopes)
            b = b + np.clip(step, -1.0, 1.0)
            if b.size == 1:
                b = np.minimum(b, 0.0)
            crowd = Crowd(self._rate(likely, usual.same), self._rate(1.0 - likely, usual.different))
        same, different = self._log_chances(crowd, alike)
        before = columns @ b
        prior, likely = logistic(before), logistic(before + same - different)
        learned = self._counts * np.maximum(prior * (1.0 - prior) - likely * (1.0 - likely), 0.0)
        covariance = np.linalg.inv((columns * learned[:, None]).T @ columns + np.diag(precision))
        chance = np.logaddexp(same - np.logaddexp(0.0, -before), different - np.logaddexp(0.0, before))
        log_posterior = float((self._counts * chance).sum()) - 0.5 * float((precision * (b - centre) ** 2).sum())
        for rate, mean in zip(crowd, usual, strict=True):
            log_posterior += CONSTANTS.worker_votes * (
                mean * np.log(rate / mean) + (1.0 - mean) * np.log((1.0 - rate) / (1.0 - mean))
            )
        return Reading(crowd, alike, b, np.asarray(covariance, np.float64), float(log_posterior))

    def _log_chances(self, crowd: Crowd, alike: float) -> tuple[Floats, Floats]:
        """log P(votes | same) and log P(votes | different) of each join."""
        same, different = (self._sum(log_chance(*self._tallies, rate, alike)) for rate in crowd)
        return same, different

    def _rate(self, weight: Floats, usual: float) -> float:
        """The share of YES among votes on joins that count `weight`; votes inside clusters are seen from both ends."""
        seen, votes = self._yes_half * weight, CONSTANTS.worker_votes
        return float(((seen * self._yes).sum() + votes * usual) / ((seen * self._votes).sum() + votes))


def _sample(label: Int32s, size_of: Int32s, seed: int) -> Bools:
    """The records that move: all, or those of a random sample of clusters."""
    if label.size <= MOST_RECORDS:
        return np.ones(label.size, np.bool_)
    roots = np.flatnonzero(label == np.arange(label.size)).astype(np.int32)
    order = roots[np.argsort(pair_hashes(np.uint64(seed), roots, roots), kind="stable")]
    taken = order[np.cumsum(size_of[order]) <= MOST_RECORDS] if size_of[order[0]] <= MOST_RECORDS else order[:1]
    chosen: Bools = np.zeros(label.size, np.bool_)
    chosen[taken] = True
    return np.asarray(chosen[label])


def _limited(odds: Floats) -> Floats:
    return np.clip(odds, -CONSTANTS.surest, CONSTANTS.surest)


def _between(one: Int32s, two: Int32s) -> Int64s:
    """A number for each two clusters, whichever is first, where they are two."""
    return unordered(one[one != two], two[one != two])
