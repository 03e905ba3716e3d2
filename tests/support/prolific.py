"""A server on loopback with Prolific's documented endpoints that we use, and where participants return to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "prolific-token"


@dataclass
class Prolific:
    """What is there: studies, submissions, and the codes with which participants came back."""

    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    transitions: list[tuple[str, str]] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    lose_next_study: bool = False
    url: str = ""

    def take_part(self, study: str, participant: str) -> str:
        """A participant takes a place; the address that Prolific opens for them."""
        session = f"session-{participant}"
        self.submissions[session] = {"id": session, "participant_id": participant, "status": "ACTIVE", "study": study}
        address = str(self.studies[study]["external_study_url"])
        values = {"PROLIFIC_PID": participant, "STUDY_ID": study, "SESSION_ID": session}
        for name, value in values.items():
            address = address.replace("{{%" + name + "%}}", value)
        return address

    def come_back(self, participant: str, code: str) -> None:
        """A participant is back with a code."""
        submission = self.submissions[f"session-{participant}"]
        codes = self.studies[submission["study"]]["completion_codes"]
        assert code in [item["code"] for item in codes]
        submission["status"] = "AWAITING REVIEW"

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        """What the interface says."""
        parts = path.strip("/").split("/")
        self.calls.append((method, path))
        if parts[0] == "studies":
            return self._study(method, parts[1:], query, body)
        if parts[0] == "submissions" and parts[-1] == "transition" and method == "POST":
            submission = self.submissions[parts[1]]
            if submission["status"] != "AWAITING REVIEW":
                return 400, {"error": {"detail": f"cannot be approved in status {submission['status']}"}}
            submission["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[body["action"]]
            self.transitions.append((parts[1], body["action"]))
            return 200, submission
        return 404, {"error": {"detail": "no such place"}}

    def _study(self, method: str, parts: list[str], query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        if not parts:
            if method == "GET":
                return 200, {"results": list(self.studies.values())}
            needed = {"name", "description", "external_study_url", "prolific_id_option", "completion_codes"}
            needed |= {"total_available_places", "estimated_completion_time", "reward"}
            if missing := needed - body.keys():
                return 400, {"error": {"detail": f"missing: {missing}"}}
            number = f"study{len(self.studies) + 1}"
            self.studies[number] = {**body, "id": number, "status": "UNPUBLISHED"}
            return (504, {}) if self.lose_next_study else (201, self.studies[number])
        study = self.studies[parts[0]]
        if parts[1:] == ["transition"]:
            study["status"] = {"PUBLISH": "ACTIVE", "START": "ACTIVE", "PAUSE": "PAUSED"}[body["action"]]
            self.transitions.append((parts[0], body["action"]))
        elif parts[1:] == ["submissions"]:
            all_ = [item for item in self.submissions.values() if item["study"] == parts[0]]
            offset = int(query.get("offset", ["0"])[0])
            links = {
                "next": {"href": f"http://elsewhere.example/x?offset={offset + 2}" if all_[offset + 2 :] else None}
            }
            return 200, {"results": all_[offset : offset + 2], "_links": links}
        elif method == "PATCH":
            if body["total_available_places"] < study["total_available_places"]:
                return 400, {"error": {"detail": "places only go up"}}
            study |= body
        return 200, study


def signed(secret: str, body: bytes, now: float | None = None) -> dict[str, str]:
    """The headers with which Prolific sends an event."""
    timestamp = str(int(time.time() if now is None else now))
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    signature = base64.b64encode(digest).decode()
    return {"x-prolific-request-timestamp": timestamp, "x-prolific-request-signature": signature}


@contextmanager
def serving_prolific() -> Iterator[Prolific]:
    """Serve it on loopback."""
    prolific = Prolific()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            if parts.path == "/submissions/complete":
                self._send(200, b"<!doctype html><title>Back</title><h1>Thank you</h1>", "text/html")
                return
            if self.headers.get("authorization") != f"Token {TOKEN}":
                status, answer = 401, {"error": {"detail": "no token"}}
            else:
                body = json.loads(raw) if raw else None
                status, answer = prolific.answer(
                    self.command, parts.path.removeprefix("/api/v1"), parse_qs(parts.query), body
                )
            self._send(status, json.dumps(answer).encode(), "application/json")

        def _send(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = _handle  # noqa: N815

        def log_message(self, *args: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    prolific.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield prolific
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
