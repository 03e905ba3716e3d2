"""JSON that stewards' programs send and get; `models` has the rest."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from askwise.project.views import ORDERS
from askwise.web.models import MOST_ROWS, In, Name, Number, Out, Text, storable

MOST_GROUPS, MOST_RECORDS, MOST_CLUSTERS = 1000, 20_000, 10_000

Records = Annotated[list[Text], Field(min_length=1, max_length=MOST_RECORDS)]
Pair = Annotated[list[Text], Field(min_length=2, max_length=2)]
Groups = Annotated[list[Records], Field(min_length=1, max_length=MOST_GROUPS)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Note = Annotated[str, Field(max_length=2000), AfterValidator(storable)]
Kind = Literal["split", "join", "move", "lock", "decide"]
Review = Literal["approve", "review", "ask", "reset"]
State = Literal["new", "in review", "approved", "sent to the crowd"]
Order = Literal["help", "-help", "size", "-size", "confidence", "-confidence", "id", "-id"]
assert {order.removeprefix("-") for order in Order.__args__} == set(ORDERS)  # type: ignore[attr-defined]


class NewEdit(In):
    """An edit: records of one group are the same, records of different groups are not (docs/engine.md)."""

    kind: Kind
    groups: Groups
    note: Note = ""


class Decision(In):
    """Two records are the same, or not, whatever the votes say."""

    left: Text
    right: Text
    same: bool


class Turn(In):
    """Undo or redo."""

    turn: Literal["undo", "redo"]


class Reviewed(In):
    """A review of clusters, given by their ids or by all of their records."""

    review: Review
    clusters: Annotated[list[Number], Field(max_length=MOST_CLUSTERS)] = Field(default_factory=list)
    groups: Annotated[list[Records], Field(max_length=MOST_CLUSTERS)] = Field(default_factory=list)
    note: Note = ""


class ViewIn(In):
    """Which clusters, in which order; omitted fields do not restrict."""

    states: Annotated[list[State], Field(max_length=4)] = Field(default_factory=list)
    least_size: Annotated[int, Field(ge=0, le=10**9)] = 1
    most_size: Annotated[int, Field(ge=0, le=10**9)] | None = None
    least_confidence: Share = 0.0
    most_confidence: Share = 1.0
    conflict: bool | None = None
    source: Text = ""
    reviewer: Text = ""
    assignee: Text = ""
    words: Text = ""
    order: Order = "help"
    value: Text = ""


class ViewQuery(ViewIn):
    """A view in an address, where everything is text."""

    model_config = ConfigDict(extra="forbid", strict=False)


class QueueQuery(ViewQuery):
    """A view, and which of its clusters."""

    offset: Annotated[int, Field(ge=0, le=2**40)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 50


class Above(In):
    """Approve the clusters of a view above a confidence; with `preview`, only count them."""

    confidence: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
    view: ViewIn = Field(default_factory=ViewIn)
    preview: bool = False


class KeptView(In):
    """A view under a name; null deletes it."""

    name: Name
    view: ViewIn | None


class Remark(In):
    """A comment on a cluster, by its id, or on a pair."""

    text: Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(storable)]
    cluster: Number | None = None
    pair: Pair | None = None


class Assigned(In):
    """Clusters and pairs for a person to look at; an empty name removes the assignment."""

    clusters: Annotated[list[Number], Field(max_length=MOST_CLUSTERS)] = Field(default_factory=list)
    pairs: Annotated[list[Pair], Field(max_length=MOST_CLUSTERS)] = Field(default_factory=list)
    to: Text


class AssignedQuestions(In):
    """Pairs, and clusters for all of their conflicts, for one worker; an empty name withdraws the assignment."""

    pairs: Annotated[list[Pair], Field(max_length=MOST_CLUSTERS)] = Field(default_factory=list)
    clusters: Annotated[list[Number], Field(max_length=MOST_CLUSTERS)] = Field(default_factory=list)
    to: Text


class RuleIn(In):
    """How a field of golden records gets its value."""

    rule: Literal["most common", "longest", "newest", "trusted"]
    by: Text = ""
    order: Annotated[list[Text], Field(max_length=1000)] = Field(default_factory=list)


class GoldenRules(In):
    """The rules of golden records, by field; fields without one take the most common value."""

    rules: Annotated[dict[str, RuleIn], Field(max_length=1000)]


class HandValue(In):
    """A value set by hand for the golden record of a record's cluster; null removes it."""

    record: Text
    field: Text
    value: Annotated[str, Field(max_length=20_000), AfterValidator(storable)] | None


class SettingsIn(In):
    """Settings to change; omitted ones stay."""

    votes: int | None = None
    lease_seconds: int | None = None
    batch: int | None = None
    paused: bool | None = None
    budget: int | None = None
    price: Annotated[float, Field(allow_inf_nan=False)] | None = None
    currency: Text | None = None
    instructions: Annotated[str, Field(max_length=20_000), AfterValidator(storable)] | None = None
    image_fields: Annotated[list[Text], Field(max_length=1000)] | None = None
    audit: Annotated[float, Field(allow_inf_nan=False)] | None = None
    controls: Annotated[float, Field(allow_inf_nan=False)] | None = None
    hidden: dict[str, list[Text]] | None = None


class NewRules(In):
    """Rules like "differs:country", and pairs (left, right, same or not)."""

    rules: Annotated[list[Text], Field(max_length=100)] = Field(default_factory=list)
    pairs: Annotated[list[Decision], Field(max_length=MOST_CLUSTERS)] = Field(default_factory=list)


class Withdrawn(In):
    """Numbers of rules to withdraw."""

    numbers: Annotated[list[Number], Field(min_length=1, max_length=1000)]


class Exclusion(In):
    """Whether a worker's votes count."""

    worker: Name
    excluded: bool


class NewPerson(In):
    """A person with a role; without a password, they need a link."""

    name: Name
    role: Literal["steward", "reader"]
    password: Annotated[str, Field(max_length=1000), AfterValidator(storable)] | None = None


class PersonChange(In):
    """A new role or password for a person, or the end of their access."""

    name: Name
    role: Literal["steward", "reader"] | None = None
    password: Annotated[str, Field(max_length=1000), AfterValidator(storable)] | None = None
    ended: bool = False


class EventOut(Out):
    """An entry of the log: its number, by which it is undone, when, by whom and what."""

    id: int
    time: float
    person: str
    kind: str
    data: dict[str, Any]


class PlanOut(Out):
    """What an edit changes: the clusters before and after, others, and how many decisions it overrules."""

    kind: str
    before: list[list[str]]
    after: list[list[str]]
    elsewhere: list[list[str]]
    overruled: int


class EditOut(Out):
    """An edit, and whether it counts."""

    id: int
    time: float
    person: str
    kind: str
    groups: list[list[str]]
    note: str
    counts: bool


class QueueRowOut(Out):
    """A cluster in the queue."""

    id: int
    members: list[str]
    confidence: float
    state: State
    reviewer: str | None
    time: float | None
    assignee: str | None
    conflict: bool
    help: float


class QueueOut(Out):
    """Some clusters of a view, and how many there are."""

    total: int
    clusters: list[QueueRowOut]


class AssignmentOut(Out):
    """A cluster or a pair, and who is to look at it."""

    cluster: int | None = None
    pair: list[str] | None = None
    to: str


class PlaceOut(Out):
    """A cluster in the queue, its place in a view (null if it is not in it), and the ids before and after it."""

    cluster: QueueRowOut
    place: int | None
    total: int
    previous: int | None
    next: int | None


class TotalOut(Out):
    """How many clusters and records are in a state."""

    state: State
    clusters: int
    records: int


class AboveOut(Out):
    """How many clusters and records, and the event, unless it was a preview."""

    clusters: int
    records: int
    event: EventOut | None


class PieceOut(Out):
    """A part of a value, and whether it matches."""

    text: str
    found: bool


class HitOut(Out):
    """A record that was found, its cluster, and the fields that match."""

    record: str
    cluster: int
    fields: dict[str, list[PieceOut]]


class FoundOut(Out):
    """Some records, and how many were found."""

    total: int
    records: list[HitOut]


class AssignedQuestionOut(Out):
    """A question that only one worker gets."""

    left: str
    right: str
    to: str


class AssignedCountOut(Out):
    """How many pairs were assigned, or had been."""

    pairs: int


class GoldenOut(Out):
    """A value of a golden record, and where it comes from."""

    value: str
    rule: str
    records: list[str]
    others: list[str]
    person: str | None
    time: float | None


class SettingsOut(Out):
    """The settings."""

    votes: int
    lease_seconds: int
    batch: int
    paused: bool
    budget: int | None
    price: float
    currency: str
    instructions: str
    image_fields: list[str]
    audit: float
    controls: float
    hidden: dict[str, list[str]]


class RuleOut(Out):
    """A rule that holds."""

    number: int
    name: str
    pairs: int


class WorkerOut(Out):
    """A worker."""

    name: str
    votes: int
    seconds: float | None
    excluded: bool
    agreement: float | None
    over_time: list[float]
    controls: int
    controls_wrong: int
    false_yes: float | None
    false_no: float | None


class ChangeOut(Out):
    """How many clusters there were and are, and how many records are with other records now."""

    before: int
    after: int
    moved: int


class PersonOut(Out):
    """A person with a role."""

    name: str
    role: str
    since: float
    ended: float | None
    password: bool


class CommentOut(Out):
    """A comment."""

    id: int
    time: float
    person: str
    text: str


class MeOut(Out):
    """The person of the token, with their progress: answers, answers in the last day, seconds for one."""

    name: str
    role: str
    answers: int
    today: int
    seconds: float | None
    hidden: list[str]
