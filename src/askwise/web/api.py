"""The HTTP interface for programs: JSON, tokens, and requests that may be repeated."""

from __future__ import annotations

from asyncio import to_thread, wait, wrap_future
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from askwise.differences import shown
from askwise.errors import LabelError, StoreError
from askwise.evidence import Label, Vote
from askwise.labels import with_probability
from askwise.project import Task
from askwise.project.names import name_of
from askwise.project.values import ClusterRow, Status
from askwise.version import __version__
from askwise.web.access import LOOK, OWN, Role, Visitor
from askwise.web.models import (
    MOST_ROWS,
    Added,
    ClustersOut,
    GivenVote,
    InviteOut,
    NewInvite,
    Problem,
    QuestionOut,
    RecordOut,
    Reply,
    Take,
    TaskOut,
    Text,
    Undo,
    VoteOut,
    Votes,
)
from askwise.web.site import Site
from askwise.web.steward_api import steward_interface

_SECURITY = {
    "type": "http",
    "scheme": "bearer",
    "description": "The owner's token (ASKWISE_TOKEN), or the secret of a link, for the person it is for.",
}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The body cannot be read"},
    401: {"model": Problem, "description": "No token, or one that is not known"},
    403: {"model": Problem, "description": "The token does not allow this"},
    413: {"model": Problem, "description": "The body is too large"},
    422: {"model": Problem, "description": "Something in the request cannot be used"},
    429: {"model": Problem, "description": "Too many requests"},
    503: {"model": Problem, "description": "The store does not answer; try again"},
}
_MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "There is no such thing"}}
_TAKEN: dict[int | str, dict[str, Any]] = {409: {"model": Problem, "description": "Not (or no longer) the worker's"}}
_NOTHING: dict[int | str, dict[str, Any]] = {204: {"description": "There is none"}}

NO_TELEMETRY: Any = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""FastAPI would measure and, if the environment says so, report elsewhere."""

PATIENCE = 10.0
"""Seconds that a program waits before the server checks whether the database hangs."""

Offset = Annotated[int, Query(ge=0, le=2**40)]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS)]
Id = Annotated[int, Path(ge=0, le=2**62)]


Body = TypeVar("Body", bound=BaseModel)


def _reads(model: type[BaseModel]) -> dict[str, Any]:
    """The description of a body that `_read` parses."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": model.model_json_schema()}}}}


async def _read(request: Request, model: type[Body]) -> Body:
    """Parse the body of the most frequent calls; FastAPI's own way takes several times as long."""
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None


def _label(vote: GivenVote) -> Label:
    """The label of a vote from elsewhere."""
    if vote.probability is None:
        return vote.label
    try:
        return with_probability(vote.label, vote.probability)
    except LabelError as error:
        raise LabelError(f"the vote of {vote.worker!r} on ({vote.left!r}, {vote.right!r}): {error}") from None


def interface(site: Site) -> FastAPI:
    """The routes under /api, the most frequent first."""
    api = FastAPI(
        title="Askwise",
        version=__version__,
        description="Questions out, votes in, clusters out.",
        responses=_PROBLEMS,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        telemetry=NO_TELEMETRY,
    )
    project = site.project

    def owner(request: Request) -> Visitor:
        return permitted(request, OWN)

    def reader(request: Request) -> Visitor:
        return permitted(request, LOOK)

    def permitted(request: Request, roles: tuple[Role, ...]) -> Visitor:
        visitor = site.program(request)
        if visitor.role not in roles:
            raise HTTPException(403, f"the token is that of a {visitor.role}, who may not do this")
        return visitor

    def worker(visitor: Visitor, named: str | None) -> str:
        if visitor.role == "worker":
            if named not in (None, visitor.name):
                raise HTTPException(403, f"this token is that of the worker {visitor.name!r}")
            return visitor.name
        if visitor.role != "owner":
            raise HTTPException(403, f"the token is that of a {visitor.role}, who does not answer questions")
        if named is None:
            raise HTTPException(422, "worker: say who, because the token is the owner's")
        return named

    async def store_answers() -> None:
        """Raise an error if the database hangs. A pending change may still happen; repeated requests count once."""
        if any(trouble.stops for trouble in await to_thread(site.health.troubles)):
            raise StoreError("the store hangs")

    def task_out(task: Task | None) -> Response:
        if task is None:
            return Response(status_code=204)
        left, right = ({n: shown(v) for n, v in project.shown_to("worker", r).items()} for r in (task.left, task.right))
        return JSONResponse(
            {
                "id": task.id,
                "left": task.left,
                "right": task.right,
                "until": task.until,
                "left_record": left,
                "right_record": right,
            }
        )

    @api.post("/api/tasks", response_model=TaskOut, responses=_NOTHING, openapi_extra=_reads(Take))
    async def take(request: Request) -> Response:
        """Get a question for a worker, theirs until the lease ends. 204: there is none for them now."""
        body = await _read(request, Take)
        who = worker(await site.program_soon(request), body.worker)
        taken = wrap_future(project.take_soon(who, beside=body.beside))
        while not (await wait([taken], timeout=PATIENCE))[0]:
            await store_answers()
        return task_out(taken.result())

    @api.post("/api/tasks/{task}/answer", response_model=VoteOut, responses=_TAKEN, openapi_extra=_reads(Reply))
    async def answer(request: Request, task: Id) -> Response:
        """Answer a task. An acknowledged answer is on disk."""
        body = await _read(request, Reply)
        who = worker(await site.program_soon(request), body.worker)
        said = project.answer_soon(
            task,
            who,
            body.answer,
            source="http",
            request=body.request,
            seconds=body.seconds,
            probability=body.probability,
        )
        vote = wrap_future(said)
        while not vote.done():
            await wait([vote], timeout=PATIENCE)
            if not vote.done():
                await store_answers()
        return JSONResponse(VoteOut.model_validate(vote.result()).model_dump())

    @api.get("/api/status", response_model=Status)
    def status(request: Request) -> object:
        """Where the project stands."""
        reader(request)
        return project.status()

    @api.get("/api/questions", response_model=list[QuestionOut])
    def questions(request: Request, limit: Limit = 10) -> object:
        """The most useful questions, the best first. To hold one, take a task."""
        reader(request)
        return project.next_questions(limit)

    @api.post("/api/undo", response_model=TaskOut, responses=_NOTHING)
    def undo(request: Request, body: Undo) -> Response:
        """Take a worker's last answer back; the question is theirs again. 204: there is no answer to take back."""
        return task_out(project.undo(worker(site.program(request), body.worker)))

    @api.post("/api/votes", response_model=Added)
    def add_votes(request: Request, body: Votes) -> object:
        """Add votes from elsewhere, all or none."""
        owner(request)
        votes = [Vote(vote.left, vote.right, vote.worker, _label(vote)) for vote in body.votes]
        return {"added": project.add_votes(votes, "http", request=body.request)}

    @api.get("/api/votes", response_model=list[VoteOut])
    def votes(request: Request, after: Annotated[int, Query(ge=0, le=2**62)] = 0, limit: Limit = MOST_ROWS) -> object:
        """The rows of votes after a number, in order: votes, and what takes votes back."""
        reader(request)
        return project.store.votes_after(after, limit)

    @api.get("/api/clusters", response_model=ClustersOut)
    def clusters(request: Request, offset: Offset = 0, limit: Limit = 100) -> object:
        """The clusters, the largest first, as they were some seconds ago."""
        reader(request)
        board = project.board()
        chosen = board.largest[offset : offset + limit].tolist()
        return {"total": len(board), "clusters": [board.row(at) for at in chosen]}

    @api.get("/api/clusters/{cluster}", response_model=ClusterRow, responses=_MISSING)
    def one_cluster(request: Request, cluster: Id) -> object:
        """One cluster."""
        reader(request)
        row = site.snapshot.clusters(None).by_id.get(cluster)
        if row is None:
            raise HTTPException(404, f"there is no cluster {cluster}")
        return row

    @api.get("/api/record", response_model=RecordOut, responses=_MISSING)
    def record(request: Request, id: Annotated[Text, Query()]) -> object:
        """A record's fields and its cluster."""
        fields = project.shown_to(reader(request).role, id)
        return {
            "id": id,
            "fields": {name: shown(value) for name, value in fields.items()},
            "cluster": site.snapshot.clusters(None).of_record[id].id,
        }

    @api.post("/api/invites", response_model=InviteOut)
    def invite(request: Request, body: NewInvite) -> object:
        """Make a link for a worker, a steward or a reader. Its secret is shown only now, and is their token too."""
        visitor = owner(request)
        name = None if body.worker is None else name_of(body.worker)
        if name is None and body.worker is not None:
            raise HTTPException(422, f"worker: {body.worker!r} cannot be a worker's name")
        made, secret = site.access.new_invite(name, body.note, body.most, role=body.role, by=visitor.name)
        return {"id": made.id, "secret": secret, "path": f"/join/{secret}"}

    @api.post("/api/invites/{invite}/revoke", status_code=204, responses=_MISSING)
    def revoke(request: Request, invite: Id) -> Response:
        """Revoke a link."""
        if not site.access.revoke(invite, by=owner(request).name):
            raise HTTPException(404, f"there is no valid link {invite}")
        return Response(status_code=204)

    api.include_router(steward_interface(site))
    describe = api.openapi

    def described() -> dict[str, Any]:
        description = describe()
        description["components"]["securitySchemes"] = {"token": _SECURITY}
        description["security"] = [{"token": []}]
        return description

    api.openapi = described  # type: ignore[method-assign]
    return api
