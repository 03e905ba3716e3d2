"""Both databases that a store may be in: SQLite in a folder, and a real PostgreSQL server on loopback."""

from itertools import count
from pathlib import Path

import psycopg

_NUMBERS = count()


class Databases:
    """Gives out addresses of databases that are still empty."""

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
