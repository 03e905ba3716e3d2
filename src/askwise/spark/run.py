"""One run: from tables and the current state to the next state.

If records, pairs and settings are those of the last run, and there is no reason to fit the evidence again, only the
components with new votes are clustered, and only the pairs at their clusters are valued. Everything else is reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from askwise.rules import Groups
from askwise.spark import buckets
from askwise.spark.belief import Belief
from askwise.spark.packing import bucket_count, packed
from askwise.spark.pair_arrays import pairs_in
from askwise.spark.rule_evidence import by_rule
from askwise.spark.star_components import Keep, components
from askwise.spark.vote_evidence import Asked

_CLUSTER = ("position", "component", "cluster", "size", "own", "connectivity", "held", "separation", "nearest")
_PAIR = ("u", "v", "p", "asked", "extra")
_VALUED = (*_PAIR, "a", "b", "value", "chance", "change")


@dataclass(frozen=True)
class Settings:
    """How to cluster, and how much a bucket holds."""

    clustering: str
    seed: int
    bucket: int
    largest: int


class Step:
    """The work of one run on tables; `groups` are the rules' groups, `keep` writes what is used more than once."""

    def __init__(
        self, spark: SparkSession, settings: Settings, groups: Groups, keep: Keep, progress: Callable[[str], None]
    ) -> None:
        self._spark = spark
        self._groups = spark.sparkContext.broadcast(groups)
        self._settings = settings
        self._keep = keep
        self._progress = progress

    def evidence(self, scored: DataFrame, belief: Belief, asked: Asked, ruled: Asked) -> DataFrame:
        """All pairs with their evidence: candidates, and other pairs that rules name or that have votes."""
        self._progress("evidence")
        shared, groups = self._spark.sparkContext.broadcast(belief), self._groups

        def unvoted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                pairs = pairs_in(batch)
                p = by_rule(groups.value, pairs.left, pairs.right, shared.value.p_unvoted(pairs))
                yield pa.RecordBatch.from_arrays([batch.column("u"), batch.column("v"), pa.array(p)], ["u", "v", "p"])

        pairs = scored.mapInArrow(unvoted, "u long, v long, p double")
        listed = self._frame(asked.part(asked.extra == 0).table())
        said = listed.select("u", "v", sf.col("p").alias("said"))
        joined = pairs.join(said, ["u", "v"], "left")
        found = joined.select(
            "u",
            "v",
            sf.coalesce("said", "p").alias("p"),
            (sf.col("said").isNotNull() | sf.col("p").isin(0.0, 1.0)).alias("asked"),
            sf.lit(0).alias("extra"),
        )
        beside = self._frame(asked.part((asked.extra > 0) & ~np.isnan(asked.p)).table())
        named = self._frame(ruled.table())
        return self._keep(found.union(beside.select(*_PAIR)).union(named.select(*_PAIR)), "evidence")

    def cluster(self, pairs: DataFrame, positions: DataFrame) -> tuple[DataFrame, int]:
        """Cluster the records `positions`, which have no pair with p > 1/2 to others; and how many components they are.

        Records without such a pair are clusters by themselves, and never leave Spark.
        """
        self._progress("components")
        settings = self._settings
        found = self._keep(components(pairs.where("p > 0.5"), self._keep), "components")
        ends = [found.select(sf.col("position").alias(side), sf.col("component").alias(f"of_{side}")) for side in "uv"]
        inner = pairs.join(ends[0], "u").join(ends[1], "v").where("of_u = of_v")
        inner = self._keep(inner.select(*_PAIR, sf.col("of_u").alias("component")), "inner")
        self._progress("clusters")
        small, giants = packed(inner, inner.count(), settings.bucket, settings.largest)
        groups = self._groups

        def work(table: pa.Table) -> pa.Table:
            return buckets.clustered(table, settings.clustering, settings.seed, groups.value.values)

        def own_values(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                places, values = batch.column("position").to_numpy(), groups.value.values
                held = buckets.lists(values[places] if values.shape[1] else np.empty((places.size, 0), np.int32))
                yield pa.RecordBatch.from_arrays([batch.column("position"), held], ["position", "held"])

        members = small.groupBy("bucket").applyInArrow(work, buckets.MEMBER)
        if giants is not None:
            members = members.union(self._frame(work(giants.toArrow())).select(*members.columns))
        members = self._keep(members, "members")
        alone = positions.join(members.select("position"), "position", "left_anti")
        alone = alone.mapInArrow(own_values, "position long, held array<int>")
        position = sf.col("position")
        single = alone.select(
            "position",
            position.alias("component"),
            position.alias("cluster"),
            sf.lit(1).alias("size"),
            sf.lit(0.0).alias("own"),
            sf.lit(1.0).alias("connectivity"),
            "held",
        )
        every = self._keep(members.union(single), "clustered")
        return every, every.where("component = position").count()

    def value(self, pairs: DataFrame) -> tuple[DataFrame, DataFrame]:
        """The worth of pairs (`with_clusters` gave them theirs), and the distance of clusters to the nearest here."""
        self._progress("questions")
        count = bucket_count(pairs.count(), self._settings.bucket, self._spark.sparkContext.defaultParallelism)
        bucket = sf.pmod(sf.xxhash64(sf.least("a", "b")), sf.lit(count)).cast("int")
        seed = self._settings.seed

        def work(table: pa.Table) -> pa.Table:
            return buckets.valued(table, seed)

        found = pairs.withColumn("bucket", bucket).groupBy("bucket").applyInArrow(work, buckets.FOUND)
        found = self._keep(found, "valued")
        near = found.where(sf.col("kind") == buckets.SEPARATION_FOUND).groupBy(sf.col("u").alias("cluster"))
        nearest = near.agg(sf.min(sf.struct("value", "v")).alias("near"))
        distances = nearest.select("cluster", sf.col("near.value").alias("apart"), sf.col("near.v").alias("other"))
        return found.where(sf.col("kind") == buckets.PAIR_FOUND).select(*_VALUED), distances

    def with_clusters(self, pairs: DataFrame, clusters: DataFrame) -> DataFrame:
        """Pairs with what valuing needs to know of both records."""
        for side, root in (("u", "a"), ("v", "b")):
            ends = clusters.select(
                sf.col("position").alias(side),
                sf.col("cluster").alias(root),
                sf.col("size").alias(f"size_{root}"),
                sf.col("own").alias(f"own_{side}"),
                sf.col("held").alias(f"held_{root}"),
            )
            pairs = pairs.join(ends, side)
        return pairs

    def everything(self, pairs: DataFrame, positions: DataFrame) -> tuple[DataFrame, DataFrame, int]:
        """The clusters and the valued pairs of all records, and the number of components that were clustered."""
        members, count = self.cluster(pairs, positions)
        joined = self._keep(self.with_clusters(pairs, members), "joined")
        valued, distances = self.value(joined)
        clusters = members.join(distances, "cluster", "left").select(
            *members.columns, sf.coalesce("apart", sf.lit(1.0)).alias("separation"), sf.col("other").alias("nearest")
        )
        return clusters.select(*_CLUSTER), valued, count

    def touched(
        self, clusters: DataFrame, pairs: DataFrame, now: Asked, gone: Asked
    ) -> tuple[DataFrame, DataFrame, int]:
        """Redo what a change touches: `now` are the pairs with new evidence, `gone` all whose old evidence is void.

        `clusters` and `pairs` are those of the last run.
        """
        ends = self._frame(pa.table({"position": np.unique(np.concatenate((gone.u, gone.v)))}))
        touched = clusters.join(sf.broadcast(ends), "position").select("component").distinct()
        affected = clusters.join(sf.broadcast(touched), "component").select("position", "cluster")
        affected = self._keep(affected, "affected")
        roots = self._keep(affected.select("cluster").distinct(), "affected-roots")
        void = self._frame(gone.table()).select("u", "v")
        fresh = self._frame(now.table()).select(*_PAIR)
        standing = pairs.join(sf.broadcast(void), ["u", "v"], "left_anti")
        inside = _at(_at(standing, roots, "a"), roots, "b").select(*_PAIR).union(fresh)
        members, count = self.cluster(self._keep(inside, "touched"), affected.select("position"))

        # A separation is a smallest value: where that was to a cluster that has changed, it has to be found again.
        beside = clusters.join(sf.broadcast(roots.withColumnRenamed("cluster", "nearest")), "nearest", "left_semi")
        stale = self._keep(beside.select("cluster").union(roots).distinct(), "stale")
        others = clusters.join(sf.broadcast(affected.select("position")), "position", "left_anti")
        known = others.select(*members.columns).union(members)
        at_stale = _at(standing, stale, "a").union(_at(_at(standing, stale, "a", "left_anti"), stale, "b"))
        part = self._keep(self.with_clusters(at_stale.select(*_PAIR).union(fresh), known), "joined-part")
        void_roots = stale.union(members.select("cluster")).distinct()
        owners = part.select(sf.least("a", "b").alias("cluster")).distinct().join(void_roots, "cluster", "left_anti")
        owners = self._keep(owners, "owners")
        own = self.with_clusters(_at(standing, owners, "a").where("a = b").select(*_PAIR), known)
        valued, distances = self.value(self._keep(part.union(own.select(*part.columns)), "joined"))

        kept = _at(_at(pairs, stale, "a", "left_anti"), stale, "b", "left_anti")
        kept = kept.where("a != b").union(_at(kept.where("a = b"), owners, "a", "left_anti"))
        return _nearest(known, others, void_roots, distances), kept.select(*_VALUED).union(valued), count

    def _frame(self, table: pa.Table) -> DataFrame:
        return self._spark.createDataFrame(table)


def _at(pairs: DataFrame, roots: DataFrame, side: str, how: str = "left_semi") -> DataFrame:
    """The pairs whose cluster on one side is among `roots`, or is not."""
    return pairs.join(sf.broadcast(roots.select(sf.col("cluster").alias(side))), side, how).select(*pairs.columns)


def _nearest(known: DataFrame, before: DataFrame, void: DataFrame, distances: DataFrame) -> DataFrame:
    """Clusters with their nearest: what was found now, or before where that is not `void` and nearer."""
    marked = sf.broadcast(void.withColumn("void", sf.lit(True)))
    looked = known.join(before.select("position", "separation", "nearest"), "position", "left")
    looked = looked.join(marked, "cluster", "left").join(distances, "cluster", "left")
    anew = sf.col("void").isNotNull() | sf.col("nearest").isNull()
    nearer = (anew | (sf.struct("apart", "other") < sf.struct("separation", "nearest"))) & sf.col("apart").isNotNull()
    separation = sf.when(nearer, sf.col("apart")).when(anew, 1.0).otherwise(sf.col("separation"))
    nearest = sf.when(nearer, sf.col("other")).when(anew, None).otherwise(sf.col("nearest"))
    return looked.withColumns({"separation": separation, "nearest": nearest}).select(*_CLUSTER)


def settings_of(clustering: str, evidence: str, seed: int, score: str, rules: str) -> dict[str, Any]:
    """What must be equal for a state to be reused; `rules` is a digest of the rules."""
    return {"clustering": clustering, "evidence": evidence, "seed": seed, "score": score, "rules": rules}
