"""Finding records, and a page for each."""

from __future__ import annotations

import numpy as np
from fastapi import APIRouter, Request, Response

from askwise.differences import shown
from askwise.project.insight import PairRow, pair_rows
from askwise.project.project import Project
from askwise.web import edits
from askwise.web.pairs import brief
from askwise.web.site import Site

_MOST_PAIRS = 50


def record_pages(site: Site) -> APIRouter:
    """The routes of records."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/record")
    def record(request: Request, id: str) -> Response:
        visitor = site.owner(request)
        values = project.record(id)
        pictures = project.settings.image_fields
        fields = [
            {"name": name, "text": text, "picture": site.pictures.address(id, name) if name in pictures else None}
            for name, value in values.items()
            if (text := shown(value))
        ]
        total, pairs = pairs_of(project, id)
        return site.page(
            request,
            "record.html",
            visitor,
            id=id,
            row=site.cluster_of(id),
            fields=fields,
            empty=[name for name, value in values.items() if not shown(value)],
            pairs=[{"row": row, "other": other, "brief": brief(project, other, 60)} for row, other in pairs],
            total=total,
            history=edits.history_of(project, [id]),
        )

    return router


def pairs_of(project: Project, record: str) -> tuple[int, list[tuple[PairRow, str]]]:
    """How many pairs of a record something is known about, and the likeliest of them, with the other record of each."""
    with project.lock:
        graph = project.resolution.graph
        rows = graph.pairs_at(np.array([graph.records.position(record)], np.int32))
        weight = graph.pair_weight[rows]
        rows, weight = rows[~np.isnan(weight)], weight[~np.isnan(weight)]
        chosen = rows[np.argsort(-weight, kind="stable")[:_MOST_PAIRS]]
        found = pair_rows(project.resolution, chosen)
    return int(rows.size), [(row, row.right if row.left == record else row.left) for row in found]
