"""What a crowd that works elsewhere has to do: take questions, hand back votes, and be asked nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from askwise.evidence import Label

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Order:
    """A question as it is sent: `id` is its number in the store, `outside` the crowd's own name for it, once known.

    `rank` says how useful it is: the smaller, the sooner it should be asked.
    """

    id: int
    left: str
    right: str
    outside: str | None = None
    left_record: Record | None = None
    right_record: Record | None = None
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back on an order: a worker's vote, or `failed`, the reason why there is none.

    `request` names the vote outside, so that it counts once; without it the first reply to an order counts. `done` says
    that no further votes are to come. `cost` is what it cost, whether it failed or not.
    """

    order: int
    worker: str = ""
    label: Label = None
    failed: str = ""
    cost: float = 0.0
    seconds: float | None = None
    shown: str | None = None
    request: str | None = None
    done: bool = True


@dataclass(frozen=True, slots=True)
class Context:
    """What a crowd may know of the project: its name and key, what "same" means, votes wanted, and the records."""

    name: str
    key: str
    instructions: str
    votes: int
    fields: tuple[str, ...]
    record: Callable[[str], Record]


class DurableCrowd(Protocol):
    """A source of votes that may take its time, and that may be paid.

    `name` is what the store knows it by: it never gets the same pair twice under it. `lasts` says that it still has
    what was put when we come back after an interruption; then `put` gets these orders again, and must not put them
    twice. `waits` says that votes come by themselves if one waits.
    """

    name: str
    lasts: bool
    waits: bool

    @property
    def room(self) -> int:
        """How many more questions it takes now."""

    def estimate(self, order: Order) -> float:
        """What the order costs at most."""

    def put(self, orders: Sequence[Order]) -> dict[int, str]:
        """Hand questions over; returns the crowd's own names for them, as far as it has any."""

    def collect(self, seconds: float) -> list[Reply]:
        """What came back; waits up to so long for the first."""

    def remarks(self) -> str:
        """What the owner should know at the end; empty if there is nothing."""

    def close(self) -> None:
        """Let go of what was opened."""
