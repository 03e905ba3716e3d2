"""Marks where two texts differ, for people who compare records on pages and in the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

Mark = Literal["same", "near", "differs"]

_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIGNED = 600  # tokens to a side; beyond, the order of words is not looked at, so that time stays linear
_WORD = 80  # letters of a word that are compared one by one
_PAIRS = 200  # pairs of words that are looked at for similar ones
_ALIKE = 0.5


class Part(NamedTuple):
    """A piece of a text: "same", "near" (a word that is spelled or placed differently), or "differs"."""

    text: str
    mark: Mark


def shown(value: object) -> str:
    """A field's value as text; empty if it is missing."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, datetime) and value.time() == value.time().min:
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def differences(left: str, right: str) -> tuple[list[Part], list[Part]]:
    """Both texts in parts; joined, the parts are the texts again.

    Words are aligned first. Two similar words are compared letter by letter: what they share is "near", the rest
    "differs". A word that appears elsewhere in the other text is "near" too. If one text is empty, nothing is marked:
    missing values are no evidence against the two.
    """
    if left == right or not left or not right:
        return _joined([Part(left, "same")]), _joined([Part(right, "same")])
    ours, theirs = _TOKENS.findall(left), _TOKENS.findall(right)
    if max(len(ours), len(theirs)) > _ALIGNED:
        return _joined(_found_in(ours, theirs)), _joined(_found_in(theirs, ours))
    one: list[list[Part]] = [[Part(token, "differs")] for token in ours]
    other: list[list[Part]] = [[Part(token, "differs")] for token in theirs]
    for start, first, size in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        for at in range(size):
            one[start + at] = [Part(ours[start + at], "same")]
            other[first + at] = [Part(theirs[first + at], "same")]
    _mark_moved(one, other)
    _mark_similar(one, other)
    return _joined(part for parts in one for part in parts), _joined(part for parts in other for part in parts)


def _found_in(tokens: Sequence[str], others: Sequence[str]) -> list[Part]:
    """For very long texts: a word is the same if it is anywhere in the other text."""
    known = set(others)
    return [Part(token, "same" if token in known else "differs") for token in tokens]


def _loose(parts: Sequence[Sequence[Part]]) -> list[int]:
    """The places of the tokens without a counterpart in the other text."""
    return [at for at, token in enumerate(parts) if token[0].mark == "differs"]


def _mark_moved(one: list[list[Part]], other: list[list[Part]]) -> None:
    """Mark words that both texts have, but in another place."""
    both = Counter(one[at][0].text for at in _loose(one)) & Counter(other[at][0].text for at in _loose(other))
    for parts in (one, other):
        left = both.copy()
        for at in _loose(parts):
            text = parts[at][0].text
            if left[text] > 0:
                left[text] -= 1
                parts[at] = [Part(text, "near")]


def _mark_similar(one: list[list[Part]], other: list[list[Part]]) -> None:
    """Mark similar words letter by letter; the most similar ones are compared."""
    words = [at for at in _loose(one) if one[at][0].text[0].isalnum()]
    others = [at for at in _loose(other) if other[at][0].text[0].isalnum()]
    if len(words) * len(others) > _PAIRS:
        return
    likeness = {(at, to): _likeness(one[at][0].text, other[to][0].text) for at in words for to in others}
    found: set[int] = set()
    taken: set[int] = set()
    for at, to in sorted(likeness, key=lambda pair: (-likeness[pair], abs(pair[0] - pair[1]), pair)):
        if likeness[at, to] >= _ALIKE and at not in found and to not in taken:
            one[at], other[to] = _letters(one[at][0].text, other[to][0].text)
            found.add(at)
            taken.add(to)


def _likeness(left: str, right: str) -> float:
    if max(len(left), len(right)) > _WORD:
        return 0.0
    return SequenceMatcher(None, left.casefold(), right.casefold(), autojunk=False).ratio()


def _letters(left: str, right: str) -> tuple[list[Part], list[Part]]:
    """What two words share, ignoring case, and what they do not."""
    lower = left.lower(), right.lower()
    if (len(lower[0]), len(lower[1])) != (len(left), len(right)):
        lower = left, right
    one: list[Part] = []
    other: list[Part] = []
    for kind, start, end, first, last in SequenceMatcher(None, *lower, autojunk=False).get_opcodes():
        mark: Mark = "near" if kind == "equal" else "differs"
        one.append(Part(left[start:end], mark))
        other.append(Part(right[first:last], mark))
    return one, other


def _joined(parts: Iterable[Part]) -> list[Part]:
    """Neighbours with the same mark as one part."""
    runs = groupby((part for part in parts if part.text), key=attrgetter("mark"))
    return [Part("".join(part.text for part in run), mark) for mark, run in runs]
