"""Whoever sits at the terminal: two records side by side, one key for an answer."""

from __future__ import annotations

import getpass
import json
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askwise.crowds.options import option
from askwise.crowds.protocol import Context, Order, Record, Reply
from askwise.differences import Part, differences, shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LABELS = {"y": True, "n": False, "u": None}
KEYS = "y same, n different, u unsure, z undo, q quit"
LONGEST = 2_000
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class TerminalOptions:
    """Who sits there."""

    worker: str = option("who votes; else your user name", "")


OPTIONS = TerminalOptions


def open_crowd(options: TerminalOptions, context: Context) -> TerminalCrowd:
    """The crowd of one."""
    return TerminalCrowd(options.worker or getpass.getuser(), context)


class TerminalCrowd:
    """One worker, who gets a question at a time. An undo is a further answer to the question before."""

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
            self._console.print("there is nothing to take back")
        return []

    def remarks(self) -> str:
        """Nothing."""
        return ""

    def close(self) -> None:
        """Nothing is open."""


def read_key(console: Console) -> str:
    """The next key that means something; the end of the input means quit."""
    import click

    while True:
        console.print(f"same? ({KEYS}) ", end="")
        key = click.getchar() if sys.stdin.isatty() else sys.stdin.readline()[:1] or "q"
        key = key.lower()
        console.print(key.strip())
        if key in LABELS or key in ("z", "q"):
            return key


def show_pair(console: Console, id_name: str, left: str, right: str, one: Record, two: Record) -> None:
    """Both records, field by field."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, expand=False, title=None)
    for title in ("", "", "left", "right"):
        table.add_column(title, overflow="fold")
    table.add_row("", id_name, clean(left), clean(right), style="dim")
    for name in one:
        ours, theirs = clean(shown(one[name])), clean(shown(two[name]))
        parts = differences(ours, theirs)
        sign = "" if not ours or not theirs else "=" if ours == theirs else "≠"
        table.add_row(sign, clean(name), *(_marked(side, console) for side in parts))
    console.print(table)


def _marked(parts: list[Part], console: Console) -> Text:
    """What differs is underlined and bold, or in brackets."""
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
    """Text that does nothing to a terminal but show itself."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} ... ({len(text):,} characters)"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
