"""Records with fields, from a file or a frame."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from askwise.columns import Use, checked_use, look_of, use_of
from askwise.errors import InputError, RecordError, TableError
from askwise.kinds import Column, column_of, column_texts, present, text_of
from askwise.sources import Source, is_table_file, open_source, sourced_id

ID_COLUMN = "unique_id"
"""The default column of the ids."""

SOURCE_COLUMN = "source_dataset"
"""The column that says which table a record came from, as in Splink; records are not matched on it."""

_NEEDS_IDS = (
    "It holds the records' ids: name yours (--id, or id_column= of Table.read), rename it, or number the rows if there "
    "is none."
)

LEFT_OUT = ("id", "picture", "constant", "empty")
"""Columns that look like one of these are not matched on, unless they are named."""


class Table:
    """Records with fields. `Table.read` makes one.

    Attributes
    ----------
    ids : list
        The ids, in order. A text stays a text.
    columns : mapping of str to array
        The values of each field: float64 with NaN for numbers, datetime64 with NaT for dates, objects (str, or None
        where missing) for texts, float32 with a row for each record for vectors.
    kinds : mapping of str to str
        The kind of each field: "text", "number", "date", "vector" (lists of four or more numbers, all of one length) or
        "empty".
    fields : tuple of str
        The names of the columns except the id.
    compared, shown : tuple of str
        The fields that records are matched on, and those that people see.
    sources : list or None
        Which source each record is from.

    Examples
    --------
    >>> from askwise import Table
    >>> table = Table.read([{"unique_id": 1, "name": "Ann", "born": "1990-05-01"}])
    >>> table.kinds["born"], len(table)
    ('date', 1)
    """

    def __init__(
        self,
        ids: list[Hashable],
        columns: Mapping[str, Column],
        kinds: Mapping[str, str],
        source_column: str = SOURCE_COLUMN,
        use: Use | None = None,
    ) -> None:
        self.ids = ids
        self.columns = dict(columns)
        self.kinds = dict(kinds)
        self.source_column = source_column
        self.use = checked_use(use or Use(), self.fields, source_column)
        self._looks: dict[str, str] = {}

    @classmethod
    def read(
        cls,
        source: Any,
        id_column: str = ID_COLUMN,
        source_column: str | None = None,
        *,
        match: Any = None,
        show: Any = None,
        ignore: Any = (),
    ) -> Table:
        """Read a table. No row is ever dropped: what cannot be read is an error with file, line and value.

        Parameters
        ----------
        source
            A path (.csv, .tsv, .txt, also with .gz; .parquet; .json, .jsonl), a frame of pandas, polars, pyarrow,
            DuckDB or Splink, a mapping of columns, or a list of dicts. CSV must be UTF-8. The separator is the most
            frequent one of comma, semicolon, bar and tab in the first line.
        id_column : str
            The column with the ids.
        source_column : str, optional
            The column that says which source a record is from; by default `source_dataset`, if there is one. Ids need
            to be unique within a source only. If two sources share an id, all ids become `source:id`.
        match, show, ignore
            Columns to match on, columns that people see, and columns for neither: lists, or texts with commas. By
            default all are shown, and all are matched on except those that look like ids or pictures or have a single
            value.

        Returns
        -------
        Table
            NULL, NaN and blank texts are missing values. A column is "number" or "date" if all its values are. Numbers
            that would lose digits (leading zeros, more than 15 digits) stay texts.

        Raises
        ------
        InputError
            If the source cannot be read, or an id is missing or repeated.

        Examples
        --------
        >>> from askwise import Table
        >>> Table.read({"id": ["a", "b"], "zip": ["00184", "0150"]}, id_column="id").kinds
        {'zip': 'text'}
        """
        chosen = use_of(match, show, ignore)
        if isinstance(source, Table):
            return source if chosen == Use() else source.used(chosen)
        opened = open_source(source)
        opened.need(id_column, _NEEDS_IDS)
        if source_column is not None:
            opened.need(source_column, "It says which source a record is from; name another (--source).")
        origin = SOURCE_COLUMN if source_column is None else source_column
        fields = [name for name in opened.names if name != id_column]
        values = opened.load([id_column, *fields])
        sources = _sources(opened, origin, values[1 + fields.index(origin)]) if origin in fields else None
        ids = _ids(opened, id_column, values[0], sources)
        columns: dict[str, Column] = {}
        kinds: dict[str, str] = {}
        for at, name in enumerate(fields, 1):
            if name == origin and sources is not None:
                kinds[name], columns[name] = "text", np.array(sources, object)
            elif name in chosen.ignore and any(isinstance(value, bytes | bytearray) for value in values[at]):
                kinds[name], columns[name] = "empty", np.full(len(ids), None, object)
            else:
                kinds[name], columns[name] = _column(opened, name, values[at])
            values[at] = []
        return cls(ids, columns, kinds, origin, chosen)

    @property
    def sources(self) -> list[str] | None:
        """The source of each record; None if the table does not say."""
        if self.source_column not in self.columns:
            return None
        return [text or "" for text in column_texts(self.kinds[self.source_column], self.columns[self.source_column])]

    @property
    def sourced(self) -> bool:
        """Whether ids have their sources in front because two sources share one."""
        sources = self.sources
        return sources is not None and all(
            str(record).startswith(sourced_id(source, "")) for record, source in zip(self.ids, sources, strict=True)
        )

    @property
    def fields(self) -> list[str]:
        """The names of the columns except the id."""
        return list(self.columns)

    @property
    def compared(self) -> list[str]:
        """The fields that records are matched on: those of `use.match`, or all that may help.

        The latter are all except the source, ignored columns, and columns that look like ids or pictures or say
        nothing.
        """
        if self.use.match is not None:
            return list(self.use.match)
        others = [name for name in self.columns if name != self.source_column and name not in self.use.ignore]
        return [name for name in others if self.looks(name) not in LEFT_OUT] or others

    @property
    def shown(self) -> list[str]:
        """The fields that people see, in the order of `use.show` or of the table; never vectors."""
        if self.use.show is not None:
            return [name for name in self.use.show if self.kinds[name] != "vector"]
        return [name for name in self.columns if name not in self.use.ignore and self.kinds[name] != "vector"]

    def looks(self, name: str) -> str:
        """What a column looks like: "id", "picture", "date", "vector", "constant", "empty" or ""."""
        if name not in self._looks:
            self._looks[name] = look_of(self.kinds[name], self.columns[name])
        return self._looks[name]

    def only_in(self, name: str) -> str | None:
        """The source that has all values of a column, if there are several sources and only one has any."""
        sources = self.sources
        if sources is None or len(set(sources)) == 1 or self.kinds[name] == "vector":
            return None
        texts = column_texts(self.kinds[name], self.columns[name])
        having = {source for source, text in zip(sources, texts, strict=True) if text is not None}
        return having.pop() if len(having) == 1 else None

    def used(self, use: Use) -> Table:
        """These records with another use of the columns."""
        table = Table(self.ids, self.columns, self.kinds, self.source_column, use)
        table._looks = self._looks
        return table

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}: {kind}" for name, kind in self.kinds.items())
        unused = [name for name in self.fields if name not in {*self.compared, self.source_column}]
        return f"Table({len(self)} records; {fields}{'; not matched on: ' * bool(unused)}{', '.join(unused)})"


def read_sources(paths: Sequence[str | PathLike[str]], id_column: str = ID_COLUMN, **use: Any) -> Table:
    r"""Read one table from several files, each a source with the name of its file.

    Parameters
    ----------
    paths
        The files. A field that a file lacks is empty for its records.
    id_column : str
        The column with the ids.
    **use
        `match`, `show` and `ignore`, as for `Table.read`.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        If a file cannot be read, or two files have the same name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from askwise import read_sources
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("crm", "shop"):
    ...     _ = (folder / f"{name}.csv").write_text("unique_id,name\n17,Ann\n")
    >>> read_sources([folder / "crm.csv", folder / "shop.csv"]).ids
    ['crm:17', 'shop:17']
    """
    rows: dict[str, list[Any]] = {id_column: [], SOURCE_COLUMN: []}
    names: dict[str, Path] = {}
    places: list[tuple[Source, int]] = []
    for path in map(Path, paths):
        if path.stem in names:
            raise InputError(f"{names[path.stem]} and {path} would both be the source {path.stem!r}; rename one")
        names[path.stem] = path
        opened = open_source(path)
        opened.need(id_column, f"{_NEEDS_IDS} All files must give it one name.")
        if SOURCE_COLUMN in opened.names:
            raise TableError(f"{path} has a column {SOURCE_COLUMN!r}; of several files, each is a source: leave it out")
        found = dict(zip(opened.names, opened.load(opened.names), strict=True))
        count, before = len(found[id_column]), len(places)
        for name in {**rows, **found}:
            column = rows.setdefault(name, [None] * before)
            column += [path.stem] * count if name == SOURCE_COLUMN else found.get(name, [None] * count)
        places += [(opened, at) for at in range(count)]
    whole = Source(" and ".join(map(str, names.values())), tuple(rows), lambda wanted: [rows[name] for name in wanted])
    return Table.read(replace(whole, place=lambda at: places[at][0].row(places[at][1])), id_column, **use)


def rows_of(source: Any, what: str) -> tuple[Any, Callable[[int], str]]:
    """What to read a table from, and how its rows are called: by file and line, unless it is a table already."""
    if isinstance(source, Table):
        return source, lambda at: f"{what} row {at + 1}"
    opened = open_source(source)
    return opened, opened.row


def _sources(source: Source, name: str, values: list[Any]) -> list[str]:
    """The sources, or an error that says where one is missing."""
    found = []
    for at, value in enumerate(values):
        known = present(value)
        if known is None:
            raise RecordError(f"{source.row(at)}: the {name} is missing; give the source of every record")
        found.append(text_of(known))
    return found


def _ids(source: Source, name: str, values: list[Any], sources: list[str] | None) -> list[Hashable]:
    """The ids, or an error that says where one is missing, repeated or cannot be one."""
    if not values:
        raise RecordError(f"{source.what} has no records: at least one is needed")
    if sources is not None:
        repeated: dict[Any, str] = {}
        try:
            clash = any(repeated.setdefault(value, of) != of for value, of in zip(values, sources, strict=True))
        except TypeError:
            clash = False  # the error follows
        if clash:
            values = [
                None if present(value) is None else sourced_id(of, value)
                for value, of in zip(values, sources, strict=True)
            ]
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
    """A table, if `source` looks like one (a path, a frame, columns or rows with ids), else None.

    A text is a path if it has an ending such as `.csv`.
    """
    if isinstance(source, Table):
        return source
    path = isinstance(source, PathLike) or (isinstance(source, str) and Path(source).suffix != "")
    first = next(iter(source), None) if isinstance(source, list | tuple) else None
    rows = isinstance(first, Mapping) or is_table_file(first)
    columns = isinstance(source, Mapping) and (
        ID_COLUMN in source or isinstance(next(iter(source.values()), None), Mapping)
    )
    frame = any(hasattr(source, name) for name in ("columns", "column_names", "as_duckdbpyrelation"))
    return Table.read(source) if path or rows or columns or frame else None
