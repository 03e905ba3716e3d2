"""The owner's pages about workers and their links."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from askwise.errors import InputError
from askwise.project.insight import Change, set_excluded
from askwise.project.migrations import MOST_JOINS
from askwise.project.names import name_of
from askwise.web.site import Site, check_form
from askwise.web.wording import plural, sentence


def worker_pages(site: Site) -> APIRouter:
    """The routes of workers and invites."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    def page(request: Request, link: dict[str, str | None] | None = None, wrong: str = "") -> Response:
        visitor = site.owner(request)
        invites = project.store.invites()
        return site.page(
            request,
            "workers.html",
            visitor,
            422 if wrong else 200,
            workers=site.snapshot.workers(),
            invites=invites,
            joined=Counter(invite.parent for invite in invites),
            most=MOST_JOINS,
            link=link,
            wrong=wrong,
        )

    @router.get("/workers")
    def workers(request: Request) -> Response:
        return page(request)

    @router.post("/workers/exclude")
    def exclude(
        request: Request,
        csrf: Annotated[str, Form()],
        worker: Annotated[str, Form()],
        excluded: Annotated[str, Form()],
    ) -> Response:
        check_form(site.owner(request), csrf)
        change = set_excluded(project, worker, excluded == "yes")
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
        return site.go("/workers", f"Link {number} is revoked." if was_valid else "There is no such valid link.")

    return router


def _said(worker: str, excluded: bool, change: Change) -> str:
    done = f"{worker} is {'excluded' if excluded else 'included again'}: "
    if not change.moved:
        return done + "no cluster changes by it."
    records = plural(change.moved, "record")
    return done + f"{records} changed company; there were {change.before:,} clusters, there are {change.after:,} now."
