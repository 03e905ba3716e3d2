"""The person at the terminal as a crowd: two records side by side, and one key for an answer."""

from __future__ import annotations

import getpass
import json
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askwise.crowds.messages import LONGEST
from askwise.crowds.options import option
from askwise.crowds.protocol import Context, Order, Record, Reply
from askwise.differences import Part, differences, shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LABELS = {"y": True, "n": False, "u": None}
KEYS = "y same, n different, u unsure, z undo, q quit"

_LONGEST_NAME = 20
_BRACKETS = 2  # around what differs, where it cannot be underlined
_AROUND = 8  # lines of a screen that are not fields: heading, titles, ids, notes, the question


@dataclass(frozen=True, slots=True)
class TerminalOptions:
    """The person at the terminal."""

    worker: str = option("the worker's name; by default your user name", "")


OPTIONS = TerminalOptions


def open_crowd(options: TerminalOptions, context: Context) -> TerminalCrowd:
    """Make a crowd of one person."""
    return TerminalCrowd(options.worker or getpass.getuser(), context)


class TerminalCrowd:
    """One worker, who gets one question at a time. An undo is a further answer to the question before."""

    lasts, waits = True, True

    def __init__(self, worker: str, context: Context) -> None:
        from rich.console import Console

        self.name = f"terminal:{worker}"
        self._worker = worker
        self._console = Console(highlight=False)
        self._orders: list[Order] = []
        self._before: Order | None = None
        self._quit = False
        if context.instructions:
            self._console.print(clean(context.instructions), markup=False)

    @property
    def room(self) -> int:
        """One question at a time; none once the worker has quit."""
        return 0 if self._quit or self._orders else 1

    def estimate(self, order: Order) -> float:
        """Nothing is paid."""
        return 0.0

    def put(self, orders: Sequence[Order]) -> dict[int, str]:
        """Keep questions until they are shown."""
        self._orders += orders
        return {}

    def collect(self, seconds: float) -> list[Reply]:
        """Show a question and wait for its answer, however long that takes."""
        if not self._orders or self._quit or not seconds:
            return []
        order = self._orders[0]
        left, right = order.left_record or {}, order.right_record or {}
        show_pair(self._console, "", order.left, order.right, left, right)
        begin = time.monotonic()
        key = read_key(self._console)
        if key == "q":
            self._quit, self.waits = True, False
        elif key == "z" and self._before is not None:
            self._orders.insert(0, self._before)
            self._before = None
        elif key in LABELS:
            self._before = self._orders.pop(0)
            took, what = time.monotonic() - begin, json.dumps({"swapped": False})
            return [Reply(order.id, self._worker, LABELS[key], seconds=took, shown=what, request=uuid.uuid4().hex)]
        else:
            self._console.print("there is nothing to undo")
        return []

    def remarks(self) -> str:
        """Nothing."""
        return ""

    def close(self) -> None:
        """Nothing is open."""


def read_key(console: Console, also: str = "") -> str:
    """Read the next valid key, including one of `also`; the end of the input means quit."""
    keys = f"{KEYS}, {also[0]} {also[2:]}" if also else KEYS
    while True:
        console.print(f"same? ({keys}) ", end="")
        key = one_key(console)
        if key in LABELS or key in ("z", "q") or (also and key == also[0]):
            return key


def one_key(console: Console) -> str:
    """Read a key, in lower case; the end of the input is a q, and so is Ctrl+C."""
    import click

    try:
        key = click.getchar() if sys.stdin.isatty() else sys.stdin.readline()[:1] or "q"
    except KeyboardInterrupt:
        key = "q"
    key = key.lower()
    console.print(key.strip())
    return key


def show_pair(
    console: Console,
    id_name: str,
    left: str,
    right: str,
    one: Record,
    two: Record,
    *,
    heading: str = "",
    whole: bool = False,
) -> bool:
    """Show both records, differences first; returns whether everything was shown.

    Fields that are empty in both are left out. What does not fit on the screen is cut, and then equal fields are left
    out, unless the `whole` is wanted.
    """
    from rich import box
    from rich.table import Table

    rows = _ordered(one, two)
    empty = len(one) - len(rows)
    names = max(len(id_name), *(len(name) for name, *_ in rows), 1)
    width = max(10, (console.width - min(names, _LONGEST_NAME) - 10) // 2)
    shown_rows, lines = (rows, 10**6) if whole else _fitting(rows, width, console.height - _AROUND)
    table = Table(box=box.SIMPLE_HEAD, expand=False, title=None, show_edge=False)
    table.add_column("")
    table.add_column("", overflow="ellipsis", no_wrap=True, max_width=_LONGEST_NAME)
    for title in ("left", "right"):
        table.add_column(title, overflow="fold", max_width=None if whole else width)
    table.add_row("", clean(id_name), clean(left)[:width], clean(right)[:width], style="dim")
    for name, ours, theirs, sign in shown_rows:
        texts = (ours, theirs) if whole else cut_alike(ours, theirs, lines * width - _BRACKETS)
        table.add_row(sign, clean(name), *(_marked(side, console) for side in differences(*texts)))
    if heading:
        console.print(heading, markup=False, style="dim")
    console.print(table)
    folded = len(rows) - len(shown_rows)
    notes = [f"{folded} more fields"] if folded else []
    notes += [f"{empty} empty on both sides"] if empty else []
    notes += [] if whole else [f"{clean(name)} has {long:,} characters" for name, long in _too_long(one, two)]
    if notes:
        console.print(", ".join(notes), style="dim", markup=False)
    return whole or (not folded and all(len(text) <= lines * width - _BRACKETS for row in rows for text in row[1:3]))


def _too_long(one: Record, two: Record) -> list[tuple[str, int]]:
    """Fields with a value that is never shown completely, and its length."""
    lengths = [(name, max(len(shown(one[name])), len(shown(two[name])))) for name in one]
    return [(name, length) for name, length in lengths if length > LONGEST]


def _ordered(one: Record, two: Record) -> list[tuple[str, str, str, str]]:
    """Field, both values and a sign; first what differs, then what one record lacks, then what is equal."""
    rows = []
    for name in one:
        ours, theirs = clean(shown(one[name])), clean(shown(two[name]))
        if ours or theirs:
            rows.append((name, ours, theirs, "" if not ours or not theirs else "=" if ours == theirs else "≠"))
    return sorted(rows, key=lambda row: ("≠", "", "=").index(row[3]))


def _fitting(
    rows: list[tuple[str, str, str, str]], width: int, room: int
) -> tuple[list[tuple[str, str, str, str]], int]:
    """The rows that fit into the `room`, in lines, and how many lines a value may take."""
    for lines in (6, 4, 3, 2, 1):
        tall = [min(lines, max(1, -(-max(len(ours), len(theirs)) // width))) for _, ours, theirs, _ in rows]
        if sum(tall) <= room:
            return rows, lines
    return rows[: max(1, room)], 1


def cut_alike(left: str, right: str, room: int) -> tuple[str, str]:
    """Both texts, cut to `room` characters; if they first differ far in, from shortly before that point."""
    if max(len(left), len(right)) <= room:
        return left, right
    same = next((at for at, (one, two) in enumerate(zip(left, right, strict=False)) if one != two), 0)
    start = max(0, same - room // 3) if same > room // 2 else 0

    def part(text: str) -> str:
        found = ("…" if start else "") + text[start:]
        return found if len(found) <= room else found[: max(1, room - 1)] + "…"

    return part(left), part(right)


def _marked(parts: list[Part], console: Console) -> Text:
    """Differences underlined and bold, or in brackets."""
    from rich.text import Text

    text = Text()
    for part in parts:
        if part.mark != "differs":
            text.append(part.text)
        elif console.is_terminal and not console.is_dumb_terminal:
            text.append(part.text, style="bold underline yellow")
        else:
            text.append(f"[{part.text}]")
    return text


def clean(text: str) -> str:
    """Text in one line, without control characters; a sign shows where a line ends."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} ... ({len(text):,} characters)"
    text = text.replace("\r\n", "\n").replace("\n", "↵")
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
