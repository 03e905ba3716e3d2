"""Back a project up into one file while people work on it, and restore it.

The file is a zip with the files of the folder, the votes as a SQLite file (whichever database they are in), and
SHA256SUMS, which `sha256sum -c` reads. So a project can move from one kind of database to the other. PostgreSQL's
tables are read in one snapshot by Askwise itself, because pg_dump would have to be installed here, in a version no
older than the server's.
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
from askwise.project.database import close_file, read_only_connection, sqlite_file
from askwise.project.doctor import examine
from askwise.project.file_changes import PLACE
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
    """Back the project up into the file `out`, completely or not at all; returns the number of rows of votes."""
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
    """Write the archive; returns the number of rows of votes and of the inputs in the copy of the database."""
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
    """All files of the folder, pictures included, except the database and what can be computed again."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        made = name.startswith((files.STORE, f"{PLACE}/")) or name in (MATCHER, SUMS) or name.endswith(".new")
        if path.is_file() and not path.is_symlink() and not made:
            yield path, name


def _copy(store: Store, to: Path) -> None:
    """The database at one moment, as a SQLite file."""
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
    """Copy the tables into an empty database, in the version that the source has."""
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
    """Restore a project from a backup, in a folder that is new or empty; returns the number of rows of votes.

    The votes go to the folder, in SQLite, or to the empty PostgreSQL database `store` (or ASKWISE_STORE).
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
        raise ProjectError(f"{archive} is not a backup, or is damaged: {first_line(error)}") from None


def _into(folder: Path, store: str | None, key: str) -> int:
    """Put the votes into their database, and count them."""
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
    """Extract every file whose checksum is right; nothing is written outside the folder."""
    sums = _sums(zipped, archive)
    names = [info.filename for info in zipped.infolist() if info.filename != SUMS]
    if sorted(names) != sorted(sums):
        raise ProjectError(f"{archive} is damaged: {SUMS} does not list the files that it holds")
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
    """The digest of each file, if its name stays in the folder."""
    sums: dict[str, str] = {}
    with suppress(KeyError, UnicodeDecodeError):
        for line in zipped.read(SUMS).decode().splitlines():
            digest, _, name = line.partition("  ")
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or "\\" in name or name in ("", "."):
                raise ProjectError(f"{archive} names the file {name!r}, which would be outside the folder")
            sums[name] = digest
    if not {files.FILE, files.RECORDS, files.STORE} <= sums.keys():
        raise ProjectError(f"{archive} is not a backup of a project: it needs {files.FILE}, {files.STORE} and {SUMS}")
    return sums
