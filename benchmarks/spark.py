"""Spark on this machine: a million records with ten million scored pairs and votes, then a thousand votes more.

    python benchmarks/spark.py [records] [folder]

With up to 200,000 records, the clusters and questions are compared with those of the engine on one machine.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pyarrow.parquet as pq
from shared.made_pairs import made_pairs, pair_table, vote_table

from askwise import Resolution, ScoredPairs
from askwise.spark import Resolved, resolve_frames
from askwise.spark.session import session

QUESTIONS, MORE = 1000, 1000
COMPARED = 200_000


def differences(found: Resolved, engine: Resolution, questions: int) -> tuple[int, int]:
    """How many records have another cluster than the engine gives them, and how many of its questions are not asked."""
    roots, ids = engine.clustering.roots, engine.graph.records.ids
    rows = found.clusters.select("unique_id", "cluster_id").toArrow()
    cluster_of = dict(zip(rows.column(0).to_pylist(), rows.column(1).to_pylist(), strict=True))
    records = sum(cluster_of[name] != ids[root] for name, root in zip(ids, roots.tolist(), strict=True))
    asked = [(row.unique_id_l, row.unique_id_r) for row in found.questions.orderBy("rank").collect()]
    expected = [(one.left, one.right) for one in engine.next_questions(questions)]
    return records, sum(one != two for one, two in zip(asked, expected, strict=True))


def main(records: int = 1_000_000, folder: str | None = None) -> None:
    place = Path(folder or tempfile.mkdtemp())
    made = made_pairs(records, 12)
    votes = made.votes(records // 10 + MORE)
    pq.write_table(pa.table({"unique_id": made.ids}), place / "records.parquet")
    pq.write_table(pair_table(made), place / "pairs.parquet")
    spark = session("local[2]", "6g")
    spark.sparkContext.setLogLevel("ERROR")
    print(f"{records:,} records, {made.left.size:,} scored pairs, Spark {spark.version} on local[2]")
    for count in (records // 10, records // 10 + MORE):
        pq.write_table(vote_table(votes[:count]), place / "votes.parquet")
        tables = [spark.read.parquet(str(place / f"{name}.parquet")) for name in ("records", "pairs", "votes")]
        begin = perf_counter()
        found = resolve_frames(*tables, state=str(place / "state"), questions=QUESTIONS, progress=_times(begin))
        print(
            f"  {count:,} votes: {perf_counter() - begin:.0f} s; clustered {found.clustered:,} of "
            f"{found.components:,} components"
        )
        if records <= COMPARED:
            scored = ScoredPairs(made.ids, made.left, made.right, made.score)
            engine = Resolution(made.ids, scored, strategy="wise", votes=votes[:count])
            other, unlike = differences(found, engine, QUESTIONS)
            print(f"  beside one machine: {other} records in another cluster, {unlike} of {QUESTIONS} questions differ")
    spark.stop()


def _times(begin: float) -> Callable[[str], None]:
    return lambda step: print(f"    {perf_counter() - begin:6.0f} s {step}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1_000_000, sys.argv[2] if sys.argv[2:] else None)
