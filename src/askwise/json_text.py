"""Parses JSON from outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def from_json(text: str | bytes, object_hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Parse JSON; a JSONDecodeError if it is invalid, or nested too deeply."""
    try:
        return json.loads(text, object_hook=object_hook)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
