"""What the interface says of a record's history."""

from askwise.web.models import Out


class HappeningOut(Out):
    """Something done about a record."""

    time: float
    person: str
    kind: str
    about: list[str]
    text: str
    counts: bool
    event: int | None


class PairOut(Out):
    """A pair of a record."""

    other: str
    yes: float
    no: float
    p: float | None
    together: bool
    decided: bool | None
    rules: list[str]


class MoveOut(Out):
    """A record went from the cluster `origin` to another; `why` says what may have moved it."""

    time: float
    origin: int
    cluster: int
    why: list[str]


class StoryOut(Out):
    """A record's history: its pairs, the most likely first, how many there are, its moves, and what was done."""

    id: str
    cluster: int
    pairs_total: int
    pairs: list[PairOut]
    moves: list[MoveOut]
    history: list[HappeningOut]
