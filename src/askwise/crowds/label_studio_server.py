"""Label Studio's REST interface: tokens, and lists in pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from askwise.crowds.client import Client, RefusedError

PAGE = 100


class LabelStudioServer:
    """Calls with either kind of token: legacy tokens as they are, personal ones exchanged for short-lived ones."""

    def __init__(self, address: str, token: str) -> None:
        self._client = Client(address)
        self._token = token
        self._personal = token.count(".") == 2

    def log_in(self) -> None:
        """Send the token, or exchange it for one that lasts some minutes."""
        if self._personal:
            access = self._client.post("/api/token/refresh", {"refresh": self._token})["access"]
            self._client.set_header("Authorization", f"Bearer {access}")
        else:
            self._client.set_header("Authorization", f"Token {self._token}")

    def call(self, method: str, path: str, **what: Any) -> Any:
        """The JSON of a response; an expired token is renewed once."""
        try:
            return self._client.call(method, path, **what)
        except RefusedError as error:
            if error.status != 401 or not self._personal:
                raise
        self.log_in()
        return self._client.call(method, path, **what)

    def pages(self, path: str, name: str, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """All items of a list in pages."""
        for page in range(1, 1_000_000):
            try:
                found = self.call("GET", path, params={**query, "page": page, "page_size": PAGE})
            except RefusedError as error:
                if error.status == 404 and page > 1:
                    return
                raise
            items = found if isinstance(found, list) else found[name]
            yield from items
            if isinstance(found, list) or len(items) < PAGE:
                return

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
