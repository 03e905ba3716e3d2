"""A cluster as a picture: records in a circle, or if there are many, a square with a cell for every pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

from askwise.project.cluster_evidence import DIFFERENT, EVEN, NO, SAME, UNASKED, YES, Pairs
from askwise.project.pair_rows import tally_text
from askwise.web.drawings import letter

AROUND = 24
"""How many records have room around a circle."""

DRAWN = 200
"""How many have room in a square, where a cell is at least two pixels wide."""

_MARKS = {UNASKED: "unasked", YES: "yes", NO: "no", EVEN: "unsure", SAME: "same", DIFFERENT: "different"}
_SIZE = 480.0


def graph(names: Sequence[str], pairs: Pairs) -> Markup:
    """The records, and what is known of each pair."""
    return _circle(names, pairs) if len(names) <= AROUND else _square(names[:DRAWN], pairs)


def _label(names: Sequence[str], pairs: Pairs) -> str:
    asked = int((pairs.known != UNASKED).sum())
    return f"{len(names)} records, {asked} pairs with votes or decisions, {pairs.known.size - asked} never asked"


def _circle(names: Sequence[str], pairs: Pairs) -> Markup:
    count = len(names)
    if count == 2:  # side by side, not one above the other
        places, height = [(140.0, 45.0), (_SIZE - 140.0, 45.0)], 90.0
    else:
        radius, height = _SIZE / 2 - 24.0, _SIZE
        turns = [2 * math.pi * at / max(count, 1) - math.pi / 2 for at in range(count)]
        places = [(_SIZE / 2 + radius * math.cos(turn), _SIZE / 2 + radius * math.sin(turn)) for turn in turns]
    parts = [
        Markup('<svg class="chart graph" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
            _SIZE, height, _label(names, pairs)
        )
    ]
    columns = (pairs.left, pairs.right, pairs.known, pairs.yes, pairs.no)
    lines = sorted(zip(*(column.tolist() for column in columns), strict=True), key=lambda line: line[2] != UNASKED)
    for left, right, known, yes, no in lines:
        (x1, y1), (x2, y2) = places[left], places[right]
        width = 1.0 if known == UNASKED else 4.0 if known in (SAME, DIFFERENT) else 1.5 + min(yes + no, 5)
        parts.append(
            Markup(
                '<line class="edge {}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke-width="{:.1f}">'
                "<title>{} and {}: {}</title></line>"
            ).format(_MARKS[known], x1, y1, x2, y2, width, names[left], names[right], _text(known, yes, no))
        )
    for at, (x, y) in enumerate(places):
        parts.append(
            Markup(
                '<g><title>{}</title><circle cx="{:.1f}" cy="{:.1f}" r="15"/><text x="{:.1f}" y="{:.1f}">{}</text></g>'
            ).format(names[at], x, y, x, y + 1, letter(at))
        )
    return Markup("").join([*parts, Markup("</svg>")])


def _square(names: Sequence[str], pairs: Pairs) -> Markup:
    """One path for each kind of pair; neighbouring cells of a row are one rectangle."""
    count, edge = len(names), 30.0
    size = (_SIZE - edge) / count
    inside = (pairs.left < count) & (pairs.right < count)
    cells: dict[int, list[tuple[int, int]]] = {}
    columns = (pairs.left[inside], pairs.right[inside], pairs.known[inside])
    for left, right, known in zip(*(column.tolist() for column in columns), strict=True):
        cells.setdefault(known, []).extend(((left, right), (right, left)))
    parts = [
        Markup('<svg class="chart graph square" viewBox="0 0 {0} {0}" role="img" aria-label="{1}">').format(
            _SIZE, _label(names, pairs)
        ),
        Markup('<rect class="ground" x="{0}" y="{0}" width="{1}" height="{1}"/>').format(edge, _SIZE - edge),
    ]
    for known, found in sorted(cells.items()):
        drawn = []
        for row, places in groupby(sorted(found), key=lambda cell: cell[0]):
            for begin, length in _runs([column for _, column in places]):
                x, y, width = edge + begin * size, edge + row * size, length * size
                drawn.append(f"M{x:.1f} {y:.1f}h{width:.1f}v{size:.1f}h-{width:.1f}z")
        parts.append(Markup('<path class="{}" d="{}"/>').format(_MARKS[known], "".join(drawn)))
    for at in range(0, count, max(1, count // 10)):
        middle = edge + (at + 0.5) * size
        for x, y in ((middle, edge - 9), (edge - 14, middle)):
            parts.append(Markup('<text x="{:.1f}" y="{:.1f}">{}</text>').format(x, y, letter(at)))
    return Markup("").join([*parts, Markup("</svg>")])


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """The starts and lengths of runs of neighbouring places."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][0] + runs[-1][1] == place:
            runs[-1] = runs[-1][0], runs[-1][1] + 1
        else:
            runs.append((place, 1))
    return runs


def _text(known: int, yes: float, no: float) -> str:
    if known == UNASKED:
        return "never asked"
    said = {SAME: "certainly the same", DIFFERENT: "certainly different"}.get(known, "")
    votes = tally_text(yes, no) if yes + no else ""
    return ", ".join(text for text in (said, votes) if text)
