"""Edits on pages: the preview of one, making it, and undoing or redoing any from its history."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response

from askwise.errors import AskwiseError, InputError
from askwise.json_text import from_json
from askwise.plurals import plural
from askwise.project import Project
from askwise.project.edits import EDITS, REDO, REVIEWS, UNDO
from askwise.project.events import Event, latest_events
from askwise.project.planning import Plan
from askwise.web.access import Visitor
from askwise.web.log_words import in_words, text_of
from askwise.web.review_queue import queue_in
from askwise.web.site import Site, check_form

LISTED = 50
_CHANGED = "Something has changed meanwhile. Please look again."
_DONE = {
    "split": "split",
    "join": "joined",
    "move": "moved",
    "lock": "locked",
    "decide": "decided",
    UNDO: "undone",
    REDO: "redone",
}
_TITLES = {
    "split": "Split a cluster",
    "join": "Join clusters",
    "move": "Move records",
    "lock": "Lock a cluster",
    "decide": "Decide about two records",
    UNDO: "Undo an edit",
    REDO: "Redo an edit",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An edit or a review in a history, and whether it counts."""

    id: int
    time: float
    person: str
    text: str
    note: str
    counts: bool


class _OtherwiseError(AskwiseError):
    """An edit would change something else than was shown."""


class _Shown:
    """The plan of an edit, which must be the one that was `seen` (its digest); None: any."""

    plan: Plan

    def __init__(self, seen: str | None) -> None:
        self._seen = seen

    def agree(self, plan: Plan) -> None:
        """Keep the plan, or refuse it."""
        self.plan = plan
        if self._seen is not None and digest(plan) != self._seen:
            raise _OtherwiseError(_CHANGED)


def edit_pages(site: Site) -> APIRouter:
    """The routes of edits."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.post("/edits")
    def make(
        request: Request,
        csrf: Annotated[str, Form()],
        kind: Annotated[str, Form(max_length=20)],
        groups: Annotated[str, Form()],
        seen: Annotated[str, Form(max_length=64)] = "",
        note: Annotated[str, Form(max_length=2000)] = "",
    ) -> Response:
        """Make a previewed edit; if it would change anything else by now, preview it again."""
        visitor = site.steward(request)
        check_form(visitor, csrf)
        wanted, shown = _read(groups), _Shown(seen)
        try:
            event = project.editing.edit(kind, wanted, visitor.name, note, shown.agree)
        except _OtherwiseError:
            return _shown(site, request, visitor, shown.plan, wanted, "", _CHANGED)
        return _after(
            site, request, shown.plan, f"{_summary(shown.plan)} It is edit {event.id}, and can be undone at any time."
        )

    @router.get("/edits/{number}/{kind}")
    def preview_turn(request: Request, number: int, kind: str) -> Response:
        visitor = site.steward(request)
        _check_turn(kind)
        plan = project.editing.preview_turn(kind, number)
        return _shown(site, request, visitor, plan, [], "", number=number)

    @router.post("/edits/{number}/{kind}")
    def turn(
        request: Request, number: int, kind: str, csrf: Annotated[str, Form()], seen: Annotated[str, Form()] = ""
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        _check_turn(kind)
        shown = _Shown(seen or None)
        try:
            project.editing.turn(kind, number, visitor.name, shown.agree)
        except _OtherwiseError:
            return _shown(site, request, visitor, shown.plan, [], "", _CHANGED, number)
        return _after(site, request, shown.plan, f"Edit {number} is {_DONE[kind]}. {_summary(shown.plan)}")

    @router.post("/undo")
    def step(request: Request, csrf: Annotated[str, Form()], number: Annotated[str, Form(max_length=30)]) -> Response:
        """Undo or redo the visitor's last step: the one that the page named, so that pressing twice does it once."""
        visitor = site.steward(request)
        check_form(visitor, csrf)
        kind, _, wanted = number.partition(":")
        _check_turn(kind)
        if not (wanted.isascii() and wanted.isdigit()):
            raise InputError(f"{wanted[:20]!r} is not the number of an edit")
        made = (project.editing.undo if kind == UNDO else project.editing.redo)(int(wanted), visitor.name)
        site.snapshot.forget()
        return site.go(_where(site, request, int(made.data["edit"])), f"Step {wanted} is {_DONE[kind]}.")

    @router.get("/edits")
    def history(request: Request, before: Annotated[int, Query(ge=1, le=2**62)] = 2**62) -> Response:
        visitor = site.reader(request)
        with project.store.reading() as connection:
            events = latest_events(connection, before, LISTED + 1)
        hidden = project.hidden(visitor.role)
        entries = [_logged(project, event, hidden) for event in events[:LISTED]]
        further = events[LISTED - 1].id if len(events) > LISTED else None
        return site.page(request, "log.html", visitor, entries=entries, further=further, before=before)

    return router


def preview(
    site: Site, request: Request, visitor: Visitor, kind: str, groups: Sequence[Sequence[str]], draft: str
) -> Response:
    """A page that says what an edit would change."""
    plan = site.project.editing.preview(kind, groups)
    return _shown(site, request, visitor, plan, groups, draft)


def history_of(project: Project, members: Sequence[str]) -> list[Entry]:
    """The edits that name a record of a cluster, the latest first."""
    return [
        Entry(edit.id, edit.time, edit.person, text_of(edit.kind, edit.groups), edit.note, edit.counts)
        for edit in project.desk.edits_of(members)
    ]


def digest(plan: Plan) -> str:
    """A digest of what a plan changes, so that only what was shown can happen."""
    content = json.dumps([plan.kind, plan.groups, sorted(plan.before), sorted(plan.after), sorted(plan.elsewhere)])
    return hashlib.sha256(content.encode()).hexdigest()


def _shown(
    site: Site,
    request: Request,
    visitor: Visitor,
    plan: Plan,
    groups: Sequence[Sequence[str]],
    draft: str,
    changed: str = "",
    number: int | None = None,
) -> Response:
    return site.page(
        request,
        "preview.html",
        visitor,
        409 if changed else 200,
        plan=plan,
        title=_TITLES[plan.kind],
        summary=_summary(plan),
        before=[_cluster(site, members) for members in plan.before],
        after=[_cluster(site, members) for members in plan.after],
        elsewhere=[_cluster(site, members) for members in plan.elsewhere],
        groups=json.dumps([list(group) for group in groups]),
        seen=digest(plan),
        draft=draft,
        changed=changed,
        number=number,
        asked=queue_in(request),
        back=f"/clusters/{site.cluster_of(_first(plan)).id}{queue_in(request)}" if _first(plan) else "/edits",
    )


def _cluster(site: Site, members: Sequence[str]) -> dict[str, Any]:
    """A cluster of a preview: the present cluster of its first record, and its records."""
    return {"number": site.cluster_of(members[0]).id, "members": members}


def _first(plan: Plan) -> str:
    """A record that the plan is about."""
    return next((members[0] for members in (*plan.groups, *plan.after)), "")


def _summary(plan: Plan) -> str:
    if not plan.changes:
        return "No cluster changes." if plan.kind != "lock" else "The cluster stays as it is, whatever the votes say."
    was = f"{plural(len(plan.before), 'cluster')} with {plural(sum(map(len, plan.before)), 'record')}"
    return f"{was} {'becomes' if len(plan.before) == 1 else 'become'} {plural(len(plan.after), 'cluster')}."


def _after(site: Site, request: Request, plan: Plan, said: str) -> Response:
    site.snapshot.forget()
    first = _first(plan)
    return site.go(f"/clusters/{site.cluster_of(first).id}{queue_in(request)}" if first else "/edits", said)


def _where(site: Site, request: Request, number: int) -> str:
    """The cluster of an edit or a review: the largest, if its records are in several now; or the queue, for many."""
    with site.project.store.reading() as connection:
        found = latest_events(connection, number + 1, 1)
    groups = found[0].data.get("groups") if found and found[0].id == number else None
    if not groups:
        return "/edits"
    if found[0].kind in REVIEWS and len(groups) > 1:
        return f"/clusters{queue_in(request)}"
    row = max(map(site.cluster_of, groups[0]), key=lambda row: len(row.members))
    return f"/clusters/{row.id}{queue_in(request)}"


def _read(groups: str) -> list[list[str]]:
    try:
        found = from_json(groups)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(
        isinstance(group, list) and all(isinstance(record, str) for record in group) for group in found
    ):
        raise InputError("the groups in this form cannot be read; go back to the cluster")
    return found


def _check_turn(kind: str) -> None:
    if kind not in (UNDO, REDO):
        raise InputError(f"{kind[:20]!r} is neither undo nor redo")


def _logged(project: Project, event: Event, hidden: Collection[str]) -> dict[str, Any]:
    """One line of the log: what was done, in words, and whether it can be undone or redone."""
    can = _can(project, event.id) if event.kind in EDITS or event.kind in REVIEWS else None
    return {"event": event, "text": in_words(event, hidden), "note": event.data.get("note", ""), "can": can}


def _can(project: Project, number: int) -> str | None:
    for kind in (UNDO, REDO):
        try:
            project.desk.can(kind, number)
        except InputError:
            continue
        return kind
    return None
