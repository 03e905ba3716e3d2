"""The page about people with roles, and everyone's page about their own account."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from askwise.errors import InputError
from askwise.project import Project
from askwise.project.events import Event
from askwise.project.people import GIVEN
from askwise.project.values import OWNER
from askwise.web.access import Role
from askwise.web.site import Site, check_form
from askwise.web.wording import sentence


def people_pages(site: Site) -> APIRouter:
    """The routes of people."""
    router = APIRouter(include_in_schema=False, default_response_class=Response)
    project = site.project

    def page(request: Request, link: dict[str, str] | None = None, wrong: str = "") -> Response:
        visitor = site.owner(request)
        assigned = [to for on, to in project.desk.assignments().items() if on.startswith("cluster ")]
        rows = [{"person": one, "assigned": assigned.count(one.name)} for one in project.people.all()]
        links = [invite for invite in project.invites.all() if invite.role != "worker"]
        context = {"rows": rows, "links": links, "roles": GIVEN, "link": link, "wrong": wrong}
        return site.page(request, "people.html", visitor, 422 if wrong else 200, **context)

    @router.get("/people")
    def people(request: Request) -> Response:
        return page(request)

    @router.post("/people")
    def add(
        request: Request,
        csrf: Annotated[str, Form()],
        name: Annotated[str, Form(max_length=200)] = "",
        role: Annotated[str, Form(max_length=20)] = "",
        password: Annotated[str, Form(max_length=1000)] = "",
    ) -> Response:
        """Add a person with a password, or with a link that is shown once."""
        check_form(site.owner(request), csrf)
        try:
            if password:
                person = project.people.add(name, role, password, by=OWNER)
            elif role in GIVEN:
                return page(request, _linked(site, name, "steward" if role == "steward" else "reader"))
            else:
                raise InputError(f"there is no role {role[:40]!r} for a person; choose {' or '.join(GIVEN)}")
        except InputError as error:
            return page(request, wrong=sentence(str(error)))
        site.access.forget()
        return site.go("/people", f"{person.name} is a {person.role} now.")

    @router.post("/people/change")
    def change(
        request: Request,
        csrf: Annotated[str, Form()],
        name: Annotated[str, Form(max_length=200)],
        do: Annotated[str, Form(max_length=20)],
        password: Annotated[str, Form(max_length=1000)] = "",
    ) -> Response:
        check_form(site.owner(request), csrf)
        try:
            if do == "end":
                project.people.end(name, by=OWNER)
            elif do == "password":
                project.people.set_password(name, password, by=OWNER)
            else:
                project.people.set_role(name, do, by=OWNER)
        except InputError as error:
            return page(request, wrong=sentence(str(error)))
        site.access.forget()
        said = {"end": "can no longer log in", "password": "has a new password"}.get(do, f"is a {do} now")
        return site.go("/people", f"{name} {said}.")

    @router.post("/account/password")
    def own_password(
        request: Request,
        csrf: Annotated[str, Form()],
        old: Annotated[str, Form(max_length=1000)],
        new: Annotated[str, Form(max_length=1000)],
    ) -> Response:
        """Change one's own password; wrong guesses at the old one are limited like those at the login."""
        visitor = site.reader(request)
        check_form(visitor, csrf)
        if site.sign_in(request, visitor.name, old) is None:
            return own(request, "The old password is wrong.")
        try:
            project.people.set_password(visitor.name, new, by=visitor.name)
        except InputError as error:
            return own(request, sentence(str(error)))
        site.access.forget()
        return site.go("/login", "You have a new password. Please log in with it.")

    @router.get("/account")
    def account(request: Request) -> Response:
        return own(request)

    def own(request: Request, wrong: str = "") -> Response:
        visitor = site.reader(request)
        assigned = [on for on, to in project.desk.assignments().items() if to == visitor.name]
        numbers = [int(on.partition(" ")[2]) for on in assigned if on.startswith("cluster ")]
        pairs = [tuple(on.partition(" ")[2].split("\t")) for on in assigned if on.startswith("pair ")]
        person = project.people.find(visitor.name)
        context = {
            "numbers": sorted(numbers),
            "pairs": sorted(pairs),
            "sessions": project.sessions.count(visitor.name),
            "password": person is not None and person.password,
            "wrong": wrong,
        }
        return site.page(request, "account.html", visitor, 422 if wrong else 200, **context)

    return router


def assign(project: Project, on: list[str], to: str, by: str) -> Event:
    """Assign clusters or pairs to someone who may edit; no name removes the assignment."""
    able = stewards(project)
    if to and to not in able:
        raise InputError(f"{to[:40]!r} is no steward; choose from: {', '.join(able)}")
    return project.editing.assign(on, to, by)


def stewards(project: Project) -> list[str]:
    """Everyone who may edit clusters."""
    people = [one.name for one in project.people.all() if one.ended is None and one.role == "steward"]
    links = [one.worker for one in project.invites.all() if one.role == "steward" and one.revoked is None]
    return [OWNER, *people, *(name for name in links if name)]


def _linked(site: Site, name: str, role: Role) -> dict[str, str]:
    """A person with a link."""
    invite, secret = site.access.new_invite(name, "", role=role, by=OWNER)
    return {"name": invite.worker or "", "role": role, "address": f"{site.public}/join/{secret}"}
