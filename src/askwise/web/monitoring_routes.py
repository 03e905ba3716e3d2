"""The routes for monitoring: /health and /metrics."""

from __future__ import annotations

import time
from asyncio import to_thread

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException

from askwise.web.metrics import Observed, gauge
from askwise.web.site import Site

_NO_STORE = {"cache-control": "no-store"}


def watching(site: Site, observed: Observed) -> APIRouter:
    """The routes; health is public, metrics are for the owner."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project, begun = site.project, time.monotonic()

    @router.get("/health")
    async def health(request: Request) -> Response:
        """The present troubles, in a word each; 503 if workers cannot answer."""
        troubles = await to_thread(site.health.troubles)  # not in the threads of pages, which may all be waiting
        said = {"status": "trouble" if troubles else "ok", "troubles": sorted({trouble.what for trouble in troubles})}
        return JSONResponse(said, 503 if any(trouble.stops for trouble in troubles) else 200, _NO_STORE)

    @router.get("/metrics")
    def metrics(request: Request) -> Response:
        """Metrics in Prometheus' format, for requests with the owner's token."""
        if site.program(request).role != "owner":
            raise HTTPException(403, "only the owner's token allows this")
        counts, health = project.store.counts(), site.health
        behind = project.behind(counts.rows)
        wrong = {trouble.what for trouble in health.troubles()}
        lines = [
            *gauge("askwise_votes_total", "Rows of votes.", counts.rows),
            *gauge("askwise_votes_standing", "Votes that stand.", counts.votes),
            *gauge("askwise_questions_open", "Questions with room for a vote.", counts.open),
            *gauge("askwise_tasks_held", "Questions in front of workers.", counts.held),
            *gauge("askwise_workers", "Workers who came.", counts.workers),
            *gauge("askwise_engine_behind", "Rows of votes that the engine has not processed.", behind),
            *gauge("askwise_disk_free_bytes", "Free on the disk of the project.", health.free),
            *gauge("askwise_uptime_seconds", "Since the server was started.", time.monotonic() - begun),
            "# HELP askwise_trouble Whether something is wrong (1).",
            "# TYPE askwise_trouble gauge",
            *(f'askwise_trouble{{what="{what}"}} {what in wrong:d}' for what in ("clock", "disk", "engine", "store")),
            *observed.metrics(),
        ]
        return PlainTextResponse("\n".join(lines) + "\n", 200, _NO_STORE, "text/plain; version=0.0.4")

    return router
