"""Protects visitors from each other: rates, sizes of requests, and headers that confine a page."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwise.errors import AskwiseError

FORM_BYTES = 256 * 1024
VOTES_BYTES = 16 * 1024 * 1024
_MOST_KEYS = 20_000
_OURS = (b"same-origin", b"none")

HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


_HTTPS_ONLY = (b"strict-transport-security", b"max-age=31536000")


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of requests a second on average, and `burst` at once."""

    per_second: float
    burst: int


VISITOR = Rate(500.0, 1000)
STRANGER = Rate(10.0, 100)
LOGIN = Rate(0.1, 10)
ACCOUNT = Rate(0.2, 30)
"""Wrong passwords from all addresses together, except those from which the owner has signed in."""


class TooManyError(AskwiseError):
    """Too many requests; in `seconds` the next may come."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"too many requests; try again in {max(1, round(seconds))} s")
        self.seconds = max(1, round(seconds))


class Rates:
    """A bucket for each key that fills at a rate; a request takes one token from it."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[Rate, str], tuple[float, float]] = {}
        self._lock = Lock()

    def spend(self, rate: Rate, key: str) -> None:
        """Count a request, or raise if there were too many."""
        now = time.monotonic()
        with self._lock:
            if len(self._buckets) >= _MOST_KEYS:
                self._buckets = {k: v for k, v in self._buckets.items() if now - v[1] < k[0].burst / k[0].per_second}
            left, since = self._buckets.get((rate, key), (float(rate.burst), now))
            left = min(rate.burst, left + (now - since) * rate.per_second) - 1
            if left < 0:
                raise TooManyError(-left / rate.per_second)
            self._buckets[rate, key] = left, now

    def give_back(self, rate: Rate, key: str) -> None:
        """Do not count the request after all."""
        with self._lock:
            left, since = self._buckets.get((rate, key), (float(rate.burst), time.monotonic()))
            self._buckets[rate, key] = left + 1, since


class Confined:
    """The outermost layer: refuses bodies that are too large, and adds headers to every response."""

    def __init__(self, app: ASGIApp, https: bool = False) -> None:
        self._app = app
        self._headers = [*HEADERS, *([_HTTPS_ONLY] if https else [])]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = VOTES_BYTES if scope["path"] == "/api/votes" else FORM_BYTES
        received = 0

        async def confined_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, _too_large(most))
            return message

        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared[:18]) > most:
            refusal = JSONResponse({"detail": _too_large(most)}, 413, {"connection": "close"})
            await refusal(scope, receive, confined_send)
        elif scope["method"] == "POST" and headers.get(b"sec-fetch-site", b"none") not in _OURS:
            refusal = JSONResponse({"detail": "forms from other sites are refused"}, 403)
            await refusal(scope, receive, confined_send)
        else:
            with suppress(ClientDisconnect):  # the client is gone
                await self._app(scope, counted_receive, confined_send)


def _too_large(most: int) -> str:
    return f"the request is larger than {most:,} bytes; send less at a time"
