"""Every page and form, tried in every role: the table below says who may, and a test keeps it complete."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute
from sites import PASSWORD, TOKEN, Served, Visitor, served

from askwise.web.access import EDIT, LOOK, OWN, WORK, Access
from askwise.web.answer_page import work_pages
from askwise.web.owner import owner_pages
from askwise.web.site import Site

ALL = (*LOOK, *WORK)
STRANGERS = (*ALL, "")
PAGES: dict[str, tuple[str, ...]] = {
    "GET /": ALL,
    "GET /account": LOOK,
    "GET /candidates": LOOK,
    "GET /clusters": LOOK,
    "GET /clusters/{number}": LOOK,
    "GET /clusters/{number}/golden": LOOK,
    "GET /columns": LOOK,
    "GET /conflicts": LOOK,
    "GET /edits": LOOK,
    "GET /edits/{number}/{kind}": EDIT,
    "GET /export": LOOK,
    "GET /export/clusters": LOOK,
    "GET /export/{name}": LOOK,
    "GET /golden": LOOK,
    "GET /invites": STRANGERS,
    "GET /join/{secret}": STRANGERS,
    "GET /keys": ALL,
    "GET /live": LOOK,
    "GET /login": STRANGERS,
    "GET /pair": LOOK,
    "GET /people": OWN,
    "GET /picture": ALL,
    "GET /progress": LOOK,
    "GET /questions": LOOK,
    "GET /record": LOOK,
    "GET /search": LOOK,
    "GET /settings": OWN,
    "GET /work": WORK,
    "GET /work/finish": WORK,
    "GET /work/next": WORK,
    "GET /workers": OWN,
    "POST /account/password": LOOK,
    "POST /clusters/{number}": EDIT,
    "POST /clusters/{number}/assign": EDIT,
    "POST /clusters/{number}/comment": EDIT,
    "POST /clusters/{number}/golden": EDIT,
    "POST /clusters/{number}/review": EDIT,
    "POST /columns": LOOK,
    "POST /edits": EDIT,
    "POST /edits/{number}/{kind}": EDIT,
    "POST /golden": EDIT,
    "POST /invites": OWN,
    "POST /invites/{number}/revoke": OWN,
    "POST /join/{secret}": STRANGERS,
    "POST /keys": ALL,
    "POST /login": STRANGERS,
    "POST /logout": LOOK,
    "POST /pair/ask": EDIT,
    "POST /pair/assign": EDIT,
    "POST /pair/comment": EDIT,
    "POST /pair/vote": EDIT,
    "POST /pause": OWN,
    "POST /people": OWN,
    "POST /people/change": OWN,
    "POST /questions": EDIT,
    "POST /queue/approve": EDIT,
    "POST /queue/views": LOOK,
    "POST /sessions/end": LOOK,
    "POST /settings": OWN,
    "POST /undo": EDIT,
    "POST /work/answer": WORK,
    "POST /work/undo": WORK,
    "POST /workers/exclude": OWN,
}
FORM = {"csrf": "0" * 64, "paused": "yes", "worker": "x", "excluded": "yes", "left": "a1", "right": "a2", "task": 1}
FORM |= {"answer": "yes", "request": "r", "do": "lock", "kind": "lock", "groups": "[]", "text": "x", "scope": "me"}
FORM |= {"above": "95", "count": "1", "name": "x", "number": "undo:1", "field": "city"}
FORM |= {"old": "x", "new": "x"}
QUERIES = {"/pair": "left=a1&right=a2", "/record": "id=a1", "/export/clusters": "form=csv", "/work/next": "beside=1"}
QUERIES["/picture"] = "record=a1&field=city&key=x"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("roles") / "project") as site:
        yield site


@pytest.fixture(scope="module")
def visitors(site: Served) -> dict[str, Visitor]:
    found = {"owner": site.owner(), "": site.visitor()}
    for role in ("steward", "reader", "worker"):
        invite = site.program().call("POST", "/api/invites", {"worker": f"the {role}", "role": role})[1]
        found[role] = site.visitor()
        assert found[role].call("GET", str(invite["path"]))[0] == 303
    return found


def routes(router: Any) -> Iterator[APIRoute]:
    """All routes of a router, and of those that it includes."""
    for route in router.routes:
        if isinstance(route, APIRoute):
            yield route
        else:
            yield from routes(route.original_router)


def test_the_table_has_every_page(site: Served) -> None:
    pages = Site(site.project, Access(site.project, PASSWORD, TOKEN), "http://127.0.0.1")
    found = [*routes(owner_pages(pages)), *routes(work_pages(pages))]
    assert sorted({f"{method} {route.path}" for route in found for method in route.methods or ()}) == sorted(PAGES)


@pytest.mark.parametrize("route", sorted(PAGES))
def test_who_may_open_and_send_what(site: Served, visitors: dict[str, Visitor], route: str) -> None:
    method, path = route.split(" ")
    asked = path.replace("{number}", "1").replace("{kind}", "undo").replace("{name}", "labels.csv")
    asked += f"?{QUERIES[path]}" if path in QUERIES else ""
    for role, visitor in visitors.items():
        cookies = dict(visitor.cookies)
        for _ in range(20):  # one address may not ask without end
            status, headers, text = visitor.call(method, asked, FORM if method == "POST" else None)
            visitor.cookies = dict(cookies)
            if status != 429:
                break
            time.sleep(0.5)
        outside = status == 401 or headers.get("location") == "/login" or "may not do this" in text
        assert outside == (role not in PAGES[route]), (role, status, text[-300:])
        assert status < 500
