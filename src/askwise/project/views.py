"""Views of the clusters: which to look at, in which order. A view can be saved under a name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from askwise.errors import InputError
from askwise.project.desk import STATES, State
from askwise.tables import Table

ORDERS = ("help", "size", "confidence", "id")
"""The orders of clusters; with a minus in front, reversed."""

_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class View:
    """Which clusters, by review, size, confidence, conflicts, sources, people and words; empty means any.

    The order "help" puts first what is most useful to look at: the probability that the cluster is wrong, times the
    number of its records, or times the sum of the number field `value` over them.
    """

    states: tuple[State, ...] = ()
    least_size: int = 1
    most_size: int | None = None
    least_confidence: float = 0.0
    most_confidence: float = 1.0
    conflict: bool | None = None
    source: str = ""
    reviewer: str = ""
    assignee: str = ""
    words: str = ""
    order: str = "help"
    value: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The differences from the view of everything, for JSON."""
        whole = View()
        return {name: value for name, value in asdict(self).items() if value != getattr(whole, name)}


TO_REVIEW = View(states=("new", "in review"))
"""The view that stewards start with."""


def view_of(given: Mapping[str, Any], table: Table) -> View:
    """Parse a view from a program, a page or the database; a bad value is an error that names it."""
    known = {field.name for field in fields(View)}
    for name in given:
        if name not in known:
            raise InputError(f"a view has no {name!r}; choose from: {', '.join(sorted(known))}")
    view = View(**{**given, "states": tuple(given.get("states", ()))})
    for state in view.states:
        if state not in STATES:
            raise InputError(f"there is no state {str(state)[:40]!r}; choose from: {', '.join(STATES)}")
    for name in ("source", "reviewer", "assignee", "words", "order", "value"):
        text = getattr(view, name)
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise InputError(f"{name} must be a text of at most {_LONGEST:,} characters")
    for name in ("least_size", "most_size"):
        number = getattr(view, name)
        whole = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**53
        if not whole and not (name == "most_size" and number is None):
            raise InputError(f"{name} = {number!r} is not a number of records")
    for name in ("least_confidence", "most_confidence"):
        number = getattr(view, name)
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0.0 <= number <= 1.0:
            raise InputError(f"{name} = {number!r} is not a number from 0 to 1")
    if view.conflict not in (None, True, False):
        raise InputError(f"conflict = {view.conflict!r} is not true, false or null")
    if view.order.removeprefix("-") not in ORDERS:
        raise InputError(f"there is no order {view.order[:40]!r}; choose from: {', '.join(ORDERS)}")
    if view.value and table.kinds.get(view.value) != "number":
        numbers = [name for name, kind in table.kinds.items() if kind == "number"]
        raise InputError(
            f"{view.value[:40]!r} is not a field with numbers; choose from: {', '.join(numbers) or 'none'}"
        )
    if not math.isfinite(view.least_confidence + view.most_confidence):
        raise InputError("a confidence is a number from 0 to 1")
    return view
