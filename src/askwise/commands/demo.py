"""`askwise demo`: a made-up customer list, noisy workers, and a comparison."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import make_folder
from askwise.errors import AskwiseError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from askwise.demo.comparison import Run
    from askwise.demo.customers import Example
    from askwise.resolution import Resolution


@click.command("demo")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("askwise-demo"), show_default=True
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Makes another example.")
def command(out: Path, seed: int) -> None:
    """Resolve a made-up customer list with noisy workers, and compare.

    Writes clusters.csv and f1.svg to the folder --out.
    """
    from rich.console import Console

    console = Console()
    make_folder(out)
    with console.status("Loading; the first time this compiles the engine, for about half a minute ..."):
        from askwise.demo.comparison import BUDGET, ERROR, VOTES, warm_up
        from askwise.demo.customers import customers

        data = customers(seed=seed)
        warm_up(data)
    console.print(
        f"{len(data.fields)} customer records, {len(data.candidates):,} pairs that might be the same. "
        f"We ask {BUDGET:,} of them, {VOTES} workers each, who are wrong {ERROR:.0%} of the time.",
        highlight=False,
    )
    runs = _watch_demo(console, data, seed)
    paths = _write_demo(out, data, runs)
    _print_demo(console, runs)
    for path in paths:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _watch_demo(console: "Console", data: "Example", seed: int) -> "list[Run]":
    from rich.progress import BarColumn, Progress, TextColumn

    from askwise.demo.comparison import BUDGET, SYSTEMS, run_system

    columns = (
        TextColumn("{task.description:<18}"),
        TextColumn("{task.completed:>5} asked, F1 {task.fields[f1]:>5}, reliability {task.fields[reliability]:>6}"),
        BarColumn(bar_width=12),
    )
    runs = []
    with Progress(*columns, console=console) as progress:
        for system in SYSTEMS:
            task = progress.add_task(system.name, total=BUDGET, reliability="", f1="")

            def show(resolution: "Resolution", f1: float, task: "TaskID" = task) -> None:
                progress.update(
                    task,
                    completed=resolution.asked,
                    reliability=f"{resolution.reliability:,.0f}",
                    f1=f"{f1:.3f}",
                )

            runs.append(run_system(system, data, seed, show))
    return runs


def _write_demo(out: Path, data: "Example", runs: "list[Run]") -> list[Path]:
    from askwise.demo.comparison import write_chart, write_clusters

    clusters, chart = out / "clusters.csv", out / "f1.svg"
    try:
        write_clusters(clusters, data, runs[0].resolution)
        write_chart(chart, runs)
    except OSError as error:
        raise AskwiseError(f"cannot write to the folder {str(out)!r}: {error.strerror}") from None
    return [clusters, chart]


def _print_demo(console: "Console", runs: "list[Run]") -> None:
    from rich.table import Table

    table = Table()
    for column in ("system", "to F1 0.9", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column == "system" else "right")
    for run in runs:
        reached = run.questions_to(0.9)
        table.add_row(
            run.system.name,
            "never" if reached is None else f"{reached:,}",
            *(f"{score:.3f}" for score in run.scores),
        )
    console.print(table)
