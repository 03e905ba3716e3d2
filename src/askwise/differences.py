"""Where two texts differ, so that a person who compares records sees it at once; for pages and the terminal alike."""

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
_ALIKE = 0.5


class Part(NamedTuple):
    """A piece of a text: "same" on both sides, "near" (a word that is spelled or placed otherwise), or "differs"."""

    text: str
    mark: Mark


def shown(value: object) -> str:
    """A field's value as people read it; nothing for what is missing."""
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
    """Both texts in parts; joined, the parts of a side are its text again.

    Words are aligned first. A word with a similar one opposite is marked letter by letter: what the two share is
    "near", the rest "differs". A word that stands elsewhere on the other side is "near" too. Where a side is empty, all
    of the other differs.
    """
    if left == right:
        return _joined([Part(left, "same")]), _joined([Part(right, "same")])
    ours, theirs = _TOKENS.findall(left), _TOKENS.findall(right)
    if max(len(ours), len(theirs)) > _ALIGNED:
        return _joined(_found_in(ours, theirs)), _joined(_found_in(theirs, ours))
    one: list[list[Part]] = [[Part(token, "same")] for token in ours]
    other: list[list[Part]] = [[Part(token, "same")] for token in theirs]
    loose_ours: list[int] = []
    loose_theirs: list[int] = []
    for kind, start, end, first, last in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            loose_ours += range(start, end)
            loose_theirs += range(first, last)
            _compare_block(ours, theirs, range(start, end), range(first, last), one, other)
    _mark_moved(ours, theirs, loose_ours, loose_theirs, one, other)
    return _joined(part for parts in one for part in parts), _joined(part for parts in other for part in parts)


def _found_in(tokens: Sequence[str], others: Sequence[str]) -> list[Part]:
    """Very long texts: a word is the same if the other side has it anywhere."""
    known = set(others)
    return [Part(token, "same" if token in known else "differs") for token in tokens]


def _compare_block(
    ours: Sequence[str],
    theirs: Sequence[str],
    here: range,
    there: range,
    one: list[list[Part]],
    other: list[list[Part]],
) -> None:
    """Mark a stretch that differs, letter by letter where a word has a similar one opposite."""
    for at in here:
        one[at] = [Part(ours[at], "differs")]
    for at in there:
        other[at] = [Part(theirs[at], "differs")]
    words = [at for at in here if ours[at][0].isalnum()]
    free = [at for at in there if theirs[at][0].isalnum()]
    if len(words) * len(free) > _WORD:
        return
    for at in words:
        best = max(free, key=lambda place: _likeness(ours[at], theirs[place]), default=None)
        if best is not None and _likeness(ours[at], theirs[best]) >= _ALIKE:
            one[at], other[best] = _letters(ours[at], theirs[best])
            free.remove(best)


def _likeness(left: str, right: str) -> float:
    if max(len(left), len(right)) > _WORD:
        return 0.0
    return SequenceMatcher(None, left.casefold(), right.casefold(), autojunk=False).ratio()


def _letters(left: str, right: str) -> tuple[list[Part], list[Part]]:
    one: list[Part] = []
    other: list[Part] = []
    for kind, start, end, first, last in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        mark: Mark = "near" if kind == "equal" else "differs"
        one.append(Part(left[start:end], mark))
        other.append(Part(right[first:last], mark))
    return one, other


def _mark_moved(
    ours: Sequence[str],
    theirs: Sequence[str],
    loose_ours: Sequence[int],
    loose_theirs: Sequence[int],
    one: list[list[Part]],
    other: list[list[Part]],
) -> None:
    """Words that both sides have, but in another place."""
    both = Counter(ours[at] for at in loose_ours) & Counter(theirs[at] for at in loose_theirs)
    for tokens, loose, parts in ((ours, loose_ours, one), (theirs, loose_theirs, other)):
        left = both.copy()
        for at in loose:
            if left[tokens[at]] > 0:
                left[tokens[at]] -= 1
                parts[at] = [Part(tokens[at], "near")]


def _joined(parts: Iterable[Part]) -> list[Part]:
    """Neighbours with the same mark as one part."""
    runs = groupby((part for part in parts if part.text), key=attrgetter("mark"))
    return [Part("".join(part.text for part in run), mark) for mark, run in runs]
