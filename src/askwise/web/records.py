"""Search, and a page for each record: its fields, its pairs, and its history."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from askwise.differences import shown
from askwise.project.record_history import Happening, Move, record_history, record_moves, record_pairs
from askwise.project.searching import Hit
from askwise.web.access import Visitor
from askwise.web.pairs import PAGE, Found, brief, pages_of
from askwise.web.site import Site

_KINDS = {
    "vote": "Vote",
    "split": "Split",
    "join": "Joined",
    "move": "Moved",
    "lock": "Locked",
    "decide": "Decided",
    "approve": "Approved",
    "review": "In review",
    "ask": "Sent to the crowd",
    "reset": "New again",
    "comment": "Comment",
    "vote taken back": "Vote taken back",
}


def record_pages(site: Site) -> APIRouter:
    """The routes of records."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/search")
    def search(
        request: Request,
        words: Annotated[str, Query(max_length=1000)] = "",
        page: Annotated[int, Query(ge=1, le=10**9)] = 1,
    ) -> Response:
        visitor = site.reader(request)
        total, hits = _hits(site, visitor, words, page)
        rows = [{"hit": hit, "brief": brief(project, hit.record, 90, project.hidden(visitor.role))} for hit in hits]
        found = Found(rows, page, pages_of(total), total)
        return site.page(request, "search.html", visitor, words=words, found=found)

    @router.get("/record")
    def record(request: Request, id: str, page: Annotated[int, Query(ge=1, le=10**9)] = 1) -> Response:
        visitor = site.reader(request)
        values = project.shown_to(visitor.role, id)
        pictures = project.settings.image_fields
        fields = [
            {"name": name, "text": text, "picture": site.pictures.address(id, name) if name in pictures else None}
            for name, value in values.items()
            if (text := shown(value))
        ]
        with project.glance() as free:
            total, pairs = record_pairs(project, id, PAGE) if free else (0, None)
        moves = record_moves(project, id)
        story: list[Happening | Move] = [*moves, *record_history(project, id)]
        story.sort(key=lambda one: -one.time)
        return site.page(
            request,
            "record.html",
            visitor,
            id=id,
            row=site.cluster_of(id),
            fields=fields,
            empty=[name for name, value in values.items() if not shown(value)],
            pairs=pairs,
            brief=lambda other: brief(project, other, 60, project.hidden(visitor.role)),
            total=total,
            kinds=_KINDS,
            there=site.has,
            moved=moves[0].time if moves else None,
            found=Found(story[(page - 1) * PAGE : page * PAGE], page, pages_of(len(story)), len(story)),
        )

    return router


def _hits(site: Site, visitor: Visitor, words: str, page: int) -> tuple[int, list[Hit]]:
    """The records that match in fields that the visitor can see."""
    if not words.strip():
        return 0, []
    hidden = site.project.hidden(visitor.role)
    return site.reviewing.search.hits(words, (page - 1) * PAGE, PAGE, hidden)
