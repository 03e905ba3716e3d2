"""The network between the server and PostgreSQL is lost, or the database is restarted: nothing is lost by it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from databases import Databases
from shared.load_project import WANTED, make_project
from shared.postgresql import postgresql
from shared.served import Audit, Server, audit, invite, kept, serving, work
from sites import PAIRS, PEOPLE, serving_project, until
from sqlalchemy import make_url

from askwise.project import Project
from askwise.project.doctor import examine
from askwise.web import api
from askwise.web import health as web_health


class Line:
    """A network line to a server that can be cut and mended."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._whole = threading.Event()
        self._carries = threading.Event()
        self._ends: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.mend()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """All connections break, and new ones too."""
        self._whole.clear()
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def silence(self) -> None:
        """Connections stand, and nothing comes through."""
        self._carries.clear()

    def mend(self) -> None:
        """Connections can be made again, and carry."""
        self._whole.set()
        self._carries.set()

    def close(self) -> None:
        """No line any more."""
        self.mend()
        self.cut()
        self._listening.close()
        for end in self._ends:
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if not self._whole.is_set():
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while part := one.recv(65536):
                self._carries.wait()
                other.sendall(part)
            other.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def line(server: str) -> Iterator[Line]:
    made = Line(make_url(server).port or 0)
    yield made
    made.close()


def test_the_line_to_the_database_is_lost(
    line: Line, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_health, "FRESH", 0.0)
    address = Databases("postgresql", tmp_path, server).fresh()
    address = address.replace(f":{make_url(server).port}/", f":{line.port}/")
    with Project.new(tmp_path / "people", PEOPLE, PAIRS, store=address) as project:
        project.start()
        with serving_project(project) as site:
            program = site.program()
            task = program.call("POST", "/api/tasks", {"worker": "ann"})[1]
            answer = {"worker": "ann", "answer": "yes", "request": "r1"}
            line.cut()
            status, said = program.call("POST", f"/api/tasks/{task['id']}/answer", answer)
            assert (status, said["detail"]) == (503, "the store does not answer; try again in a moment")
            assert site.visitor().call("GET", "/health")[0] == 503
            line.mend()
            until(lambda: program.call("POST", f"/api/tasks/{task['id']}/answer", answer)[0] == 200)
            assert program.call("POST", f"/api/tasks/{task['id']}/answer", answer)[0] == 200, "it counts once"
            until(lambda: project.failure is None)
            until(lambda: project.resolution.asked == 1, 30)
        assert [(row.worker, row.label) for row in project.store.votes()] == [("ann", True)]
        monkeypatch.setenv("ASKWISE_STORE", address)
        assert all(finding.good for finding in examine(project.folder))


def test_the_database_hangs(line: Line, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No error comes, and no answer either; workers are not told that there is no question."""
    monkeypatch.setattr(web_health, "FRESH", 0.0)
    monkeypatch.setattr(web_health, "PATIENCE", 0.3)
    monkeypatch.setattr(api, "PATIENCE", 0.5)
    address = Databases("postgresql", tmp_path, server).fresh()
    address = address.replace(f":{make_url(server).port}/", f":{line.port}/")
    with Project.new(tmp_path / "people", PEOPLE, PAIRS, store=address) as project:
        project.start()
        with serving_project(project) as site:
            program = site.program()
            task = program.call("POST", "/api/tasks", {"worker": "ann"})[1]
            answer = {"worker": "ann", "answer": "yes", "request": "r1"}
            line.silence()
            assert program.call("POST", "/api/tasks", {"worker": "bob"})[0] == 503
            assert program.call("POST", f"/api/tasks/{task['id']}/answer", answer)[0] == 503
            assert site.visitor().call("GET", "/health")[0] == 503
            line.mend()
            until(lambda: site.visitor().call("GET", "/health")[0] == 200)
            assert program.call("POST", f"/api/tasks/{task['id']}/answer", answer)[0] == 200
        assert [(row.worker, row.label) for row in project.store.votes()] == [("ann", True)]


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_the_database_is_restarted_under_load(tmp_path: Path, how: str) -> None:
    with postgresql() as database:
        make_project(tmp_path / "project", database.address, records=300)
        with serving(tmp_path / "project") as server:
            tokens = invite(server, 5)
            with ThreadPoolExecutor(1) as pool:
                working = pool.submit(work, server, tokens, 5.0, undo=0.2)
                time.sleep(1)
                database.stop(how)
                until(lambda: health(server) == 503)
                database.start()
                load = working.result(60)
            until(lambda: health(server) == 200, 30)
            more = work(server, tokens, 1.0)
            rows = kept(server)
            assert not any("Error" in what for what in load.other), "every request was answered"
            assert load.other["take 503"] + load.other["answer 503"] > 0
            assert more.acknowledged, "all goes on, and Askwise was not restarted"
            assert audit(rows, load.acknowledged + more.acknowledged, WANTED) == Audit(0, 0, 0)


def health(server: Server) -> int:
    client = server.client()
    status, _ = client.call("GET", "/health")
    client.close()
    return status
