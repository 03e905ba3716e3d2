"""Makes other people's text harmless in spreadsheets, pages and reports."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MARK = "'"
_DIRECTIONS = dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), "�")


def cell(value: object) -> object:
    """A value for a CSV file: text that a spreadsheet would run gets an apostrophe in front; numbers stay."""
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _is_number(value):
        return value
    return _MARK + value


def without_mark(text: str) -> str:
    """The inverse of `cell`."""
    return text[1:] if text.startswith(_MARK) and text[1:].startswith(_FORMULA) else text


def visible(text: str) -> str:
    """A text with a visible mark in place of every character that changes the direction of the text after it."""
    return text.translate(_DIRECTIONS)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
