"""The interface for stewards' programs: queue, edits, reviews, search, golden records, settings, people, the log."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from starlette.exceptions import HTTPException

from askwise.project import Project
from askwise.project.desk import on_pair
from askwise.project.golden import GoldenRecords, set_rules, set_value
from askwise.project.pair_rows import conflicts_of
from askwise.project.record_history import record_history, record_moves, record_pairs
from askwise.project.reviewing import QueueRow
from askwise.project.views import View
from askwise.project.worker_rows import set_excluded
from askwise.web import steward_models as models
from askwise.web.access import EDIT, LOOK, OWN, WORK, Role, Visitor
from askwise.web.log_words import as_seen
from askwise.web.models import MOST_ROWS, Problem, Text
from askwise.web.people import assign as assign_to
from askwise.web.site import Site
from askwise.web.story_models import StoryOut

_MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "There is no such thing"}}
_DAY = 86400.0

Offset = Annotated[int, Query(ge=0, le=2**40)]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS)]
Id = Annotated[int, Path(ge=0, le=2**62)]
Given = Annotated[models.ViewQuery, Query()]


def steward_interface(site: Site) -> APIRouter:
    """The routes, each for some roles."""
    router = APIRouter()
    for part in (_looking, _editing, _golden, _owning):
        part(site, router)
    return router


def allowed(site: Site, *roles: Role) -> Any:
    """A dependency: the visitor with a token, if it is for one of these roles."""

    def visitor(request: Request) -> Visitor:
        found = site.program(request)
        if found.role not in roles:
            raise HTTPException(403, f"the token is that of a {found.role}, who may not do this")
        return found

    return Depends(visitor)


def _row(row: QueueRow) -> dict[str, Any]:
    cluster = row.cluster
    known = {"id": cluster.id, "members": list(cluster.members), "confidence": cluster.confidence}
    return known | {name: value for name, value in asdict(row).items() if name != "cluster"}


def _found(site: Site, cluster: int) -> int:
    """The place of a cluster, or an error that it does not exist."""
    at = site.project.board().find(cluster)
    if at is None:
        raise HTTPException(404, f"there is no cluster {cluster}")
    return at


def _looking(site: Site, router: APIRouter) -> None:
    project, reviewing = site.project, site.reviewing
    reader, anyone = allowed(site, *LOOK), allowed(site, *LOOK, *WORK)

    def view(given: models.ViewIn, visitor: Visitor) -> View:
        return reviewing.view(project.hidden(visitor.role), **given.model_dump(exclude={"offset", "limit"}))

    @router.get("/api/me", response_model=models.MeOut)
    def me(visitor: Visitor = anyone) -> object:
        """The person of this token, with a worker's progress."""
        return {"name": visitor.name, "role": visitor.role, "hidden": project.hidden(visitor.role)} | progress_of(
            project, visitor.name
        )

    @router.get("/api/queue", response_model=models.QueueOut)
    def queue(given: Annotated[models.QueueQuery, Query()], visitor: Visitor = reader) -> object:
        """Clusters to look at, the most useful first unless the view says otherwise."""
        total, rows = reviewing.page(view(given, visitor), given.offset, given.limit)
        return {"total": total, "clusters": [_row(row) for row in rows]}

    @router.get("/api/queue/totals", response_model=list[models.TotalOut])
    def totals(given: Given, visitor: Visitor = reader) -> object:
        """How many clusters of a view are in each state."""
        return reviewing.totals(view(given, visitor))

    @router.get("/api/queue/{cluster}", response_model=models.PlaceOut, responses=_MISSING)
    def place(cluster: Id, given: Given, visitor: Visitor = reader) -> object:
        """One cluster, and the ones before and after it in a view."""
        _found(site, cluster)
        return {"cluster": _row(reviewing.row(cluster)), **asdict(reviewing.around(view(given, visitor), cluster))}

    @router.get("/api/views", response_model=dict[str, dict[str, Any]])
    def views(visitor: Visitor = reader) -> object:
        """The saved views of this person."""
        return {name: kept.as_dict() for name, kept in reviewing.views(visitor.name).items()}

    @router.post("/api/views", status_code=204)
    def keep_view(body: models.KeptView, visitor: Visitor = reader) -> Response:
        """Save a view under a name, or delete it."""
        reviewing.keep_view(body.name, None if body.view is None else view(body.view, visitor), visitor.name)
        return Response(status_code=204)

    @router.get("/api/search", response_model=models.FoundOut)
    def search(
        words: Annotated[Text, Query()], visitor: Visitor = reader, offset: Offset = 0, limit: Limit = 50
    ) -> object:
        """Records that have all of the words, in any field."""
        total, hits = reviewing.search.hits(words, offset, limit, project.hidden(visitor.role))
        return {"total": total, "records": hits}

    @router.get("/api/record/history", response_model=StoryOut, responses=_MISSING)
    def story(id: Annotated[Text, Query()], visitor: Visitor = reader) -> object:
        """A record's cluster, its pairs, the clusters it was in before, and its votes, edits and reviews."""
        board = project.board()
        cluster = int(board.ids[board.of(id)])
        total, pairs = record_pairs(project, id)
        known = [
            {"other": one.other, "yes": one.row.yes, "no": one.row.no, "p": one.row.p, "together": one.together}
            | {"decided": one.decided, "rules": one.rules}
            for one in pairs
        ]
        story = {"moves": record_moves(project, id), "history": record_history(project, id)}
        return {"id": id, "cluster": cluster, "pairs_total": total, "pairs": known, **story}

    @router.get("/api/edits", response_model=list[models.EditOut])
    def edits(visitor: Visitor = reader, offset: Offset = 0, limit: Limit = 100) -> object:
        """The edits, the latest first, including undone ones."""
        return project.desk.edits[::-1][offset : offset + limit]

    @router.get("/api/events", response_model=list[models.EventOut])
    def events(
        visitor: Visitor = reader, before: Annotated[int, Query(ge=0, le=2**62)] = 2**62, limit: Limit = 100
    ) -> object:
        """The log, the latest entries first."""
        hidden = project.hidden(visitor.role)
        return [as_seen(event, visitor.name, hidden) for event in project.store.events(before, limit)]

    @router.get("/api/comments", response_model=list[models.CommentOut])
    def comments(
        cluster: Annotated[int | None, Query(ge=0, le=2**62)] = None,
        left: Annotated[Text, Query()] = "",
        right: Annotated[Text, Query()] = "",
        visitor: Visitor = reader,
    ) -> object:
        """The comments on a cluster, or on the pair of `left` and `right`."""
        if (cluster is None) == (not left or not right):
            raise HTTPException(422, "cluster, or left and right: say what the comments are on")
        return project.desk.comments(on_pair(left, right) if cluster is None else f"cluster {cluster}")

    @router.get("/api/assignments", response_model=list[models.AssignmentOut], response_model_exclude_unset=True)
    def assignments(visitor: Visitor = reader) -> object:
        """The clusters and pairs that are assigned to someone."""
        split = [(on.partition(" "), to) for on, to in project.desk.assignments().items()]
        return [
            {"cluster": int(what), "to": to} if kind == "cluster" else {"pair": what.split("\t"), "to": to}
            for (kind, _, what), to in split
        ]

    @router.get("/api/questions/assigned", response_model=list[models.AssignedQuestionOut])
    def questions(visitor: Visitor = reader) -> object:
        """The questions that only one worker gets."""
        return [{"left": left, "right": right, "to": to} for (left, right), to in project.reserving.all().items()]

    @router.get("/api/rules", response_model=list[models.RuleOut])
    def rules(visitor: Visitor = reader) -> object:
        """The rules."""
        return [{"number": number, "name": rule.name, "pairs": len(rule.pairs)} for number, rule in project.rules()]

    @router.get("/api/settings", response_model=models.SettingsOut)
    def settings(visitor: Visitor = reader) -> object:
        """The settings."""
        return project.settings

    @router.get("/api/workers", response_model=list[models.WorkerOut])
    def workers(visitor: Visitor = reader) -> object:
        """Everyone who votes, with estimates of their quality."""
        return site.snapshot.workers(None)


def progress_of(project: Project, name: str) -> dict[str, Any]:
    """A worker's answers that count, in all and in the last day, and the seconds for one."""
    rows = [row for row in project.votes_of(name) if row.action in ("vote", "undo")]
    since = time.time() - _DAY
    signs = [(1 if row.action == "vote" else -1, row.time) for row in rows]
    took = [row.seconds for row in rows if row.seconds is not None]
    return {
        "answers": sum(sign for sign, _ in signs),
        "today": max(0, sum(sign for sign, moment in signs if moment >= since)),
        "seconds": sum(took) / len(took) if took else None,
    }


def _editing(site: Site, router: APIRouter) -> None:
    project, reviewing = site.project, site.reviewing
    steward = allowed(site, *EDIT)

    def shown(plan: Any) -> dict[str, Any]:
        names = ("kind", "before", "after", "elsewhere", "overruled")
        return {name: getattr(plan, name) for name in names}

    @router.post("/api/edits", response_model=models.EventOut)
    def edit(body: models.NewEdit, visitor: Visitor = steward) -> object:
        """Split, join, move, lock or decide. Only the clusters that the edit names change."""
        return project.editing.edit(body.kind, body.groups, visitor.name, body.note)

    @router.post("/api/edits/preview", response_model=models.PlanOut)
    def preview(body: models.NewEdit, visitor: Visitor = steward) -> object:
        """What an edit would change. Changes nothing."""
        return shown(project.editing.preview(body.kind, body.groups))

    @router.post("/api/edits/{edit}/preview", response_model=models.PlanOut)
    def preview_turn(edit: Id, body: models.Turn, visitor: Visitor = steward) -> object:
        """What undoing or redoing an edit would change."""
        return shown(project.editing.preview_turn(body.turn, edit))

    @router.post("/api/edits/{edit}/undo", response_model=models.EventOut)
    def undo(edit: Id, visitor: Visitor = steward) -> object:
        """Undo an edit or a review."""
        return project.editing.undo(edit, visitor.name)

    @router.post("/api/edits/{edit}/redo", response_model=models.EventOut)
    def redo(edit: Id, visitor: Visitor = steward) -> object:
        """Redo an undone edit or review."""
        return project.editing.redo(edit, visitor.name)

    @router.post("/api/decisions", response_model=models.EventOut)
    def decide(body: models.Decision, visitor: Visitor = steward) -> object:
        """Decide whether two records are the same, and nothing else."""
        return project.decide(body.left, body.right, body.same, person=visitor.name)

    @router.post("/api/reviews", response_model=models.EventOut)
    def review(body: models.Reviewed, visitor: Visitor = steward) -> object:
        """Mark clusters as approved, in review, for the crowd, or new."""
        groups = [*reviewing.members(body.clusters), *body.groups]
        return project.editing.review(body.review, groups, visitor.name, body.note)

    @router.post("/api/reviews/above", response_model=models.AboveOut)
    def approve_above(body: models.Above, visitor: Visitor = steward) -> object:
        """Approve the clusters of a view with at least this confidence, as one event."""
        view = reviewing.view(project.hidden(visitor.role), **body.view.model_dump())
        clusters, records = reviewing.above(body.confidence, view)
        event = None if body.preview else reviewing.approve_above(body.confidence, view, visitor.name)
        return {"clusters": clusters, "records": records, "event": event}

    @router.post("/api/comments", response_model=models.EventOut)
    def comment(body: models.Remark, visitor: Visitor = steward) -> object:
        """Comment on a cluster or a pair."""
        if (body.cluster is None) == (body.pair is None):
            raise HTTPException(422, "cluster or pair: say which one the comment is on")
        if body.cluster is not None:
            project.board().at(body.cluster)
            return project.editing.comment(f"cluster {body.cluster}", body.text, visitor.name)
        assert body.pair is not None
        for record in body.pair:
            project.record(record)
        return project.editing.comment(on_pair(*body.pair), body.text, visitor.name)

    @router.post("/api/assignments", response_model=models.EventOut)
    def assign(body: models.Assigned, visitor: Visitor = steward) -> object:
        """Assign clusters or pairs to a steward."""
        board = project.board()
        on = [f"cluster {number}" for number in body.clusters if board.at(number) >= 0]
        for pair in body.pairs:
            project.votes_on(*pair)  # an error if there are no such records
            on.append(on_pair(*pair))
        if not on:
            raise HTTPException(422, "clusters or pairs: say what is assigned")
        return assign_to(project, on, body.to, visitor.name)

    @router.post("/api/questions/assigned", response_model=models.AssignedCountOut)
    def assign_questions(body: models.AssignedQuestions, visitor: Visitor = steward) -> object:
        """Assign pairs, and all conflicts of clusters, to a worker; no name withdraws the assignment."""
        board = project.board()
        found = [conflicts_of(project, board.names(board.at(number))) for number in body.clusters]
        pairs = [(left, right) for left, right in body.pairs] + [pair for conflicts in found for pair in conflicts]
        if not body.to:
            return {"pairs": project.reserving.withdraw(pairs, by=visitor.name)}
        return {"pairs": project.reserving.assign(pairs, body.to, by=visitor.name)}


def _golden(site: Site, router: APIRouter) -> None:
    project = site.project
    reader, steward = allowed(site, *LOOK), allowed(site, *EDIT)

    def known_rules() -> dict[str, Any]:
        rules = GoldenRecords(project).rules
        return {name: {"rule": one.rule, "by": one.by, "order": list(one.order)} for name, one in rules.items()}

    @router.get("/api/golden/rules", response_model=dict[str, models.RuleIn])
    def golden_rules(visitor: Visitor = reader) -> object:
        """The rules of golden records, by field."""
        return known_rules()

    @router.put("/api/golden/rules", response_model=dict[str, models.RuleIn])
    def set_golden_rules(body: models.GoldenRules, visitor: Visitor = steward) -> object:
        """Set the rules of golden records, for everyone."""
        set_rules(project, {name: rule.model_dump() for name, rule in body.rules.items()}, visitor.name)
        return known_rules()

    @router.get("/api/golden/{cluster}", response_model=dict[str, models.GoldenOut], responses=_MISSING)
    def golden(cluster: Id, visitor: Visitor = reader) -> object:
        """The golden record of a cluster, with the origin of each value."""
        members = project.board().names(_found(site, cluster))
        return GoldenRecords(project).of(members, project.hidden(visitor.role))

    @router.post("/api/golden", status_code=204)
    def give_value(body: models.HandValue, visitor: Visitor = steward) -> Response:
        """Set a value of a golden record by hand, or remove it."""
        set_value(project, body.record, body.field, body.value, visitor.name)
        return Response(status_code=204)


def _owning(site: Site, router: APIRouter) -> None:
    project = site.project
    owner = allowed(site, *OWN)

    @router.patch("/api/settings", response_model=models.SettingsOut)
    def change_settings(body: models.SettingsIn, visitor: Visitor = owner) -> object:
        """Change settings; `paused` pauses and resumes."""
        changes = body.model_dump(exclude_unset=True)
        empty = next((name for name, value in changes.items() if value is None and name != "budget"), None)
        if empty is not None:
            raise HTTPException(422, f"{empty}: leave it out, or give a value")
        settings = project.change_settings(by=visitor.name, **changes)
        site.snapshot.forget()
        return settings

    @router.post("/api/rules", response_model=list[models.RuleOut])
    def add_rules(body: models.NewRules, visitor: Visitor = owner) -> object:
        """Add rules."""
        _refuse_files(body.rules)
        given = [*body.rules, *((one.left, one.right, one.same) for one in body.pairs)]
        added = project.add_rules(given, by=visitor.name)
        site.snapshot.forget()
        return [{"number": number, "name": rule.name, "pairs": len(rule.pairs)} for number, rule in added]

    @router.post("/api/rules/withdraw", status_code=204)
    def withdraw_rules(body: models.Withdrawn, visitor: Visitor = owner) -> Response:
        """Withdraw rules."""
        project.withdraw_rules(body.numbers, by=visitor.name)
        site.snapshot.forget()
        return Response(status_code=204)

    @router.post("/api/workers/exclude", response_model=models.ChangeOut)
    def exclude(body: models.Exclusion, visitor: Visitor = owner) -> object:
        """Exclude a worker's votes, or include them again."""
        change = set_excluded(project, body.worker, body.excluded, by=visitor.name)
        site.snapshot.forget()
        return change

    @router.get("/api/people", response_model=list[models.PersonOut])
    def people(visitor: Visitor = owner) -> object:
        """Everyone with a role, including those whose access was removed."""
        return project.people.all()

    @router.post("/api/people", response_model=models.PersonOut)
    def add_person(body: models.NewPerson, visitor: Visitor = owner) -> object:
        """Add a steward or a reader."""
        return project.people.add(body.name, body.role, body.password, by=visitor.name)

    @router.patch("/api/people", response_model=list[models.PersonOut])
    def change_person(body: models.PersonChange, visitor: Visitor = owner) -> object:
        """Change a person's role or password, or remove their access."""
        if body.role is not None:
            project.people.set_role(body.name, body.role, by=visitor.name)
        if body.password is not None:
            project.people.set_password(body.name, body.password, by=visitor.name)
        if body.ended:
            project.people.end(body.name, by=visitor.name)
        site.access.forget()
        return project.people.all()


def _refuse_files(rules: list[str]) -> None:
    """Refuse rules that are paths of files: they would be read on the server."""
    for rule in rules:
        if rule.partition(":")[0] not in ("differs", "equal", "no-duplicates"):
            raise HTTPException(422, f"rules: {rule[:60]!r} is not differs:FIELD, equal:FIELD or no-duplicates:SOURCE")
