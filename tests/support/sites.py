"""A real server of a project inside the test process, and people who visit it: HTTP clients and browsers."""

from __future__ import annotations

import http.client
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from shared.served import Client

from askwise.project import Project
from askwise.web.app import make_app
from askwise.web.server import address_of, configuration, listen

PASSWORD, TOKEN = "a long password", "token-of-the-owner"

PEOPLE: list[dict[str, str | None]] = [
    {"unique_id": "a1", "name": "Anna Miller", "street": "12 Harbour Street", "city": "Rome", "phone": "555-0184"},
    {"unique_id": "a2", "name": "Ana Miller", "street": "12 Harbor St", "city": "Rome", "phone": "555-0184"},
    {"unique_id": "a3", "name": "Miller, Anna", "street": "21 Harbour Street", "city": "roma", "phone": None},
    {"unique_id": "b1", "name": "Bert Jones", "street": "3 Mill Lane", "city": "Oslo", "phone": "555-0150"},
    {"unique_id": "b2", "name": "Bert Johns", "street": "3 Mill Lane", "city": "Oslo", "phone": "555-1050"},
    {"unique_id": "c1", "name": "Chen Wei", "street": "88 Park Row", "city": "Essen", "phone": "555-9432"},
    {"unique_id": "c2", "name": "Wei Chen", "street": "88 Park Row", "city": "Essen", "phone": "555-9432"},
    {"unique_id": "d1", "name": "Anne Müller", "street": "12 Harbour Street", "city": "Oslo", "phone": "555-7777"},
]
PAIRS = [
    {"unique_id_l": left, "unique_id_r": right, "score": score}
    for left, right, score in [
        ("a1", "a2", 0.9),
        ("a1", "a3", 0.7),
        ("a2", "a3", 0.6),
        ("b1", "b2", 0.8),
        ("c1", "c2", 0.85),
        ("a1", "d1", 0.4),
        ("a2", "d1", 0.3),
    ]
]


@dataclass
class Visitor:
    """Somebody with cookies, who follows no redirects."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    def call(
        self, method: str, path: str, form: Any = None, headers: dict[str, str] | None = None, body: Any = None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of an answer; cookies are kept. A page that is not ready is asked for again."""
        for _ in range(100):
            status, given, text = self._call(method, path, form, headers, body)
            if "refresh" not in given:
                break
            time.sleep(0.3)
        return status, given, text

    def _call(
        self, method: str, path: str, form: Any, headers: dict[str, str] | None, body: Any
    ) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **(headers or {})}
        if form is not None:
            body = urlencode(form, doseq=True)
            sent["content-type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                content = rest.partition(";")[0].strip('"')
                self.cookies.pop(key, None)
                if content:
                    self.cookies[key] = content
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text

    def get(self, path: str) -> str:
        """A page that must be there."""
        status, _, text = self.call("GET", path)
        assert status == 200, (status, path, text)
        return text

    def csrf(self, path: str) -> str:
        """The token in the forms of a page."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.get(path))
        assert found is not None, f"no form on {path}"
        return found[1]

    def post(self, path: str, page: str, **form: Any) -> tuple[int, dict[str, str], str]:
        """Send a form as the page would."""
        return self.call("POST", path, {"csrf": self.csrf(page), **form})


@dataclass
class Served:
    """A project and its server."""

    project: Project
    port: int
    _clients: list[Client] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def visitor(self) -> Visitor:
        """A stranger."""
        return Visitor(self.port)

    def owner(self) -> Visitor:
        """The owner, logged in."""
        visitor = self.visitor()
        status, headers, _ = visitor.call("POST", "/login", {"password": PASSWORD})
        assert (status, headers["location"]) == (303, "/progress")
        return visitor

    def link(self, name: str | None) -> str:
        """The path of a new invite link."""
        return str(self.program().call("POST", "/api/invites", {"worker": name})[1]["path"])

    def worker(self, name: str) -> Visitor:
        """A worker who has opened their link."""
        visitor = self.visitor()
        status, headers, _ = visitor.call("GET", self.link(name))
        assert (status, headers["location"]) == (303, "/work")
        return visitor

    def program(self, token: str = TOKEN) -> Client:
        """A program with a token."""
        self._clients.append(Client(self.port, token))
        return self._clients[-1]

    def close(self) -> None:
        """End all connections of programs."""
        for client in self._clients:
            client.close()


@contextmanager
def served(
    folder: Path, records: Any = None, pairs: Any = None, *, store: str | None = None, **settings: Any
) -> Iterator[Served]:
    """Make a project, and serve it with its engine in the background."""
    with Project.new(folder, records or PEOPLE, pairs or PAIRS, name="Customers", store=store) as project:
        project.change_settings(**settings)
        project.start()
        with serving_project(project) as site:
            yield site


@contextmanager
def serving_project(project: Project, *, public: str | None = None, proxies: Sequence[str] = ()) -> Iterator[Served]:
    """Serve a project on loopback."""
    with listen("127.0.0.1", 0) as listening:
        app = make_app(project, password=PASSWORD, token=TOKEN, public=public or address_of(listening))
        server = uvicorn.Server(configuration(app, proxies))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        site = Served(project, listening.getsockname()[1])
        try:
            yield site
        finally:
            site.close()
            server.should_exit = True
            thread.join(20)


def until(true: Any, seconds: float = 10.0) -> None:
    """Wait for something that comes by itself."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
