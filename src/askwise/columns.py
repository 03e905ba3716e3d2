"""What the columns of a table are used for: matching, showing, or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from askwise.errors import InputError, UnknownNameError
from askwise.kinds import Column

PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff", ".avif")
_WRITTEN_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")
_CODE = re.compile(r"(?=\D*\d)[\w.:/-]+")
_SIGNS = re.compile(r"[\W_]+")
LEAST_RECORDS = 20
"""Among fewer records, values that are all different say little about a column."""

SPARSEST_IDS = 10
"""Whole numbers with wider gaps than this on average are not ids; populations, for example."""

_MOSTLY = 0.9
"""The share of a column's values that must look like something for the column to look like it."""

_SAMPLE = 1000


@dataclass(frozen=True, slots=True)
class Use:
    """Which columns records are matched on, which people see, and which are ignored.

    `match` None: all that may tell entities apart (see `Table.compared`). `show` None: all that are not ignored.
    """

    match: tuple[str, ...] | None = None
    show: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()


def use_of(match: object = None, show: object = None, ignore: object = ()) -> Use:
    """A `Use` from names: lists of them, or texts with commas."""
    return Use(
        None if match is None else _names("match", match),
        None if show is None else _names("show", show),
        () if ignore is None else _names("ignore", ignore),
    )


def checked_use(use: Use, columns: Sequence[str], source_column: str) -> Use:
    """Check a use: every name is a column, and none is both ignored and used."""
    for what, names in (("match", use.match or ()), ("show", use.show or ()), ("ignore", use.ignore)):
        for name in names:
            need_column(name, columns, what)
    if use.match is not None and not use.match:
        raise InputError("match names no column; name at least one, or leave it out")
    if source_column in (use.match or ()):
        raise InputError(f"{source_column!r} says where a record is from; records cannot be matched on it")
    for name in use.ignore:
        if name in (use.match or ()) or name in (use.show or ()):
            raise InputError(f"the column {name!r} is ignored, so it cannot be matched on or shown; choose one")
    return use


def need_column(name: str, columns: Sequence[str], what: str) -> None:
    """Raise an error that suggests the nearest names if there is no such column."""
    if name in columns:
        return
    lower = {column.casefold(): column for column in reversed(columns)}
    near = [lower[one] for one in get_close_matches(name.casefold(), list(lower), 3, 0.5)]
    hint = (
        f"do you mean {' or '.join(map(repr, near))}?" if near else f"the columns are: {', '.join(columns) or 'none'}"
    )
    raise UnknownNameError(f"{what}: there is no column {name!r}; {hint}")


def look_of(kind: str, column: Column) -> str:
    """What a column looks like, if that matters: "id", "picture", "date", "constant", "empty", "vector" or ""."""
    if kind in ("empty", "date", "vector"):
        return kind
    if kind == "number":
        return _look_of_numbers(column[~np.isnan(column)], len(column))
    texts = [text for text in column.tolist() if text is not None]
    if len(texts) == len(column) and len(set(texts)) == 1:
        return "constant"
    some = [text.strip() for text in texts[:: len(texts) // _SAMPLE + 1]]
    if _mostly(some, lambda text: text.lower().endswith(PICTURE_ENDINGS)):
        return "picture"
    if _mostly(some, lambda text: _WRITTEN_DATE.fullmatch(text) is not None):
        return "date"
    # Codes that every record has, no two the same but for signs: "A-17" and "a17" are one.
    if len(column) >= LEAST_RECORDS and _mostly(some, lambda text: _CODE.fullmatch(text) is not None):
        return "id" if len({_SIGNS.sub("", text.casefold()) for text in texts}) == len(column) else ""
    return ""


def _look_of_numbers(numbers: Column, records: int) -> str:
    """Ids that are numbers are whole, all different, and close together."""
    if numbers.size < records:
        return ""
    span = float(numbers.max() - numbers.min())
    if span == 0.0:
        return "constant"
    dense = records >= LEAST_RECORDS and span < SPARSEST_IDS * records and bool((numbers % 1 == 0).all())
    return "id" if dense and np.unique(numbers).size == records else ""


def _mostly(texts: list[str], holds: Callable[[str], bool]) -> bool:
    return sum(map(holds, texts)) >= _MOSTLY * len(texts) > 0


def _names(what: str, names: object) -> tuple[str, ...]:
    listed = names.split(",") if isinstance(names, str) else names
    if not isinstance(listed, Iterable):
        raise InputError(f"{what} must name columns, not {names!r}")
    found = [name.strip() if isinstance(name, str) else name for name in listed]
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"{what} must name columns by texts, not {name!r}")
    return tuple(dict.fromkeys(name for name in found if name))
