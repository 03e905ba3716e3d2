"""What a project hands out: plain values, none of which changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from askwise.evidence import Label

Answer = Literal["yes", "no", "unsure"]
Action = Literal["vote", "undo", "exclude", "include"]

OWNER = "owner"
"""The owner, as a worker and as a source of votes: a file may have a worker of that name."""

LABELS: dict[str, bool | None] = {"yes": True, "no": False, "unsure": None}


def ordered(left: str, right: str) -> tuple[str, str]:
    """A pair as the store has it."""
    return (left, right) if left < right else (right, left)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner may change while people work.

    `votes` are wanted for each question, `lease_seconds` a worker has for one, `batch` questions are chosen at a time.
    `budget` is the most votes to ask for, `price` what one costs, in `currency`. `instructions` say what "same" means;
    `image_fields` are fields that hold pictures. A share `audit` of the questions is drawn by chance: they
    are a fair sample of all pairs. A share `controls` of what a worker gets has a known answer. `hidden` says for each
    role (see `people.ROLES`) which fields it does not see.
    """

    votes: int = 3
    lease_seconds: int = 600
    batch: int = 200
    paused: bool = False
    budget: int | None = None
    price: float = 0.0
    currency: str = ""
    instructions: str = ""
    image_fields: tuple[str, ...] = ()
    audit: float = 0.0
    controls: float = 0.0
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """A question that a worker holds until `until` (seconds since 1970).

    `left` and `right` are as the worker sees them: `swapped` says that chance changed the sides.
    """

    id: int
    left: str
    right: str
    worker: str
    until: float
    swapped: bool


@dataclass(frozen=True, slots=True)
class VoteRow:
    """One row of the store, never changed: a vote (`label` True, False, or None for unsure), or what takes some back.

    `probability` is there if the vote is one: how likely the two are the same; `label` is the side of 1/2 it is on.
    An "undo" takes back the worker's vote on the pair; "exclude" and "include" have no pair, and say that from here on
    none or all of the worker's votes count.
    """

    id: int
    time: float
    action: Action
    worker: str
    left: str | None
    right: str | None
    label: bool | None
    source: str
    task: int | None = None
    seconds: float | None = None
    shown: str | None = None
    probability: float | None = None

    @property
    def said(self) -> Label:
        """The vote as the engine takes it."""
        return self.label if self.probability is None else self.probability


@dataclass(frozen=True, slots=True)
class Worker:
    """Who votes, since when, and whether the votes count."""

    name: str
    since: float
    excluded: bool
    votes: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Invite:
    """A link that lets a person in, with a role. Only the digest of its secret is kept.

    `worker` is who comes by it; None for a link by which up to `most` people join, who name themselves or are named by
    a panel. Each of them gets a link of their own, which names the one that they came by as its `parent`.
    """

    id: int
    digest: str
    worker: str | None
    note: str
    created: float
    revoked: float | None
    parent: int | None = None
    most: int | None = None
    role: str = "worker"


@dataclass(frozen=True, slots=True)
class Sent:
    """A question that was sent to a crowd: its state (see `schema`), its cost so far, and why it failed if it did."""

    id: int
    crowd: str
    left: str
    right: str
    time: float
    outside: str | None
    state: int
    cost: float
    note: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many there are in the store: votes that stand, rows, questions by state, tasks that workers hold.

    `answered` are votes that were given to tasks; `spent` is what crowds elsewhere have cost.
    """

    votes: int
    rows: int
    questions: int
    open: int
    held: int
    workers: int
    answered: int
    spent: float


@dataclass(frozen=True, slots=True)
class Point:
    """What was known after the row `vote`, at `time`; `f1` to expect lies from `f1_low` to `f1_high` (see `Status`).

    Older points have no `f1`.
    """

    vote: int
    time: float
    questions: int
    votes: int
    clusters: int
    reliability: float
    assumed: int
    f1: float | None = None
    f1_low: float | None = None
    f1_high: float | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """Where a project stands. `reliability` is a base-10 logarithm, of which `assumed` terms are the tiny constant.

    `precision`, `recall` and `f1` are those to expect, estimated without known answers; with a probability of 90% each
    lies between its `_low` and its `_high`. All three are medians of their own, so one does not follow from the others.
    `candidate_recall` estimates which share of the matches is
    among the candidates.
    """

    name: str
    records: int
    candidates: int
    asked: int
    to_ask: int
    open_questions: int
    held: int
    votes: int
    workers: int
    clusters: int
    reliability: float
    assumed: int
    precision: float
    recall: float
    f1: float
    f1_low: float
    f1_high: float
    cost: float
    currency: str
    budget: int | None
    paused: bool
    candidate_recall: float
    precision_low: float
    precision_high: float
    recall_low: float
    recall_high: float


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """One entity: its lasting id, its records, and how far to trust it (see `Confidence`).

    `confidence` is how likely the cluster is right; `nearest` is the record that the separation is from.
    """

    id: int
    members: tuple[str, ...]
    confidence: float
    connectivity: float
    separation: float
    nearest: str | None
