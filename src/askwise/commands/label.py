"""`askwise label`: answer questions in the terminal."""

from __future__ import annotations

import getpass
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import opened, project_folder
from askwise.plurals import plural

if TYPE_CHECKING:
    from rich.console import Console

    from askwise.project import Project, Task

ANSWERS = {"y": "yes", "n": "no", "u": "unsure"}


@click.command("label")
@project_folder
@click.option("--worker", help="Who votes.  [default: your user name]")
def command(folder: Path, worker: str | None) -> None:
    """Answer questions in the terminal: y same, n different, u unsure, z undo, a all fields, q quit.

    Two records stand side by side, differences first. A sign says whether a field is equal (=) or different (≠); there
    is none if a record lacks the value. Differences are underlined, or in [brackets] if the terminal cannot underline.
    Fields that are empty in both are left out, and what does not fit on the screen is cut. Every answer is saved at
    once.
    """
    from rich.console import Console

    console = Console(highlight=False)
    name = getpass.getuser() if worker is None else worker
    with opened(folder) as project:
        project.start()
        count = _ask_all(project, name, console)
    console.print(f"{plural(count, 'answer')} kept")


def _ask_all(project: Project, worker: str, console: Console) -> int:
    """Ask until the worker quits or nothing is left; returns the number of answers."""
    from askwise.crowds.terminal import clean, read_key, show_pair

    instructions = project.settings.instructions
    if instructions:
        console.print(clean(instructions), markup=False)
    count, whole = 0, False
    while (task := _next(project, worker)) is not None:
        left, right = (project.shown_to("worker", record) for record in (task.left, task.right))
        heading = f"{plural(count, 'answer')} so far, {plural(project.store.counts().open, 'question')} open"
        pair = task.left, task.right, left, right
        complete = show_pair(console, project.about.id, *pair, heading=heading, whole=whole)
        begin = time.monotonic()
        key = read_key(console, "" if complete else "a all fields")
        whole = key == "a"
        if key == "q":
            return count
        if key == "z":
            if project.undo(worker, source="terminal") is None:
                console.print("there is nothing to undo")
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
