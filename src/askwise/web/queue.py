"""The list of clusters, in the order in which looking at them helps most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.exceptions import HTTPException

from askwise.project import ClusterRow, Project
from askwise.web.pairs import PAGE, Found, brief, pages_of
from askwise.web.site import Site


def queue_pages(site: Site) -> APIRouter:
    """The routes of the list of clusters."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/clusters")
    def clusters(
        request: Request, search: str = "", sort: str = "confidence", page: Annotated[int, Query(ge=1, le=10**9)] = 1
    ) -> Response:
        visitor = site.owner(request)
        rows = _sorted(_searched(project, site.snapshot.clusters().rows, search), sort)
        found = Found(rows[(page - 1) * PAGE : page * PAGE], page, pages_of(len(rows)), len(rows))
        return site.page(
            request,
            "clusters.html",
            visitor,
            found=found,
            sort=sort,
            summary=lambda row: _many(project, row.members),
        )

    return router


def _searched(project: Project, rows: list[ClusterRow], search: str) -> list[ClusterRow]:
    wanted = search.casefold().strip()
    if not wanted:
        return rows
    return [
        row for row in rows if any(wanted in f"{member} {brief(project, member)}".casefold() for member in row.members)
    ]


def _sorted(rows: list[ClusterRow], sort: str) -> list[ClusterRow]:
    keys = {
        "id": lambda row: row.id,
        "size": lambda row: len(row.members),
        "confidence": lambda row: (row.confidence, -len(row.members)),
    }
    name = sort.removeprefix("-")
    if name not in keys:
        raise HTTPException(422, f"there is no order {sort[:40]!r}; choose id, size or confidence")
    return sorted(rows, key=keys[name], reverse=sort.startswith("-"))


def _many(project: Project, members: Sequence[str]) -> str:
    first = "  ·  ".join(brief(project, member, 60) for member in members[:2])
    return first if len(members) <= 2 else f"{first}  ·  and {len(members) - 2:,} more"
