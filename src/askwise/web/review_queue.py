"""The review queue: clusters in the order in which a look helps most, with filters and saved views."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.datastructures import QueryParams

from askwise.errors import InputError
from askwise.plurals import plural
from askwise.project import Project
from askwise.project.desk import STATES
from askwise.project.reviewing import Reviewing
from askwise.project.views import View
from askwise.web.pairs import PAGE, Found, brief, pages_of
from askwise.web.site import Site, check_form

_OF_A_PAGE = ("page", "other", "part")
"""What the address of a cluster says of that cluster alone."""

_TEXTS = ("words", "source", "reviewer", "assignee", "order", "value")


def queue_pages(site: Site) -> APIRouter:
    """The routes of the queue."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/clusters")
    def clusters(request: Request, page: Annotated[int, Query(ge=1, le=10**9)] = 1) -> Response:
        visitor = site.reader(request)
        hidden = project.hidden(visitor.role)
        view = view_in(site.reviewing, request.query_params, hidden)
        total, rows = site.reviewing.page(view, (page - 1) * PAGE, PAGE)
        number = share_of(request.query_params.get("above", "95"), "above")
        return site.page(
            request,
            "clusters.html",
            visitor,
            found=Found(rows, page, pages_of(total), total),
            view=view,
            asked=query_of(view),
            totals=site.reviewing.totals(),
            states=STATES,
            sources=[] if project.table.source_column in hidden else sorted(set(project.table.sources or [])),
            numbers=[name for name, kind in project.table.kinds.items() if kind == "number" and name not in hidden],
            views={name: query_of(kept) for name, kept in site.reviewing.views(visitor.name).items()},
            above=number,
            could=site.reviewing.above(number / 100, view),
            undoable=project.desk.undoable(visitor.name),
            redoable=project.desk.redoable(visitor.name),
            summary=lambda row: _many(project, row.members, hidden),
        )

    @router.post("/queue/approve")
    def approve(
        request: Request,
        csrf: Annotated[str, Form()],
        above: Annotated[str, Form(max_length=10)],
        count: Annotated[int, Form()],
        view: Annotated[str, Form(max_length=4000)] = "",
    ) -> Response:
        visitor = site.steward(request)
        check_form(visitor, csrf)
        chosen = view_in(site.reviewing, _unpacked(view), project.hidden(visitor.role))
        number = share_of(above, "above")
        now, _ = site.reviewing.above(number / 100, chosen)
        back = f"/clusters?{view}" if view else "/clusters"
        if now != count:
            return site.go(back, f"Nothing was approved: there were {count:,} such clusters, now there are {now:,}.")
        event = site.reviewing.approve_above(number / 100, chosen, visitor.name)
        done = plural(len(event.data["groups"]), "cluster")
        return site.go(back, f"Approved {done}. It is number {event.id} of the log, and can be undone at any time.")

    @router.post("/queue/views")
    def keep(
        request: Request,
        csrf: Annotated[str, Form()],
        name: Annotated[str, Form(max_length=200)],
        view: Annotated[str, Form(max_length=4000)] = "",
        forget: Annotated[str, Form(max_length=3)] = "",
    ) -> Response:
        visitor = site.reader(request)
        check_form(visitor, csrf)
        chosen = view_in(site.reviewing, _unpacked(view), project.hidden(visitor.role))
        site.reviewing.keep_view(name, None if forget else chosen, visitor.name)
        said = f"The view “{name.strip()}” is {'forgotten' if forget else 'saved'}."
        return site.go(f"/clusters?{view}" if view else "/clusters", said)

    return router


def queue_in(request: Request) -> str:
    """The queue in which a visitor is, as the end of an address; empty if they are in none."""
    given = request.query_params
    pairs = [(name, value) for name, value in given.multi_items() if name not in _OF_A_PAGE]
    return f"?{urlencode(pairs)}" if given.get("queue") == "yes" else ""


def view_in(reviewing: Reviewing, query: Mapping[str, str], hidden: Collection[str]) -> View:
    """The view in an address; a bad value is an error."""
    given: dict[str, Any] = {name: query[name] for name in _TEXTS if query.get(name)}
    multi = getattr(query, "getlist", None)
    states = multi("state") if multi else [state for state in query.get("state", "").split(",") if state]
    given["states"] = tuple(state for state in states if state)
    for name in ("least_size", "most_size"):
        if query.get(name):
            given[name] = _whole(query[name], name)
    for name in ("least_confidence", "most_confidence"):
        if query.get(name):
            given[name] = share_of(query[name], name) / 100
    if query.get("conflict"):
        given["conflict"] = query["conflict"] == "yes"
    return reviewing.view(hidden, **given)


def query_of(view: View) -> str:
    """A view as the query of an address."""
    pairs: list[tuple[str, str]] = []
    for name, value in view.as_dict().items():
        if name == "states":
            pairs += [("state", state) for state in value]
        elif name == "conflict":
            pairs.append((name, "yes" if value else "no"))
        elif name.endswith("_confidence"):
            pairs.append((name, f"{100 * value:g}"))
        else:
            pairs.append((name, str(value)))
    return urlencode(pairs)


def _unpacked(query: str) -> Mapping[str, str]:
    return QueryParams(query)


def _whole(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"{name.replace('_', ' ')}: {text[:20]!r} is not a whole number")
    return int(text)


def share_of(text: str, name: str) -> float:
    """A percentage, or an error."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 100.0:
        raise InputError(f"{name.replace('_', ' ')}: {text[:20]!r} is not a number from 0 to 100")
    return number


def _many(project: Project, members: Sequence[str], hidden: Collection[str]) -> str:
    first = "  ·  ".join(brief(project, member, 60, hidden) for member in members[:2])
    return first if len(members) <= 2 else f"{first}  ·  and {len(members) - 2:,} more"
