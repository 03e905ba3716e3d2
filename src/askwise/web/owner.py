"""The login, and the pages about the whole project: progress, settings, export."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from askwise.errors import InputError
from askwise.project import Point, Project, Status
from askwise.project.checks import HIDING
from askwise.project.exports import Wanted
from askwise.project.values import OWNER
from askwise.web import drawings
from askwise.web.access import OWNER_HOURS
from askwise.web.assigned import assigned_pages
from askwise.web.clusters import cluster_pages
from askwise.web.edits import edit_pages
from askwise.web.exports import EXPORTS, exported
from askwise.web.golden import golden_pages
from askwise.web.pairs import brief, pair_pages
from askwise.web.people import people_pages
from askwise.web.preferences import preference_pages
from askwise.web.records import record_pages
from askwise.web.review_queue import queue_pages, share_of
from askwise.web.site import Site, check_form
from askwise.web.workers import worker_pages

_NUMBERS = [
    ("votes", "Votes per question", "How many workers answer each question", "numeric"),
    ("lease_seconds", "Seconds per question", "After that, an unanswered question goes to another worker", "numeric"),
    (
        "batch",
        "Questions per batch",
        "A small batch follows the votes more closely; a large one keeps many workers busy",
        "numeric",
    ),
    ("budget", "Vote limit", "Workers get no more questions after this many votes; empty: no limit", "numeric"),
    ("price", "Price per vote", "Used for the cost on the Progress page", "decimal"),
    ("currency", "Currency", "For example, EUR", "text"),
    (
        "audit",
        "Random audit share",
        "The share of questions drawn at random, as a fair sample of all pairs: for example, 0.1; 0: none",
        "decimal",
    ),
    (
        "controls",
        "Share of control questions",
        "The share of a worker's questions whose answer is known (askwise answer --known): for example, 0.05; 0: none",
        "decimal",
    ),
    (
        "image_fields",
        "Picture fields",
        "Columns with the names of picture files in the project's folder, separated by commas",
        "text",
    ),
    ("hidden_worker", "Fields hidden from workers", "Columns that workers do not see, separated by commas", "text"),
    ("hidden_reader", "Fields hidden from readers", "Columns that readers do not see, separated by commas", "text"),
    ("hidden_steward", "Fields hidden from stewards", "Columns that stewards do not see, separated by commas", "text"),
]


class SettingsForm(BaseModel):
    """The settings as texts of the form."""

    csrf: str
    instructions: str = ""
    votes: str = ""
    lease_seconds: str = ""
    batch: str = ""
    budget: str = ""
    price: str = ""
    currency: str = ""
    audit: str = ""
    controls: str = ""
    image_fields: str = ""
    hidden_worker: str = ""
    hidden_reader: str = ""
    hidden_steward: str = ""


def owner_pages(site: Site) -> APIRouter:
    """The routes of the owner."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    for pages in (
        queue_pages,
        cluster_pages,
        edit_pages,
        pair_pages,
        assigned_pages,
        record_pages,
        preference_pages,
        people_pages,
        golden_pages,
    ):
        router.include_router(pages(site))
    router.include_router(worker_pages(site))
    project = site.project

    @router.get("/")
    def start(request: Request) -> Response:
        return site.go("/work" if site.anyone(request).role == "worker" else "/progress")

    @router.get("/login")
    def login_page(request: Request) -> Response:
        return site.page(request, "login.html", None, wrong="")

    @router.post("/login")
    def login(
        request: Request,
        name: Annotated[str, Form(max_length=200)] = "",
        password: Annotated[str, Form(max_length=1000)] = "",
    ) -> Response:
        """Log in. The owner gives no name; everyone else gives theirs."""
        if name.strip() and name.strip().casefold() != OWNER:
            visitor = site.sign_in(request, name.strip(), password)
            person = None if visitor is None else visitor.name
        else:
            person = OWNER if site.is_password(request, password) else None
        if person is None:
            wrong = "That is not the password of that name." if name.strip() else "That is not the password."
            return site.page(request, "login.html", None, 403, wrong=wrong)
        response = site.go("/progress")
        session = site.access.new_session(person)
        site.set_cookie(request, response, site.access.owner_cookie, session, OWNER_HOURS / 24)
        return response

    @router.post("/logout")
    def logout(request: Request, csrf: Annotated[str, Form()]) -> Response:
        check_form(site.reader(request), csrf)
        site.access.end_sessions(request.cookies.get(site.access.owner_cookie, ""), others=False)
        response = site.go("/login")
        response.delete_cookie(site.access.owner_cookie)
        response.delete_cookie(site.access.worker_cookie)
        return response

    @router.post("/sessions/end")
    def end_sessions(request: Request, csrf: Annotated[str, Form()]) -> Response:
        visitor = site.reader(request)
        check_form(visitor, csrf)
        site.access.end_sessions(request.cookies.get(site.access.owner_cookie, ""), others=True)
        return site.go("/settings" if visitor.role == "owner" else "/account", "You are signed in here only.")

    @router.get("/live")
    def live(request: Request) -> Response:
        site.reader(request)
        return JSONResponse({"version": site.snapshot.version}, headers={"cache-control": "no-store"})

    @router.get("/progress")
    def progress(request: Request) -> Response:
        visitor = site.reader(request)
        hidden, status = project.hidden(visitor.role), site.snapshot.status()
        return site.page(
            request,
            "progress.html",
            visitor,
            status=status,
            price=project.settings.price,
            parts=site.snapshot.parts(),
            **charts(_until_now(site.snapshot.history(), status)),
            questions=[
                {
                    "row": row,
                    "one": brief(project, str(row.left), 60, hidden),
                    "other": brief(project, str(row.right), 60, hidden),
                }
                for row in site.snapshot.questions()
            ],
        )

    @router.post("/pause")
    def pause(request: Request, csrf: Annotated[str, Form()], paused: Annotated[str, Form()]) -> Response:
        check_form(site.owner(request), csrf)
        project.change_settings(paused=paused == "yes", by=OWNER)
        site.snapshot.forget()
        return site.go("/progress", "Paused: workers get no new questions." if paused == "yes" else "Resumed.")

    @router.get("/settings")
    def settings_page(request: Request) -> Response:
        return _settings_page(site, request, _as_texts(project), "")

    @router.post("/settings")
    def save(request: Request, form: Annotated[SettingsForm, Form()]) -> Response:
        check_form(site.owner(request), form.csrf)
        try:
            project.change_settings(by=OWNER, **_from_texts(form))
        except InputError as error:
            return _settings_page(site, request, form.model_dump(), f"Not saved: {error}.", 422)
        site.snapshot.forget()
        return site.go("/settings", "Saved.")

    @router.get("/export")
    def export_page(request: Request) -> Response:
        return site.page(request, "export.html", site.reader(request), exports=EXPORTS)

    @router.get("/export/clusters")
    def export_clusters(
        request: Request,
        form: Annotated[str, Query(pattern="^(csv|json|parquet)$")],
        confidence: Annotated[str, Query(max_length=20)] = "",
        approved: str = "",
        fields: str = "",
        golden: str = "",
        review: str = "",
        one: str = "",
        formulas: str = "",
    ) -> Response:
        """Export clusters that are approved or confident enough, with the chosen columns."""
        visitor = site.reader(request)
        least = share_of(confidence, "confidence") / 100 if confidence.strip() else None
        ticked = (text == "yes" for text in (fields, golden, review, one))
        wanted = Wanted(approved == "yes", least, *ticked)
        return exported(project, f"clusters.{form}", formulas == "yes", wanted, project.hidden(visitor.role))

    @router.get("/export/{name}")
    def export(request: Request, name: str, formulas: str = "") -> Response:
        visitor = site.reader(request)
        return exported(project, name, formulas == "yes", hidden=project.hidden(visitor.role))

    return router


def charts(history: list[Point]) -> dict[str, object]:
    """The charts of the first page; counts start at 0, and scores end at 1."""
    votes = [point.votes for point in history]
    times = [point.time for point in history]
    drawn: list[dict[str, object]] = []
    if len(history) > 1:
        series: list[tuple[str, str, Sequence[float]]] = [
            ("Votes", "Votes over time", votes),
            ("Questions asked", "Questions over time", [point.questions for point in history]),
            ("Clusters", "Clusters over time", [point.clusters for point in history]),
        ]
        drawn = [
            {"title": title, "caption": text, "picture": drawings.trend(title, times, ys, times=True, low=0.0)}
            for title, text, ys in series
        ]
    reliability = None
    if len(history) > 1:
        picture = drawings.trend("Reliability", votes, [point.reliability for point in history], high=0.0)
        reliability = {"caption": "Reliability against votes; the axis ends at 0", "picture": picture}
    return {"charts": drawn, "reliability": reliability, "expected": _expected_chart(history)}


def _until_now(history: list[Point], status: Status) -> list[Point]:
    """The history with a last point for the present state, because points are kept every few seconds only."""
    if not history or history[-1].votes == status.votes:
        return history
    now = replace(
        history[-1],
        time=time.time(),
        questions=status.asked,
        votes=status.votes,
        clusters=status.clusters,
        reliability=status.reliability,
        f1=status.f1,
        f1_low=status.f1_low,
        f1_high=status.f1_high,
    )
    return [*history, now]


def _expected_chart(history: list[Point]) -> dict[str, object] | None:
    """Expected F1 with its interval; older points do not have it."""
    history = [point for point in history if point.f1 is not None]
    if len(history) < 2:
        return None
    value, low, high = ([getattr(point, name) for point in history] for name in ("f1", "f1_low", "f1_high"))
    votes = [point.votes for point in history]
    return {
        "caption": "Expected F1 against votes. The band is where it lies with a probability of 90%",
        "picture": drawings.trend("Expected F1", votes, value, band=(low, high), low=0.0, high=1.0),
    }


def _settings_page(site: Site, request: Request, values: dict[str, object], wrong: str, status: int = 200) -> Response:
    visitor, sessions = site.owner(request), site.project.sessions.count()
    context = {"values": values, "numbers": _NUMBERS, "wrong": wrong, "sessions": sessions}
    return site.page(request, "settings.html", visitor, status, **context)


def _as_texts(project: Project) -> dict[str, object]:
    values: dict[str, object] = {
        name: "" if value is None else value for name, value in asdict(project.settings).items()
    }
    hidden = {f"hidden_{role}": ", ".join(project.settings.hidden.get(role, ())) for role in HIDING}
    return values | {"image_fields": ", ".join(project.settings.image_fields)} | hidden


def _from_texts(form: SettingsForm) -> dict[str, Any]:
    """Settings from the texts of the form; the project checks them."""
    return {
        "instructions": form.instructions,
        "votes": _number("votes", form.votes),
        "lease_seconds": _number("lease_seconds", form.lease_seconds),
        "batch": _number("batch", form.batch),
        "budget": _number("budget", form.budget) if form.budget.strip() else None,
        "price": _number("price", form.price or "0", whole=False),
        "currency": form.currency.strip(),
        "audit": _number("audit", form.audit or "0", whole=False),
        "controls": _number("controls", form.controls or "0", whole=False),
        "image_fields": _names(form.image_fields),
        "hidden": {
            "worker": _names(form.hidden_worker),
            "reader": _names(form.hidden_reader),
            "steward": _names(form.hidden_steward),
        },
    }


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _number(name: str, text: str, whole: bool = True) -> float:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise InputError(f"{name} = {text[:40]!r} is not a {'whole ' if whole else ''}number") from None
