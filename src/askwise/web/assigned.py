"""Questions for one worker: assigned from lists of pairs, the page of a pair and that of a cluster; their list."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from askwise.errors import InputError
from askwise.plurals import plural
from askwise.project.pair_rows import conflicts_of
from askwise.web.pairs import PAGE, Found, brief, pages_of
from askwise.web.site import Site, check_form

_PLACES = ("/conflicts", "/candidates", "/questions", "/clusters/", "/pair?")


def assigned_pages(site: Site) -> APIRouter:
    """The routes of assigned questions."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/questions")
    def assigned(
        request: Request,
        worker: Annotated[str, Query(max_length=200)] = "",
        page: Annotated[int, Query(ge=1, le=10**9)] = 1,
    ) -> Response:
        visitor = site.reader(request)
        hidden = project.hidden(visitor.role)
        every = [(pair, to) for pair, to in project.reserving.all().items() if worker in ("", to)]
        rows = [
            {
                "left": left,
                "right": right,
                "to": to,
                "texts": [brief(project, one, 90, hidden) for one in (left, right)],
            }
            for (left, right), to in every[(page - 1) * PAGE : page * PAGE]
        ]
        found = Found(rows, page, pages_of(len(every)), len(every))
        return site.page(request, "questions.html", visitor, found=found, worker=worker)

    @router.post("/questions")
    def assign(
        request: Request,
        csrf: Annotated[str, Form()],
        pair: Annotated[list[str] | None, Form()] = None,
        cluster: Annotated[int | None, Form(ge=0, le=2**62)] = None,
        to: Annotated[str, Form(max_length=200)] = "",
        back: Annotated[str, Form(max_length=4000)] = "/questions",
    ) -> Response:
        """Assign pairs, or all conflicts of a cluster, to a worker; no name withdraws the assignment."""
        visitor = site.steward(request)
        check_form(visitor, csrf)
        if cluster is None:
            pairs = [_pair(text) for text in pair or []]
            if not pairs:
                raise InputError("tick the pairs first")
        else:
            pairs = conflicts_of(project, site.cluster(cluster).members)
            if not pairs:
                raise InputError(f"cluster {cluster} has no conflicts (any more)")
        place = back if back.startswith(_PLACES) and "\\" not in back else "/questions"
        if not to.strip():
            freed = project.reserving.withdraw(pairs, by=visitor.name)
            return site.go(place, f"Withdrawn: anyone may be asked about {plural(freed, 'pair')} again.")
        done = project.reserving.assign(pairs, to.strip(), by=visitor.name)
        return site.go(place, _said(to.strip(), done, len(pairs) - done))

    return router


def _said(worker: str, done: int, had: int) -> str:
    """What was assigned to a worker, and what not."""
    if not done:
        return f"Nothing was assigned: {worker} has answered {'this question' if had == 1 else 'all of these'} before."
    other = f" {worker} has answered the other {had:,} before." if had else ""
    return f"{plural(done, 'question')} assigned to {worker}, who gets them first.{other}"


def _pair(text: str) -> tuple[str, str]:
    left, tab, right = text.partition("\t")
    if not tab:
        raise InputError(f"{text[:60]!r} is not a pair of records")
    return left, right
