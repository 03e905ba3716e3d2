"""The HTTP client for all outgoing requests. It retries temporary failures and reports others in one line.

Rate limits (429), server errors (5xx), time-outs and broken connections are tried again after growing pauses, or after
the time that the server asks for (Retry-After). Secrets are in headers, which are never shown.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping
from typing import Any

import httpx2
import stamina

from askwise.errors import CrowdError

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 120.0
_SHOWN = 200


class RefusedError(CrowdError):
    """The server refused; `status` is its status code, `detail` its explanation. Retrying does not help."""

    def __init__(self, message: str, status: int, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


class PassingError(CrowdError):
    """A temporary failure; `pause` is how long the server asks to wait.

    `sent` says that the request may have been carried out, `lost` how many attempts so far may have been.
    """

    lost = 0

    def __init__(self, message: str, pause: float | None = None, sent: bool = False) -> None:
        super().__init__(message)
        self.pause = pause
        self.sent = sent


class Client:
    """Requests to one server that answers in JSON. Threads may share it."""

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        *,
        seconds: float = 60.0,
        attempts: int = 6,
        most: int = 16,
    ) -> None:
        if not address.startswith(("http://", "https://")):
            raise CrowdError(f"the address {address!r} does not begin with http:// or https://")
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most)
        self._address = address.rstrip("/")
        self._attempts = attempts
        self._client = httpx2.Client(headers=dict(headers or {}), timeout=seconds, limits=limits)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def set_header(self, name: str, value: str) -> None:
        """Send a header with all further requests."""
        self._client.headers[name] = value

    def get(self, path: str, **query: Any) -> Any:
        """Get a path."""
        return self.call("GET", path, params=query)

    def post(self, path: str, body: Any, **query: Any) -> Any:
        """Send JSON."""
        return self.call("POST", path, json=body, params=query)

    def call(self, method: str, path: str, *, once: bool = False, **what: Any) -> Any:
        """The JSON of a response, after retries; None if it is empty. `once` forbids repeating the request."""
        return self.count(method, path, once=once, **what)[0]

    def count(self, method: str, path: str, *, once: bool = False, **what: Any) -> tuple[Any, int]:
        """The response, and how many failed attempts may have been carried out."""
        lost = 0
        attempts = 1 if once else self._attempts
        for attempt in stamina.retry_context(on=_pause, attempts=attempts, timeout=None, wait_max=30.0):
            with attempt:
                try:
                    return self._once(method, path, **what), lost
                except PassingError as error:
                    lost += error.sent
                    error.lost = lost
                    raise
        raise AssertionError("unreachable")

    def _once(self, method: str, path: str, **what: Any) -> Any:
        place = f"{method} {self._address}{path}"
        try:
            response = self._client.request(method, f"{self._address}{path}", **what)
        except httpx2.TimeoutException as error:
            connected = not isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout)
            raise PassingError(f"{place}: no answer in time", sent=connected) from None
        except httpx2.TransportError as error:
            connected = not isinstance(error, httpx2.ConnectError)
            raise PassingError(f"{place}: {error or type(error).__name__}", sent=connected) from None
        if response.status_code in _PASSING:
            raise PassingError(f"{place}: {response.status_code} {_detail(response)}", _retry_after(response))
        if not response.is_success:
            detail = _detail(response)
            raise RefusedError(f"{place}: {response.status_code} {detail}", response.status_code, response.text[:2000])
        if not response.content.strip():
            return None
        try:
            return response.json()
        except ValueError:
            raise PassingError(f"{place}: the answer is not JSON: {response.text[:_SHOWN]!r}", sent=True) from None


def _pause(error: Exception) -> bool | float:
    """Whether to retry, or after how many seconds."""
    if not isinstance(error, PassingError):
        return False
    return True if error.pause is None else error.pause


def _retry_after(response: httpx2.Response) -> float | None:
    """The pause that the server asks for, in seconds or until a date."""
    text = response.headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), _LONGEST_PAUSE) if seconds == seconds else None


def _detail(response: httpx2.Response) -> str:
    """The server's explanation, in one short line."""
    try:
        found = response.json()
    except ValueError:
        found = response.text
    for name in ("error", "detail", "message"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    return " ".join(str(found).split())[:_SHOWN]
