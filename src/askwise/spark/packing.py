"""Packs components into buckets of about equal load; components that are too large are kept apart."""

from __future__ import annotations

import heapq
import logging

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

_HEAVY = 20
"""A component is placed by hand if it has more than this part of a bucket; for smaller ones chance will do."""

_log = logging.getLogger("askwise.spark")


def bucket_count(pairs: int, bucket: int, parallel: int) -> int:
    """Into how many buckets pairs go: `bucket` in each, and something for each core."""
    return max(parallel, -(-pairs // bucket), 1)


def packed(inner: DataFrame, pairs: int, bucket: int, largest: int) -> tuple[DataFrame, DataFrame | None]:
    """Pairs with a `bucket` for their `component`; and, if there are any, those of components with over `largest`."""
    spark = inner.sparkSession
    count = bucket_count(pairs, bucket, spark.sparkContext.defaultParallelism)
    loads = inner.groupBy("component").agg(sf.count("*").alias("load"))
    heavy = loads.where(sf.col("load") > min(bucket // _HEAVY, largest)).collect()
    giants = [row for row in heavy if row["load"] > largest]
    for row in giants:
        _log.warning(
            "a component has %s pairs, more than %s: it is clustered on the driver. Scores above 1/2 join records of "
            "many entities; have the matcher be stricter, or leave weak pairs out. If the workers have the memory, "
            "some 500 bytes a pair, raise `largest`.",
            f"{row['load']:,}",
            f"{largest:,}",
        )
    queue = [(0, at) for at in range(count)]
    placed = []
    for row in sorted(heavy, key=lambda row: (-row["load"], row["component"])):
        if row["load"] <= largest:
            load, at = heapq.heappop(queue)
            heapq.heappush(queue, (load + row["load"], at))
            placed.append((row["component"], at))
    chance = sf.pmod(sf.xxhash64("component"), sf.lit(count)).cast("int")
    aside = None
    if giants:
        apart = sf.broadcast(spark.createDataFrame([(row["component"],) for row in giants], "component long"))
        aside, inner = (inner.join(apart, "component", how) for how in ("left_semi", "left_anti"))
    places = sf.broadcast(spark.createDataFrame(placed, "component long, place int"))
    found = inner.join(places, "component", "left").withColumn("bucket", sf.coalesce("place", chance))
    return found.drop("place"), aside
