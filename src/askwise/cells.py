"""Text that others have written, so that it does no harm where it is shown: in spreadsheets, pages and reports."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MARK = "'"
_DIRECTIONS = dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), "�")


def cell(value: object) -> object:
    """A value for a CSV file: a text that a spreadsheet would compute begins with an apostrophe; numbers stay."""
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _is_number(value):
        return value
    return _MARK + value


def without_mark(text: str) -> str:
    """What `cell` was given, as far as it has put an apostrophe before it."""
    return text[1:] if text.startswith(_MARK) and text[1:].startswith(_FORMULA) else text


def visible(text: str) -> str:
    """The same with a mark in place of every sign that turns the direction in which what follows is read."""
    return text.translate(_DIRECTIONS)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
