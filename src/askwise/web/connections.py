"""Limits on connections: headers and bodies have to arrive in time, and an address may not have too many."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 10.0
"""For the headers of a request, from the first moment of a connection or the first byte of a further request."""

BODY_SECONDS = 120.0
"""For the body of a request."""

MOST_CONNECTIONS = 500
"""Connections from one address, unless it is that of a proxy."""

_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def limited(is_proxy: Callable[[str], bool]) -> type[HttpToolsProtocol]:
    """The protocol of a server; `is_proxy` says which addresses are proxies."""
    counts: Counter[str] = Counter()

    class Limited(HttpToolsProtocol):
        """uvicorn's protocol with limits."""

        _timer: asyncio.TimerHandle | None = None
        _address = ""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.access_log = False  # addresses hold secrets: invite links
            address = self.client[0] if self.client else ""
            if is_proxy(address):
                self._expect(HEADER_SECONDS)
            elif counts[address] >= MOST_CONNECTIONS:
                transport.abort()
            else:
                self._address = address
                counts[address] += 1
                self._expect(HEADER_SECONDS)

        def connection_lost(self, exc: Exception | None) -> None:
            self._expect(None)
            if self._address:
                counts[self._address] -= 1
                if not counts[self._address]:
                    del counts[self._address]
            super().connection_lost(exc)

        def on_message_begin(self) -> None:
            self._expect(HEADER_SECONDS)
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._expect(BODY_SECONDS)
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self._expect(None)
            super().on_message_complete()

        def _expect(self, seconds: float | None) -> None:
            """Close the connection unless more arrives within `seconds`; None means no limit."""
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None if seconds is None else self.loop.call_later(seconds, self._late)

        def _late(self) -> None:
            if self.cycle is None or not self.cycle.response_started:
                self.transport.write(_LATE)
            self.transport.close()

    return Limited
