"""Reads columns from files, frames of any library, mappings and lists of dicts.

DuckDB reads CSV and Parquet. Python reads JSON, which keeps the type of every value. Frames give their columns
themselves, so none of their libraries is imported here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwise.errors import TableError
from askwise.json_text import from_json
from askwise.kinds import text_of

Values = list[Any]
_TEXT_FILES = (".csv", ".tsv", ".txt")
ENDINGS = (*_TEXT_FILES, *(f"{ending}.gz" for ending in _TEXT_FILES), ".parquet", ".json", ".jsonl")
"""How the names of files with tables end."""

# Types that DuckDB hands over as arrays without loss; columns of others come row by row.
DAMAGED = (RuntimeError, UnicodeDecodeError, OverflowError, MemoryError)
"""What DuckDB raises beside errors of its own, if a file was changed."""

_ZIP = b"PK\x03\x04"
_PLAIN_TYPES = ("BIGINT", "INTEGER", "SMALLINT", "TINYINT", "DOUBLE", "VARCHAR", "FLOAT[]", "DOUBLE[]")
_READABLE = "a path (.csv, .tsv, .txt, .parquet, .json, .jsonl), a frame, a mapping of columns or a list of dicts"


@dataclass(frozen=True)
class Source:
    """Named columns that can be loaded, and the names that errors give to rows."""

    what: str
    names: tuple[str, ...]
    load: Callable[[Sequence[str]], list[Values]]
    line_of: Callable[[int], int] | None = None
    place: Callable[[int], str] | None = None

    def row(self, at: int) -> str:
        """The name of row `at` (counted from 0) for people."""
        if self.place is not None:
            return self.place(at)
        if self.line_of is not None:
            return f"{self.what} line {self.line_of(at)}"
        return f"{self.what} row {at + 1}"

    def need(self, name: str, remedy: str) -> None:
        """Raise an error that lists the columns if `name` is not one of them."""
        if name not in self.names:
            columns = ", ".join(map(repr, self.names)) or "none"
            raise TableError(f"{self.what} has no column {name!r}; its columns are: {columns}. {remedy}")


def sourced_id(source: str, record: Any) -> str:
    """An id with the source of its record in front, for sources that share ids."""
    return f"{source}:{text_of(record)}"


def open_source(source: Any) -> Source:
    """The columns of a path, a frame, a mapping of columns or a list of dicts."""
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        return _file(Path(source))
    if callable(getattr(source, "as_duckdbpyrelation", None)):  # a Splink frame, whatever its back end
        source = source.as_duckdbpyrelation()
    if isinstance(source, Mapping):
        return _mapping(source, "the mapping")
    if callable(getattr(source, "fetchnumpy", None)) and hasattr(source, "project"):
        return _relation(source, "the relation")
    if hasattr(source, "columns") and hasattr(source, "__getitem__"):
        return _frame(source)
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        return _rows(list(source), "the list")
    raise TableError(f"cannot read a table from {source!r}; give {_READABLE}")


def _file(path: Path) -> Source:
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    packed = endings[-1:] == [".gz"]
    ending = "".join(endings[-2:-1] if packed else endings[-1:])
    try:
        with path.open("rb") as file:
            start = file.read(len(_ZIP))
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from None
    if start == _ZIP:
        raise TableError(f"{path} is a spreadsheet or a ZIP file, whatever its name says; save the table as CSV UTF-8")
    if ending in _TEXT_FILES:
        from askwise.csv_files import csv_source

        return csv_source(path, packed)
    if packed:
        raise TableError(f"cannot read {path}: of compressed files, only .csv.gz, .tsv.gz and .txt.gz are read")
    if ending in (".parquet", ".pq"):
        return _parquet(path)
    if ending in (".json", ".jsonl", ".ndjson"):
        return _json(path, by_line=ending != ".json")
    raise TableError(f"cannot tell from the name {path} what it is; give {_READABLE}")


def _parquet(path: Path) -> Source:
    import duckdb

    try:
        return _relation(duckdb.connect().from_parquet(plain_path(path)), str(path))
    except (duckdb.Error, *DAMAGED) as error:
        raise TableError(f"cannot read {path} as Parquet: {first_line(error)}") from None


def plain_path(path: Path) -> str:
    """The path, escaped so that DuckDB reads no wildcards in it."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path))


def first_line(error: Exception) -> str:
    """The first line of an error, without the advice after it."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def _relation(relation: Any, what: str) -> Source:
    import duckdb

    names = _checked_names(relation.columns, what)
    types = dict(zip(names, map(str, relation.types), strict=True))

    def load(wanted: Sequence[str]) -> list[Values]:
        try:
            chosen = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in wanted))
            if all(types[name] in _PLAIN_TYPES for name in wanted):
                return [found.tolist() for found in chosen.fetchnumpy().values()]
            rows = chosen.fetchall()
        except (duckdb.Error, *DAMAGED) as error:
            raise TableError(f"cannot read {what}: {first_line(error)}") from None
        return [[row[at] for row in rows] for at in range(len(wanted))]

    return Source(what, names, load)


def _json(path: Path, by_line: bool) -> Source:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    lines = [(at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        if not by_line:
            found = from_json(text)
            if isinstance(found, Mapping):
                return _mapping(found, str(path))
            return _rows(found, str(path))
    except json.JSONDecodeError as error:
        raise TableError(f"{path} line {error.lineno}: not JSON ({error.msg}, column {error.colno})") from None
    rows = []
    for at, line in lines:
        try:
            rows.append(from_json(line))
        except json.JSONDecodeError as error:
            raise TableError(f"{path} line {at}: not JSON ({error.msg}, column {error.colno})") from None
    return _rows(rows, str(path), [at for at, _ in lines])


def _rows(rows: Any, what: str, lines: list[int] | None = None) -> Source:
    if not isinstance(rows, list):
        raise TableError(f"{what} must hold rows, each a mapping from column to value, not {_short(rows)}")
    if not rows:
        raise TableError(f"{what} has no rows: at least one is needed")
    names: dict[str, None] = {}
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            place = f"line {lines[at]}" if lines else f"row {at + 1}"
            several = "; read several files with read_sources" if is_table_file(row) else ""
            raise TableError(f"{what} {place}: {_short(row)} is not a mapping from column to value{several}")
        names.update(dict.fromkeys(row))
    return Source(
        what,
        _checked_names(names, what),
        lambda wanted: [[row.get(name) for row in rows] for name in wanted],
        None if lines is None else lines.__getitem__,
    )


def _mapping(columns: Mapping[Any, Any], what: str) -> Source:
    found: dict[str, Values] = {}
    for name, values in columns.items():
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise TableError(f"{what}: column {name!r} must be a list of values, not {_short(values)}")
        found[name] = _listed(values)
    names = _checked_names(found, what)
    for name in names:
        if len(found[name]) != len(found[names[0]]):
            raise TableError(
                f"{what}: column {name!r} has {len(found[name])} values, "
                f"but column {names[0]!r} has {len(found[names[0]])}; all columns need the same number"
            )
    return Source(what, names, lambda wanted: [found[name] for name in wanted])


def _frame(frame: Any) -> Source:
    columns = list(frame.columns)
    if columns and callable(getattr(columns[0], "to_pylist", None)):  # pyarrow: the columns themselves
        columns = frame.column_names

    def load(wanted: Sequence[str]) -> list[Values]:
        try:
            return [_listed(frame[name]) for name in wanted]
        except Exception as error:
            raise TableError(
                f"cannot read the columns of a {type(frame).__name__} ({first_line(error)}); "
                "collect it first, or write it to Parquet"
            ) from None

    return Source("the frame", _checked_names(columns, "the frame"), load)


def _listed(values: Any) -> Values:
    """A column of any library as plain Python values."""
    for method in ("to_pylist", "to_list", "tolist"):
        if callable(getattr(values, method, None)):
            found = getattr(values, method)()
            return found if isinstance(found, list) else [found]
    return list(values)


def _checked_names(columns: Iterable[Any], what: str) -> tuple[str, ...]:
    names = tuple(columns)
    for at, name in enumerate(names):
        if not isinstance(name, str):
            raise TableError(f"{what}: column {name!r} must be named by a text; rename it")
        if name in names[:at]:
            raise TableError(f"{what}: two columns are called {name!r}; rename one")
    return names


def is_table_file(value: object) -> bool:
    """Whether a value looks like the path of a table."""
    return isinstance(value, str | os.PathLike) and str(value).lower().endswith(ENDINGS) and Path(value).is_file()


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
