"""A real PostgreSQL server on loopback that can be stopped and started; for benchmarks and tests."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg


def _program(name: str) -> str:
    """A program of the PostgreSQL server; Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    path = str(found[-1]) if found else shutil.which(name)
    assert path, f"this needs a PostgreSQL server ({name} was not found): apt-get install postgresql"
    return path


def _run(*command: str) -> None:
    user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
    subprocess.run(command, user=user, cwd="/", check=True, capture_output=True, timeout=60)


@dataclass(frozen=True)
class PostgreSQL:
    """A server whose data are in a folder."""

    folder: str
    port: int
    fsync: bool

    @property
    def address(self) -> str:
        """The address of a database in it."""
        return f"postgresql://askwise@127.0.0.1:{self.port}/postgres"

    def another(self, name: str) -> str:
        """The address of a new database."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.address.removesuffix("postgres") + name

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        options += f" -c fsync={'on' if self.fsync else 'off'}"
        data, log = f"{self.folder}/data", f"{self.folder}/log"
        _run(_program("pg_ctl"), "-D", data, "-w", "-l", log, "-o", options, "start")

    def stop(self, how: str = "immediate") -> None:
        """Stop it: `fast` ends all connections, `immediate` is a crash."""
        _run(_program("pg_ctl"), "-D", f"{self.folder}/data", "-m", how, "stop")


@contextmanager
def postgresql(*, fsync: bool = False) -> Iterator[PostgreSQL]:
    """A server in a temporary folder."""
    folder = tempfile.mkdtemp(prefix="askwise-postgresql-")
    try:
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(folder, account.pw_uid, account.pw_gid)
        _run(_program("initdb"), "-D", f"{folder}/data", "-U", "askwise", "-A", "trust", "-E", "UTF8", "--no-sync")
        with socket.socket() as free:  # only now: other processes would take the port meanwhile
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = PostgreSQL(folder, port, fsync)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
