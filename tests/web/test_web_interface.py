"""The HTTP interface for programs: what it promises, what its description says, and what hostile input gets."""

import http.client
import json
import socket
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from databases import Databases
from schemathesis import GenerationMode
from shared.fuzzing import MODES, ROLES, Visitor, descriptions, fuzz, links
from sites import PEOPLE, TOKEN, Served, served, until


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("interface") / "project") as site:
        yield site


def test_a_vote_goes_round(databases: Databases, tmp_path: Path) -> None:
    with served(tmp_path / "project", store=databases.fresh() if databases.kind == "postgresql" else None) as site:
        program = site.program()
        status, task = program.call("POST", "/api/tasks", {"worker": "model"})
        assert status == 200
        assert task["left_record"]["name"] in [row["name"] for row in PEOPLE]
        assert program.call("POST", "/api/tasks", {"worker": "model"})[1]["id"] == task["id"], "the same until answered"
        status, other = program.call("POST", "/api/tasks", {"worker": "model", "beside": [task["id"]]})
        assert (status, other["id"] != task["id"]) == (200, True)
        answer = {"worker": "model", "answer": "yes", "request": "r-1", "seconds": 1.5}
        status, vote = program.call("POST", f"/api/tasks/{task['id']}/answer", answer)
        assert (status, vote["label"], vote["worker"]) == (200, True, "model")
        assert program.call("POST", f"/api/tasks/{task['id']}/answer", answer) == (200, vote), "a repeat counts once"
        contrary = {"worker": "model", "answer": "no"}
        assert program.call("POST", f"/api/tasks/{task['id']}/answer", contrary)[0] == 409
        votes = [{"left": "a1", "right": "a3", "worker": "import", "label": label} for label in (True, None)]
        batch = {"votes": votes, "request": "file-1"}
        assert program.call("POST", "/api/votes", batch) == (200, {"added": 2})
        assert program.call("POST", "/api/votes", batch) == (200, {"added": 2})
        assert [row["worker"] for row in program.call("GET", "/api/votes")[1]] == ["model", "import", "import"]
        asked = {frozenset((task["left"], task["right"])), frozenset(("a1", "a3"))}
        until(lambda: program.call("GET", "/api/status")[1]["asked"] == len(asked))
        status, found = program.call("GET", "/api/clusters?limit=3")
        assert (status, len(found["clusters"])) == (200, 3)
        first = found["clusters"][0]
        assert program.call("GET", f"/api/clusters/{first['id']}") == (200, first)
        assert program.call("GET", f"/api/record?id={first['members'][0]}")[1]["cluster"] == first["id"]
        status, back = program.call("POST", "/api/undo", {"worker": "model"})
        assert (status, {back["left"], back["right"]}) == (200, {task["left"], task["right"]})
        assert program.call("GET", "/api/questions?limit=5")[0] == 200


def test_bad_votes_change_nothing(site: Served) -> None:
    program = site.program()
    before = program.call("GET", "/api/votes")[1]
    good = {"left": "a1", "right": "a2", "worker": "w", "label": True}
    for change in (
        {"left": "nobody"},
        {"right": "a1"},
        {"worker": ""},
        {"worker": "a\0b"},
        {"worker": "x" * 101},
        {"label": "yes"},
        {"label": 1},
        {"left": 7},
        {"left": "\ud800"},
        {"more": 1},
    ):
        status, problem = program.call("POST", "/api/votes", {"votes": [good, {**good, **change}]})
        assert status == 422, (change, problem)
        assert "\n" not in problem["detail"]
    assert program.call("GET", "/api/votes")[1] == before


@pytest.mark.parametrize("task", ["0", "999999999", str(2**62), "-1", "1.5", "x", "%00", str(2**80), "1e3"])
def test_forged_tasks(site: Served, task: str) -> None:
    status, problem = site.program().call("POST", f"/api/tasks/{task}/answer", {"worker": "w", "answer": "yes"})
    assert status in (404, 409, 422), problem


@pytest.mark.parametrize(
    "path", ["/api/clusters/999999", f"/api/clusters/{2**62}", "/api/record?id=nobody", "/api/nothing"]
)
def test_what_is_not_there(site: Served, path: str) -> None:
    status, problem = site.program().call("GET", path)
    assert status == 404
    assert problem["detail"]


def test_bodies_that_are_too_large_or_no_json(site: Served) -> None:
    def raw(body: bytes | Iterator[bytes], path: str = "/api/tasks", **headers: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
        sent = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json", **headers}
        try:
            connection.request("POST", path, body, sent)
            return connection.getresponse().status
        except (BrokenPipeError, ConnectionResetError):
            return 413  # the server has answered and closed before all was sent
        finally:
            connection.close()

    assert raw(b"{" * 300_000) == 413
    assert raw(b"x" * 100 for _ in range(4000)) == 413, "without a length it is counted as it comes"
    assert raw(b" " * 17_000_000, "/api/votes") == 413
    assert raw(b"{") == 422
    assert raw(b"\xff\xfe{}") in (400, 422)
    assert raw(b"[" * 100_000) in (400, 422)
    many = json.dumps({"votes": [{"left": "a1", "right": "a2", "worker": "w", "label": None}] * 50_001}).encode()
    assert raw(many, "/api/votes") == 422


def test_forms_that_parsers_stumble_over(site: Served) -> None:
    """Each is refused, and says so: none ends in an error of the server."""
    owner = site.owner()
    number = site.program().call("GET", "/api/clusters?limit=1")[1]["clusters"][0]["id"]
    page = f"/clusters/{number}"
    record = site.project.clusters()[0].members[0]
    for text in ("[" * 50_000, '{"a":' * 10_000, "9" * 5000, "null", '{"a1": "x"}'):
        assert owner.post("/edits", page, kind="split", groups=text)[0] == 422
        assert owner.post(page, page, do="preview", member=record, group="1", draft=text)[0] == 422
    for group in ("9" * 5000, "-1", "1.5", "²", "1" * 20):
        assert owner.post(page, page, do="preview", member=record, group=group)[0] == 422
    for number in ("undo:" + "9" * 25, "redo:", "undo:²"):
        assert owner.post("/undo", page, number=number)[0] == 422


@pytest.mark.parametrize(
    "request_line",
    [
        "GET /" + "a" * 200_000,
        "GET /work?" + "b=1&" * 50_000,
        "BREW /work",
        "GET http://evil.example/work",
        "GET //evil",
    ],
)
def test_strange_requests_end_in_an_answer(site: Served, request_line: str) -> None:
    with socket.create_connection(("127.0.0.1", site.port), 10) as connection:
        try:
            connection.sendall(f"{request_line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            answer = connection.recv(4000)
        except (BrokenPipeError, ConnectionResetError):
            return  # refused while it was still coming
    assert answer == b"" or 300 <= int(answer.split()[1]) < 500
    assert site.visitor().call("GET", "/login")[0] == 200


@pytest.mark.parametrize("role", ROLES)
def test_made_up_requests_end_in_no_error_of_ours(databases: Databases, tmp_path: Path, role: str) -> None:
    """Every operation and every page, a few seeded examples each; benchmarks/fuzzed.py makes hours of them."""
    store = databases.fresh() if databases.kind == "postgresql" else None
    with served(tmp_path / "project", store=store) as site:
        secrets = links(site.project)
        for mode, description in product(MODES, descriptions(site.project)):
            assert len(description["paths"]) > 10
            visitor = Visitor(role, site.port, [str(row["unique_id"]) for row in PEOPLE], secrets, "robot")
            found = fuzz(visitor, description, mode, 4, seed=7)
            visitor.session.close()
            assert found.wrong == {}
            assert mode is GenerationMode.NEGATIVE or found.requests > 2 * len(description["paths"])
        if role != "owner":
            assert {row.worker for row in site.project.store.votes()} <= {"robot"}, "they vote for themselves alone"
