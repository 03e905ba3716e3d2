"""A pair that is worth asking, and what names it."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, Protocol

from askwise.arrays import Floats, Int32s
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph

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


def named(graph: UncertainGraph, partition: Partition, left: Int32s, right: Int32s, gains: Floats) -> list[Question]:
    """Pairs of positions as questions."""
    ids, label = graph.records.ids, partition.label
    together = (label[left] == label[right]).tolist()
    return [
        Question(ids[u], ids[v], gain, "within" if within else "between")
        for u, v, gain, within in zip(left.tolist(), right.tolist(), gains.tolist(), together, strict=True)
    ]


class Strategy(Protocol):
    """Picks the next questions."""

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Take in that the votes on the pairs `rows`, and the clusters of the records `moved`, have changed."""

    def select(self, k: int) -> list[Question]:
        """At most `k` questions, the best first. Asking twice gives the same."""
