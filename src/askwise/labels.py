"""Labels as tables have them: 1, 0 or empty, in the words that people and tools use for them."""

from __future__ import annotations

from typing import Any

from askwise.errors import LabelError
from askwise.kinds import present, text_of
from askwise.sources import Source

YES = frozenset({"1", "1.0", "true", "yes", "y", "same", "match"})
NO = frozenset({"0", "0.0", "false", "no", "n", "different", "non-match", "distinct"})
UNSURE = frozenset({"unsure", "u", "?", "-1", "can't tell"})


def label_of(source: Source, at: int, value: Any) -> bool | None:
    """The label in a row: True, False, or None for unsure; an error that names the row if it is none."""
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
