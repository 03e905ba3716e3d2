"""Why two records are together or apart: the log-odds of the pair as a sum, and the strongest path between them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from askwise.arrays import Int32s
from askwise.charts import bar_chart
from askwise.clustering.partition import Partition
from askwise.evidence.parts import FIELD, LIMIT, NEIGHBOURS, RULE, START, VOTE, Part
from askwise.graph import UncertainGraph
from askwise.rules import DECISION, Step
from askwise.rules.chains import Chains

_NAMES = {
    START: "prior",
    FIELD: "{}",
    NEIGHBOURS: "other candidates of the two",
    VOTE: "vote of {}",
    LIMIT: "limit: {}",
    RULE: "rule {}",
}


_LEAST = 0.0005
"""What fields say that is less, such as those that a record lacks, would show as 0, so `print` leaves it out."""


class Link(NamedTuple):
    """A pair on the path from one record to another, and its log-odds."""

    left: Hashable
    right: Hashable
    log_odds: float


@dataclass(frozen=True)
class Explanation:
    """Why two records are together or apart. `print` it; `as_dict` and `chart` are for programs and pages.

    Attributes
    ----------
    together : bool
        Whether the two are in one cluster.
    log_odds : float or None
        The log-odds that the clustering uses; None if nothing is known about the pair, infinite if a rule settles it.
    parts : tuple
        What the log-odds are the sum of: (kind, name, odds), where the kind is "start", "field", "neighbours", "vote",
        "limit" or "rule".
    rules : tuple
        The chain of rules that settles the pair, if one does.
    blocked : tuple
        The chain of rules that keeps the two clusters apart, if the pair itself is free.
    path : tuple of Link
        The strongest path between the two inside their cluster: the one whose weakest link is strongest.
    """

    left: Hashable
    right: Hashable
    together: bool
    log_odds: float | None
    parts: tuple[Part, ...]
    rules: tuple[Step, ...]
    blocked: tuple[Step, ...]
    path: tuple[Link, ...]

    @property
    def probability(self) -> float | None:
        """The probability that the two are the same, from what is known about this pair alone."""
        return None if self.log_odds is None else 0.5 * (1.0 + math.tanh(0.5 * self.log_odds))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain values, for JSON. Infinite log-odds are None; `rules` says why."""
        return {
            "left": self.left,
            "right": self.right,
            "together": self.together,
            "log_odds": _finite(self.log_odds),
            "probability": self.probability,
            "parts": [{"kind": part.kind, "name": part.name, "log_odds": _finite(part.odds)} for part in self.parts],
            "rules": [step._asdict() for step in self.rules],
            "blocked": [step._asdict() for step in self.blocked],
            "path": [
                {"left": link.left, "right": link.right, "log_odds": _finite(link.log_odds)} for link in self.path
            ],
        }

    def __str__(self) -> str:
        lines = [f"{self.left} and {self.right} are {'together' if self.together else 'apart'}."]
        if self.log_odds is None:
            lines.append("Nothing is known about this pair itself: it has no votes, and no machine rated it.")
        else:
            telling = [part for part in self.parts if part.kind != FIELD or abs(part.odds) >= _LEAST]
            lines += ["", *(f"{_shown(part.odds):>9}  {part_name(part)}" for part in telling)]
            lines.append(f"{_shown(self.log_odds):>9}  log-odds: {self.probability:.1%} likely to be the same")
        if self.rules:
            lines += ["", "By rules: " + ", ".join(map(str, self.rules))]
        if self.blocked:
            lines += ["", "Their clusters cannot be joined: " + ", ".join(map(str, self.blocked))]
        if len(self.path) > 1:
            lines += ["", "The strongest path between them:"]
            lines += [f"{_shown(link.log_odds):>9}  {link.left} and {link.right}" for link in self.path]
        return "\n".join(lines)

    def chart(self) -> str:
        """The parts as a bar chart, in SVG."""
        bars = [(part_name(part), part.odds) for part in self.parts]
        if self.log_odds is not None:
            bars.append(("log-odds", self.log_odds))
        return bar_chart(f"{self.left} and {self.right}: {'together' if self.together else 'apart'}", bars)


def explained(
    graph: UncertainGraph,
    partition: Partition,
    chains: Chains,
    pair: tuple[Hashable, Hashable],
    parts_of: Callable[[int], list[Part]],
) -> Explanation:
    """Explain a pair; `parts_of` says what the log-odds of a row are the sum of."""
    u, v = (graph.records.position(end) for end in pair)
    row = int(graph.find_rows(*(np.array([end], np.int32) for end in graph.records.pair(*pair)))[0])
    known = row >= 0 and not math.isnan(graph.pair_weight[row])
    rules = tuple(chains.why(u, v))
    parts = parts_of(row) if known else []
    odds = float(graph.pair_weight[row]) if known else None
    if rules:
        names = dict.fromkeys(step.rule for step in rules)
        odds = math.inf if all(step.same for step in rules) else -math.inf
        parts.append(Part(RULE, ", ".join(names), odds))
    one, two = (partition.members(int(partition.label[end])) for end in (u, v))
    together = bool(one[0] == two[0])
    ids = graph.records.ids
    path = strongest_path(graph, one, u, v) if together else []
    links = tuple(Link(ids[start], ids[end], strength) for start, end, strength in path)
    blocked = () if together or rules else tuple(chains.between(one, two))
    return Explanation(*pair, together, odds, tuple(parts), rules, blocked, links)


def strongest_path(graph: UncertainGraph, members: Int32s, left: int, right: int) -> list[tuple[int, int, float]]:
    """The path between two of some records whose weakest pair is strongest; a shortest one of these."""
    one, two, rows = graph.inside(members)
    weight = graph.pair_weight[rows]
    group = np.arange(members.size)
    begin, end = np.searchsorted(members, (left, right)).tolist()
    order = np.argsort(-weight, kind="stable")
    weakest = -math.inf
    for at in order.tolist():
        group[group == group[one[at]]] = group[two[at]]
        if group[begin] == group[end]:
            weakest = float(weight[at])
            break
    else:
        return []
    around: dict[int, list[tuple[int, float]]] = {}
    for at in np.flatnonzero(weight >= weakest).tolist():
        for u, v in ((int(one[at]), int(two[at])), (int(two[at]), int(one[at]))):
            around.setdefault(u, []).append((v, float(weight[at])))
    before: dict[int, tuple[int, float]] = {begin: (begin, 0.0)}
    waiting = deque([begin])
    while end not in before:
        node = waiting.popleft()
        for other, strength in around[node]:
            if other not in before:
                before[other] = node, strength
                waiting.append(other)
    way: list[tuple[int, int, float]] = []
    while end != begin:
        node, strength = before[end]
        way.append((int(members[node]), int(members[end]), strength))
        end = node
    return way[::-1]


def part_name(part: Part) -> str:
    """The name of a part."""
    if part.kind == RULE and part.name == DECISION:
        return DECISION
    return _NAMES[part.kind].format(part.name)


def _shown(odds: float) -> str:
    return f"{odds:+.3f}" if math.isfinite(odds) else "certain" if odds > 0 else "never"


def _finite(odds: float | None) -> float | None:
    return odds if odds is not None and math.isfinite(odds) else None
