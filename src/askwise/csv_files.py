"""Reads CSV files with DuckDB. Only the separator is guessed, so no row is lost and errors name their line."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from askwise.errors import TableError
from askwise.sources import DAMAGED, Source, Values, first_line, plain_path

_SEPARATORS = ",;\t|"
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_NOT_UTF8 = "is not UTF-8; save the file as UTF-8, or convert it: iconv -f LATIN1 -t UTF-8"
_COUNTS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_QUERY = """
    SELECT {} FROM read_csv($path, auto_detect = false, header = true, delim = $separator, quote = '"', escape = '"',
    columns = $columns, strict_mode = true, null_padding = false, compression = $compression)
"""


def csv_source(path: Path, packed: bool) -> Source:
    """The columns of a CSV file, every value a text; the first line has their names."""
    separator, header = _header(path, packed)
    names = tuple(name.strip() or f"column {at}" for at, name in enumerate(header, 1))
    for at, name in enumerate(names):
        if name in names[:at]:
            raise TableError(f"{path} line 1: two columns are called {name!r}; rename one")

    def load(wanted: Sequence[str]) -> list[Values]:
        # DuckDB takes names that differ in case only for the same, so it gets names of our own.
        chosen = ", ".join(f"c{names.index(name)}" for name in wanted)
        return _load(path, packed, separator, len(names), chosen)

    return Source(str(path), names, load, lambda at: _line(path, packed, separator, at + 1, len(names) == 1))


def _open(path: Path, packed: bool) -> IO[str]:
    """Open the file as text; invalid UTF-8 is kept, because DuckDB reports where it is."""
    if packed:
        return gzip.open(path, "rt", newline="", encoding="utf-8-sig", errors="surrogateescape")
    return path.open(newline="", encoding="utf-8-sig", errors="surrogateescape")


def _header(path: Path, packed: bool) -> tuple[str, list[str]]:
    """The separator and the names of the columns."""
    try:
        with _open(path, packed) as file:
            first = file.readline()
            file.seek(0)
            unquoted = re.sub(r'"[^"]*"', "", first)
            separator = max(_SEPARATORS, key=unquoted.count)
            header = next(csv.reader(file, delimiter=separator, strict=True), [])
    except (OSError, EOFError) as error:
        raise TableError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    except csv.Error as error:
        raise TableError(f"{path} line 1: {error}") from None
    if any("\udc80" <= letter <= "\udcff" for letter in "".join(header)):
        raise TableError(f"{path} line 1 {_NOT_UTF8}")
    if not any(name.strip() for name in header):
        raise TableError(f"{path} line 1 is empty; it must name the columns")
    return separator, header


def _load(path: Path, packed: bool, separator: str, width: int, chosen: str) -> list[Values]:
    import duckdb

    settings = {
        "path": plain_path(path),
        "separator": separator,
        "columns": {f"c{at}": "VARCHAR" for at in range(width)},
        "compression": "gzip" if packed else "none",
    }
    try:
        with duckdb.connect() as connection:
            found = connection.execute(_QUERY.format(chosen), settings).fetchnumpy()
    except (duckdb.Error, *DAMAGED) as error:
        said = str(error)
        line = _LINE.search(said)
        # DuckDB counts rows, the empty ones too, and people count lines.
        at = f" line {_line(path, packed, separator, int(line[1]) - 1, True)}" if line else ""
        raise TableError(_explained(path, at, said, first_line(error))) from None
    return [found[name].tolist() for name in chosen.split(", ")]


def _explained(path: Path, line: str, error: str, first: str) -> str:
    """DuckDB's error in our words, if it is a known one."""
    place = f"{path}{line}"
    if counts := _COUNTS.search(error):
        return (
            f"{place}: {counts[2]} values where the header has {counts[1]} columns; "
            "add or remove separators, or put a value that contains one in quotes"
        )
    if "maximum line size" in error.lower():
        return f"{place}: a row of more than 2 MB; shorten the value, or look for a quote that is never closed"
    if "unicode" in error or "utf-8" in error:
        return f"{place} {_NOT_UTF8}"
    if "quote" in error and line:
        return f"{place}: a quote is opened but not closed, or text follows a closed one; double the quotes in a value"
    if "state machine" in error:
        return f"{path} is not well-formed CSV: look for single quotes, and for line ends of several kinds (dos2unix)"
    return f"{place}: {first}"


def _line(path: Path, packed: bool, separator: str, row: int, count_empty: bool) -> int:
    """The line where a row begins (the header is row 0). Only errors need it, so the file is read again.

    Empty lines count as rows in DuckDB's errors, and in tables with a single column.
    """
    with _open(path, packed) as file:
        reader = csv.reader(file, delimiter=separator)
        before = count = 0
        with suppress(csv.Error):
            for values in reader:
                if values or count_empty:
                    if count == row:
                        break
                    count += 1
                before = reader.line_num
        return before + 1
