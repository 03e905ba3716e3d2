"""A real Label Studio server on loopback, in an environment of its own, and people who annotate there."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from askwise.crowds.label_studio import CONFIG

PLACE = Path(os.environ.get("LABEL_STUDIO_VENV") or Path(__file__).parents[2] / ".venv-label-studio")
"""Its environment, which the Makefile makes."""

_QUIET = {
    "COLLECT_ANALYTICS": "False",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "LATEST_VERSION_CHECK": "False",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "SSRF_PROTECTION_ENABLED": "false",  # else it sends no webhook to loopback, where our server is
}


def _program() -> Path:
    program = PLACE / "bin" / "label-studio"
    assert program.exists(), "the tests need a Label Studio of their own: make label-studio"
    return program


@dataclass
class Annotator:
    """A person with a browser session who takes what Label Studio hands out."""

    client: httpx2.Client
    number: int

    def next(self, project: int) -> dict[str, Any] | None:
        """The task that they are to do now."""
        answer = self.client.get(f"/api/projects/{project}/next")
        return None if answer.status_code == 404 else dict(answer.raise_for_status().json())

    def annotate(self, task: int, choice: str | None) -> int:
        """Choose, or skip; the number of the annotation."""
        value = {"choices": [choice]}
        result = [] if choice is None else [{"from_name": "same", "to_name": "left", "type": "choices", "value": value}]
        body = {"result": result, "was_cancelled": choice is None, "lead_time": 2.5}
        answer = self.client.post(f"/api/tasks/{task}/annotations/", json=body, headers=self._csrf())
        return int(answer.raise_for_status().json()["id"])

    def change(self, annotation: int, choice: str) -> None:
        """Think again."""
        result = [{"from_name": "same", "to_name": "left", "type": "choices", "value": {"choices": [choice]}}]
        answer = self.client.patch(f"/api/annotations/{annotation}/", json={"result": result}, headers=self._csrf())
        answer.raise_for_status()

    def personal_token(self) -> str:
        """A new personal access token."""
        answer = self.client.post("/api/token/", json={}, headers=self._csrf())
        return str(answer.raise_for_status().json()["token"])

    def _csrf(self) -> dict[str, str]:
        return {"X-CSRFToken": self.client.cookies["csrftoken"]}


@dataclass
class LabelStudio:
    """The server."""

    url: str
    token: str

    def annotator(self, name: str) -> Annotator:
        """A new person who signs up."""
        client = httpx2.Client(base_url=self.url, timeout=60, follow_redirects=True)
        page = client.get("/user/signup/")
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert found, page.text[:500]
        form = {"csrfmiddlewaretoken": found[1], "email": f"{name}@example.com", "password": secrets.token_hex(8)}
        client.post("/user/signup/", data=form, headers={"referer": self.url}).raise_for_status()
        return Annotator(client, int(client.get("/api/current-user/whoami").raise_for_status().json()["id"]))

    def project(self, title: str, votes: int, tasks: list[dict[str, Any]]) -> int:
        """A new project with tasks of `left` and `right`, each for this number of annotators. Returns its number."""
        with httpx2.Client(base_url=self.url, timeout=300, headers={"authorization": f"Token {self.token}"}) as owner:
            about = {"title": title, "label_config": CONFIG, "maximum_annotations": votes}
            number = int(owner.post("/api/projects/", json=about).raise_for_status().json()["id"])
            body = [{"data": task} for task in tasks]
            owner.post(f"/api/projects/{number}/import", json=body).raise_for_status()
        return number


def _free_port() -> int:
    """A free port below those that systems hand out: none of the other tests gets it before the server does."""
    while True:
        port = secrets.choice(range(20_000, 32_000))
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


@contextmanager
def label_studio(database: str | None = None) -> Iterator[LabelStudio]:
    """Start a server; it takes half a minute. Its data are in SQLite, or in a PostgreSQL database at this address."""
    port, token = _free_port(), secrets.token_hex(20)
    with tempfile.TemporaryDirectory(prefix="askwise-label-studio-") as folder:
        command = [str(_program()), "start", "--no-browser", "--internal-host", "127.0.0.1", "-p", str(port)]
        command += ["--username", "owner@example.com", "--password", secrets.token_hex(8), "--user-token", token]
        environment = {**os.environ, **_QUIET, **_database(database), "LABEL_STUDIO_BASE_DATA_DIR": folder}
        with (Path(folder) / "log").open("wb") as log:
            server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
            try:
                _wait(f"http://127.0.0.1:{port}/health", server, Path(folder) / "log")
                yield LabelStudio(f"http://127.0.0.1:{port}", token)
            finally:
                server.terminate()
                server.wait(30)


def _database(address: str | None) -> dict[str, str]:
    if address is None:
        return {}
    parts = urlsplit(address)
    found = {"HOST": parts.hostname, "PORT": parts.port, "USER": parts.username, "NAME": parts.path.strip("/")}
    return {"DJANGO_DB": "default", "POSTGRE_PASSWORD": "", **{f"POSTGRE_{key}": str(found[key]) for key in found}}


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 600
    while True:
        assert server.poll() is None, log.read_text("utf-8", "replace")[-2000:]
        assert time.monotonic() < end, log.read_text("utf-8", "replace")[-2000:]
        try:
            if httpx2.get(address, timeout=5).is_success:
                return
        except httpx2.TransportError:
            time.sleep(0.5)
