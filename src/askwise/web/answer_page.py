"""The worker's page: one question at a time."""

from __future__ import annotations

import hmac
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import FileResponse, RedirectResponse
from starlette.exceptions import HTTPException

from askwise.errors import InputError, TaskError
from askwise.project.names import LONGEST, name_of
from askwise.project.studies import Studies, Study, Visit
from askwise.project.values import Invite
from askwise.web.access import Visitor
from askwise.web.models import Answer
from askwise.web.questions import asked
from askwise.web.site import Site, check_form
from askwise.web.steward_api import progress_of
from askwise.web.wording import sentence

PANEL_PARAMETERS = ("PROLIFIC_PID", "participantId", "worker_id", "workerId", "MW_ID", "survey_code", "participant")
"""Where panels put their participant's id in the address of a study."""

PART = "text/x-part"
"""What the script of the page accepts: a question without the page around it."""

_WORKER_DAYS = 90
_BAD_ID = "the participant's id in this address is missing or cannot be used; open the study from the panel's own page"
_PACK_DONE = {
    "title": "Thank you, that was all",
    "text": "Your answers are saved. Please finish here, so that the panel knows that you are done.",
    "finish": "/work/finish",
}


def work_pages(site: Site) -> APIRouter:
    """The routes of a worker."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    studies = Studies(project)

    def shown(request: Request, visitor: Visitor, beside: list[int]) -> Response:
        """The visitor's next question, other than the tasks in `beside`."""
        visit = _visit(studies, visitor)
        task = project.take(visitor.name, beside=beside) if visit is None else studies.take(*visit, beside)
        part = request.headers.get("accept") == PART
        question = None if task is None else asked(project, site.pictures, task)
        template = ("_question.html" if question else "_done.html") if part else "work.html"
        done = _done(site) if visit is None else _PACK_DONE
        return site.page(
            request,
            template,
            visitor,
            question=question,
            worker=visitor.name,
            done=done,
            progress=None if part else progress_of(project, visitor.name),
        )

    @router.get("/join/{secret}")
    def join(request: Request, secret: str) -> Response:
        invite = site.invite(request, secret)
        if invite.worker is not None:
            return enter(request, secret, invite.role)
        study = studies.of_invite(invite.id)
        if study is not None:
            return arrive(request, invite, study)
        given = next((request.query_params[name] for name in PANEL_PARAMETERS if name in request.query_params), None)
        if given is None:
            return site.page(request, "join.html", None, secret=secret, wrong="")
        name = plain_name(given)
        if name is None:
            raise HTTPException(400, _BAD_ID)
        if is_here(request, name):
            return site.go("/work")
        return enter(request, site.access.join(invite, name))

    def is_here(request: Request, name: str) -> bool:
        """Whether the visitor comes back and is still known by their cookie."""
        here = site.access.worker(request.cookies.get(site.access.worker_cookie))
        return here is not None and here.name == name

    def arrive(request: Request, invite: Invite, study: Study) -> Response:
        """Let in a participant from a panel; the participant's id is required.

        Participants who return in another browser have to present the panel's session id, which only they know.
        """
        given = request.query_params.get(study.parameter, "").strip()
        name = name_of(f"{study.crowd}:{given}")
        session = request.query_params.get("SESSION_ID", "")
        if not given or name is None or len(session) > 200 or "\0" in session:
            raise HTTPException(400, _BAD_ID)
        if is_here(request, name):
            return site.go("/work")
        before = studies.visit(name)
        back = (
            before is not None
            and before.session != ""
            and hmac.compare_digest(before.session.encode(), session.encode())
        )
        secret = site.access.join(invite, name, back=back)
        studies.arrive(study, name, session)
        return enter(request, secret)

    @router.post("/join/{secret}")
    def join_by_name(request: Request, secret: str, name: Annotated[str, Form()] = "") -> Response:
        invite = site.invite(request, secret)
        if invite.worker is not None:
            return enter(request, secret, invite.role)
        if studies.of_invite(invite.id) is not None:
            raise HTTPException(400, _BAD_ID)
        known = plain_name(name)
        try:
            if known is None:
                raise InputError(f"this name cannot be used; choose another, of at most {LONGEST} letters")
            return enter(request, site.access.join(invite, known))
        except InputError as error:
            return site.page(request, "join.html", None, 400, secret=secret, wrong=sentence(str(error)))

    def enter(request: Request, secret: str, role: str = "worker") -> Response:
        response = site.go("/work" if role == "worker" else "/")
        site.set_cookie(request, response, site.access.worker_cookie, secret, _WORKER_DAYS)
        return response

    @router.get("/work")
    def work(request: Request) -> Response:
        visitor = site.worker(request)
        return shown(request, visitor, [])

    @router.get("/work/next")
    def following(request: Request, beside: Annotated[int, Query(ge=0, le=2**62)]) -> Response:
        visitor = site.worker(request)
        return shown(request, visitor, [beside])

    @router.post("/work/answer")
    def answer(
        request: Request,
        task: Annotated[int, Form()],
        answer: Annotated[Answer, Form()],
        key: Annotated[str, Form(alias="request", max_length=64)],
        csrf: Annotated[str, Form()],
        seconds: Annotated[str, Form(max_length=20)] = "",
        shown_now: Annotated[str, Form(alias="shown", max_length=18)] = "",
    ) -> Response:
        try:
            visitor = site.worker(request)
            check_form(visitor, csrf)
        except HTTPException as error:
            said = f"this answer was not saved: {error.detail}"
            raise HTTPException(error.status_code, said, error.headers) from None
        part = request.headers.get("accept") == PART
        try:
            project.answer(task, visitor.name, answer, request=key, seconds=_duration(seconds))
        except TaskError as error:
            if part:
                raise
            return site.go("/work", f"One of your answers was not saved: {error}.")
        if not part:
            return site.go("/work")
        beside = [int(shown_now)] if shown_now.isascii() and shown_now.isdigit() else []
        return shown(request, visitor, beside)

    @router.get("/work/finish")
    def finish(request: Request) -> Response:
        """Back to the panel, once the pack is done."""
        visitor = site.worker(request)
        visit = _visit(studies, visitor)
        if visit is None or studies.take(*visit) is not None:
            return site.go("/work")
        studies.end(visit[0])
        return RedirectResponse(visit[1].finish, 303)

    @router.post("/work/undo")
    def undo(request: Request, csrf: Annotated[str, Form()]) -> Response:
        visitor = site.worker(request)
        check_form(visitor, csrf)
        back = project.undo(visitor.name)
        return site.go("/work", "You have no answer to undo." if back is None else "")

    @router.get("/picture")
    def picture(request: Request, record: str, field: str, key: str) -> Response:
        site.anyone(request)
        found = site.pictures.file(record, field, key)
        if found is None:
            raise HTTPException(404, "there is no such picture")
        path, kind = found
        return FileResponse(path, media_type=kind, headers={"cache-control": "private, max-age=3600"})

    return router


def plain_name(text: str) -> str | None:
    """A name that people may choose; names with a colon belong to panels."""
    name = name_of(text)
    return None if name is None or ":" in name else name


def _visit(studies: Studies, visitor: Visitor) -> tuple[Visit, Study] | None:
    """The visit of a participant from a panel, and its study. Only their names have a colon."""
    visit = studies.visit(visitor.name) if ":" in visitor.name else None
    if visit is None:
        return None
    return visit, next(study for study in studies.all() if study.id == visit.study)


def _duration(text: str) -> float | None:
    """How long the worker looked at the question, by their own clock; None if implausible."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86400 else None


def _done(site: Site) -> dict[str, str]:
    if site.project.settings.paused:
        return {"title": "Paused", "text": "The owner has paused the questions. Your answers are saved."}
    return {
        "title": "Thank you, that is all for now",
        "text": "There are no more questions for you now. Your answers are saved; new questions may come later.",
    }
