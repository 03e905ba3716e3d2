"""What programs send and get, as JSON. Nothing is guessed: a text is a text, and what is unknown is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from askwise.project.migrations import MOST_JOINS
from askwise.project.values import ClusterRow


def storable(text: str) -> str:
    """Every store can keep it: no NUL, no half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("the text has half a character in it") from None
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
    """What programs send."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Out(BaseModel):
    """What programs get."""

    model_config = ConfigDict(from_attributes=True)


class Problem(Out):
    """What went wrong, in one line."""

    detail: str


class Take(In):
    """Who wants a question (workers themselves need not say), and which of their open tasks they have already."""

    worker: Name | None = None
    beside: list[Number] = Field(default_factory=list, max_length=20)


class Reply(In):
    """An answer to a task. Sent again with the same `request`, it counts once.

    `probability` is how likely the worker holds the two to be the same: on the side of 1/2 that the answer says.
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
    """A vote from elsewhere; `label` true, false, or null for unsure.

    `probability` is how likely the worker holds the two to be the same: on the side of 1/2 that the label says.
    """

    left: Text
    right: Text
    worker: Name
    label: bool | None
    probability: Probability | None = None


class Votes(In):
    """Votes from elsewhere; all are taken or none. Sent again with the same `request`, they count once."""

    votes: list[GivenVote] = Field(max_length=MOST_VOTES)
    request: RequestId | None = None


class Added(Out):
    """How many votes were taken."""

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
    """A vote as it is kept."""

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
    """A pair that is worth asking now; `why` is for the owner, not for workers."""

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
    """A link for one worker, or, without a name, for up to `most` people; or for a steward or a reader, with a name."""

    worker: Name | None = None
    role: Literal["worker", "steward", "reader"] = "worker"
    most: Annotated[int, Field(ge=1, le=100_000)] = MOST_JOINS
    note: Annotated[str, Field(max_length=100), AfterValidator(storable)] = ""


class InviteOut(Out):
    """A new link: its path, and the secret in it, which is a token too. They are told only once."""

    id: int
    secret: str
    path: str
