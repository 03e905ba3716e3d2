"""A project in one file, made while people work on it, and a project out of such a file.

The file is a zip with the files of the folder, the store as a SQLite file, whichever database it is in, and SHA256SUMS
(`sha256sum -c` reads it). So a project can go from one kind of database to the other. PostgreSQL's tables are read in
one snapshot by ourselves: its pg_dump would have to be installed here, in a version no older than the server's.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO

from sqlalchemy import Connection, func, insert, inspect, select, text

from askwise.errors import AskwiseError, InputError, ProjectError, StoreError
from askwise.project import checks, digests, schema
from askwise.project import folder as files
from askwise.project.changing import PLACE
from askwise.project.database import close_file, read_only_connection, sqlite_file
from askwise.project.doctor import examine
from askwise.project.machine_file import FILE as MATCHER
from askwise.project.migrations import MIGRATIONS, migrate, version_of
from askwise.project.store import Store
from askwise.sources import first_line

SUMS = "SHA256SUMS"
# What Python's reader of zip files raises if one was changed.
_DAMAGED = (zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError, OverflowError, struct.error, zlib.error)
_ROWS = 10_000
_TRIES = 5
_PART = 1 << 20


def backup(folder: Path, out: Path) -> int:
    """Write the project to the file `out`, all of it or nothing; returns how many rows of votes it has."""
    about = files.read_about(folder)
    if out.exists():
        raise InputError(f"{out} exists already; name another file")
    new = out.with_name(f"{out.name}.new")
    store = Store(checks.store_of(folder, about), read_only=True)
    try:
        store.check(about.key)
        for _ in range(_TRIES):
            with new.open("wb") as file:
                new.chmod(0o600)
                rows, as_kept = _write(file, folder, store)
                file.flush()
                os.fsync(file.fileno())
            if as_kept:  # or they were changed meanwhile
                new.replace(out)
                return rows
        raise StoreError("the project's files keep changing, or are not as Askwise wrote them; see askwise doctor")
    except OSError as error:
        raise ProjectError(f"cannot write {out}: {error.strerror or error}") from None
    finally:
        store.close()
        new.unlink(missing_ok=True)


def _write(out: IO[bytes], folder: Path, store: Store) -> tuple[int, bool]:
    """Returns the rows of votes, and whether the files are those that the copy of the store belongs to."""
    sums: dict[str, bytes] = {}
    with (
        tempfile.TemporaryDirectory() as place,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped,
    ):
        copied = Path(place) / files.STORE
        _copy(store, copied)
        with closing(sqlite3.connect(copied)) as connection:
            connection.row_factory = sqlite3.Row
            about = dict(connection.execute("SELECT * FROM project").fetchone())
        for path, name in ((copied, files.STORE), *_files_of(folder)):
            with path.open("rb") as source, zipped.open(name, "w", force_zip64=True) as target:
                digest = hashlib.sha256()
                while part := source.read(_PART):
                    digest.update(part)
                    target.write(part)
            sums[name] = digest.digest()
        zipped.writestr(SUMS, "".join(f"{digest.hex()}  {name}\n" for name, digest in sums.items()))
    kept = about.get("files")  # stores of earlier versions have none
    same = store.inputs == about["inputs"] if kept is None else digests.of_digests(sums) == kept
    return int(about["last_vote"]), same


def _files_of(folder: Path) -> Iterator[tuple[Path, str]]:
    """All files of the folder (pictures too) but the store, and what can be made again."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        made = name.startswith((files.STORE, f"{PLACE}/")) or name in (MATCHER, SUMS) or name.endswith(".new")
        if path.is_file() and not path.is_symlink() and not made:
            yield path, name


def _copy(store: Store, to: Path) -> None:
    """The store at one moment, as a SQLite file."""
    file = sqlite_file(store.url)
    if file is not None:
        with closing(read_only_connection(file)) as source, closing(sqlite3.connect(to)) as target:
            source.backup(target)
        close_file(to)
        return
    copy = Store(f"sqlite:///{to}")
    try:
        with store.reading() as source_tables, copy.writing() as target_tables:
            source_tables.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
            _copy_tables(source_tables, target_tables)
    finally:
        copy.close()


def _copy_tables(source: Connection, target: Connection) -> None:
    """Into an empty database, in the version that the source has."""
    migrate(target, MIGRATIONS[: version_of(source)])
    for table in schema.metadata.sorted_tables:
        if not inspect(source).has_table(table.name):
            continue
        there = {column["name"] for column in inspect(source).get_columns(table.name)}
        columns = [column for column in table.columns if column.name in there]
        rows = source.execution_options(yield_per=_ROWS).execute(select(*columns).order_by(*table.primary_key))
        for part in rows.mappings().partitions(_ROWS):
            target.execute(insert(table), [dict(row) for row in part])
        if target.dialect.name == "postgresql" and table.autoincrement_column is not None:
            numbered = table.autoincrement_column
            last = target.execute(select(func.max(numbered))).scalar()
            if last is not None and numbered.autoincrement is not False:
                named = func.pg_get_serial_sequence(table.name, numbered.name)
                target.execute(select(func.setval(named, last)).where(named.is_not(None)))


def restore(archive: Path, folder: Path, store: str | None = None) -> int:
    """Make the project out of a backup, in a folder that is new or empty; returns how many rows of votes it has.

    Its votes go to the folder, in SQLite, or to the PostgreSQL database `store` (or ASKWISE_STORE), which is empty.
    """
    store = store or os.environ.get("ASKWISE_STORE") or None
    try:
        with zipfile.ZipFile(archive) as zipped, files.made(folder):
            _extract(zipped, archive, folder)
            about = replace(files.read_about(folder), store=checks.without_password(store))
            files.write_about(folder, about)
            rows = _into(folder, store, about.key)
            bad = [finding for finding in examine(folder) if not finding.good]
            if bad:
                raise ProjectError(f"{archive} is not in order: {bad[0].what}: {bad[0].detail}")
            return rows
    except AskwiseError:
        raise
    except _DAMAGED as error:
        raise ProjectError(f"{archive} is no backup, or damaged: {first_line(error)}") from None


def _into(folder: Path, store: str | None, key: str) -> int:
    """Put the votes where they belong, and count them."""
    kept = Store(f"sqlite:///{(folder / files.STORE).resolve()}", read_only=True)
    try:
        kept.check(key)
        if store is not None:
            wanted = Store(store)
            try:
                with kept.reading() as source, wanted.writing() as target:
                    if version_of(target):
                        raise InputError(f"the store {wanted.address} holds a project already; name an empty database")
                    _copy_tables(source, target)
            finally:
                wanted.close()
        with kept.reading() as connection:
            return int(connection.execute(select(schema.project.c.last_vote)).scalar_one())
    finally:
        kept.close()
        if store is not None:
            (folder / files.STORE).unlink()


def _extract(zipped: zipfile.ZipFile, archive: Path, folder: Path) -> None:
    """Every file of the archive, if it is what the sums say; nothing is written outside the folder."""
    sums = _sums(zipped, archive)
    names = [info.filename for info in zipped.infolist() if info.filename != SUMS]
    if sorted(names) != sorted(sums):
        raise ProjectError(f"{archive} is damaged: {SUMS} lists other files than there are")
    if sum(info.file_size for info in zipped.infolist()) > shutil.disk_usage(folder).free:
        raise ProjectError(f"there is no room for {archive} on the disk of {folder}")
    for name in names:
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        digest = hashlib.sha256()
        with zipped.open(name) as source, path.open("wb") as target:
            path.chmod(0o600)
            while part := source.read(_PART):
                digest.update(part)
                target.write(part)
        if digest.hexdigest() != sums[name]:
            raise ProjectError(f"{archive} is damaged: {name} is not what {SUMS} says")


def _sums(zipped: zipfile.ZipFile, archive: Path) -> dict[str, str]:
    """File name to digest, as far as the names stay in the folder."""
    sums: dict[str, str] = {}
    with suppress(KeyError, UnicodeDecodeError):
        for line in zipped.read(SUMS).decode().splitlines():
            digest, _, name = line.partition("  ")
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or "\\" in name or name in ("", "."):
                raise ProjectError(f"{archive} names the file {name!r}, which would be outside the folder")
            sums[name] = digest
    if not {files.FILE, files.RECORDS, files.STORE} <= sums.keys():
        raise ProjectError(f"{archive} is no backup of a project: it needs {files.FILE}, {files.STORE} and {SUMS}")
    return sums
