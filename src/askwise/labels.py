"""Labels in tables: 1, 0 or empty, or words for these, perhaps with a probability."""

from __future__ import annotations

import math
from typing import Any

from askwise.errors import LabelError
from askwise.kinds import present, text_of
from askwise.sources import Source

YES = frozenset({"1", "1.0", "true", "yes", "y", "same", "match"})
NO = frozenset({"0", "0.0", "false", "no", "n", "different", "non-match", "distinct"})
UNSURE = frozenset({"unsure", "u", "?", "-1", "can't tell"})

PROBABILITY = "probability"
"""The column for how likely the two are the same; empty for a plain label."""


def label_of(source: Source, at: int, value: Any) -> bool | None:
    """The label in a row: True, False, or None for unsure; any other is an error that names the row."""
    known = present(value)
    if known is None:
        return None
    said = text_of(known).strip().lower()
    if said in YES:
        return True
    if said in NO:
        return False
    if said in UNSURE:
        return None
    raise LabelError(f"{source.row(at)}: the label {text_of(known)[:60]!r} is not 1, 0 or empty (yes, no or unsure)")


def said_in(source: Source, at: int, label: Any, probability: Any) -> bool | float | None:
    """The label or probability in a row; an error that names the row if the two contradict each other."""
    said = label_of(source, at, label)
    known = present(probability)
    if known is None:
        return said
    try:
        return with_probability(said, known)
    except LabelError as error:
        raise LabelError(f"{source.row(at)}: {error}") from None


def with_probability(label: bool | None, value: Any) -> float:
    """Check a probability: a number from 0 to 1, on the label's side of 1/2."""
    try:
        p = float(value)
    except (TypeError, ValueError):
        p = math.nan
    if not 0.0 <= p <= 1.0:
        raise LabelError(f"the probability {str(value)[:60]!r} is not a number from 0 to 1")
    if label is None or (p != 0.5 and (p > 0.5) is not label):
        said = {True: "yes", False: "no", None: "unsure"}[label]
        raise LabelError(f"the probability {p:g} contradicts the label {said}; it is how likely the two are the same")
    return p
