"""The kind of a column: text, numbers, dates, vectors, or empty."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]

# Digits that a number would lose stay text: leading zeros (zip codes, phones), and more than a float can hold.
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d{0,14})(?:\.\d*)?|\.\d+)(?:[eE][+-]\d{1,3})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_EXACT = 2**53
LEAST_NUMBERS = 4
"""Lists of fewer numbers are texts."""


def present(value: Any) -> Any:
    """The value as plain Python, or None if it is missing: None, NaN, an empty or blank text."""
    if isinstance(value, str):
        return value if value and not value.isspace() else None
    if value is None:
        return None
    try:
        if value != value:
            return None
    except (TypeError, ValueError):
        if type(value).__name__ == "NAType":  # pandas.NA is not equal to anything, nor unequal
            return None
    return value.item() if isinstance(value, np.generic) else value


def column_of(values: Sequence[Any]) -> tuple[str, Column]:
    """The kind of a column and its values: float64 with NaN, datetime64 with NaT, or objects, texts and None.

    Vectors are float32, a row for each record, NaN where it is missing.
    """
    known = [present(value) for value in values]
    if all(value is None for value in known):
        return "empty", np.full(len(known), None, object)
    vectors = _vectors(known)
    if vectors is not None:
        return "vector", vectors
    numbers = _converted(known, _number)
    if numbers is not None:
        return "number", np.array([math.nan if value is None else value for value in numbers], np.float64)
    dates = _converted(known, _moment)
    if dates is not None:
        whole = all(moment is None or moment.time() == time() for moment in dates)
        return "date", np.array(dates, "datetime64[D]" if whole else "datetime64[s]")
    texts = np.empty(len(known), object)
    texts[:] = [None if value is None else text_of(value) for value in known]
    return "text", texts


def column_texts(kind: str, column: Column) -> list[str | None]:
    """The values of a column as texts, None where missing; vectors have none."""
    if kind == "vector":
        return [None] * len(column)
    if kind == "number":
        return [None if math.isnan(value) else number_text(value) for value in column.tolist()]
    if kind == "date":
        return [None if text == "NaT" else text for text in np.datetime_as_string(column).tolist()]
    texts: list[str | None] = column.tolist()
    return texts


def text_of(value: Any) -> str:
    """Any value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def number_text(value: float) -> str:
    """A number without a needless `.0`."""
    return str(int(value)) if value.is_integer() and abs(value) < 10 * _EXACT else repr(value)


def _converted(known: Sequence[Any], convert: Callable[[Any], Any]) -> list[Any] | None:
    """All values converted, None for missing ones; or None if one of them cannot be converted."""
    found = []
    for value in known:
        if value is not None:
            value = convert(value)
            if value is None:
                return None
        found.append(value)
    return found


def _vectors(known: Sequence[Any]) -> Column | None:
    """The values as rows of numbers, if all known ones are lists of finite numbers of one length; else None."""
    rows, width = [], 0
    for value in known:
        row = None if value is None else _vector(value)
        if row is None and value is not None:
            return None
        if row is not None:
            width = width or row.size
            if row.size != width:
                return None
        rows.append(row)
    found = np.full((len(rows), width), np.nan, np.float32)
    for at, row in enumerate(rows):
        if row is not None:
            found[at] = row
    return found


def _vector(value: Any) -> Column | None:
    if isinstance(value, str):
        if not (value.startswith("[") and value.rstrip().endswith("]")):
            return None
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list | tuple | np.ndarray) or isinstance(value, np.ma.MaskedArray):
        return None
    try:
        row = np.asarray(value)
        if row.ndim != 1 or row.size < LEAST_NUMBERS or row.dtype.kind not in "fiu":
            return None
        row = row.astype(np.float32)
    except (ValueError, OverflowError):
        return None
    return row if np.isfinite(row).all() else None


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        value = value.strip()
        return float(value) if _NUMBER.fullmatch(value) else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return float(value) if abs(value) <= _EXACT else None
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    return None


def _moment(value: Any) -> datetime | None:
    if isinstance(value, str):
        value = value.strip()
        if not _DATE.fullmatch(value):
            return None
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return datetime.combine(value, time()) if isinstance(value, date) else None
