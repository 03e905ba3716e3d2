"""A project's folder: askwise.toml, records.parquet, pairs.parquet, rules.json, columns.json, votes.sqlite."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.candidate_pairs import ScoredPairs
from askwise.errors import InputError, ProjectError, RecordError
from askwise.kinds import Column, text_of
from askwise.sources import DAMAGED, first_line, plain_path
from askwise.tables import SOURCE_COLUMN, Table

FILE, RECORDS, PAIRS, STORE = "askwise.toml", "records.parquet", "pairs.parquet", "votes.sqlite"
RULES = "rules.json"
COLUMNS = "columns.json"
VERSION = 1
_KEYS = ("key", "name", "id", "score", "store", "source", "links")


@dataclass(frozen=True, slots=True)
class About:
    """The contents of askwise.toml: the project's key (as in the database), name, id column, kind of score, database.

    `source` is the column that says where records are from, if there are several sources. `links` says which of these
    are compared: empty for all, "across", or pairs in JSON.
    """

    key: str
    name: str
    id: str
    score: str = ""
    store: str = ""
    source: str = ""
    links: str = ""


def read_about(folder: Path) -> About:
    """Read askwise.toml, or raise an error that says why the folder is not a project."""
    path = folder / FILE
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ProjectError(f"{folder} holds no project: there is no {FILE}; make one with: askwise new") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProjectError(f"cannot read {path}: {first_line(error)}") from None
    version = found.get("version")
    if version != VERSION:
        raise ProjectError(f"{path}: version {version!r} is not known; this Askwise reads version {VERSION}")
    values = {name: found.get(name, "") for name in _KEYS}
    for name, value in values.items():
        if not isinstance(value, str) or (not value and name in ("key", "name", "id")):
            raise ProjectError(f"{path}: {name} = {value!r} must be a text in quotes")
    return About(**values)


def write_about(folder: Path, about: About) -> None:
    """Write askwise.toml; with it, the folder is a project."""
    lines = [
        "# A project of Askwise. Votes are in the store; a password for it belongs in the environment (PGPASSWORD)."
    ]
    lines.append(f"version = {VERSION}")
    lines += [f"{name} = {json.dumps(getattr(about, name), ensure_ascii=False)}" for name in _KEYS]
    write_text(folder / FILE, "\n".join(lines) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a small file atomically."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    _keep(new, path, private=True)


@contextmanager
def made(folder: Path) -> Iterator[None]:
    """Make a folder for a new project; existing files are an error.

    If the rest fails, the folder is as it was before. Only its owner may read it.
    """
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ProjectError(f"the folder {folder} is not empty; name a new one")
        folder.chmod(0o700)
    except OSError as error:
        raise ProjectError(f"cannot make the folder {folder}: {error.strerror}") from None
    try:
        yield
    except BaseException:
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        if new:
            folder.rmdir()
        raise


def text_ids(table: Table, row: Callable[[int], str]) -> Table:
    """A table with its ids as texts, as projects keep them; all of its texts can be written.

    Errors call a row what `row` says.
    """
    ids: list[Hashable] = [text_of(record) for record in table.ids]
    first: dict[Hashable, int] = {}
    for at, record in enumerate(ids):
        earlier = first.setdefault(record, at)
        if earlier != at:
            raise RecordError(
                f"{row(at)}: the id {record!r} is, as a text, that of {row(earlier)} too; ids must be unique"
            )
        if not str(record).isprintable():
            raise RecordError(f"{row(at)}: the id {record!r} has a character that cannot be printed; remove it")
    lower: dict[str, str] = {}
    for name in table.fields:
        other = lower.setdefault(name.lower(), name)
        if other != name:
            raise InputError(f"the columns {other!r} and {name!r} differ in case only; rename one")
        if table.kinds[name] == "text":
            _check_texts(table.columns[name], name, row)
    return Table(ids, table.columns, table.kinds, table.source_column, table.use)


def _check_texts(column: Column, name: str, row: Callable[[int], str]) -> None:
    try:
        "".join(text for text in column.tolist() if text is not None).encode()
    except UnicodeEncodeError:
        for at, text in enumerate(column.tolist()):
            if text is not None and any("\ud800" <= letter <= "\udfff" for letter in text):
                raise InputError(
                    f"{row(at)}: column {name!r} has an incomplete character in {text[:40]!r}; remove it"
                ) from None


def write_records(folder: Path, table: Table, id_column: str) -> None:
    """Write the records, the id column first."""
    if id_column.lower() in (name.lower() for name in table.fields):
        raise InputError(f"the column {id_column!r} is there twice, except for case; rename one")
    ids = np.empty(len(table), object)
    ids[:] = table.ids
    columns: dict[str, NDArray[Any]] = {id_column: ids}
    for name in table.fields:
        column = table.columns[name]
        columns[name] = _written(table.kinds[name], column)
    write_parquet(folder / RECORDS, columns, private=True)


def _written(kind: str, column: Column) -> Column:
    """A column for Parquet; vectors are bytes, because no other column is."""
    if kind == "date":
        return column.astype("datetime64[s]")
    if kind != "vector":
        return column
    rows = np.empty(len(column), object)
    rows[:] = [None if np.isnan(row[0]) else row.astype("<f4").tobytes() for row in column]
    return rows


def write_pairs(folder: Path, pairs: ScoredPairs) -> None:
    """Write the candidates: rows of the records, counted from 0, the smaller first, and their scores."""
    columns: dict[str, NDArray[Any]] = {"left": pairs.left, "right": pairs.right, "score": pairs.score}
    write_parquet(folder / PAIRS, columns, private=True)


def read_records(folder: Path, id_column: str, source_column: str = "") -> Table:
    """Read the records; their kinds are those of the Parquet file."""
    path = folder / RECORDS
    found = _read(path)
    if id_column not in found:
        raise ProjectError(f"{path} has no column {id_column!r}")
    ids = found.pop(id_column).tolist()
    if None in ids or len(set(ids)) < len(ids) or not ids:
        raise ProjectError(f"{path}: the ids in {id_column!r} are not one for each record")
    columns: dict[str, Column] = {}
    kinds: dict[str, str] = {}
    for name, values in found.items():
        kinds[name], columns[name] = _column(values)
    return Table(ids, columns, kinds, source_column or SOURCE_COLUMN)


def read_pairs(folder: Path, ids: list[Hashable], score_name: str) -> ScoredPairs | None:
    """Read the candidates; None if every pair may be asked."""
    path = folder / PAIRS
    if not score_name:
        return None
    found = _read(path)
    try:
        return ScoredPairs(ids, found["left"], found["right"], found["score"], score_name)
    except KeyError as error:
        raise ProjectError(f"{path} has no column {error}") from None


def _column(values: NDArray[Any]) -> tuple[str, Column]:
    masked = isinstance(values, np.ma.MaskedArray)
    if values.dtype.kind == "f":
        return "number", np.asarray(np.ma.filled(values, np.nan) if masked else values, np.float64)
    if values.dtype.kind == "M":
        moments = np.asarray(np.ma.filled(values, np.datetime64("NaT")) if masked else values, "datetime64[s]")
        days = moments.astype("datetime64[D]")
        return "date", days if (days[~np.isnat(days)] == moments[~np.isnat(days)]).all() else moments
    texts = np.asarray(values, object)
    if masked:
        texts[np.ma.getmaskarray(values)] = None
    known = [value for value in texts if value is not None]
    if known and isinstance(known[0], bytes | bytearray):
        nothing = np.full(len(known[0]) // 4, np.nan, np.float32)
        return "vector", np.array([nothing if row is None else np.frombuffer(row, "<f4") for row in texts])
    return "text" if any(text is not None for text in texts) else "empty", texts


def write_parquet(path: Path, columns: Mapping[str, NDArray[Any]], *, private: bool = False) -> None:
    """Write columns to a Parquet file atomically."""
    import duckdb

    new = path.with_name(f"{path.name}.new")
    try:
        with duckdb.connect() as connection:
            connection.register("columns", dict(columns))
            connection.execute(f"COPY columns TO {_quoted(new)} (FORMAT parquet, COMPRESSION zstd)")
    except duckdb.Error as error:
        raise ProjectError(f"cannot write {path}: {first_line(error)}") from None
    _keep(new, path, private)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    import duckdb

    try:
        with duckdb.connect() as connection:
            found: dict[str, NDArray[Any]] = connection.from_parquet(plain_path(path)).fetchnumpy()
    except (duckdb.Error, *DAMAGED) as error:
        raise ProjectError(f"cannot read {path}: {first_line(error)}") from None
    return found


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _keep(new: Path, path: Path, private: bool) -> None:
    """Put a new file in the place of the old one, so that one of them survives a power cut.

    A private file can be read by its owner only, unless the old one could be read by others.
    """
    if private:
        new.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o600)
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    _move(new, path)


def put_in_place(new: Path, path: Path) -> None:
    """Put a file that is on disk in the place of another, for the same people as that."""
    if path.exists():
        new.chmod(path.stat().st_mode & 0o777)
    _move(new, path)


def _move(new: Path, path: Path) -> None:
    new.replace(path)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
