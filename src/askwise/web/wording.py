"""Numbers and times in words, for pages and reports."""

from __future__ import annotations

import time

from askwise.plurals import plural


def count(number: float) -> str:
    """1,234."""
    return f"{number:,.0f}"


def chance(p: float) -> str:
    """A probability: 87%, and never 0% or 100% unless it is exactly that."""
    if p in (0.0, 1.0):
        return f"{p:.0%}"
    return "under 1%" if p < 0.01 else "over 99%" if p > 0.99 else f"{p:.0%}"


def score(value: float) -> str:
    """A score from 0 to 1: 0.93, and never 1.00 unless it is exactly that."""
    return "over 0.99" if 0.995 <= value < 1.0 else f"{value:.2f}"


def logarithm(value: float) -> str:
    """A logarithm with one digit after the point, and no minus before a zero."""
    return f"{round(value, 1) or 0.0:,.1f}"


def seconds(number: float | None) -> str:
    """4.2 s, or 3 min; empty if unknown."""
    if number is None:
        return ""
    return f"{number:.1f} s" if number < 60 else f"{number / 60:.0f} min"


def money(amount: float, currency: str = "") -> str:
    """12.50 EUR."""
    return f"{amount:,.2f} {currency}".strip()


def ago(when: float, now: float | None = None) -> str:
    """Roughly how long ago."""
    passed = max(0.0, (time.time() if now is None else now) - when)
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if passed >= size:
            return plural(int(passed // size), unit) + " ago"
    return "just now"


def sentence(text: str) -> str:
    """An error's line as a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
