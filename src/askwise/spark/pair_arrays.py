"""Scored pairs on the driver, and back on the workers with the features from all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from askwise.arrays import Floats, Int64s, Singles
from askwise.evidence.scores import machine_of

TRAITS = ("third", "common", "rival")
"""The columns of what its neighbours say of a pair (evidence/common_neighbours.py)."""

SIZE = np.int64(2**31)
"""More than there are records: u * SIZE + v is a number for each pair, in the order of pairs."""

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
    left, right, score, traits = pairs_in(pairs.toArrow())
    order = np.lexsort((right, left))
    return Pairs(left[order], right[order], score[order], traits[order])


def pairs_in(table: pa.Table | pa.RecordBatch) -> Pairs:
    """The pairs that a table has, with as many traits."""
    names = [name for name in TRAITS if name in table.schema.names]
    traits: Singles = np.empty((table.num_rows, len(names)), np.float32)
    for at, name in enumerate(names):
        traits[:, at] = table.column(name).to_numpy()
    u, v, score = (table.column(name).to_numpy() for name in ("u", "v", "score"))
    return Pairs(u, v, score, traits)


def with_neighbours(pairs: Pairs, records: int) -> Iterator[pa.Table]:
    """All pairs in order, with what their neighbours say, part by part."""
    left, right, score, _ = pairs
    traits = machine_of(score, left.astype(np.int32), right.astype(np.int32), records).traits
    for first in range(0, max(score.size, 1), _PART):
        part = slice(first, first + _PART)
        neighbours = {name: traits[part, at] for at, name in enumerate(TRAITS)}
        yield pa.table({"u": left[part], "v": right[part], "score": score[part], **neighbours})
