"""Every route, tried in every role. The table is complete: a route that it lacks is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from shared.fuzzing import descriptions
from shared.served import Client
from sites import PASSWORD, TOKEN, Served, Visitor, served

OWN, EDIT, LOOK = ("owner",), ("owner", "steward"), ("owner", "steward", "reader")
WORK, ANY, FREE = ("worker",), ("owner", "steward", "reader", "worker"), ("owner", "steward", "reader", "worker", "")
ROLES = FREE

INTERFACE: dict[str, tuple[str, ...]] = {
    "GET /api/clusters": LOOK,
    "GET /api/clusters/{cluster}": LOOK,
    "GET /api/assignments": LOOK,
    "GET /api/comments": LOOK,
    "GET /api/edits": LOOK,
    "GET /api/events": LOOK,
    "GET /api/golden/rules": LOOK,
    "GET /api/golden/{cluster}": LOOK,
    "GET /api/me": ANY,
    "GET /api/people": OWN,
    "GET /api/questions": LOOK,
    "GET /api/questions/assigned": LOOK,
    "GET /api/queue": LOOK,
    "GET /api/queue/totals": LOOK,
    "GET /api/queue/{cluster}": LOOK,
    "GET /api/record": LOOK,
    "GET /api/record/history": LOOK,
    "GET /api/rules": LOOK,
    "GET /api/search": LOOK,
    "GET /api/settings": LOOK,
    "GET /api/status": LOOK,
    "GET /api/views": LOOK,
    "GET /api/votes": LOOK,
    "GET /api/workers": LOOK,
    "PATCH /api/people": OWN,
    "PATCH /api/settings": OWN,
    "POST /api/assignments": EDIT,
    "POST /api/comments": EDIT,
    "POST /api/decisions": EDIT,
    "POST /api/edits": EDIT,
    "POST /api/edits/preview": EDIT,
    "POST /api/edits/{edit}/preview": EDIT,
    "POST /api/edits/{edit}/redo": EDIT,
    "POST /api/edits/{edit}/undo": EDIT,
    "POST /api/golden": EDIT,
    "POST /api/invites": OWN,
    "POST /api/invites/{invite}/revoke": OWN,
    "POST /api/people": OWN,
    "POST /api/questions/assigned": EDIT,
    "POST /api/reviews": EDIT,
    "POST /api/reviews/above": EDIT,
    "POST /api/rules": OWN,
    "POST /api/rules/withdraw": OWN,
    "POST /api/tasks": ("owner", "worker"),
    "POST /api/tasks/{task}/answer": ("owner", "worker"),
    "POST /api/undo": ("owner", "worker"),
    "POST /api/views": LOOK,
    "POST /api/votes": OWN,
    "POST /api/workers/exclude": OWN,
    "PUT /api/golden/rules": EDIT,
}
"""Who may call what; "" is someone without a token."""

BODIES: dict[str, Any] = {
    "PATCH /api/people": {"name": "nobody"},
    "PATCH /api/settings": {"votes": 2},
    "POST /api/assignments": {"clusters": [1], "to": ""},
    "POST /api/comments": {"cluster": 1, "text": "so so"},
    "POST /api/decisions": {"left": "a1", "right": "d1", "same": False},
    "POST /api/edits": {"kind": "join", "groups": [["b1"]]},
    "POST /api/edits/preview": {"kind": "lock", "groups": [["c1"]]},
    "POST /api/edits/{edit}/preview": {"turn": "redo"},
    "POST /api/golden": {"record": "a1", "field": "city", "value": "Rome"},
    "POST /api/invites": {"worker": "another"},
    "POST /api/people": {"name": "Sue", "role": "reader"},
    "POST /api/questions/assigned": {"pairs": [["a1", "a2"]], "to": ""},
    "POST /api/reviews": {"review": "reset", "clusters": [1]},
    "POST /api/reviews/above": {"confidence": 0.5, "preview": True},
    "POST /api/rules": {"rules": ["differs:nothing"]},
    "POST /api/rules/withdraw": {"numbers": [7]},
    "POST /api/tasks": {},
    "POST /api/tasks/{task}/answer": {"answer": "yes"},
    "POST /api/undo": {},
    "POST /api/views": {"name": "mine", "view": {"least_size": 2}},
    "POST /api/votes": {"votes": []},
    "POST /api/workers/exclude": {"worker": "w", "excluded": False},
    "PUT /api/golden/rules": {"rules": {"city": {"rule": "longest"}}},
}
QUERIES = {
    "GET /api/comments": "?cluster=1",
    "GET /api/record": "?id=a1",
    "GET /api/record/history": "?id=a1",
    "GET /api/search": "?words=anna",
    "GET /api/queue": "?states=new&least_size=1&limit=2",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("roles") / "project") as site:
        yield site


@pytest.fixture(scope="module")
def tokens(site: Served) -> dict[str, str]:
    program = site.program()
    made = {role: program.call("POST", "/api/invites", {"worker": f"the {role}", "role": role}) for role in ANY[1:]}
    return {"owner": TOKEN, "": "no-token"} | {role: invite["secret"] for role, (_, invite) in made.items()}


def routes(description: dict[str, Any]) -> list[str]:
    return [f"{method.upper()} {path}" for path, methods in description["paths"].items() for method in methods]


def test_the_table_has_every_route(site: Served) -> None:
    assert sorted(routes(descriptions(site.project)[0])) == sorted(INTERFACE)


@pytest.mark.parametrize("route", sorted(INTERFACE))
def test_who_may_call_what(site: Served, tokens: dict[str, str], route: str) -> None:
    method, path = route.split(" ")
    for name in ("cluster", "edit", "invite", "task"):
        path = path.replace(f"{{{name}}}", "1" if name == "cluster" else "999")
    for role in ROLES:
        status, _, text = Visitor(site.port).call(
            method,
            path + QUERIES.get(route, ""),
            headers={"authorization": f"Bearer {tokens[role]}", "content-type": "application/json"},
            body=json.dumps(BODIES[route]) if route in BODIES else None,
        )
        if role in INTERFACE[route]:
            assert status in (200, 204, 404, 409, 422), (role, status, text)
            assert (status in (200, 204)) or route in BODIES or "{" in route, (role, status, text)
        else:
            assert status == (403 if role else 401), (role, status, text)


class Program:
    """A connection for each call: one that waits for its first request is closed after some seconds."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        client = Client(self.port, self.token)
        try:
            return client.call(method, path, body)
        finally:
            client.close()


def test_the_desk_over_the_interface(site: Served, tokens: dict[str, str]) -> None:
    steward, owner, reader = (Program(site.port, tokens[role]) for role in ("steward", "owner", "reader"))
    status, found = steward.call("GET", "/api/search?words=anna%20harbour")
    assert (status, found["total"] > 0) == (200, True)
    status, plan = steward.call("POST", "/api/edits/preview", {"kind": "join", "groups": [["c1", "d1"]]})
    assert (status, plan["elsewhere"]) == (200, [])
    joined = next(after for after in plan["after"] if "c1" in after)
    assert "d1" in joined
    status, event = steward.call("POST", "/api/edits", {"kind": "join", "groups": [["c1", "d1"]], "note": "neighbours"})
    assert (status, event["person"], event["kind"]) == (200, "the steward", "join")
    cluster = reader.call("GET", "/api/record?id=c1")[1]["cluster"]
    assert reader.call("GET", f"/api/queue/{cluster}")[1]["cluster"]["members"] == joined
    assert steward.call("POST", "/api/reviews", {"review": "approve", "clusters": [cluster]})[0] == 200
    page = reader.call("GET", "/api/queue?states=approved&order=-size")[1]
    assert [row["id"] for row in page["clusters"]] == [cluster]
    assert page["clusters"][0]["reviewer"] == "the steward"
    totals = {row["state"]: row["clusters"] for row in reader.call("GET", "/api/queue/totals")[1]}
    assert totals["approved"] == 1
    status, plan = steward.call("POST", f"/api/edits/{event['id']}/preview", {"turn": "undo"})
    assert (status, joined in plan["before"]) == (200, True)
    assert steward.call("POST", f"/api/edits/{event['id']}/undo")[0] == 200
    assert reader.call("GET", "/api/record?id=c1")[1]["cluster"] is not None
    assert reader.call("GET", "/api/queue?states=approved")[1]["total"] == 0
    assert steward.call("POST", f"/api/edits/{event['id']}/redo")[0] == 200
    assert reader.call("GET", "/api/queue?states=approved")[1]["total"] == 1
    assert [row["kind"] for row in owner.call("GET", "/api/events?limit=4")[1]] == ["redo", "undo", "approve", "join"]
    story = reader.call("GET", "/api/record/history?id=c1")[1]
    assert {"join", "approve"} <= {one["kind"] for one in story["history"]}
    assert owner.call("PATCH", "/api/settings", {"hidden": {"reader": ["city"]}, "paused": True})[1]["paused"]
    assert "city" not in reader.call("GET", "/api/record?id=c1")[1]["fields"]
    assert "city" in steward.call("GET", "/api/record?id=c1")[1]["fields"]
    assert reader.call("GET", "/api/search?words=essen")[1]["total"] == 0
    assert steward.call("GET", "/api/search?words=essen")[1]["total"] == 2
    assert "city" not in reader.call("GET", f"/api/golden/{cluster}")[1]
    assert steward.call("PUT", "/api/golden/rules", {"rules": {"name": {"rule": "longest"}}})[0] == 200
    golden = steward.call("GET", f"/api/golden/{cluster}")[1]["name"]
    assert (golden["rule"], golden["value"]) == ("longest", "Anne Müller")
    assert owner.call("PATCH", "/api/settings", {"paused": False, "hidden": {}})[0] == 200
    assert owner.call("POST", "/api/rules", {"rules": ["/etc/passwd"]})[0] == 422
    status, above = steward.call("POST", "/api/reviews/above", {"confidence": 1e-9, "view": {"states": ["new"]}})
    assert (status, above["event"]["kind"]) == (200, "approve")
    assert {row["state"] for row in reader.call("GET", "/api/queue")[1]["clusters"]} == {"approved"}
    assert steward.call("POST", f"/api/edits/{above['event']['id']}/undo")[0] == 200
    assert owner.call("POST", "/api/people", {"name": "Pia", "role": "steward", "password": "x" * 7})[0] == 422
    assert owner.call("POST", "/api/people", {"name": "Pia", "role": "steward", "password": PASSWORD})[0] == 200
    assert owner.call("PATCH", "/api/people", {"name": "Pia", "ended": True})[0] == 200


def test_clusters_and_pairs_are_assigned_to_stewards(site: Served, tokens: dict[str, str]) -> None:
    steward, reader = (Program(site.port, tokens[role]) for role in ("steward", "reader"))
    cluster = reader.call("GET", "/api/record?id=b1")[1]["cluster"]
    given = {"clusters": [cluster], "pairs": [["b2", "b1"]], "to": "the steward"}
    assert steward.call("POST", "/api/assignments", given)[0] == 200
    assigned = [{"cluster": cluster, "to": "the steward"}, {"pair": ["b1", "b2"], "to": "the steward"}]
    assert reader.call("GET", "/api/assignments") == (200, assigned)
    status, wrong = steward.call("POST", "/api/assignments", given | {"to": "the reader"})
    assert (status, "is no steward; choose from: owner, the steward" in wrong["detail"]) == (422, True)
    assert steward.call("POST", "/api/assignments", given | {"pairs": [["b1", "zzz"]]})[0] == 422
    assert steward.call("POST", "/api/assignments", {"to": "the steward"})[0] == 422
    assert steward.call("POST", "/api/comments", {"pair": ["b2", "b1"], "text": "a typo"})[0] == 200
    assert [one["text"] for one in reader.call("GET", "/api/comments?left=b1&right=b2")[1]] == ["a typo"]
    assert reader.call("GET", "/api/comments?left=b1")[0] == 422
    person = site.visitor()
    invite = site.program().call("POST", "/api/invites", {"worker": "Sam", "role": "steward"})[1]
    assert person.call("GET", str(invite["path"]))[0] == 303
    page = "/pair?left=b1&right=b2"
    form = {"left": "b1", "right": "b2"}
    assert person.post("/pair/assign", page, **form, to="Sm")[0] == 422
    assert person.post("/pair/assign", page, **form, to="Sam")[0] == 303
    assert 'href="/pair?left=b1&amp;right=b2"' in person.get("/account")
    assert person.post("/pair/assign", page, **form, to="")[0] == 303
    assert 'href="/pair?left=b1&amp;right=b2"' not in person.get("/account")
    assert reader.call("GET", "/api/assignments") == (200, assigned[:1])
