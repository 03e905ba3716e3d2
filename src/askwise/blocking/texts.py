"""A record's fields as one plain text: what n-grams are made of."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from askwise.checks import listed
from askwise.kinds import column_texts
from askwise.tables import Table

# Letters in lower case, digits as they are, everything else a space.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}


def record_texts(table: Table, columns: Sequence[str]) -> list[str]:
    """The fields `columns` of each record, one after the other, in plain form."""
    texts = [column_texts(table.kinds[name], table.columns[name]) for name in columns if table.kinds[name] != "vector"]
    if not texts:
        return [""] * len(table)
    return [plain(" ".join([text for text in row if text])) for row in zip(*texts, strict=True)]


def plain(text: str) -> str:
    """Lower case, without accents; what is neither letter nor digit becomes a space."""
    if text.isascii():
        return text.translate(_ASCII)
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter if letter.isalnum() else "" if unicodedata.combining(letter) else " " for letter in letters)


def chosen_columns(table: Table, columns: Sequence[str] | None) -> list[str]:
    """The fields to read; an error names one that does not exist."""
    if columns is None:
        return table.compared
    return [listed("column", name, table.fields) for name in ([columns] if isinstance(columns, str) else columns)]
