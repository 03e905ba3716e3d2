"""Results as tidy CSV: one row for each result, one column for each field of its dataclass."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_type_hints

from askwise.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")


def write_rows(path: Path, kind: type[Row], rows: Iterable[Row]) -> None:
    """Write rows of a kind, with the columns even if there are no rows."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([field.name for field in fields(kind)])
        writer.writerows(astuple(row) for row in rows)


def read_rows(path: Path, kind: type[Row]) -> list[Row]:
    """Read what `write_rows` wrote."""
    types = get_type_hints(kind)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return [
                kind(**{name: types.get(name, str)(text) for name, text in row.items()}) for row in csv.DictReader(file)
            ]
    except (TypeError, ValueError, csv.Error) as error:
        raise InputError(f"{path} is not the result of a run ({error}); remove it and start again") from None
