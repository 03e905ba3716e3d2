"""SVG drawings that take their colours from the style sheet, for light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from markupsafe import Markup

_WIDTH, _HEIGHT = 560, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 14, 30
_MOST_POINTS = 400


def spark(shares: Sequence[float]) -> Markup:
    """Shares, one after the other, as a line of the height of a text; the whole height is 1."""
    if len(shares) < 2:
        return Markup("")
    across = 80.0 / (len(shares) - 1)
    points = " ".join(f"{2 + at * across:.1f},{22 - 20 * share:.1f}" for at, share in enumerate(shares))
    said = ", ".join(f"{share:.0%}" for share in shares)
    return Markup(
        '<svg class="spark" viewBox="0 0 84 24" width="84" height="24" role="img" aria-label="{}">'
        '<polyline class="line" points="{}"/></svg>'
    ).format(said, points)


def trend(
    label: str,
    xs: Sequence[float],
    ys: Sequence[float],
    *,
    times: bool = False,
    percent: bool = False,
    band: tuple[Sequence[float], Sequence[float]] | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Markup:
    """A line over time or votes, with the values at its ends.

    With a `band` (lower and upper ends), the area between these is filled instead of the one below the line. The axis
    includes `low` and `high`, if given.
    """
    if len(xs) < 2:
        return Markup("")
    step = max(1, math.ceil(len(xs) / _MOST_POINTS))
    kept = [*range(0, len(xs) - 1, step), len(xs) - 1]
    lows, highs = ([side[at] for at in kept] for side in band or (ys, ys))
    xs, ys = [xs[at] for at in kept], [ys[at] for at in kept]
    whole = band is None and all(y == round(y) for y in ys)
    ends = [end for end in (low, high) if end is not None]
    low, high, between, ticks = _scale(min(*ys, *lows, *ends), max(*ys, *highs, *ends), whole=whole)
    left = min(xs)
    span = max(xs) - left or 1.0  # an undo takes votes back: the last need not be the most

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - left) / span
        up = (y - low) / (high - low)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _TOP + (1 - up) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
            _WIDTH, _HEIGHT, f"{label}: from {_number(ys[0], percent, between)} to {_number(ys[-1], percent, between)}"
        )
    ]
    for tick in ticks:
        _, y = place(left, tick)
        parts.append(
            Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(_LEFT, _WIDTH - _RIGHT, y, y)
        )
        parts.append(
            Markup('<text x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
                _LEFT - 8, y + 4, _number(tick, percent, between)
            )
        )
    for x, anchor in ((xs[0], "start"), (xs[-1], "end")):
        text = _moment(x, span) if times else f"{x:,.0f}"
        parts.append(
            Markup('<text x="{:.1f}" y="{}" text-anchor="{}">{}</text>').format(
                place(x, low)[0], _HEIGHT - 8, anchor, text
            )
        )
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, xs, ys))
    below = [(xs[-1], low), (xs[0], low)] if band is None else list(zip(xs, lows, strict=True))[::-1]
    around = [place(x, y) for x, y in [*zip(xs, highs, strict=True), *below]]
    parts.append(Markup('<polygon class="area" points="{}"/>').format(" ".join(f"{x:.1f},{y:.1f}" for x, y in around)))
    parts.append(Markup('<polyline class="line" points="{}"/>').format(points))
    x, y = place(xs[-1], ys[-1])
    parts.append(Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(x, y))
    return Markup("").join([*parts, Markup("</svg>")])


def _scale(low: float, high: float, *, whole: bool) -> tuple[float, float, float, list[float]]:
    """The ends of the axis, some round numbers on it, and their distance: whole numbers for counts."""
    if high - low < 1e-12:
        low, high = low - max(1.0, abs(low)) / 2, high + max(1.0, abs(high)) / 2
    size = 10.0 ** math.floor(math.log10((high - low) / 3))
    step = next(size * factor for factor in (1, 2, 5, 10) if (high - low) / (size * factor) <= 5)
    step = max(step, 1.0) if whole else step
    first, last = math.floor(low / step), math.ceil(high / step)
    return first * step, last * step, step, [at * step for at in range(first, last + 1)]


def _number(value: float, percent: bool, between: float) -> str:
    """The number, with enough digits to tell it from one at this distance."""
    if percent:
        return f"{value:.0%}"
    places = max(0, -math.floor(math.log10(between) + 1e-9))
    return f"{round(value, places) + 0.0:,.{places}f}"


def _moment(when: float, span: float) -> str:
    moment = datetime.fromtimestamp(when, UTC).astimezone()
    return f"{moment:%H:%M}" if span < 86400 else f"{moment.day} {moment:%b}"


def bar(share: float) -> Markup:
    """A bar filled to a share; the number stands next to it."""
    return Markup(
        '<svg class="bar" viewBox="0 0 96 8" aria-hidden="true" preserveAspectRatio="none">'
        '<rect class="whole" width="96" height="8" rx="4"/><rect class="part" width="{:.1f}" height="8" rx="4"/></svg>'
    ).format(96 * min(max(share, 0.0), 1.0))


def split(yes: float, no: float) -> Markup:
    """A bar divided like the votes."""
    total = max(1, yes + no)
    parts, at = [], 0.0
    for mark, votes in (("yes", yes), ("no", no)):
        width = 96 * votes / total
        parts.append(Markup('<rect class="{}" x="{:.1f}" width="{:.1f}" height="8"/>').format(mark, at, width))
        at += width
    return Markup('<svg class="bar" viewBox="0 0 96 8" aria-hidden="true" preserveAspectRatio="none">{}</svg>').format(
        Markup("").join(parts)
    )


def signed_bar(value: float, longest: float) -> Markup:
    """A bar to the right for evidence that two records are the same, to the left for evidence against it.

    One as long as `longest`, or infinite, fills its half.
    """
    length = 100.0 * min(abs(value) / (longest or 1.0), 1.0)
    left, side = (100.0, "for") if value >= 0 else (100.0 - length, "against")
    return Markup(
        '<svg class="signed" viewBox="0 0 200 10" aria-hidden="true" preserveAspectRatio="none">'
        '<rect class="{}" x="{:.1f}" y="1" width="{:.1f}" height="8"/>'
        '<rect class="axis" x="99.5" width="1" height="10"/></svg>'
    ).format(side, left, length)


def longest(values: Iterable[float]) -> float:
    """The length of the longest finite bar."""
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def log_odds(value: float) -> str:
    """+1.2, or the sign of infinite log-odds."""
    return f"{round(value, 1) + 0.0:+.1f}" if math.isfinite(value) else "certain" if value > 0 else "never"


def letter(at: int) -> str:
    """A, B, ..., Z, AA, AB, ...: the name of a record in a graph and its table."""
    name = ""
    while at >= 0:
        at, rest = divmod(at, 26)
        name = chr(65 + rest) + name
        at -= 1
    return name
