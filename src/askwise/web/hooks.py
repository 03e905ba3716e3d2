"""Notifications from other services: annotations in Label Studio, submissions on Prolific."""

from __future__ import annotations

import os
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from askwise.crowds.label_studio import replies_to
from askwise.json_text import from_json
from askwise.panels.prolific import CROWD, LEFT, is_signed
from askwise.project.ledger import Ledger
from askwise.project.studies import Studies
from askwise.web.limits import STRANGER
from askwise.web.site import Site, address_of

_NEVER = 2**31  # a hook sees one annotation, and cannot tell whether it is the last: who polls does


def hooks(site: Site) -> APIRouter:
    """The routes under /hooks; their input is checked like any other."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)

    def owner(request: Request) -> None:
        if site.program(request).role != "owner":
            raise HTTPException(403, "only the owner's token allows this")

    @router.post("/hooks/label-studio", dependencies=[Depends(owner)])
    def label_studio(body: Annotated[dict[str, Any], Body()]) -> Response:
        try:
            ledger = Ledger(site.project, f"label-studio:{int(body['project']['id'])}")
            row = ledger.known_as(str(int(body["task"]["id"])))
            replies = [] if row is None else replies_to(row.id, [body["annotation"]], _NEVER)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise HTTPException(422, "this is not a webhook of an annotation") from None
        ledger.receive(replies)
        return Response(status_code=204)

    @router.post("/hooks/prolific")
    async def prolific(request: Request) -> Response:
        """A participant gave their place back or was refused; their questions are free again."""
        secret = os.environ.get("PROLIFIC_WEBHOOK_SECRET", "")
        timestamp = request.headers.get("x-prolific-request-timestamp", "")
        signature = request.headers.get("x-prolific-request-signature", "")
        raw = await request.body()
        if not secret or not is_signed(secret, timestamp, raw, signature):
            site.rates.spend(STRANGER, address_of(request))
            raise HTTPException(401, "the signature is not Prolific's")
        try:
            event = from_json(raw)
            kind, status = str(event["event_type"]), str(event.get("status", ""))
            worker = f"{CROWD}:{event.get('participant_id', '')}"
        except (LookupError, TypeError, ValueError, AttributeError):
            raise HTTPException(422, "this is not an event of Prolific") from None
        if kind == "submission.status.change" and status in LEFT:
            await run_in_threadpool(Studies(site.project).leave, worker, status.lower())
        return Response(status_code=204)

    return router
