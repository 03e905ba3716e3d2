"""A progress bar for work that takes more than two seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from askwise.parallel import Progress

PATIENCE = 2.0
"""Seconds before the bar appears."""


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A `progress` function that draws a bar on the terminal and removes it at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description:<10}"), BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    bar = Bar(*columns, console=console, transient=True, disable=not console.is_terminal)
    begin = monotonic()
    task = bar.add_task("")

    def show(what: str, done: int, total: int) -> None:
        if not bar.live.is_started and monotonic() - begin > PATIENCE:
            bar.start()
        bar.update(task, description=what, completed=done, total=total)

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()
