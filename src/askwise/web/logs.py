"""Logging as lines of JSON or plain lines, without secrets or text of records."""

from __future__ import annotations

import json
import logging
import math
import time
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

_SECONDS = 10.0
_MOST_SEEN = 1000


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of a log record, and where an exception was raised (its text may quote the request)."""
    found: dict[str, Any] = {}
    if record.exc_info and record.exc_info[0] is not None:
        at = record.exc_info[2]
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        place = "" if at is None else f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}"
        found = {"error": record.exc_info[0].__name__, "at": place}
    return found | getattr(record, "fields", {})


class JsonLines(logging.Formatter):
    """A log record as one line of JSON: time, level, logger, event, and further fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        known = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        return json.dumps(known | _fields(record))


class PlainLines(logging.Formatter):
    """A log record as one line of text."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        fields = ", ".join(f"{name} {value}" for name, value in _fields(record).items())
        return f"{record.levelname}: {record.getMessage()}" + (f" ({fields})" if fields else "")


class Seldom(logging.Filter):
    """Passes the same error every ten seconds, with the number of times it was left out, so that logs stay small."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        if record.levelno < logging.ERROR:
            return True
        key = record.getMessage(), repr(record.exc_info[1]) if record.exc_info else ""
        now = time.monotonic()
        with self._lock:
            last, left_out = self._seen.get(key, (-math.inf, 0))
            if now - last < _SECONDS:
                self._seen[key] = last, left_out + 1
                return False
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen[key] = now, 0
        if left_out:
            record.fields = {**getattr(record, "fields", {}), "left_out": left_out}
        return True
