"""JSON that programs send and get. Types are strict, and unknown fields are refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from askwise.project.migrations import MOST_JOINS
from askwise.project.values import ClusterRow


def storable(text: str) -> str:
    """Refuse text that a database cannot keep: NUL and lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("the text has an incomplete character in it") from None
    if "\0" in text:
        raise ValueError("the text has a NUL in it")
    return text


Text = Annotated[str, Field(max_length=1000), AfterValidator(storable)]
Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(storable)]
RequestId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.:-]+$")]
Number = Annotated[int, Field(ge=0, le=2**62)]
Answer = Literal["yes", "no", "unsure"]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

MOST_VOTES = 50_000
MOST_ROWS = 1000


class In(BaseModel):
    """A request."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Out(BaseModel):
    """A response."""

    model_config = ConfigDict(from_attributes=True)


class Problem(Out):
    """What went wrong, in one line."""

    detail: str


class Take(In):
    """The worker who wants a question (workers themselves may omit it), and their open tasks."""

    worker: Name | None = None
    beside: list[Number] = Field(default_factory=list, max_length=20)


class Reply(In):
    """An answer to a task. Sent again with the same `request`, it counts once.

    `probability` is how likely the worker thinks the two are the same, on the same side of 1/2 as the answer.
    """

    answer: Answer
    probability: Probability | None = None
    worker: Name | None = None
    request: RequestId | None = None
    seconds: Annotated[float, Field(ge=0, le=86400, allow_inf_nan=False)] | None = None


class Undo(In):
    """Take the last answer back."""

    worker: Name | None = None


class GivenVote(In):
    """A vote from elsewhere; `label` is true, false, or null for unsure.

    `probability` is how likely the worker thinks the two are the same, on the same side of 1/2 as the label.
    """

    left: Text
    right: Text
    worker: Name
    label: bool | None
    probability: Probability | None = None


class Votes(In):
    """Votes from elsewhere, added all or none. Sent again with the same `request`, they count once."""

    votes: list[GivenVote] = Field(max_length=MOST_VOTES)
    request: RequestId | None = None


class Added(Out):
    """How many votes were added."""

    added: int


class TaskOut(Out):
    """A question for a worker, theirs until `until` (seconds since 1970), with the fields of both records."""

    id: int
    left: str
    right: str
    until: float
    left_record: dict[str, str]
    right_record: dict[str, str]


class VoteOut(Out):
    """A stored vote."""

    id: int
    time: float
    action: str
    worker: str
    left: str | None
    right: str | None
    label: bool | None
    source: str
    probability: float | None


class QuestionOut(Out):
    """A pair worth asking; `why` is for the owner, not for workers."""

    left: str
    right: str
    gain: float
    kind: str
    why: str


class ClustersOut(Out):
    """Some of the clusters, and how many there are."""

    total: int
    clusters: list[ClusterRow]


class RecordOut(Out):
    """A record's fields."""

    id: str
    fields: dict[str, str]
    cluster: int


class NewInvite(In):
    """A link for one worker; without a name, for up to `most` people; with a role, for a steward or reader."""

    worker: Name | None = None
    role: Literal["worker", "steward", "reader"] = "worker"
    most: Annotated[int, Field(ge=1, le=100_000)] = MOST_JOINS
    note: Annotated[str, Field(max_length=100), AfterValidator(storable)] = ""


class InviteOut(Out):
    """A new link: its path, and its secret, which is a token too. They are shown only once."""

    id: int
    secret: str
    path: str
