"""How alike two records are, field by field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int32s, Singles
from askwise.blocking.embedded import embedded_similarity
from askwise.blocking.texts import plain, record_texts
from askwise.blocking.vectors import vectors_of
from askwise.kernels.common_subsequence import shared_in_order
from askwise.kinds import column_texts
from askwise.parallel import Parts
from askwise.tables import Table

GRAM = 3
MOST_LETTERS = 256
"""Of longer texts, as many letters are compared in order: the time goes with the square."""

MOST_MISSING = 0.98
"""A field that is missing in nearly all pairs says nothing."""


@dataclass(frozen=True)
class Similarity:
    """One way in which the records of pairs are alike, from 0 to 1, NaN where it cannot be said."""

    name: str
    value: NDArray[np.float32]


def whole_similarities(table: Table, left: Int32s, right: Int32s, parts: Parts) -> list[Similarity]:
    """Four of whole records: the cosine of their grams, how many rare ones they share, how rare the rarest is, and how
    much of their texts is the same in the same order.

    The last may be high because both records are from one shop, which words all its goods alike: so only votes say what
    it is worth.
    """
    texts = record_texts(table, table.compared)
    short = vectors_of(texts, parts, GRAM)
    cosine = short.cosines(left, right, parts)
    if all(table.kinds[name] == "vector" for name in table.compared):
        cosine = _vectors_alone(table, left, right, parts)
    return [
        Similarity("whole record", cosine.astype(np.float32)),
        Similarity("rare parts shared", short.shared_part(left, right, parts).astype(np.float32)),
        Similarity("rarest part shared", vectors_of(texts, parts).rarest_shared(left, right, parts).astype(np.float32)),
        Similarity("text in the same order", _in_order(texts, left, right, parts)),
    ]


def _in_order(texts: Sequence[str], left: Int32s, right: Int32s, parts: Parts) -> Singles:
    """The part of two texts that is the same in the same order."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    used = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    used[codes] = True
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=starts[1:])
    tail = starts, number[codes], int(used.sum()), MOST_LETTERS
    found = parts.each("scoring", left.size, 1 << 18, lambda a, b: shared_in_order(left[a:b], right[a:b], *tail))
    return np.concatenate([np.empty(0, np.float32), *found])


def _vectors_alone(table: Table, left: Int32s, right: Int32s, parts: Parts) -> Floats:
    """How alike records are that have vectors and nothing else: by the vectors that are most alike."""
    found = [embedded_similarity(table.columns[name], left, right, parts) for name in table.compared]
    return np.asarray(np.fmax.reduce([np.zeros(left.size), *found]), np.float64)


def field_similarities(table: Table, left: Int32s, right: Int32s, parts: Parts) -> list[Similarity]:
    """One of each field that says anything: of texts the cosine of grams, of numbers and dates how near they are."""
    found = []
    for name in table.compared:
        kind = table.kinds[name]
        if kind == "text":
            value = _texts(table, name, left, right, parts)
        elif kind in ("number", "date"):
            value = _numbers(table, name, left, right)
        elif kind == "vector":
            value = embedded_similarity(table.columns[name], left, right, parts)
        else:
            continue
        known = value[~np.isnan(value)]
        if known.size > (1.0 - MOST_MISSING) * value.size and known.std() > 1e-6:
            found.append(Similarity(name, value.astype(np.float32)))
    return found


def _texts(table: Table, name: str, left: Int32s, right: Int32s, parts: Parts) -> Floats:
    """The cosines of grams; each value of the column is read once, however many records have it."""
    distinct: dict[str | None, int] = {}
    values = column_texts(table.kinds[name], table.columns[name])
    number = np.fromiter((distinct.setdefault(value, len(distinct)) for value in values), np.int32, len(values))
    texts = [plain(value or "") for value in distinct]
    missing: Bools = np.array([not text.strip() for text in texts])
    left, right = number[left], number[right]
    value = vectors_of(texts, parts, GRAM, np.bincount(number)).cosines(left, right, parts)
    value[missing[left] | missing[right]] = np.nan
    return value


def _numbers(table: Table, name: str, left: Int32s, right: Int32s) -> Floats:
    """1 - the difference, relative to the larger of two numbers, or to a month of two dates."""
    column = table.columns[name]
    if table.kinds[name] == "date":
        days = column.astype("datetime64[s]").astype(np.float64) / 86_400.0
        days[np.isnat(column)] = np.nan
        return np.asarray(1.0 / (1.0 + np.abs(days[left] - days[right]) / 30.0), np.float64)
    one, two = column[left], column[right]
    scale = np.maximum(np.maximum(np.abs(one), np.abs(two)), 1e-12)
    return np.asarray(np.maximum(1.0 - np.abs(one - two) / scale, 0.0), np.float64)
