"""Charts as SVG, without a chart library."""

from collections.abc import Mapping, Sequence
from html import escape
from math import isfinite

_COLOURS = ("#1f5fa8", "#c8501e", "#4a4a4a", "#2a8a57", "#8b3fa0")
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "1 5")
_WIDTH, _HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 24, 84, 48
_BAR = 26


def line_chart(title: str, x_label: str, series: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> str:
    """Lines of (x, y) with y from 0 to 1, with different colours and dashes, and a legend."""
    widest = max((max(x, default=0.0) for x, _ in series.values()), default=0.0) or 1.0
    inner_width, inner_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + inner_width * x / widest, _TOP + inner_height * (1.0 - y)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="24" font-size="16" font-weight="bold">{escape(title)}</text>',
    ]
    for tick in range(6):
        x, y = place(0.0, tick / 5)
        parts.append(f'<line x1="{x}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{tick / 5:.1f}</text>')
    for tick in range(7):
        value = widest * tick / 6
        x, y = place(value, 0.0)
        parts.append(f'<text x="{x}" y="{y + 20}" text-anchor="middle">{value:,.0f}</text>')
    parts.append(f'<text x="{_LEFT + inner_width / 2}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>')
    legend = _LEFT
    for number, (name, (xs, ys)) in enumerate(series.items()):
        colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)]
        look = f'stroke="{colour}" stroke-width="2.2" fill="none" stroke-dasharray="{dash}"'
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, xs, ys))
        parts.append(f'<polyline points="{points}" {look}/>')
        parts.append(f'<line x1="{legend}" y1="52" x2="{legend + 28}" y2="52" {look}/>')
        parts.append(f'<text x="{legend + 34}" y="56">{escape(name)}</text>')
        legend += 60 + 7 * len(name)
    return "\n".join([*parts, "</svg>"]) + "\n"


def bar_chart(title: str, bars: Sequence[tuple[str, float]]) -> str:
    """Horizontal bars with names and values, to the right for positive values and to the left for negative ones.

    An infinite one has the full length.
    """
    longest = max((abs(value) for _, value in bars if isfinite(value)), default=0.0) or 1.0
    names = 12 + max((7 * len(name) for name, _ in bars), default=0)
    middle, half = names + 160, 140
    width, height = middle + half + 70, 48 + _BAR * len(bars) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="12" y="24" font-size="16" font-weight="bold">{escape(title)}</text>',
        f'<line x1="{middle}" y1="40" x2="{middle}" y2="{height - 8}" stroke="#888"/>',
    ]
    for number, (name, value) in enumerate(bars):
        y = 48 + _BAR * number
        length = half * min(abs(value) / longest, 1.0)
        left = middle if value >= 0 else middle - length
        shown = f"{value:+.2f}" if isfinite(value) else "certain" if value > 0 else "never"
        anchor, at = ("start", left + length + 6) if value >= 0 else ("end", left - 6)
        parts.append(f'<text x="12" y="{y + 13}">{escape(name)}</text>')
        parts.append(
            f'<rect x="{left:.1f}" y="{y}" width="{length:.1f}" height="{_BAR - 8}" '
            f'fill="{_COLOURS[0] if value >= 0 else _COLOURS[1]}"/>'
        )
        parts.append(f'<text x="{at:.1f}" y="{y + 13}" text-anchor="{anchor}">{shown}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
