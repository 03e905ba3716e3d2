"""JSON that comes from outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def from_json(text: str | bytes, object_hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """What a text says; a JSONDecodeError if it is not JSON, or if it is nested too deeply to be read."""
    try:
        return json.loads(text, object_hook=object_hook)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
