"""A log line for each request, and metrics for Prometheus, without secrets, names or text of records.

A request is named by its route (`/join/{secret}`), not its address.
"""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from collections import Counter
from threading import Lock

from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUESTS = logging.getLogger("askwise.requests")
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Observed:
    """Counts, times and logs every request on its way to `app`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._lock = Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: list[int] = [0] * (len(_BOUNDS) + 1)
        self._seconds = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin, status = time.perf_counter(), 500

        async def noted_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted_send)
        finally:
            self._note(scope, status, time.perf_counter() - begin)

    def _note(self, scope: Scope, status: int, took: float) -> None:
        route = getattr(scope.get("route"), "path", "/static" if scope["path"].startswith("/static/") else "other")
        with self._lock:
            self._requests[scope["method"], route, status] += 1
            self._buckets[bisect_left(_BOUNDS, took)] += 1
            self._seconds += took
        if REQUESTS.isEnabledFor(logging.INFO):
            client = scope.get("client")
            fields = {"method": scope["method"], "route": route, "status": status, "ms": round(1e3 * took, 1)}
            fields["address"] = client[0] if client else ""
            REQUESTS.info("request", extra={"fields": fields})

    def metrics(self) -> list[str]:
        """The requests so far, in Prometheus' format."""
        with self._lock:
            requests, buckets, seconds = dict(self._requests), list(self._buckets), self._seconds
        lines = ["# HELP askwise_requests_total Requests by route and status.", "# TYPE askwise_requests_total counter"]
        for (method, route, status), count in sorted(requests.items()):
            labels = f'method="{method}",route="{_label(route)}",status="{status}"'
            lines.append(f"askwise_requests_total{{{labels}}} {count}")
        lines += ["# HELP askwise_request_seconds How long requests took.", "# TYPE askwise_request_seconds histogram"]
        total = 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), buckets, strict=True):
            total += count
            lines.append(f'askwise_request_seconds_bucket{{le="{bound}"}} {total}')
        return [*lines, f"askwise_request_seconds_sum {seconds:.6f}", f"askwise_request_seconds_count {total}"]


def gauge(name: str, what: str, value: float) -> list[str]:
    """One number in Prometheus' format."""
    kind = "counter" if name.endswith("_total") else "gauge"
    return [f"# HELP {name} {what}", f"# TYPE {name} {kind}", f"{name} {value:.15g}"]


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
