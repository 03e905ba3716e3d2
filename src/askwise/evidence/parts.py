"""What the log-odds of one pair are made of, as a sum (for `explain`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats
from askwise.evidence.votes import VoteLog

START, FIELD, NEIGHBOURS, VOTE, LIMIT, RULE = "start", "field", "neighbours", "vote", "limit", "rule"
"""What a part is: where a pair starts, a field, other candidates, a worker's vote, what is cut off, a rule."""


class Part(NamedTuple):
    """A part of a pair's log-odds: what kind it is, what of that kind, and how much."""

    kind: str
    name: str
    odds: float


def by_worker(log: VoteLog, row: int, counts: Floats | None, odds_of: Callable[[Floats, Floats], Floats]) -> list[Part]:
    """What each worker's vote adds to the votes before it, the first one first.

    `odds_of` says what numbers of YES and NO come to; `counts` is how much a vote of each judge counts.
    """
    _, judges, said = log.standing(np.array([row], np.int32))
    order = np.arange(judges.size)[::-1]  # the log is walked from its end
    parts, yes, no, before = [], np.zeros(1), np.zeros(1), 0.0
    for judge, says in zip(judges[order].tolist(), said[order].tolist(), strict=True):
        count = 1.0 if counts is None or judge >= counts.size else float(counts[judge])
        says = 1.0 - says if count < 0.0 else says
        yes, no = yes + abs(count) * says, no + abs(count) * (1.0 - says)
        now = float(odds_of(yes, no)[0])
        now = 0.0 if np.isnan(now) else now
        parts.append(Part(VOTE, str(log.judges[judge]), now - before))
        before = now
    return parts


def cut(parts: list[Part], name: str, limit: float) -> list[Part]:
    """The parts, with one more that brings their sum back within a limit if it is beyond."""
    total = sum(part.odds for part in parts)
    kept = min(max(total, -limit), limit)
    return parts if kept == total else [*parts, Part(LIMIT, name, kept - total)]


def summed(parts: list[Part]) -> list[Part]:
    """One part of each kind and name, in the order in which they first come."""
    found: dict[tuple[str, str], float] = {}
    for part in parts:
        found[part[:2]] = found.get(part[:2], 0.0) + part.odds
    return [Part(*key, odds) for key, odds in found.items()]
