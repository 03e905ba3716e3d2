"""Personal preferences: the columns of tables, and keys."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from askwise.errors import InputError
from askwise.web import shortcuts
from askwise.web.sheets import columns_of
from askwise.web.site import Site, check_form
from askwise.web.wording import sentence

_DAYS = 365


def preference_pages(site: Site) -> APIRouter:
    """The routes of columns and keys."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    @router.get("/columns")
    def columns(request: Request, back: str = "/clusters") -> Response:
        visitor = site.reader(request)
        chosen = columns_of(project, visitor)
        return site.page(request, "columns.html", visitor, columns=chosen, back=_ours(back))

    @router.post("/columns")
    def choose(
        request: Request,
        csrf: Annotated[str, Form()],
        scope: Annotated[str, Form(pattern="^(me|everyone|reset)$")],
        name: Annotated[list[str] | None, Form()] = None,
        place: Annotated[list[str] | None, Form()] = None,
        shown: Annotated[list[str] | None, Form()] = None,
        back: Annotated[str, Form()] = "/clusters",
    ) -> Response:
        visitor = site.reader(request)
        check_form(visitor, csrf)
        if scope == "reset":
            project.editing.prefer("columns", None, visitor.name)
            return site.go(_ours(back), "You see the columns of the project again.")
        if scope == "everyone" and not visitor.edits:
            raise InputError("a reader chooses columns for themselves only")
        fields = [column for column, _ in columns_of(project, visitor)]
        chosen = _columns(name or [], place or [], shown or [], fields)
        project.editing.prefer("columns", chosen, visitor.name, everyone=scope == "everyone")
        whose = "for everyone who has not chosen their own" if scope == "everyone" else "for you"
        return site.go(_ours(back), f"The columns are saved {whose}.")

    @router.get("/keys")
    def key_page(request: Request) -> Response:
        return shown_keys(request, "", 200)

    def shown_keys(request: Request, wrong: str, status: int) -> Response:
        visitor = site.anyone(request)
        cookie = request.cookies.get(shortcuts.COOKIE)
        own = shortcuts.chosen("" if cookie == shortcuts.OFF else cookie, visitor.role)
        rows = [(name, label, own.get(name, "")) for name, (label, _) in shortcuts.of_role(visitor.role).items()]
        base = "layout.html" if visitor.role == "worker" else "owner.html"
        context = {"rows": rows, "off": cookie == shortcuts.OFF, "wrong": wrong, "base": base}
        return site.page(request, "keys.html", visitor, status, **context)

    @router.post("/keys")
    async def save_keys(request: Request) -> Response:
        visitor = site.anyone(request)
        form = {name: str(value) for name, value in (await request.form()).items()}
        check_form(visitor, form.get("csrf", ""))
        cookie = request.cookies.get(shortcuts.COOKIE)
        try:
            kept = {"off": shortcuts.OFF, "reset": ""}.get(form.get("do", ""))
            kept = (
                shortcuts.packed(form, visitor.role, None if cookie == shortcuts.OFF else cookie)
                if kept is None
                else kept
            )
        except InputError as error:
            return shown_keys(request, sentence(str(error)), 422)
        response = site.go("/keys", "Keys are off." if kept == shortcuts.OFF else "The keys are saved in this browser.")
        site.set_cookie(request, response, shortcuts.COOKIE, kept, _DAYS)
        return response

    return router


def _columns(names: list[str], places: list[str], shown: list[str], fields: list[str]) -> list[str]:
    """The chosen columns in order, hidden ones with a minus in front."""
    if sorted(names) != sorted(fields) or len(places) != len(names) or not set(shown) <= set(names):
        raise InputError("the form does not fit the columns of the project; reload the page")
    found = []
    for name, place in zip(names, places, strict=True):
        if not (place.isascii() and place.isdigit() and 1 <= int(place[:6]) <= 99_999):
            raise InputError(f"column {name!r}: place {place[:20]!r} is not a whole number of at least 1")
        found.append((int(place), name))
    return [name if name in shown else f"-{name}" for _, name in sorted(found, key=lambda one: one[0])]


def _ours(path: str) -> str:
    """A path on this site, and nothing else."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if plain and len(path) < 500 else "/clusters"
