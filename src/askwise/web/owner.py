"""The owner's way in, and the pages about the whole project: progress, settings, export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from askwise.errors import InputError
from askwise.project import Point, Project
from askwise.web import drawings
from askwise.web.access import OWNER_HOURS
from askwise.web.clusters import brief, cluster_pages
from askwise.web.exports import EXPORTS, exported
from askwise.web.site import Site, check_form
from askwise.web.workers import worker_pages

_NUMBERS = [
    ("votes", "Votes for a question", "How many workers see each question", "numeric"),
    ("lease_seconds", "Seconds for a question", "After that a question left lying goes to somebody else", "numeric"),
    ("batch", "Questions chosen at a time", "Fewer react faster to votes, more keep many workers busy", "numeric"),
    ("budget", "Most votes", "Workers get no more questions after so many; empty: no limit", "numeric"),
    ("price", "Price of a vote", "For the cost on the first page", "decimal"),
    ("currency", "Currency", "For instance EUR", "text"),
    ("audit", "Share drawn by chance", "For instance 0.1, as a fair sample of all pairs; 0: none", "decimal"),
    ("image_fields", "Fields with pictures", "Names of columns, with commas; files in the project's folder", "text"),
]


class SettingsForm(BaseModel):
    """The settings as texts, as the form has them."""

    csrf: str
    instructions: str = ""
    votes: str = ""
    lease_seconds: str = ""
    batch: str = ""
    budget: str = ""
    price: str = ""
    currency: str = ""
    audit: str = ""
    image_fields: str = ""


def owner_pages(site: Site) -> APIRouter:
    """The routes of the owner."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    router.include_router(cluster_pages(site))
    router.include_router(worker_pages(site))
    project = site.project

    @router.get("/")
    def start(request: Request) -> Response:
        return site.go("/work" if site.anyone(request).role == "worker" else "/progress")

    @router.get("/login")
    def login_page(request: Request) -> Response:
        return site.page(request, "login.html", None, wrong="")

    @router.post("/login")
    def login(request: Request, password: Annotated[str, Form(max_length=1000)] = "") -> Response:
        if not site.is_password(request, password):
            return site.page(request, "login.html", None, 403, wrong="That is not the password.")
        response = site.go("/progress")
        session = site.access.new_owner_session()
        site.set_cookie(request, response, site.access.owner_cookie, session, OWNER_HOURS / 24)
        return response

    @router.post("/logout")
    def logout(request: Request, csrf: Annotated[str, Form()]) -> Response:
        check_form(site.owner(request), csrf)
        site.access.end_sessions(request.cookies[site.access.owner_cookie], others=False)
        response = site.go("/login")
        response.delete_cookie(site.access.owner_cookie)
        return response

    @router.post("/sessions/end")
    def end_sessions(request: Request, csrf: Annotated[str, Form()]) -> Response:
        check_form(site.owner(request), csrf)
        site.access.end_sessions(request.cookies[site.access.owner_cookie], others=True)
        return site.go("/settings", "You are signed in here only.")

    @router.get("/live")
    def live(request: Request) -> Response:
        site.owner(request)
        return JSONResponse({"version": site.snapshot.version}, headers={"cache-control": "no-store"})

    @router.get("/progress")
    def progress(request: Request) -> Response:
        visitor = site.owner(request)
        return site.page(
            request,
            "progress.html",
            visitor,
            status=site.snapshot.status(),
            price=project.settings.price,
            charts=charts(site.snapshot.history()),
            questions=[
                {"row": row, "one": brief(project, str(row.left), 60), "other": brief(project, str(row.right), 60)}
                for row in site.snapshot.questions()
            ],
        )

    @router.post("/pause")
    def pause(request: Request, csrf: Annotated[str, Form()], paused: Annotated[str, Form()]) -> Response:
        check_form(site.owner(request), csrf)
        project.change_settings(paused=paused == "yes")
        site.snapshot.forget()
        return site.go("/progress", "Paused: workers get no new questions." if paused == "yes" else "Resumed.")

    @router.get("/settings")
    def settings_page(request: Request) -> Response:
        return _settings_page(site, request, _as_texts(project), "")

    @router.post("/settings")
    def save(request: Request, form: Annotated[SettingsForm, Form()]) -> Response:
        check_form(site.owner(request), form.csrf)
        try:
            project.change_settings(**_from_texts(form))
        except InputError as error:
            return _settings_page(site, request, form.model_dump(), f"Not saved: {error}.", 422)
        site.snapshot.forget()
        return site.go("/settings", "Saved.")

    @router.get("/export")
    def export_page(request: Request) -> Response:
        return site.page(request, "export.html", site.owner(request), exports=EXPORTS)

    @router.get("/export/{name}")
    def export(request: Request, name: str, formulas: str = "") -> Response:
        site.owner(request)
        return exported(project, name, formulas == "yes")

    return router


def charts(history: list[Point]) -> list[dict[str, object]]:
    """The pictures of the first page."""
    if len(history) < 2:
        return []
    times = [point.time for point in history]
    votes = [point.votes for point in history]
    series: list[tuple[str, str, Sequence[float], Sequence[float], bool]] = [
        ("Votes", "Votes over time", times, votes, True),
        ("Questions", "Questions asked over time", times, [point.questions for point in history], True),
        ("Reliability", "Base-10 logarithm, against votes", votes, [point.reliability for point in history], False),
        ("Clusters", "Against votes", votes, [point.clusters for point in history], False),
    ]
    drawn: list[dict[str, object]] = [
        {"title": title, "caption": caption, "picture": drawings.trend(title, xs, ys, times=over_time)}
        for title, caption, xs, ys, over_time in series
    ]
    expected = [point for point in history if point.f1 is not None]
    if len(expected) > 1:
        drawn.insert(2, _expected_chart(expected))
    return drawn


def _expected_chart(history: list[Point]) -> dict[str, object]:
    """The F1 to expect, with its interval."""
    value, low, high = ([getattr(point, name) for point in history] for name in ("f1", "f1_low", "f1_high"))
    votes = [point.votes for point in history]
    return {
        "title": "F1 to expect",
        "caption": "Against votes; the band is where it lies with a probability of 90%, as far as can be told",
        "picture": drawings.trend("F1 to expect", votes, value, band=(low, high)),
    }


def _settings_page(site: Site, request: Request, values: dict[str, object], wrong: str, status: int = 200) -> Response:
    visitor, sessions = site.owner(request), site.project.store.sessions()
    context = {"values": values, "numbers": _NUMBERS, "wrong": wrong, "sessions": sessions}
    return site.page(request, "settings.html", visitor, status, **context)


def _as_texts(project: Project) -> dict[str, object]:
    values: dict[str, object] = {
        name: "" if value is None else value for name, value in asdict(project.settings).items()
    }
    return values | {"image_fields": ", ".join(project.settings.image_fields)}


def _from_texts(form: SettingsForm) -> dict[str, Any]:
    """Settings from the texts of the form; what is wrong with them the project says."""
    return {
        "instructions": form.instructions,
        "votes": _number("votes", form.votes),
        "lease_seconds": _number("lease_seconds", form.lease_seconds),
        "batch": _number("batch", form.batch),
        "budget": _number("budget", form.budget) if form.budget.strip() else None,
        "price": _number("price", form.price or "0", whole=False),
        "currency": form.currency.strip(),
        "audit": _number("audit", form.audit or "0", whole=False),
        "image_fields": [name.strip() for name in form.image_fields.split(",") if name.strip()],
    }


def _number(name: str, text: str, whole: bool = True) -> float:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise InputError(f"{name} = {text[:40]!r} is not a {'whole ' if whole else ''}number") from None
