"""Columns as frames of pandas, polars and Arrow, and as HTML for notebooks.

The HTML sets no colours, so it looks right on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

from askwise.errors import InputError

Columns = Mapping[str, Sequence[Any]]

SHOWN = 10
"""Rows of a table in a notebook."""


class Tabular:
    """A mixin for what can be a table: `columns()` returns its columns by name."""

    def columns(self) -> Columns:
        """The columns by name, all of one length."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Convert to a `pandas.DataFrame`."""
        return _library("pandas").DataFrame(dict(self.columns()))

    def to_polars(self) -> Any:
        """Convert to a `polars.DataFrame`."""
        return _library("polars").DataFrame(dict(self.columns()))

    def to_arrow(self) -> Any:
        """Convert to a `pyarrow.Table`."""
        return _library("pyarrow").table(dict(self.columns()))

    def _repr_html_(self) -> str:
        return html_table(self.columns())


def html_table(columns: Columns, caption: str = "") -> str:
    """The first rows of a table as HTML, with the number of rows."""
    names = list(columns)
    count = len(columns[names[0]])
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = [
        "<tr>" + "".join(f"<td>{escape(_text(columns[name][row]))}</td>" for name in names) + "</tr>"
        for row in range(min(count, SHOWN))
    ]
    more = f"{count:,} rows, {SHOWN} of them shown" if count > SHOWN else ""
    below = "; ".join(filter(None, (caption, more)))
    foot = f"<caption style='caption-side: bottom; text-align: left'>{escape(below)}</caption>" if below else ""
    return f"<table>{foot}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _text(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise InputError(f"this needs {name}: pip install {name}") from None
