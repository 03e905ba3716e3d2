"""What services tell us by themselves: Label Studio of annotations."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request, Response
from starlette.exceptions import HTTPException

from askwise.crowds.label_studio import replies_to
from askwise.project.ledger import Ledger
from askwise.web.site import Site

_NEVER = 2**31  # a hook sees one annotation, and cannot tell whether it is the last: who polls does


def hooks(site: Site) -> APIRouter:
    """The routes under /hooks; what comes in is checked like anything else."""
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

    return router
