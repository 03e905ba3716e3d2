"""`askwise label`: questions in the terminal."""

from __future__ import annotations

import getpass
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import opened, project_folder
from askwise.web.wording import plural

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from askwise.differences import Part
    from askwise.project import Project, Task

ANSWERS = {"y": "yes", "n": "no", "u": "unsure"}
KEYS = "y same, n different, u unsure, z undo, q quit"
LONGEST = 2_000
"""Characters of a value that are shown."""


@click.command("label")
@project_folder
@click.option("--worker", help="Who votes.  [default: your user name]")
def command(folder: Path, worker: str | None) -> None:
    """Answer questions in the terminal: y same, n different, u unsure, z undo, q quit.

    Two records stand side by side. What differs is underlined, or in [brackets] where the terminal cannot do that, and
    a sign says of each field whether it is equal (=) or not (≠); it has none where a record lacks it. Every answer is
    kept at once.
    """
    from rich.console import Console

    console = Console(highlight=False)
    name = getpass.getuser() if worker is None else worker
    with opened(folder) as project:
        project.start()
        count = _ask_all(project, name, console)
    console.print(f"{plural(count, 'answer')} kept")


def _ask_all(project: Project, worker: str, console: Console) -> int:
    """Ask until the worker quits, or nothing is left; returns how many answers stand."""
    instructions = project.settings.instructions
    if instructions:
        console.print(_clean(instructions), markup=False)
    count = 0
    while (task := _next(project, worker)) is not None:
        _show(project, task, console)
        begin = time.monotonic()
        key = _key(console)
        if key == "q":
            return count
        if key == "z":
            if project.undo(worker, source="terminal") is None:
                console.print("there is nothing to take back")
            else:
                count -= 1
        elif key in ANSWERS:
            seconds = time.monotonic() - begin
            project.answer(task.id, worker, ANSWERS[key], source="terminal", seconds=seconds)  # type: ignore[arg-type]
            count += 1
    settings = project.settings
    console.print("the project is paused" if settings.paused else "there is nothing left to ask you")
    return count


def _next(project: Project, worker: str) -> Task | None:
    task = project.take(worker)
    if task is None:  # the engine may be behind
        project.refresh()
        project.fill()
        task = project.take(worker)
    return task


def _key(console: Console) -> str:
    """The next key that means something; the end of the input means quit."""
    while True:
        console.print(f"same? ({KEYS}) ", end="")
        key = click.getchar() if sys.stdin.isatty() else sys.stdin.readline()[:1] or "q"
        key = key.lower()
        console.print(key.strip())
        if key in ANSWERS or key in ("z", "q"):
            return key


def _show(project: Project, task: Task, console: Console) -> None:
    """Both records, field by field."""
    from rich import box
    from rich.table import Table

    from askwise.differences import differences, shown

    table = Table(box=box.SIMPLE_HEAD, expand=False, title=None)
    for title in ("", "", "left", "right"):
        table.add_column(title, overflow="fold")
    left, right = project.record(task.left), project.record(task.right)
    table.add_row("", project.about.id, _clean(task.left), _clean(task.right), style="dim")
    for name in left:
        one, two = _clean(shown(left[name])), _clean(shown(right[name]))
        parts = differences(one, two)
        sign = "" if not one or not two else "=" if one == two else "≠"
        table.add_row(sign, _clean(name), *(_marked(side, console) for side in parts))
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


def _clean(text: str) -> str:
    """Text that does nothing to a terminal but show itself."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} ... ({len(text):,} characters)"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
