"""Rules on Spark, worked out on the driver from the fields that they are about."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from askwise.arrays import Floats, Int64s, found_in
from askwise.records import Records
from askwise.rules import NO_DUPLICATES, PAIRS, Constraints, Groups, Rule
from askwise.spark.inputs import need
from askwise.spark.pair_arrays import SIZE
from askwise.spark.vote_evidence import Asked
from askwise.tables import ID_COLUMN, SOURCE_COLUMN, Table


def worked_out(rules: list[Rule], records: DataFrame, ids: DataFrame) -> Constraints:
    """The rules for all records, by position; an error if they contradict each other.

    The driver holds the ids and the fields that rules are about.
    """
    if not rules:
        return Constraints.of(Records(range(1)))
    about = [SOURCE_COLUMN if one.kind == NO_DUPLICATES else one.field for one in rules if one.kind != PAIRS]
    fields = list(dict.fromkeys(about))
    need(records, "the records", fields)
    table = ids.join(records.select(ID_COLUMN, *fields), ID_COLUMN).toArrow().sort_by("position")
    columns = {name: table.column(name).to_pylist() for name in fields}
    known = Records(table.column(ID_COLUMN).to_pylist())
    found = Constraints.of(known, rules, Table.read({ID_COLUMN: known.ids, **columns}) if fields else None)
    found.check()
    return found


def digest_of(constraints: Constraints) -> str:
    """A hash of the rules."""
    groups = constraints.groups
    named = (*constraints.chained, constraints.left, constraints.right, constraints.same)
    digest = hashlib.sha256()
    for array in (groups.group, groups.values, *named):
        digest.update(array.tobytes() + b"|")
    return digest.hexdigest() if constraints else ""


def by_rule(groups: Groups, left: Int64s, right: Int64s, p: Floats) -> Floats:
    """The evidence for some pairs, 1 or 0 where rules settle them."""
    if groups.group.size <= 1:
        return p
    said = groups.settled(left.astype(np.int32), right.astype(np.int32))
    return np.where(said == 0, p, (said > 0).astype(np.float64))


def with_rules(asked: Asked, constraints: Constraints, pairs: DataFrame) -> tuple[Asked, Asked]:
    """The pairs that were asked, as rules settle them; and those that only rules name, neither asked nor listed."""
    asked = replace(asked, p=by_rule(constraints.groups, asked.u, asked.v, asked.p))
    left = np.concatenate((constraints.chained[0], constraints.left)).astype(np.int64)
    right = np.concatenate((constraints.chained[1], constraints.right)).astype(np.int64)
    keys, first = np.unique(np.minimum(left, right) * SIZE + np.maximum(left, right), return_index=True)
    number = np.empty(keys.size, np.int32)  # in the order in which rules name them
    number[np.argsort(first, kind="stable")] = np.arange(1, keys.size + 1)
    at, named = found_in(keys, asked.u * SIZE + asked.v)
    extra = np.where(asked.extra > 0, np.where(named, number[at] if keys.size else 0, asked.extra + keys.size), 0)
    asked = replace(asked, extra=extra.astype(np.int32))
    others = ~np.isin(keys, np.concatenate((asked.u * SIZE + asked.v, _listed(keys, pairs))))
    u, v = keys[others] // SIZE, keys[others] % SIZE
    nothing = np.full(u.size, np.nan)
    return asked, Asked(u, v, by_rule(constraints.groups, u, v, nothing), number[others])


def _listed(keys: Int64s, pairs: DataFrame) -> Int64s:
    """Those of some pairs that are candidates."""
    if not keys.size:
        return keys
    wanted = pairs.sparkSession.createDataFrame(pa.table({"u": keys // SIZE, "v": keys % SIZE}))
    found = pairs.select("u", "v").join(sf.broadcast(wanted), ["u", "v"]).toArrow()
    return np.asarray(found.column("u").to_numpy() * SIZE + found.column("v").to_numpy(), np.int64)
