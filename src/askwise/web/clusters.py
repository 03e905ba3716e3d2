"""A cluster's page: its records, a split in preparation, what holds it together, its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, Response

from askwise.errors import InputError
from askwise.plurals import plural
from askwise.project import ClusterRow, Project
from askwise.project.cluster_evidence import Pairs, Seam, pairs_inside, seam_between, weakest_seam
from askwise.project.pair_rows import PairRow, links
from askwise.web import edits
from askwise.web.access import Visitor
from askwise.web.cluster_picture import DRAWN
from askwise.web.drafts import Draft, draft_of
from askwise.web.drawings import letter
from askwise.web.pairs import Found, pages_of
from askwise.web.people import assign as assign_to
from askwise.web.people import stewards
from askwise.web.review_queue import query_of, queue_in, view_in
from askwise.web.sheets import columns_of, sheet
from askwise.web.site import Site, check_form
from askwise.web.snapshot import BusyError

RECORDS = 50
"""Records on one page of a cluster."""

_MOST_LINKS = 12


class ClusterForm:
    """The form of a cluster's page: the draft of a split, and the button that was pressed."""

    def __init__(
        self,
        csrf: Annotated[str, Form()],
        do: Annotated[str, Form(max_length=40)],
        member: Annotated[list[str] | None, Form()] = None,
        group: Annotated[list[str] | None, Form()] = None,
        tick: Annotated[list[str] | None, Form()] = None,
        draft: Annotated[str, Form()] = "",
        to: Annotated[str, Form(max_length=1000)] = "",
    ) -> None:
        self.csrf, self.do, self.to, self.draft = csrf, do, to.strip(), draft
        self.member, self.group, self.tick = member or [], group or [], tick or []


def cluster_pages(site: Site) -> APIRouter:
    """The routes of one cluster."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/clusters/{number}")
    def cluster(
        request: Request,
        number: int,
        page: Annotated[int, Query(ge=1, le=10**9)] = 1,
        other: Annotated[int | None, Query(ge=0, le=2**62)] = None,
        part: str = "",
    ) -> Response:
        visitor = site.reader(request)
        row = site.cluster(number)
        draft = Draft()
        if part == "seam":
            with project.glance() as free:
                if not free:
                    raise BusyError("the engine is busy; this comes in a moment")
                seam = weakest_seam(project, row.members)
            draft = draft if seam is None else draft.put(seam.two, 2)
        return _page(site, request, visitor, row, draft, page, other)

    @router.post("/clusters/{number}")
    def change(request: Request, number: int, form: Annotated[ClusterForm, Depends()]) -> Response:
        """A step of the draft, or the preview of an edit. Changes nothing yet."""
        visitor = site.steward(request)
        check_form(visitor, form.csrf)
        row = site.cluster(number)
        draft = draft_of(row.members, form.member, form.group, form.draft, form.tick)
        step, _, value = form.do.partition(":")
        if step == "page":
            return _page(site, request, visitor, row, draft, _whole(value))
        if step == "group":
            if not draft.ticked:
                raise InputError("tick the records that go to the group first")
            wanted = draft.free if value == "new" else _whole(value)
            if wanted > len(row.members):
                raise InputError(f"there are {len(row.members)} records, and so no group {wanted}")
            shown = row.members.index(form.member[0]) // RECORDS + 1 if form.member else 1
            return _page(site, request, visitor, row, draft.put(draft.ticked, wanted), shown)
        return edits.preview(site, request, visitor, step, _groups(site, row, step, draft, form.to), draft.packed())

    @router.post("/clusters/{number}/review")
    def review(
        request: Request, number: int, csrf: Annotated[str, Form()], kind: Annotated[str, Form(max_length=20)]
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        row = site.cluster(number)
        queue = _queue(site, request, visitor, number)
        if kind == "ask":
            asked = site.reviewing.ask_crowd([number], visitor.name)
            said = f"sent to the crowd: {plural(asked, 'pair')} of it will be asked first"
        else:
            project.editing.review(kind, [row.members], visitor.name)
            said = _REVIEWED[kind]
        following = number if queue is None or queue["around"].next is None else queue["around"].next
        return site.go(f"/clusters/{following}{queue_in(request)}", f"Cluster {number} is {said}.")

    @router.post("/clusters/{number}/comment")
    def comment(request: Request, number: int, csrf: Annotated[str, Form()], text: Annotated[str, Form()]) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        site.cluster(number)
        project.editing.comment(f"cluster {number}", text, visitor.name)
        return site.go(f"/clusters/{number}{queue_in(request)}", "Your comment is saved.")

    @router.post("/clusters/{number}/assign")
    def assign(
        request: Request, number: int, csrf: Annotated[str, Form()], to: Annotated[str, Form(max_length=100)] = ""
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        site.cluster(number)
        assign_to(project, [f"cluster {number}"], to.strip(), visitor.name)
        said = f"Cluster {number} is assigned to {to.strip()}." if to.strip() else f"Cluster {number} is not assigned."
        return site.go(f"/clusters/{number}{queue_in(request)}", said)

    return router


_REVIEWED = {"approve": "approved", "review": "in review", "reset": "new again"}


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The pairs of a cluster as drawn, those with evidence, where it would split, and what is beside it."""

    drawn: Pairs
    links: list[PairRow]
    seam: Seam | None
    between: Seam | None


def _evidence(project: Project, row: ClusterRow, beside: ClusterRow | None) -> _Evidence | None:
    """None while the engine is busy for long."""
    with project.glance() as free:
        if not free:
            return None
        return _Evidence(
            pairs_inside(project, row.members[:DRAWN]),
            links(project, row.members),
            weakest_seam(project, row.members) if len(row.members) > 1 else None,
            None if beside is None else seam_between(project, row.members, beside.members),
        )


def _page(
    site: Site,
    request: Request,
    visitor: Visitor,
    row: ClusterRow,
    draft: Draft,
    page: int = 1,
    other: int | None = None,
) -> Response:
    project = site.project
    pages = pages_of(len(row.members), RECORDS)
    page = min(page, pages)
    shown = row.members[(page - 1) * RECORDS : page * RECORDS]
    chosen = columns_of(project, visitor)
    other_row = _other(site, row, other)
    evidence = _evidence(project, row, other_row)
    weakest = [] if evidence is None else evidence.links
    at = {member: place for place, member in enumerate(row.members)}
    on = f"cluster {row.id}"
    return site.page(
        request,
        "cluster.html",
        visitor,
        row=row,
        standing=site.reviewing.row(row.id),
        queue=_queue(site, request, visitor, row.id),
        asked=queue_in(request),
        undoable=project.desk.undoable(visitor.name),
        redoable=project.desk.redoable(visitor.name),
        sheet=sheet(site, row.members, shown, chosen),
        draft=draft,
        packed=draft.packed(without=shown),
        elsewhere=sum(record not in shown for record in draft.groups),
        found=Found(list(shown), page, pages),
        names=row.members[:DRAWN],
        evidence=evidence,
        links=[
            {"row": link, "one": letter(at[link.left]), "other": letter(at[link.right])}
            for link in weakest[:_MOST_LINKS]
        ],
        total_links=len(weakest),
        letter=lambda member: letter(at[member]) if member in at else "",
        beside=None if other_row is None else _beside(site, visitor, row, other_row),
        history=edits.history_of(project, row.members),
        link_bars=lambda some: [(f"{link.left} and {link.right}", odds) for link, odds in some],
        comments=project.desk.comments(on),
        stewards=stewards(project),
        workers=project.reserving.workers(),
    )


def _queue(site: Site, request: Request, visitor: Visitor, number: int) -> dict[str, Any] | None:
    """The cluster's place in the queue that the visitor came from, if any."""
    if request.query_params.get("queue") != "yes":
        return None
    view = view_in(site.reviewing, request.query_params, site.project.hidden(visitor.role))
    return {"around": site.reviewing.around(view, number), "query": f"queue=yes&{query_of(view)}".rstrip("&")}


def _other(site: Site, row: ClusterRow, other: int | None) -> ClusterRow | None:
    """Another cluster for comparison: the nearest, unless a number is given."""
    if other is None and row.nearest is None:
        return None
    number = site.cluster_of(str(row.nearest)).id if other is None else other
    beside = site.cluster(number)
    if beside.id == row.id:
        raise InputError("a cluster cannot be compared with itself")
    return beside


def _beside(site: Site, visitor: Visitor, row: ClusterRow, beside: ClusterRow) -> dict[str, Any]:
    ours, theirs = row.members[:5], beside.members[:5]
    both = sheet(site, [*ours, *theirs], [*ours, *theirs], columns_of(site.project, visitor))
    return {"row": beside, "sheet": both, "ours": len(ours)}


def _groups(site: Site, row: ClusterRow, kind: str, draft: Draft, to: str) -> list[list[str]]:
    """The groups of an edit on a cluster's page."""
    if kind == "split":
        if not draft.groups and not draft.ticked:
            raise InputError("tick the records that leave the cluster, or put records into groups")
        return draft.lists() if draft.groups else [sorted(draft.ticked)]
    if kind == "lock":
        return [[row.members[0]]]
    if kind == "join":
        return [[row.members[0], _target(site, row, to).members[0]]]
    if kind == "move":
        if not draft.ticked:
            raise InputError("tick the records that move to another cluster")
        return [sorted(draft.ticked), [_target(site, row, to).members[0]]]
    raise InputError(f"{kind[:20]!r} is not an edit of a cluster; choose split, join, move or lock")


def _target(site: Site, row: ClusterRow, to: str) -> ClusterRow:
    """The other cluster of a join or a move: by its number, or by the id of one of its records."""
    if not to:
        raise InputError("give the number of the other cluster, or the id of a record in it")
    if to.removeprefix("record ") in site.project.resolution.graph.records and not (to.isdigit() and site.has(int(to))):
        found = site.cluster_of(to.removeprefix("record "))
    elif to.isascii() and to.isdigit() and site.has(int(to)):
        found = site.cluster(int(to))
    else:
        raise InputError(f"there is no cluster or record {to[:60]!r}")
    if found.id == row.id:
        raise InputError(f"{to[:60]!r} is this cluster; give another")
    return found


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:10]) <= 10**9):
        raise InputError(f"{text[:20]!r} is not a whole number of at least 1")
    return int(text)
