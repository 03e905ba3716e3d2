"""Connected components of a graph of any size: alternating large-star and small-star.

Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii: Connected Components in MapReduce and Beyond (SoCC 2014,
doi:10.1145/2670979.2670997). Every round hangs each record's neighbours on the smallest record that it sees; a
component ends as a star around its smallest. The number of rounds grows with the logarithm of the number of records.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from askwise.errors import AskwiseError

_MOST_ROUNDS = 100

Keep = Callable[[DataFrame, str], DataFrame]
"""Writes a table under a name and reads it back: what was computed is not computed again."""


def components(edges: DataFrame, keep: Keep) -> DataFrame:
    """For each record with an edge (u, v), as `position`, the smallest record of its `component`."""
    stars = edges.select("u", "v")
    before = None
    for number in range(_MOST_ROUNDS):
        stars = keep(_small_star(_large_star(stars)), f"stars-{number}")
        now = stars.agg(sf.count("*"), sf.bit_xor(sf.xxhash64("u", "v"))).first()
        if now == before:
            break
        before = now
    else:
        raise AskwiseError(f"connected components did not settle in {_MOST_ROUNDS} rounds")
    leaves = stars.select(sf.col("v").alias("position"), sf.col("u").alias("component"))
    centres = stars.select(sf.col("u").alias("position"), sf.col("u").alias("component")).distinct()
    return leaves.union(centres)


def _large_star(edges: DataFrame) -> DataFrame:
    """Hang every larger neighbour of a record on the smallest record around it."""
    both = edges.union(edges.select(sf.col("v").alias("u"), sf.col("u").alias("v")))
    least = sf.least("u", sf.min("v").over(Window.partitionBy("u")))
    found = both.select("u", "v", least.alias("least")).where("v > u")
    return found.select(sf.col("least").alias("u"), "v")


def _small_star(edges: DataFrame) -> DataFrame:
    """Hang a record, and every smaller neighbour of it, on the smallest of them. Edges are (smaller, larger)."""
    least = sf.min("u").over(Window.partitionBy("v"))
    found = edges.select("u", "v", least.alias("least"))
    hung = found.select(sf.col("least").alias("u"), sf.explode(sf.array("u", "v")).alias("v"))
    return hung.where("u < v").distinct()
