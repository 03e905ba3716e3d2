"""The whole site of one project, as an ASGI application."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from askwise.errors import AskwiseError, InputError, PairError, RecordError, StoreError, TaskError
from askwise.project import Project
from askwise.web.access import Access
from askwise.web.answer_page import PART, work_pages
from askwise.web.api import NO_TELEMETRY, interface
from askwise.web.limits import Confined, TooManyError
from askwise.web.metrics import Observed
from askwise.web.monitoring_routes import watching
from askwise.web.owner import owner_pages
from askwise.web.site import HERE, Site
from askwise.web.snapshot import BusyError
from askwise.web.wording import sentence

_LOG = logging.getLogger("askwise.web")
_FOR_PROGRAMS = ("/api/", "/hooks/", "/health", "/metrics")
_TITLES = {
    400: "That cannot be read",
    401: "Please log in",
    403: "That is not allowed",
    404: "There is no such page",
    405: "That cannot be done here",
    409: "Too late",
    413: "That is too much at once",
    422: "That cannot be used",
    429: "Too many requests",
    503: "Please try again",
}


def make_app(
    project: Project,
    *,
    password: str | None = None,
    token: str | None = None,
    public: str = "http://127.0.0.1:8000",
) -> ASGIApp:
    """The pages and the interface of a project.

    The owner logs in with `password` or `token`; programs use the token. `public` is the address that people use: links
    start with it.
    """
    site = Site(project, Access(project, password, token), public_address(public))
    pages = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, telemetry=NO_TELEMETRY)
    pages.include_router(work_pages(site))
    pages.include_router(owner_pages(site))
    pages.mount("/static", _Kept(directory=HERE / "static"))
    _explain_errors(pages, partial(_page_answer, site))
    programs = interface(site)
    if find_spec("httpx2"):  # the extra `crowds`
        from askwise.web.hooks import hooks

        programs.include_router(hooks(site))
    _explain_errors(programs, _json_answer)

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        programming = scope["type"] == "http" and scope["path"].startswith(_FOR_PROGRAMS)
        await (programs if programming else pages)(scope, receive, send)

    observed = Observed(Confined(either, site.https))
    programs.include_router(watching(site, observed))
    return observed


def public_address(text: str) -> str:
    """Check an address like https://votes.example.org, without a path."""
    parts = urlsplit(text.strip().rstrip("/"))
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.geturl() != f"{parts.scheme}://{parts.netloc}"
    ):
        raise InputError(f"the public address {text!r} must look like https://votes.example.org, without a path")
    return parts.geturl()


class _Kept(StaticFiles):
    """Files whose address changes with their content."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """A file that browsers may cache."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


def _json_answer(request: Request, status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"detail": text}, status, headers)


def _page_answer(
    site: Site, request: Request, status: int, text: str, headers: dict[str, str] | None = None
) -> Response:
    if request.headers.get("accept") == PART:
        return _json_answer(request, status, text, headers)
    if status == 401 and request.method == "GET" and not f"{request.url.path}/".startswith("/work/"):
        return site.go("/login")
    title = _TITLES.get(status, "Something went wrong")
    said = "" if text == HTTPStatus(status).phrase else sentence(text)
    page = site.page(request, "problem.html", None, status, title=title, text=said, back=_form_of(request))
    page.headers.update(headers or {})
    return page


def _form_of(request: Request) -> str:
    """The page whose form was sent, so that what is wrong in it can be corrected; else empty."""
    came = urlsplit(request.headers.get("referer", "") if request.method == "POST" else "")
    own = came.netloc == request.headers.get("host") and came.path.startswith("/") and not came.path.startswith("//")
    return f"{came.path}?{came.query}".rstrip("?") if own else ""


def _explain_errors(app: FastAPI, answer: Callable[..., Response]) -> None:
    """Show every error as one clear line: a page for people, JSON for programs."""

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        return answer(request, error.status_code, error.detail, dict(error.headers or {}))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        return answer(request, 422, _first(error.errors()))

    @app.exception_handler(TooManyError)
    def too_many(request: Request, error: TooManyError) -> Response:
        return answer(request, 429, str(error), {"retry-after": str(error.seconds)})

    @app.exception_handler(BusyError)
    def busy(request: Request, error: BusyError) -> Response:
        again = {"refresh": "2"} if request.method == "GET" else {}
        return answer(request, 503, str(error), {"retry-after": "2", **again})

    @app.exception_handler(AskwiseError)
    def known(request: Request, error: AskwiseError) -> Response:
        if isinstance(error, StoreError):
            _LOG.error("%s", error)
            return answer(request, 503, "the store does not answer; try again in a moment", {"retry-after": "2"})
        status = 409 if isinstance(error, TaskError) else 404 if _is_missing(request, error) else 422
        return answer(request, status, str(error))


def _is_missing(request: Request, error: AskwiseError) -> bool:
    """Whether a record that a visitor looks for does not exist; in a form it would be a wrong value."""
    return request.method == "GET" and isinstance(error, RecordError | PairError)


def _first(errors: Sequence[Any]) -> str:
    """The first error, in one line, without the value (it may be long or secret)."""
    error = errors[0]
    place = ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path"))
    return f"{place}: {error['msg']}" if place else str(error["msg"])
