"""Scored pairs on the driver, and back to the workers with what one machine makes of all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from askwise.arrays import Floats, Int64s, Singles
from askwise.evidence.scores import machine_of

TRAITS = ("third", "common", "rival")
"""The columns of the company that a pair keeps (evidence/company.py)."""

_PART = 2_000_000
"""Rows that go to Spark at once: 36 bytes each, and a task may not be sent more than 128 MB."""


class Pairs(NamedTuple):
    """Pairs by position, with their scores and a column for each trait (none: nothing but the score is known)."""

    left: Int64s
    right: Int64s
    score: Floats
    traits: Singles


def collected(pairs: DataFrame) -> Pairs:
    """Scored pairs on the driver, in order."""
    table = pairs.toArrow()
    u, v = (table.column(name).to_numpy() for name in "uv")
    order = np.lexsort((v, u))
    return Pairs(u[order], v[order], table.column("score").to_numpy()[order], traits_in(table)[order])


def traits_in(table: pa.Table | pa.RecordBatch) -> Singles:
    """The traits that a table has, a column each."""
    names = [name for name in TRAITS if name in table.schema.names]
    found: Singles = np.empty((table.num_rows, len(names)), np.float32)
    for at, name in enumerate(names):
        found[:, at] = table.column(name).to_numpy()
    return found


def in_company(pairs: Pairs, records: int) -> Iterator[pa.Table]:
    """All pairs in order, with the company that they keep, part by part."""
    left, right, score, _ = pairs
    traits = machine_of(score, left.astype(np.int32), right.astype(np.int32), records).traits
    for first in range(0, max(score.size, 1), _PART):
        part = slice(first, first + _PART)
        company = {name: traits[part, at] for at, name in enumerate(TRAITS)}
        yield pa.table({"u": left[part], "v": right[part], "score": score[part], **company})
