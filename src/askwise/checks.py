"""Checks of inputs, each with an error that names the value."""

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from askwise.errors import InputError, UnknownNameError

Item = TypeVar("Item")


def collection(what: str, items: Iterable[Item]) -> Iterator[Item]:
    """An iterator over `items`, or an error that says what they should have been."""
    try:
        return iter(items)
    except TypeError:
        raise InputError(f"{what} must be a collection, not {items!r}") from None


def whole_number(name: str, value: object, least: int | None = None) -> int:
    """`value` as an int of at least `least`, or an error that names it."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{name} = {value!r} is not a whole number") from None
    if least is not None and number < least:
        raise InputError(f"{name} = {value!r}: it must be at least {least}")
    return number


def as_number(value: object, text: bool = False) -> float:
    """`value` as a float, NaN if it is not a number; text counts only with `text`."""
    if isinstance(value, str | bytes) and not text:
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def known_name(what: str, name: object, known: Mapping[str, Item]) -> Item:
    """The entry of that name, or an error that lists the names."""
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(f"{what} {name!r} is not known; choose one of: {', '.join(sorted(known))}")
    return known[name]


def listed(what: str, name: Item, known: Sequence[Item]) -> Item:
    """`name` if it is one of `known`, or an error that lists them."""
    if name not in known:
        raise UnknownNameError(f"{what} {name!r} does not exist; choose from: {', '.join(map(str, known)) or 'none'}")
    return name


def small_seed(seed: object) -> int:
    """Any whole number as a seed of 63 bits."""
    return whole_number("seed", seed) % 2**63
