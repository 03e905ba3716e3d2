"""The owner's pages about workers and their links."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.exceptions import HTTPException

from askwise.errors import InputError
from askwise.plurals import plural
from askwise.project.migrations import MOST_JOINS
from askwise.project.names import name_of
from askwise.project.values import OWNER
from askwise.project.worker_rows import Change, WorkerRow, set_excluded
from askwise.web.pairs import PAGE, Found, pages_of
from askwise.web.site import Site, check_form
from askwise.web.wording import sentence


def worker_pages(site: Site) -> APIRouter:
    """The routes of workers and invites."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    def page(
        request: Request,
        link: dict[str, str | None] | None = None,
        wrong: str = "",
        sort: str = "-votes",
        number: int = 1,
    ) -> Response:
        visitor = site.owner(request)
        rows = _sorted([row for row in site.snapshot.workers() if row.name != OWNER], sort)
        invites = [invite for invite in project.invites.all() if invite.role == "worker"]
        return site.page(
            request,
            "workers.html",
            visitor,
            422 if wrong else 200,
            found=Found(rows[(number - 1) * PAGE : number * PAGE], number, pages_of(len(rows)), len(rows)),
            sort=sort,
            assigned=Counter(project.reserving.all().values()),
            invites=invites,
            joined=Counter(invite.parent for invite in invites),
            most=MOST_JOINS,
            link=link,
            wrong=wrong,
        )

    @router.get("/workers")
    def workers(
        request: Request, sort: str = "-votes", number: Annotated[int, Query(alias="page", ge=1, le=10**9)] = 1
    ) -> Response:
        return page(request, sort=sort, number=number)

    @router.post("/workers/exclude")
    def exclude(
        request: Request,
        csrf: Annotated[str, Form()],
        worker: Annotated[str, Form()],
        excluded: Annotated[str, Form()],
    ) -> Response:
        check_form(site.owner(request), csrf)
        change = set_excluded(project, worker, excluded == "yes", by=OWNER)
        site.snapshot.forget()
        return site.go("/workers", _said(worker, excluded == "yes", change))

    @router.get("/invites")
    def after_invite(request: Request) -> Response:
        return site.go("/workers")

    @router.post("/invites")
    def invite(
        request: Request,
        csrf: Annotated[str, Form()],
        worker: Annotated[str, Form()] = "",
        note: Annotated[str, Form(max_length=100)] = "",
        many: Annotated[str, Form()] = "",
        most: Annotated[int, Form(ge=1, le=100_000)] = MOST_JOINS,
    ) -> Response:
        check_form(site.owner(request), csrf)
        name = None if many else name_of(worker)
        if name is None and not many:
            return page(request, wrong="Please give a name of at most 100 letters, other than “owner”.")
        if not note.isprintable():
            raise InputError("the note has characters that cannot be printed")
        try:
            _, secret = site.access.new_invite(name, note, most)
        except InputError as error:
            return page(request, wrong=sentence(str(error)))
        # Shown in the answer itself, not after a redirect: the secret is in no address, cookie or log of ours.
        return page(request, link={"worker": name, "address": f"{site.public}/join/{secret}"})

    @router.post("/invites/{number}/revoke")
    def revoke(request: Request, number: int, csrf: Annotated[str, Form()]) -> Response:
        check_form(site.owner(request), csrf)
        was_valid = number < 2**62 and site.access.revoke(number)
        role = next((one.role for one in project.invites.all() if one.id == number), "worker")
        said = f"Link {number} is revoked." if was_valid else "This link is not valid."
        return site.go("/workers" if role == "worker" else "/people", said)

    return router


_ORDERS = ("name", "votes", "seconds", "agreement", "controls", "false_yes", "false_no")


def _sorted(rows: list[WorkerRow], sort: str) -> list[WorkerRow]:
    """Workers in an order; those without values come last."""
    name = sort.removeprefix("-")
    if name not in _ORDERS:
        raise HTTPException(422, f"there is no order {sort[:40]!r}; choose {', '.join(_ORDERS)}")
    known = [row for row in rows if getattr(row, name) is not None]
    unknown = [row for row in rows if getattr(row, name) is None]
    return sorted(known, key=lambda row: getattr(row, name), reverse=sort.startswith("-")) + unknown


def _said(worker: str, excluded: bool, change: Change) -> str:
    done = f"{worker} is {'excluded' if excluded else 'included again'}: "
    if not change.moved:
        return done + "no cluster changes."
    records = plural(change.moved, "record")
    return done + f"{records} moved; there were {change.before:,} clusters, and there are {change.after:,} now."
