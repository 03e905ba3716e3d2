"""Records with fields, out of a file or a frame."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from askwise.errors import InputError, RecordError, TableError
from askwise.kinds import Column, column_of, present
from askwise.sources import Source, open_source

ID_COLUMN = "unique_id"
"""The column that names the records, if users say nothing else."""

SOURCE_COLUMN = "source_dataset"
"""The column that says which table a record came from, as in Splink: no property of what the record describes."""


class Table:
    """Records with fields: `ids` in order, and for every field its values and its kind.

    `columns` maps a field to an array: float64 with NaN for kind "number", datetime64 with NaT for "date", objects
    (texts, None where missing) for "text" and "empty". An id is kept as it comes: a text stays a text.
    """

    def __init__(self, ids: list[Hashable], columns: Mapping[str, Column], kinds: Mapping[str, str]) -> None:
        self.ids = ids
        self.columns = dict(columns)
        self.kinds = dict(kinds)

    @classmethod
    def read(cls, source: Any, id_column: str = ID_COLUMN) -> Table:
        """A table from a path (CSV, Parquet, JSON, JSONL), a frame, a mapping of columns or a list of dicts.

        Missing are NULL, NaN, and empty or blank texts. A column is "number" or "date" if all that it has are; numbers
        that would lose digits (leading zeros, more than 15) are texts. Frames may be of pandas, polars, pyarrow, DuckDB
        or Splink.
        """
        if isinstance(source, Table):
            return source
        opened = open_source(source)
        opened.need(id_column, "It holds the records' ids; rename yours, or name it (--id, id_column=...).")
        fields = [name for name in opened.names if name != id_column]
        values = opened.load([id_column, *fields])
        ids = _ids(opened, id_column, values[0])
        columns: dict[str, Column] = {}
        kinds: dict[str, str] = {}
        for at, name in enumerate(fields, 1):
            kinds[name], columns[name] = _column(opened, name, values[at])
            values[at] = []
        return cls(ids, columns, kinds)

    @property
    def fields(self) -> list[str]:
        """The names of the columns, without the one of the ids."""
        return list(self.columns)

    @property
    def compared(self) -> list[str]:
        """The fields by which records are compared: all but the one that says where a record came from."""
        return [name for name in self.columns if name != SOURCE_COLUMN]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}: {kind}" for name, kind in self.kinds.items())
        return f"Table({len(self)} records; {fields})"


def _ids(source: Source, name: str, values: list[Any]) -> list[Hashable]:
    """The ids, or an error that says where one is missing, repeated or cannot be one."""
    if not values:
        raise RecordError(f"{source.what} has no records: at least one is needed")
    ids: list[Hashable] = []
    first: dict[Hashable, int] = {}
    for at, value in enumerate(values):
        known = present(value)
        if known is None:
            raise RecordError(f"{source.row(at)}: the {name} is missing; every record needs one")
        try:
            earlier = first.setdefault(known, at)
        except TypeError:
            raise RecordError(
                f"{source.row(at)}: the {name} {value!r} cannot be an id; it must be a text or a number"
            ) from None
        if earlier != at:
            raise RecordError(
                f"{source.row(at)}: the {name} {known!r} was given before, in {source.row(earlier)}; ids must be unique"
            )
        ids.append(known)
    return ids


def _column(source: Source, name: str, values: list[Any]) -> tuple[str, Column]:
    for at, value in enumerate(values):
        if isinstance(value, bytes | bytearray):
            raise TableError(f"{source.row(at)}: column {name!r} holds bytes; leave it out, or decode it to text")
        if isinstance(value, float) and value in (float("inf"), float("-inf")):
            raise InputError(f"{source.row(at)}: column {name!r} is {value!r}; give a finite number, or leave it empty")
    return column_of(values)


def as_table(source: Any) -> Table | None:
    """A table, if that is what `source` looks like: a path, a frame, columns or rows with ids; else None.

    A text is a path if it ends like one, in `.csv` or the like; else it is a collection of letters.
    """
    if isinstance(source, Table):
        return source
    path = isinstance(source, PathLike) or (isinstance(source, str) and Path(source).suffix != "")
    rows = isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping)
    columns = isinstance(source, Mapping) and ID_COLUMN in source
    frame = any(hasattr(source, name) for name in ("columns", "column_names", "as_duckdbpyrelation"))
    return Table.read(source) if path or rows or columns or frame else None
