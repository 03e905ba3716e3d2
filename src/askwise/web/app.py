"""The whole site of one project, as an ASGI application."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from askwise.errors import AskwiseError, PairError, RecordError, StoreError, TaskError
from askwise.project import Project
from askwise.version import __version__
from askwise.web.access import Access
from askwise.web.api import interface
from askwise.web.limits import Confined, TooManyError
from askwise.web.owner import owner_pages
from askwise.web.site import HERE, LoginNeededError, Site
from askwise.web.work import work_pages

_LOG = logging.getLogger("askwise.web")
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


def make_app(project: Project, *, password: str | None = None, token: str | None = None) -> FastAPI:
    """The pages and the interface of a project. The owner logs in by `password` or `token`; programs use the token."""
    site = Site(project, Access(project, password, token))
    app = FastAPI(
        title="Askwise",
        version=__version__,
        description="Questions out, votes in, clusters out.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    app.include_router(work_pages(site))
    app.include_router(owner_pages(site))
    app.include_router(interface(site))
    app.mount("/static", _Kept(directory=HERE / "static"))
    _explain_errors(app, site)
    app.add_middleware(Confined)
    return app


class _Kept(StaticFiles):
    """Files whose address changes with their content."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """A file that browsers may keep."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


def _explain_errors(app: FastAPI, site: Site) -> None:
    """Every error is a page with one clear line, or JSON with the same line for programs."""

    def answer(request: Request, status: int, text: str, headers: dict[str, str] | None = None) -> Response:
        if request.url.path.startswith("/api/") or request.headers.get("accept", "").startswith("text/x-part"):
            return JSONResponse({"detail": text}, status, headers)
        title = _TITLES.get(status, "Something went wrong")
        page = site.page(request, "problem.html", None, status, title=title, text=_sentence(text))
        page.headers.update(headers or {})
        return page

    @app.exception_handler(LoginNeededError)
    def login_needed(request: Request, error: LoginNeededError) -> Response:
        if request.method == "GET" and not request.url.path.startswith(("/api/", "/work", "/picture", "/live")):
            return site.go("/login")
        return answer(request, 401, error.detail, {"www-authenticate": "Bearer"})

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        return answer(request, error.status_code, error.detail, dict(error.headers or {}))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        return answer(request, 422, _first(error.errors()))

    @app.exception_handler(TooManyError)
    def too_many(request: Request, error: TooManyError) -> Response:
        return answer(request, 429, str(error), {"retry-after": str(error.seconds)})

    @app.exception_handler(AskwiseError)
    def known(request: Request, error: AskwiseError) -> Response:
        if isinstance(error, StoreError):
            _LOG.error("%s", error)
            return answer(request, 503, "the store does not answer; try again in a moment", {"retry-after": "2"})
        status = 409 if isinstance(error, TaskError) else 404 if _is_missing(request, error) else 422
        return answer(request, status, str(error))


def _is_missing(request: Request, error: AskwiseError) -> bool:
    """A record that somebody looks for is not there; in what they post it would be a wrong value."""
    return request.method == "GET" and isinstance(error, RecordError | PairError)


def _first(errors: Sequence[Any]) -> str:
    """The first thing that is wrong, in one line, without what was sent (it may be long or secret)."""
    error = errors[0]
    place = ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path"))
    return f"{place}: {error['msg']}" if place else str(error["msg"])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
