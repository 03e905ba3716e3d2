"""A service that runs for years: sign-in, proxies, slow clients, what the owner and programs see of its health."""

from __future__ import annotations

import json
import logging
import re
import resource
import shutil
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from sites import PAIRS, PASSWORD, PEOPLE, TOKEN, Served, Visitor, served, serving_project, until
from sqlalchemy import event

from askwise.cli import commands
from askwise.errors import InputError
from askwise.project import Project
from askwise.web import connections, health
from askwise.web.app import public_address
from askwise.web.limits import ACCOUNT
from askwise.web.logs import JsonLines, PlainLines, Seldom
from askwise.web.metrics import REQUESTS
from askwise.web.server import configuration


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.new(tmp_path / "people", PEOPLE, PAIRS) as made:
        made.start()
        yield made


@pytest.fixture
def site(project: Project) -> Iterator[Served]:
    with serving_project(project) as site:
        yield site


def by(visitor: Visitor, address: str, password: str) -> int:
    """Try to sign in; `address` is what a header claims."""
    return visitor.call("POST", "/login", {"password": password}, {"x-forwarded-for": address})[0]


def test_sessions_end(site: Served) -> None:
    here, there = site.owner(), site.owner()
    kept = dict(here.cookies)
    assert here.post("/logout", "/settings")[0] == 303
    again = site.visitor()
    again.cookies = kept  # a stolen cookie
    assert again.call("GET", "/progress")[1]["location"] == "/login"
    other = site.owner()
    assert "signed in on 2 browsers" in there.get("/settings")
    assert there.post("/sessions/end", "/settings")[0] == 303
    assert other.call("GET", "/progress")[1]["location"] == "/login"
    assert "signed in on 1 browser." in there.get("/settings")
    assert site.visitor().call("POST", "/sessions/end", {"csrf": "x"})[0] == 401


def test_sessions_are_those_of_all_servers(site: Served) -> None:
    with serving_project(site.project) as second:
        owner = site.owner()
        elsewhere = second.visitor()
        elsewhere.cookies = dict(owner.cookies)
        assert elsewhere.get("/progress")


def test_forwarded_addresses_are_those_of_configured_proxies(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with serving_project(project) as site:
        # A stranger who makes up addresses is one address to us.
        tries = [by(site.visitor(), f"10.0.0.{n}", "wrong password") for n in range(12)]
        assert tries == [403] * 10 + [429] * 2
    with serving_project(project, proxies=["127.0.0.0/8"]) as site:
        caplog.clear()
        assert [by(site.visitor(), f"10.0.0.{n}", "wrong password") for n in range(12)] == [403] * 12
        logged = [json.loads(JsonLines().format(record)) for record in caplog.records]
        assert [line["address"] for line in logged if "failed" in line["event"]] == [f"10.0.0.{n}" for n in range(12)]


def test_wrong_passwords_are_slowed_for_the_account_and_logged(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with serving_project(project, proxies=["127.0.0.1"]) as site:
        assert by(site.visitor(), "10.9.9.9", PASSWORD) == 303
        tries = [by(site.visitor(), f"10.0.{n}.1", f"guess {n}") for n in range(ACCOUNT.burst + 5)]
        assert tries[: ACCOUNT.burst] == [403] * ACCOUNT.burst
        assert 429 in tries
        assert by(site.visitor(), "10.9.9.9", PASSWORD) == 303, "the owner is not locked out where they were before"
    assert "sign-in failed" in caplog.text
    assert "sign-in refused" in caplog.text
    assert "guess" not in caplog.text


def test_ipv6_addresses_of_one_network_are_one(project: Project) -> None:
    with serving_project(project, proxies=["127.0.0.1"]) as site:
        tries = [by(site.visitor(), f"2001:db8::{n}", "wrong password") for n in range(12)]
        assert tries == [403] * 10 + [429] * 2


def test_behind_https(project: Project) -> None:
    with serving_project(project, public="https://votes.example.org/") as site:
        visitor = site.visitor()
        status, headers, _ = visitor.call("POST", "/login", {"password": PASSWORD}, {"host": "evil.example"})
        assert status == 303
        assert "; secure" in headers["set-cookie"].lower()
        assert headers["strict-transport-security"].startswith("max-age=")
        csrf = visitor.csrf("/workers")
        page = visitor.call("POST", "/invites", {"csrf": csrf, "worker": "Ann"}, {"host": "evil.example"})[2]
        assert "https://votes.example.org/join/" in page
        assert "evil.example" not in page
    with serving_project(project) as site:
        assert "strict-transport-security" not in site.visitor().call("GET", "/login")[1]


@pytest.mark.parametrize("text", ["", "votes.example.org", "ftp://x", "https://x/path", "https://x?y", "https://"])
def test_public_addresses_that_cannot_be(text: str) -> None:
    with pytest.raises(InputError, match="public address"):
        public_address(text)


def test_proxies_that_cannot_be(project: Project) -> None:
    with pytest.raises(InputError, match="proxy 'localhost'"):
        configuration(None, ["localhost"])  # type: ignore[arg-type]
    said = CliRunner().invoke(commands, ["serve", str(project.folder), "--port", "0", "--proxy", "nonsense"])
    assert "proxy 'nonsense'" in str(said.exception)


def half_open(site: Served, text: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", site.port), 10)
    if text:
        made.sendall(text)
    return made


def ends(connection: socket.socket) -> bytes:
    """What comes until the server closes the connection."""
    found = b""
    while part := connection.recv(1000):
        found += part
    connection.close()
    return found


def test_slow_clients_are_sent_away(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 1.0)
    monkeypatch.setattr(connections, "BODY_SECONDS", 1.0)
    with serving_project(project) as site:
        silent, headers = half_open(site), half_open(site, b"GET /login HTTP/1.1\r\nhost: x\r\n")
        form = b"content-type: application/x-www-form-urlencoded\r\ncontent-length: 50\r\n\r\npassw"
        body = half_open(site, b"POST /login HTTP/1.1\r\nhost: x\r\n" + form)
        api = half_open(site, b"POST /api/tasks HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{")
        # Sending a byte now and then does not extend the limit.
        for _ in range(4):
            time.sleep(0.1)
            headers.sendall(b"a: b\r\n")
            body.sendall(b"o")
        for slow in (silent, headers, body, api):
            assert ends(slow).startswith(b"HTTP/1.1 408")
        # A connection that is kept open between two requests has longer.
        kept = half_open(site, b"GET /login HTTP/1.1\r\nhost: x\r\n\r\n")
        time.sleep(1.5)
        assert kept.recv(12) == b"HTTP/1.1 200"
        kept.sendall(b"GET /login HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert b"HTTP/1.1 200" in ends(kept)


def test_two_thousand_half_open_connections_do_not_stop_the_service(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 6000)), hard))
    opened: list[socket.socket] = []
    try:
        with served(tmp_path / "people") as site:
            worker = site.worker("ann")
            client = site.program()
            client.call("GET", "/api/status")
            opened = [half_open(site) for _ in range(2000)]
            until(lambda: sum(map(is_closed, opened)) >= 2000 - connections.MOST_CONNECTIONS)
            assert client.call("GET", "/api/status")[0] == 200, "existing connections keep working"
            for made in opened[:10]:  # the first were let in
                made.close()
            until(lambda: answers(worker))
    finally:
        for made in opened:
            made.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def is_closed(made: socket.socket) -> bool:
    made.setblocking(False)
    try:
        return made.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def answers(worker: Visitor) -> bool:
    try:
        return worker.call("GET", "/work")[0] == 200
    except OSError:
        return False


def health_of(site: Served) -> tuple[int, list[str]]:
    status, _, text = site.visitor().call("GET", "/health")
    found = json.loads(text)
    assert found["status"] == ("trouble" if found["troubles"] else "ok")
    return status, found["troubles"]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the health is a new one."""
    monkeypatch.setattr(health, "FRESH", 0.0)


class Usage(NamedTuple):
    """What `shutil.disk_usage` gives."""

    total: int
    used: int
    free: int


@pytest.mark.usefixtures("fresh")
def test_trouble_with_engine_disk_and_clock(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = site.owner()
    assert health_of(site) == (200, [])
    assert 'role="alert"' not in owner.get("/progress")
    # The engine cannot read the records.
    records = site.project.folder / "records.parquet"
    kept = records.read_bytes()
    nonsense = b"nonsense"
    site.project.store.change_inputs(site.project.folder, 1, lambda place: (place / records.name).write_bytes(nonsense))
    until(lambda: health_of(site) == (200, ["engine"]))
    page = owner.get("/workers")
    assert "no longer follow" in page
    assert "records.parquet" in page
    records.write_bytes(kept)
    until(lambda: health_of(site) == (200, []))
    # The disk is nearly full.
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 5 * 1024**2))
        assert health_of(site) == (200, ["disk"])
        assert "Only 5 MB are free" in owner.get("/settings")
    # The clock is set back by an hour, and the last vote is of the future.
    task = site.project.take("ann")
    assert task is not None
    site.project.answer(task.id, "ann", "yes")
    real = time.time
    with monkeypatch.context() as patch:
        patch.setattr("askwise.web.health.time.time", lambda: real() - 3600)
        assert health_of(site) == (200, ["clock"])
        page = owner.get("/clusters")
        assert "set back by 60 min" in page
        assert "ahead of now" in page
    assert "set forward by 60 min" in owner.get("/clusters")
    monkeypatch.setattr("askwise.web.health.SHOWN", 0.0)
    assert health_of(site) == (200, []), "the clock is right again, and that was shown long enough"


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("broken", "mended"),
    [("max_page_count = 1", "max_page_count = 1000000"), ("query_only = ON", "query_only = OFF")],
    ids=["full", "read-only"],
)
def test_a_disk_that_takes_nothing_is_told_and_nothing_is_lost(
    site: Served, monkeypatch: pytest.MonkeyPatch, broken: str, mended: str
) -> None:
    """SQLite may not grow, or not write at all; when it may again, all goes on without a restart."""
    program, owner, engine = site.program(), site.owner(), site.project.store.engine
    task = program.call("POST", "/api/tasks", {"worker": "ann"})[1]
    pragma = broken

    def set_pragma(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", set_pragma)
    engine.dispose()
    pairs = [(pair["unique_id_l"], pair["unique_id_r"]) for pair in PAIRS]
    many = [{"left": a, "right": b, "worker": f"w{n:080}", "label": True} for a, b in pairs for n in range(300)]
    assert program.call("POST", "/api/votes", {"votes": many})[0] == 503
    status, troubles = health_of(site)
    assert (status, "store" in troubles) == (503, True)
    assert "could not be saved" in owner.get("/progress")
    monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: real() + 20.0)
    pragma = mended
    engine.dispose()
    answer = {"worker": "ann", "answer": "yes"}
    assert program.call("POST", f"/api/tasks/{task['id']}/answer", answer)[0] == 200
    until(lambda: health_of(site) == (200, []))
    assert [row.worker for row in site.project.store.votes()] == ["ann"]


def test_metrics(site: Served) -> None:
    assert site.visitor().call("GET", "/metrics")[0] == 401
    worker = {"authorization": f"Bearer {site.link('ann').rpartition('/')[2]}"}
    assert site.visitor().call("GET", "/metrics", headers=worker)[0] == 403
    site.program().call("POST", "/api/tasks", {"worker": "ann"})
    status, headers, text = site.visitor().call("GET", "/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    samples = parsed(text)
    assert samples["askwise_tasks_held"] == 1
    assert samples['askwise_trouble{what="disk"}'] in (0, 1)
    assert samples['askwise_requests_total{method="POST",route="/api/tasks",status="200"}'] == 1
    assert samples['askwise_request_seconds_bucket{le="+Inf"}'] == samples["askwise_request_seconds_count"] > 0


def parsed(text: str) -> dict[str, float]:
    """Prometheus' text form: every sample belongs to a family that was described before, with one type."""
    kinds: dict[str, str] = {}
    samples: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            found = re.fullmatch(r'(([a-z_]+)(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) (\S+)', line)
            assert found is not None, line
            family = re.sub("_(bucket|sum|count)$", "", found[2])
            assert found[2] in kinds or kinds.get(family) == "histogram", line
            assert found[1] not in samples
            samples[found[1]] = float(found[3])
    return samples


def test_logs_have_no_secret_and_no_text_of_records(site: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    link = site.link("quiet worker")
    worker = site.visitor()
    worker.call("GET", link)
    worker.get("/work")
    site.visitor().call("GET", "/join/wrong-secret-here?PROLIFIC_PID=somebody")
    site.visitor().call("GET", "/pair?left=a1&right=a2")
    until(lambda: sum(record.name == REQUESTS.name for record in caplog.records) >= 5)
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    requests = [line for line in lines if line["logger"] == REQUESTS.name]
    assert {line["route"] for line in requests} >= {"/join/{secret}", "/work", "/pair"}
    assert all({"time", "level", "event", "status", "ms", "address", "method"} <= line.keys() for line in requests)
    written = "\n".join(JsonLines().format(record) for record in caplog.records)
    for secret in (link.rpartition("/")[2], TOKEN, "wrong-secret", "somebody", "quiet worker", "Miller"):
        assert secret not in written
    try:
        raise ValueError("Anna Miller")
    except ValueError:
        logging.getLogger("askwise.web").exception("unexpected")
    last = json.loads(JsonLines().format(caplog.records[-1]))
    assert (last["error"], last["at"].partition(":")[0]) == ("ValueError", "test_web_service.py")
    assert "Miller" not in json.dumps(last)


def test_plain_lines_say_where_from(site: Served, caplog: pytest.LogCaptureFixture) -> None:
    site.visitor().call("POST", "/login", {"password": "a wrong one"})
    assert [PlainLines().format(record) for record in caplog.records] == [
        "WARNING: sign-in failed: wrong password (address 127.0.0.1)"
    ]
    try:
        raise ValueError("Anna Miller")
    except ValueError:
        logging.getLogger("askwise.web").exception("unexpected")
    line = PlainLines().format(caplog.records[-1])
    assert line.startswith("ERROR: unexpected (error ValueError, at test_web_service.py:")
    assert "Miller" not in line


def test_the_same_error_again_and_again_does_not_fill_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    seldom, written = Seldom(), []

    def log(level: int, text: str) -> None:
        record = logging.LogRecord("askwise.web", level, "", 0, text, None, None)
        if seldom.filter(record):
            written.append(PlainLines().format(record))

    for _ in range(500):
        log(logging.ERROR, "the disk is full")
        log(logging.WARNING, "wrong password")
    assert Counter(written) == {"ERROR: the disk is full": 1, "WARNING: wrong password": 500}
    log(logging.ERROR, "something else")
    now = 11.0
    log(logging.ERROR, "the disk is full")
    assert written[-2:] == ["ERROR: something else", "ERROR: the disk is full (left_out 499)"]


def test_wrong_passwords_of_people_are_logged_and_slowed(site: Served, caplog: pytest.LogCaptureFixture) -> None:
    site.project.people.add("Ann", "steward", "correct horse", by="owner")
    visitor = site.visitor()
    tries = [visitor.call("POST", "/login", {"name": "Ann", "password": "a wrong one"})[0] for _ in range(12)]
    assert (tries[0], tries[-1]) == (403, 429)
    lines = [PlainLines().format(record) for record in caplog.records]
    assert lines[0] == "WARNING: sign-in failed: wrong name or password (address 127.0.0.1)"
    assert lines[-1] == "WARNING: sign-in refused: too many wrong passwords (address 127.0.0.1)"
