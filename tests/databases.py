"""Both databases that a store may be in: SQLite in a folder, and a real PostgreSQL server on loopback."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

_NUMBERS = count()


def _program(name: str) -> str:
    """A program of the PostgreSQL server; Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    path = str(found[-1]) if found else shutil.which(name)
    assert path, f"the tests need a PostgreSQL server ({name} was not found): apt-get install postgresql"
    return path


def _run(*command: str) -> None:
    user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
    subprocess.run(command, user=user, cwd="/", check=True, capture_output=True, timeout=60)


@contextmanager
def postgresql() -> Iterator[str]:
    """A server in a temporary folder; the address of a database in it."""
    folder = tempfile.mkdtemp(prefix="askwise-postgresql-")
    data = f"{folder}/data"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(folder, account.pw_uid, account.pw_gid)
        _run(_program("initdb"), "-D", data, "-U", "askwise", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        _run(_program("pg_ctl"), "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql://askwise@127.0.0.1:{port}/postgres"
        finally:
            _run(_program("pg_ctl"), "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Databases:
    """Gives out addresses of databases that nobody has used."""

    def __init__(self, kind: str, folder: Path, server: str) -> None:
        self.kind = kind
        self._folder = folder
        self._server = server

    def fresh(self) -> str:
        """An address of an empty database."""
        name = f"askwise{next(_NUMBERS)}"
        if self.kind == "sqlite":
            return f"sqlite:///{self._folder / name}.sqlite"
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self._server}?options=-csearch_path%3D{name}"
