"""A question: a pair that is worth asking."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from askwise.arrays import Floats, Int32s
from askwise.frames import html_table
from askwise.graph import UncertainGraph
from askwise.kernels.partition import Membership
from askwise.strategies.reasons import reasons

Kind = Literal["within", "between"]


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to put to workers. Workers see the two records and nothing else.

    Attributes
    ----------
    left, right
        The ids of the two records.
    gain : float
        What the strategy ranks by. For "wise", mainly the square of the probability that the clustering is wrong there
        (docs/engine.md); for "perc", how much an answer that agrees with the clustering would raise the reliability.
    kind : str
        "within" if the two are in one cluster now, "between" if in two.
    why : str
        What the question is for, in words.
    """

    left: Hashable
    right: Hashable
    gain: float
    kind: Kind
    why: str = ""

    def _repr_html_(self) -> str:
        return html_table({"left": [self.left], "right": [self.right], "gain": [self.gain]}, self.why)


def named(
    graph: UncertainGraph,
    clusters: Membership,
    left: Int32s,
    right: Int32s,
    gains: Floats,
    changes: Sequence[int] = (),
) -> list[Question]:
    """Pairs of positions as questions; `changes` are those that the answers may lead to, as far as they are known."""
    ids, label = graph.records.ids, clusters.label
    together = (label[left] == label[right]).tolist()
    why = reasons(graph, clusters, left, right, changes)
    return [
        Question(ids[u], ids[v], gain, "within" if within else "between", reason)
        for u, v, gain, within, reason in zip(left.tolist(), right.tolist(), gains.tolist(), together, why, strict=True)
    ]
