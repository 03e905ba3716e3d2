"""Checks and numbers the input tables: a record's position is the rank of its id."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from askwise.errors import InputError, PairError, ProbabilityError, RecordError, TableError
from askwise.evidence.votes import CODES, Ballots
from askwise.labels import PROBABILITY, said_in
from askwise.pair_tables import LEFT, RIGHT, SCORES
from askwise.sources import Source
from askwise.spark.pair_arrays import SIZE
from askwise.spark.star_components import Keep
from askwise.tables import ID_COLUMN

NUMBER, WORKER, LABEL = "number", "worker", "label"
_WHOLE = {"tinyint", "smallint", "int", "bigint"}
_PLACES = 33  # monotonically_increasing_id has the number of the partition above this bit


def need(table: DataFrame, what: str, names: list[str]) -> None:
    """Raise an error that lists the columns if one of `names` is missing."""
    source = Source(what, tuple(table.columns), lambda _: [])
    for name in names:
        source.need(name, "Rename yours.")


def score_column(pairs: DataFrame, score: str | None) -> str:
    """The column that holds the scores."""
    need(pairs, "the pairs", [LEFT, RIGHT, *([score] if score else [])])
    found = score or next((name for name in SCORES if name in pairs.columns), None)
    if found is None:
        raise TableError(f"the pairs have no known column of scores ({', '.join(pairs.columns)}); name it: score=...")
    return found


def digest(table: DataFrame, names: list[str]) -> tuple[int, int]:
    """How many rows a table has, and a hash of them that does not depend on their order."""
    row = table.agg(sf.count("*"), sf.bit_xor(sf.xxhash64(*names))).first()
    assert row is not None
    return row[0], row[1] or 0


def numbered(records: DataFrame, keep: Keep) -> DataFrame:
    """The ids with their positions."""
    grouped = records.groupBy(ID_COLUMN).agg(sf.count("*").alias("times")).orderBy(ID_COLUMN)
    placed = keep(grouped.withColumn("place", sf.monotonically_increasing_id()), "sorted")
    bad = placed.where((sf.col("times") > 1) | sf.col(ID_COLUMN).isNull()).first()
    if bad is not None and bad[ID_COLUMN] is None:
        raise RecordError(f"the records have a row without {ID_COLUMN}; every record needs one")
    if bad is not None:
        raise RecordError(f"record {bad[ID_COLUMN]!r} is given {bad['times']} times; ids must be unique")
    part = sf.shiftright("place", _PLACES).alias("part")
    counts = sorted(placed.groupBy(part).count().collect())
    total = sum(count for _, count in counts)
    if not 0 < total < SIZE:
        raise RecordError(f"there are {total:,} records: at least one is needed, and {SIZE - 1:,} are the most")
    offsets = np.cumsum([0, *(count for _, count in counts)])
    starts = [(part, int(at)) for (part, _), at in zip(counts, offsets, strict=False)]
    offset = placed.sparkSession.createDataFrame(starts, "part long, offset long")
    found = placed.withColumn("part", part).join(sf.broadcast(offset), "part")
    rank = sf.col("place") - sf.shiftleft("part", _PLACES) + sf.col("offset")
    return keep(found.select(rank.alias("position"), ID_COLUMN), "records")


def positioned(table: DataFrame, records: DataFrame, how: str) -> DataFrame:
    """A table with the positions of its records, `one` and `two`, in addition to their ids."""
    kinds = dict(table.dtypes) | {ID_COLUMN: dict(records.dtypes)[ID_COLUMN]}
    for name in (LEFT, RIGHT):
        if kinds[name] != kinds[ID_COLUMN] and not {kinds[name], kinds[ID_COLUMN]} <= _WHOLE:
            raise TableError(f"{name} is {kinds[name]}, but {ID_COLUMN} is {kinds[ID_COLUMN]}; cast one of them")
    for name, position in ((LEFT, "one"), (RIGHT, "two")):
        named = records.select(sf.col(ID_COLUMN).alias(name), sf.col("position").alias(position))
        table = table.join(named, name, how)
    return table


def numbered_pairs(pairs: DataFrame, score: str, records: DataFrame, keep: Keep) -> DataFrame:
    """The scored pairs by position, each once, the smaller first."""
    value = sf.col(score).try_cast("double").alias("score")
    given = pairs.select(LEFT, RIGHT, value)
    both = positioned(given, records, "inner").select(
        sf.least("one", "two").alias("u"), sf.greatest("one", "two").alias("v"), "score"
    )
    low, high = sf.min("score").alias("score"), sf.max("score").alias("high")
    grouped = both.groupBy("u", "v").agg(low, high, sf.count("*").alias("times"), sf.count("score").alias("scored"))
    found = keep(grouped, "pairs")
    row = found.agg(sf.sum("times"), sf.count("*")).first()
    assert row is not None
    if (row[0] or 0) != pairs.count():
        _unknown(given, records, "the pairs")
    wrong = found.where("u = v OR scored < times OR high > score OR isnan(high) OR abs(high) = double('infinity')")
    bad = _with_ids(wrong.limit(1), records).first()
    if bad is not None:
        _refuse(bad.asDict())
    return found.select("u", "v", "score")


def _with_ids(pairs: DataFrame, records: DataFrame) -> DataFrame:
    for name, position in ((LEFT, "u"), (RIGHT, "v")):
        pairs = pairs.join(records.select(sf.col("position").alias(position), sf.col(ID_COLUMN).alias(name)), position)
    return pairs


def _refuse(bad: dict[str, Any]) -> None:
    pair = f"the pair ({bad[LEFT]!r}, {bad[RIGHT]!r})"
    if bad["u"] == bad["v"]:
        raise PairError(f"{pair} is a record with itself; leave that row out")
    if bad["scored"] < bad["times"] or not np.isfinite(bad["high"]):
        raise ProbabilityError(f"{pair} has a score that is not a finite number")
    raise PairError(f"{pair} is given twice, with the scores {bad['score']:g} and {bad['high']:g}; give each pair once")


def _unknown(table: DataFrame, records: DataFrame, what: str) -> None:
    """An error that names an id that is not among the records."""
    for name in (LEFT, RIGHT):
        known = records.select(sf.col(ID_COLUMN).alias(name))
        bad = table.join(known, name, "left_anti").first()
        if bad is not None:
            raise RecordError(f"{what}: {name} is {bad[name]!r}, which is not among the records")


def first_ballots(said: Ballots, count: int) -> Ballots:
    """The first `count` votes."""
    return Ballots(said.left[:count], said.right[:count], said.workers[:count], said.labels[:count])


NO_VOTES = Ballots(np.empty(0, np.int32), np.empty(0, np.int32), [], np.empty(0, np.int8))


def ballots(votes: DataFrame, records: DataFrame) -> Ballots:
    """The votes, checked, in the order of the column `number`."""
    need(votes, "the votes", [LEFT, RIGHT, WORKER, LABEL, NUMBER])
    if dict(votes.dtypes)[NUMBER] == "string":  # out of a CSV file
        votes = votes.withColumn(NUMBER, sf.col(NUMBER).try_cast("bigint"))
    if PROBABILITY not in votes.columns:
        votes = votes.withColumn(PROBABILITY, sf.lit(None).cast("double"))
    names = (LEFT, RIGHT, WORKER, LABEL, PROBABILITY, NUMBER)
    table = positioned(votes.select(*names), records, "left").orderBy(NUMBER).toArrow()
    columns = {name: table.column(name).to_pylist() for name in (*names, "one", "two")}
    numbers = columns[NUMBER]
    source = Source("the votes", tuple(columns), lambda _: [], numbers.__getitem__)
    for before, number in zip([None, *numbers], numbers, strict=False):
        if number is None or number == before:
            raise InputError(f"the votes: the {NUMBER} {number!r} is missing or given twice; it is their order")
    for at, (one, two, worker) in enumerate(zip(columns["one"], columns["two"], columns[WORKER], strict=True)):
        place = f"the votes, {NUMBER} {numbers[at]}"
        if one is None or two is None:
            unknown = columns[LEFT if one is None else RIGHT][at]
            raise RecordError(f"{place}: record {unknown!r} is not among the records")
        if one == two:
            raise PairError(f"{place}: record {columns[LEFT][at]!r} is paired with itself")
        if worker is None:
            raise InputError(f"{place}: the worker is missing; every vote needs one")
    said = list(zip(columns[LABEL], columns[PROBABILITY], strict=True))
    first = {one: at for at, one in reversed(list(enumerate(said)))}
    code = {one: CODES[said_in(source, at, *one)] for one, at in first.items()}
    ends = np.array([columns["one"], columns["two"]], np.int32).reshape(2, -1)
    return Ballots(ends.min(axis=0), ends.max(axis=0), columns[WORKER], np.array([code[one] for one in said], np.int8))


def named(position: Column | str, name: str, records: DataFrame, table: DataFrame) -> DataFrame:
    """A table with the id of a position in the column `name`."""
    ids = records.select(sf.col("position").alias("_position"), sf.col(ID_COLUMN).alias(name))
    at = sf.col(position) if isinstance(position, str) else position
    return table.join(ids, at == sf.col("_position"), "left").drop("_position")
