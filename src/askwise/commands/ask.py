"""`askwise ask`: ask a crowd until a stopping rule holds."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import opened, project_folder

if TYPE_CHECKING:
    from askwise.asking.runner import Run, Tally
    from askwise.project import Project


@click.command("ask")
@project_folder
@click.argument("options", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--crowd", "name", required=True, help="llm, label-studio, prolific, panel, terminal or csv.")
@click.option("--questions", "-n", type=click.IntRange(min=1), help="Stop after this many questions, over all runs.")
@click.option("--limit", type=click.FloatRange(min=0), help="Never spend more than this on the crowd, over all runs.")
@click.option("--reliability", type=float, help="Stop when the clustering is at least this reliable.")
@click.option("--votes", type=click.IntRange(min=1), help="Stop after this many votes of this crowd, over all runs.")
@click.option("--f1", type=click.FloatRange(0, 1), help="Stop when F1 is at least this with probability 3/4.")
@click.option("--gain", type=click.FloatRange(min=0), help="Stop when no new question is worth more than this.")
@click.option("--batch", type=click.IntRange(min=1), default=200, show_default=True, help="Questions chosen at a time.")
@click.option(
    "--among",
    type=click.Choice(["new", "doubtful", "any"]),
    default="new",
    show_default=True,
    help="Pairs never asked, pairs on which votes are unclear or contradict the clusters, or both in turn.",
)
@click.option("--once", is_flag=True, help="Send questions and collect votes once, without waiting.")
@click.option("--retry", is_flag=True, help="Ask again what failed or was interrupted; it may be paid twice.")
def command(
    folder: Path,
    options: tuple[str, ...],
    name: str,
    questions: int | None,
    limit: float | None,
    reliability: float | None,
    votes: int | None,
    f1: float | None,
    gain: float | None,
    batch: int,
    among: str,
    once: bool,
    retry: bool,
) -> None:
    """Ask a crowd about the project in FOLDER, batch after batch, until a stopping rule holds.

    Each crowd has its own options, given as KEY=VALUE; docs/crowds.md describes them. Stop with Ctrl+C at any time, and
    run the same command again to go on: nothing is paid twice, and no vote is lost.
    """
    import logging

    from askwise.asking.runner import Rules, Run, context_of
    from askwise.checks import known_name
    from askwise.crowds.registry import CROWDS, open_crowd
    from askwise.panels.registry import PANELS
    from askwise.resolving import Until

    logging.getLogger("stamina").setLevel(logging.ERROR)  # that something is tried again is no news
    known_name("crowd", name, {**CROWDS, **PANELS})
    until = Until(f1=f1, gain=gain)
    rules = Rules(questions, limit, reliability, votes, until, batch, among, once, retry)  # type: ignore[arg-type]
    with opened(folder) as project:
        if name in PANELS:
            from askwise.panels.recruiting import run_panel

            run_panel(project, name, options, rules, click.echo)
            return
        crowd = open_crowd(name, options, context_of(project))
        try:
            with _shown(name != "terminal") as show:
                run = Run(project, crowd, rules, show)
                with _stopping(run):
                    tally = run.run()
            remarks = crowd.remarks()
        finally:
            crowd.close()
        click.echo(_summary(project, tally))
        if remarks:
            click.echo(remarks)


@contextmanager
def _stopping(run: Run) -> Iterator[None]:
    """The first Ctrl+C lets open questions finish; the second does not wait."""

    def stop(number: int, frame: object) -> None:
        signal.signal(number, signal.default_int_handler)
        run.stop()
        click.echo("finishing what is under way; again to leave at once", err=True)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _shown(bar: bool) -> Iterator[Callable[[Tally], object]]:
    """A function that shows the progress of a run: questions, votes, money."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not (bar and console.is_terminal)) as progress:
        task = progress.add_task("")

        def show(tally: Tally) -> None:
            parts = [f"{tally.votes:,} votes", f"{tally.out:,} out"]
            if tally.aside:
                parts.append(f"{tally.aside:,} set aside")
            if tally.cost:
                expected = "" if tally.expected is None else f", about {tally.expected:,.2f} at the end"
                parts.append(f"cost {tally.cost:,.4f}{expected}")
            done = tally.asked - tally.out
            progress.update(task, completed=done, total=tally.total, description=", ".join(parts))

        yield show


def _summary(project: Project, tally: Tally) -> str:
    status = project.status()
    aside = f", {tally.aside:,} set aside" if tally.aside else ""
    out = f", {tally.out:,} without an answer yet" if tally.out else ""
    return (
        f"{tally.why}: {tally.votes:,} votes in this run, {tally.asked:,} questions in all{out}{aside}, "
        f"cost {tally.cost:,.4f}; {status.clusters:,} clusters, reliability {status.reliability:,.1f}, "
        f"expected F1 {status.f1:.2f} ({status.f1_low:.2f} to {status.f1_high:.2f})"
    )
