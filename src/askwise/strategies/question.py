"""A pair that is worth asking, and what names it."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, Protocol

from askwise.arrays import Int32s

Kind = Literal["within", "between"]


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to put to workers.

    `gain` is what the strategy expects of it (for `perc`: by how much a fully agreeing answer would raise the
    reliability); `kind` says whether its records are in one cluster now ("within") or in two ("between").
    """

    left: Hashable
    right: Hashable
    gain: float
    kind: Kind


class Strategy(Protocol):
    """Picks the next questions."""

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Take in that the votes on the pairs `rows`, and the clusters of the records `moved`, have changed."""

    def select(self, k: int) -> list[Question]:
        """At most `k` questions, the best first. Asking twice gives the same."""
