"""The values that a project returns. None of them changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from askwise.evidence import Label

Answer = Literal["yes", "no", "unsure"]
Action = Literal["vote", "undo", "exclude", "include"]

OWNER = "owner"
"""The owner, as a worker and as a source of votes; a file may have a worker of that name."""

LABELS: dict[str, bool | None] = {"yes": True, "no": False, "unsure": None}


def ordered(left: str, right: str) -> tuple[str, str]:
    """A pair in the order of the database."""
    return (left, right) if left < right else (right, left)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner may change while people work.

    `votes` are wanted for each question, a worker has `lease_seconds` for one, and `batch` questions are chosen at a
    time. `budget` is the most votes to ask for, `price` what one costs, in `currency`. `instructions` say what "same"
    means, and `image_fields` hold pictures. A share `audit` of the questions is drawn at random, as a fair sample of
    all pairs. A share `controls` of the questions that a worker gets are control questions, with known answers.
    `hidden` lists the fields that each role (see `people.ROLES`) cannot see.
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

    `left` and `right` are as the worker sees them; `swapped` says whether they were exchanged at random.
    """

    id: int
    left: str
    right: str
    worker: str
    until: float
    swapped: bool


@dataclass(frozen=True, slots=True)
class VoteRow:
    """A row of the database, never changed: a vote (`label` True, False, or None for unsure), or what takes some back.

    `probability` is set if the vote is one; `label` is the side of 1/2 that it is on. An "undo" takes back the worker's
    vote on the pair. "exclude" and "include" have no pair; from there on none or all of the worker's votes count.
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
        """The vote in the form that the engine takes."""
        return self.label if self.probability is None else self.probability


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker, since when, and whether the votes count."""

    name: str
    since: float
    excluded: bool
    votes: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Invite:
    """A link with a role. Only the digest of its secret is kept.

    `worker` is the person it is for; None for a link by which up to `most` people join, who give a name or get one from
    a panel. Each of them gets a link of their own, whose `parent` is the link they came by.
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
    """A question that was sent to a crowd: its state (see `schema`), its cost so far, and why it failed."""

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
    """Numbers in the database: valid votes, rows, questions by state, tasks that workers hold.

    `answered` are votes that were given to tasks; `spent` is the cost of crowds elsewhere.
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
    """A point of the history: the state after the row `vote`, at `time`; the expected `f1` and its interval (`Status`).

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
    """Where a project stands. `reliability` is a base-10 logarithm with `assumed` tiny constants in it.

    `precision`, `recall` and `f1` are expected values, without known answers; with a probability of 90% each is between
    its `_low` and its `_high`. Each is a median of its own, so F1 does not follow from the other two.
    `candidate_recall` estimates the share of the matches that is among the candidates.
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
    """A cluster: its lasting id, its records, and how far to trust it (see `Confidence`).

    `confidence` is the probability that the cluster is right. `nearest` is a record of the cluster that `separation`
    refers to.
    """

    id: int
    members: tuple[str, ...]
    confidence: float
    connectivity: float
    separation: float
    nearest: str | None
