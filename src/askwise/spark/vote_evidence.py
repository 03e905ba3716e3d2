"""Votes on the driver, and the evidence that they and the scores make of the pairs that were asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from askwise.arrays import Floats, Int32s, Int64s, found_in
from askwise.evidence.learned import sampled
from askwise.evidence.votes import Ballots, VoteLog
from askwise.kernels.constraints import Values
from askwise.spark.belief import Belief, fitted, rows_among
from askwise.spark.pair_arrays import SIZE, Pairs, collected

MOST_FITTED = 20_000_000
"""Up to this number of pairs a fit sees all of them, as on one machine (some 100 bytes each on the driver); of more,
those around the pairs that were asked, and an even sample of the others."""


@dataclass(frozen=True)
class Asked:
    """The pairs that were asked, their evidence (NaN: none), and `extra` as in `buckets.PAIR`."""

    u: Int64s
    v: Int64s
    p: Floats
    extra: Int32s

    def changed(self, before: Asked) -> tuple[Asked, Asked]:
        """The pairs whose evidence is new or not what it was, and all pairs that have changed, with those now gone."""
        keys, old = self.u * SIZE + self.v, before.u * SIZE + before.v
        order = np.argsort(old)
        at, same = found_in(old[order], keys)
        now, then = self.p[same], before.p[order[at[same]]]
        same[same] = (then == now) | (np.isnan(then) & np.isnan(now))
        return self.part(~same & ~np.isnan(self.p)), self.part(~same)

    def part(self, which: Any) -> Asked:
        """Some of them."""
        return Asked(self.u[which], self.v[which], self.p[which], self.extra[which])

    def table(self) -> pa.Table:
        """As a table of pairs."""
        asked = np.ones(self.u.size, np.bool_)
        return pa.table({"u": self.u, "v": self.v, "p": self.p, "asked": asked, "extra": self.extra})


def fingerprint(said: Ballots) -> str:
    """A text that hardly any other votes have."""
    digest = hashlib.sha256(said.left.tobytes() + said.right.tobytes() + said.labels.tobytes())
    digest.update("\0".join(map(str, said.workers)).encode())
    return digest.hexdigest()


def asked_pairs(said: Ballots, pairs: DataFrame, belief: Belief) -> Asked:
    """The evidence for all pairs with votes, of which `pairs` has the scores."""
    known = scores_of(pairs, said)
    rows, u, v = rows_among(known.left, known.right, said)
    log = VoteLog()
    log.add(rows, said.workers, said.labels)
    p = belief.p_voted(u, v, known, log)
    extra = np.maximum(np.arange(u.size) - known.left.size + 1, 0).astype(np.int32)
    return Asked(u, v, p, extra)


def scores_of(pairs: DataFrame, said: Ballots) -> Pairs:
    """The scored pairs among those with votes, in order."""
    keys = np.unique(said.left * SIZE + said.right)
    wanted = pairs.sparkSession.createDataFrame(pa.table({"u": keys // SIZE, "v": keys % SIZE}))
    return collected(pairs.join(sf.broadcast(wanted), ["u", "v"]))


def fit(name: str, seed: int, pairs: DataFrame, inputs: dict[str, Any], said: Ballots, values: Values | None) -> Belief:
    """Learn from the votes, on the driver; `values` are those of all records of which a cluster has at most one."""
    if inputs["pairs"] > MOST_FITTED:
        pairs = around(pairs, inputs["pairs"], said, seed)
    return fitted(name, seed, inputs["low"], inputs["high"], collected(pairs), said, values)


def around(pairs: DataFrame, count: int, said: Ballots, seed: int) -> DataFrame:
    """The pairs with votes, those at the records that a fit will look at, and a sample of half of `MOST_FITTED`."""
    spark = pairs.sparkSession
    keys = np.unique(said.left * SIZE + said.right)
    voted = spark.createDataFrame(pa.table({"u": keys // SIZE, "v": keys % SIZE}))
    left, right = (keys // SIZE).astype(np.int32), (keys % SIZE).astype(np.int32)
    some = keys[sampled(np.uint64(seed), left, right, np.arange(keys.size, dtype=np.int32))]
    inside = spark.createDataFrame(pa.table({"position": np.unique(np.concatenate((some // SIZE, some % SIZE)))}))
    share = int(2**20 * MOST_FITTED / (2 * count))
    touching = [
        pairs.join(sf.broadcast(inside.withColumnRenamed("position", side)), side, "left_semi") for side in ("u", "v")
    ]
    sample = pairs.where(sf.pmod(sf.xxhash64("u", "v"), sf.lit(2**20)) < share)
    own = pairs.join(sf.broadcast(voted), ["u", "v"], "left_semi")
    every = own.select(*pairs.columns)
    for part in (*touching, sample):
        every = every.union(part.select(*pairs.columns))
    return every.distinct()
