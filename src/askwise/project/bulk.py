"""Many rows in one statement.

PostgreSQL gets arrays: one message for each row would be far slower, and a list of values would make each statement a
new one to parse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import CompoundSelect, Connection, Select, Table, any_, bindparam, func, insert, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine

Given = Callable[[str], ColumnElement[Any]]
"""The value of a name in the present row."""

Among = Callable[[ColumnElement[Any], str], ColumnElement[bool]]
"""Whether the value of a column is in the list of a name."""


class Bulk:
    """A statement that runs for each of many rows; no two rows may concern the same row of the table."""

    def __init__(self, kinds: dict[str, TypeEngine[Any]], statement: Callable[[Given], Executable]) -> None:
        self._names = list(kinds)
        self._each = statement(lambda name: bindparam(name, type_=kinds[name]))
        arrays = [bindparam(name, type_=ARRAY(kind)) for name, kind in kinds.items()]
        given = func.unnest(*arrays).table_valued(*self._names, name="given").render_derived()
        self._all = statement(lambda name: given.c[name])

    def run(self, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
        """Run it, if there are rows."""
        if not rows:
            return
        if _has_arrays(connection):
            connection.execute(self._all, {name: [row[name] for row in rows] for name in self._names})
        else:
            connection.execute(self._each, rows)


def adding(table: Table, *names: str) -> Bulk:
    """Add rows with these columns."""
    kinds = {name: table.c[name].type for name in names}
    return Bulk(kinds, lambda given: insert(table).from_select(names, select(*map(given, names))))


class Query:
    """A query with lists of values."""

    def __init__(self, statement: Callable[[Among], Select[Any] | CompoundSelect[Any]]) -> None:
        self._listed = statement(lambda column, name: column.in_(bindparam(name, expanding=True)))
        self._array = statement(lambda column, name: column == any_(bindparam(name, type_=ARRAY(column.type))))

    def rows(self, connection: Connection, lists: Mapping[str, Sequence[Any]]) -> Sequence[Any]:
        """The rows found for these lists."""
        return connection.execute(self._array if _has_arrays(connection) else self._listed, lists).all()


def _has_arrays(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"
