"""What a crowd that works elsewhere has to do: take questions, return votes, and get nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from askwise.evidence import Label

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Order:
    """A question to send: `id` is its number in the database, `outside` the crowd's own id, once known.

    `rank` orders questions by usefulness: a smaller one should be asked sooner.
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
    """The reply to an order: a worker's vote, or `failed`, the reason why there is none.

    `request` names the vote at the crowd, so that it counts once; without it, the first reply to an order counts.
    `done` says that no further votes will come. `cost` is what it cost, even if it failed.
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
    """A source of votes that may take its time and may cost money.

    `name` identifies it in the database: it never gets the same pair twice. If `lasts`, it still has its questions
    after an interruption; then `put` gets these orders again, and must not send them twice. If `waits`, votes come if
    one waits.
    """

    name: str
    lasts: bool
    waits: bool

    @property
    def room(self) -> int:
        """How many more questions it can take now."""

    def estimate(self, order: Order) -> float:
        """The most that the order can cost."""

    def put(self, orders: Sequence[Order]) -> dict[int, str]:
        """Send questions; returns the crowd's own ids for them, if it has any."""

    def collect(self, seconds: float) -> list[Reply]:
        """The replies; waits up to this many seconds for the first."""

    def remarks(self) -> str:
        """What the owner should know at the end, or empty."""

    def close(self) -> None:
        """Release what was opened."""
