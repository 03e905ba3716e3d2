"""Chooses the next questions, on the driver, among the best pairs of all buckets."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from askwise.arrays import Int32s, Int64s
from askwise.candidate_pairs import ScoredPairs
from askwise.graph import UncertainGraph
from askwise.kernels.question_values import Worth
from askwise.records import Records
from askwise.spark.membership import membership_of
from askwise.strategies.question import Question, named
from askwise.strategies.shortlist import Shortlist
from askwise.strategies.wise import best_rows
from askwise.tables import ID_COLUMN

_AHEAD, _SOME = 64, 4096
"""More than the strategy itself looks at for each question."""


def next_questions(pairs: DataFrame, clusters: DataFrame, records: DataFrame, k: int) -> list[Question]:
    """The `k` questions that the strategy chooses, given the worth of all pairs."""
    order = (sf.col("value").desc(), sf.col("u"), sf.col("v"))
    best = pairs.where("value > 0").orderBy(*order).limit(_AHEAD * k + _SOME)
    table = best.select("u", "v", "p", "a", "b", "value", "chance", "change").toArrow()
    table = table.sort_by([("u", "ascending"), ("v", "ascending")])
    if not table.num_rows:
        return []
    u, v, p, a, b, value, chance, change = (column.to_numpy() for column in table.columns)
    nodes = np.unique(np.concatenate((u, v, a, b)))
    ids, sizes = _known(nodes, clusters, records)
    left, right, roots_left, roots_right = (_place(nodes, side) for side in (u, v, a, b))
    known = Records(ids)
    graph = UncertainGraph(known, candidates=ScoredPairs(known.ids, left, right, p))
    graph.set_evidence(graph.rows_of(left, right), p)
    label = np.arange(nodes.size, dtype=np.int32)
    label[left], label[right] = roots_left, roots_right
    groups = membership_of(label, sizes, graph.values)
    worth = Worth(value.copy(), chance.copy(), change.astype(np.int8), np.zeros(value.size, np.bool_))
    chosen = best_rows(k, graph, worth, Shortlist(value.size)).batch(k, groups, False)
    return named(graph, groups, chosen.left, chosen.right, chosen.value, chosen.change.tolist())


def _place(nodes: Int64s, side: Int64s) -> Int32s:
    return np.searchsorted(nodes, side).astype(np.int32)


def _known(nodes: Int64s, clusters: DataFrame, records: DataFrame) -> tuple[list[object], Int32s]:
    """The ids of some records, and the sizes of their clusters."""
    wanted = records.sparkSession.createDataFrame(pa.table({"position": nodes}))
    found = records.join(sf.broadcast(wanted), "position").select("position", ID_COLUMN)
    sized = clusters.join(sf.broadcast(wanted), "position").select("position", "size")
    table = found.join(sized, "position").toArrow().sort_by("position")
    return table.column(ID_COLUMN).to_pylist(), table.column("size").to_numpy().astype(np.int32)
