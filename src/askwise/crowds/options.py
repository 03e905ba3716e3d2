"""Options of crowds, given as KEY=VALUE and declared in a frozen dataclass for each crowd."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, Field, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from askwise.errors import InputError

Options = TypeVar("Options")

_TRUTHS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def option(help: str, default: Any = MISSING, least: float | None = None) -> Any:
    """A field of an options class: what it means, its default, and the least it may be."""
    about = {"help": help, "least": least}
    return field(metadata=about) if default is MISSING else field(default=default, metadata=about)


def read_options(kind: type[Options], given: Iterable[str]) -> Options:
    """Parse KEY=VALUE texts, or raise an error that lists the options."""
    types = get_type_hints(kind)
    known: dict[str, Field[Any]] = {item.name: item for item in fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            raise InputError(f"{text!r} is not an option KEY=VALUE of this crowd; there are: {described(kind)}")
        values[name] = _value(name, value, types[name], known[name].metadata["least"])
    for name, item in known.items():
        if item.default is MISSING and name not in values:
            raise InputError(f"the option {name} is missing ({item.metadata['help']}): say {name}=...")
    return kind(**values)


def described(kind: type[Any]) -> str:
    """All options of a class in one line."""
    return "; ".join(f"{item.name} ({item.metadata['help']})" for item in fields(kind))


def _value(name: str, text: str, kind: Any, least: float | None) -> Any:
    if kind is bool:
        if text.lower() not in _TRUTHS:
            raise InputError(f"{name}={text}: say yes or no")
        return _TRUTHS[text.lower()]
    if kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            number = None
        if number is None or number != number or abs(number) == float("inf") or (least is not None and number < least):
            what = "a whole number" if kind is int else "a number"
            raise InputError(f"{name}={text}: it must be {what}" + ("" if least is None else f" of at least {least:g}"))
        return number
    return Path(text) if kind is Path or kind == (Path | None) else text
