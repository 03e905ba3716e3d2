"""How alike two records are, field by field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int32s
from askwise.blocking.embedded import embedded_similarity
from askwise.blocking.parallel import Parts
from askwise.blocking.texts import record_texts
from askwise.blocking.vectors import vectors_of
from askwise.tables import Table

GRAM = 3
TEXT_LEVELS: Floats = np.array([0.2, 0.4, 0.6, 0.8, 0.95])
NUMBER_LEVELS: Floats = np.array([0.5, 0.8, 0.9, 0.99, 1.0])
RARITY_LEVELS: Floats = np.array([0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
MOST_MISSING = 0.98
"""A field that is missing in nearly all pairs says nothing."""


@dataclass(frozen=True)
class Similarity:
    """One way in which the records of pairs are alike, from 0 to 1, NaN where it cannot be said.

    `levels` are the steps that matter when it is counted.
    """

    name: str
    value: NDArray[np.float32]
    levels: Floats


def whole_similarities(table: Table, left: Int32s, right: Int32s, parts: Parts) -> list[Similarity]:
    """Two of whole records: the cosine of their grams, and the rarest gram that they share."""
    texts = record_texts(table, table.compared)
    cosine = vectors_of(texts, parts, GRAM).cosines(left, right, parts)
    if all(table.kinds[name] == "vector" for name in table.compared):
        cosine = _vectors_alone(table, left, right, parts)
    rarest = vectors_of(texts, parts).rarest_shared(left, right, parts)
    return [
        Similarity("whole record", cosine.astype(np.float32), TEXT_LEVELS),
        Similarity("rarest part", rarest.astype(np.float32), RARITY_LEVELS),
    ]


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
            value, levels = _texts(table, name, left, right, parts), TEXT_LEVELS
        elif kind in ("number", "date"):
            value, levels = _numbers(table, name, left, right), NUMBER_LEVELS
        elif kind == "vector":
            value, levels = embedded_similarity(table.columns[name], left, right, parts), TEXT_LEVELS
        else:
            continue
        known = value[~np.isnan(value)]
        if known.size > (1.0 - MOST_MISSING) * value.size and known.std() > 1e-6:
            found.append(Similarity(name, value.astype(np.float32), levels))
    return found


def _texts(table: Table, name: str, left: Int32s, right: Int32s, parts: Parts) -> Floats:
    texts = record_texts(table, [name])
    missing: Bools = np.array([not text.strip() for text in texts])
    value = vectors_of(texts, parts, GRAM).cosines(left, right, parts)
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
