"""`askwise experiment`: compare systems on datasets, with the paper's tables and figures."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import make_folder

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


@click.command("experiment")
@click.option(
    "--preset", type=click.Choice(["quick", "paper", "evidence", "asking", "table"]), default="quick", show_default=True
)
@click.option("--system", "systems", multiple=True, help="Only these systems or strategies; may be repeated.")
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    help="A folder, table:FOLDER[,option=value] or standin:NAME[,option=value]; may be repeated.",
)
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of real datasets.")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each system on each dataset.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes that run in parallel.  [default: all cores]")
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("askwise-experiment"), show_default=True
)
def command(
    preset: str,
    systems: tuple[str, ...],
    datasets: tuple[str, ...],
    data: Path | None,
    runs: int | None,
    jobs: int | None,
    form: str,
    out: Path,
) -> None:
    """Compare systems on datasets, and write the paper's tables and figures.

    Runs in parallel, and writes results and report.html to the folder --out. Finished runs are kept there; after an
    interruption, the same command goes on.
    """
    from rich.console import Console

    from askwise.experiments.presets import PRESETS, plans
    from askwise.report.run_experiment import run_experiment

    console = Console()
    make_folder(out)
    chosen = plans(PRESETS[preset], systems, datasets, runs or 0, data)
    with _progress(console) as progress:
        task = progress.add_task("runs", total=len(chosen))
        paths = run_experiment(
            chosen,
            out,
            jobs or os.cpu_count() or 1,
            form,
            lambda what, done: progress.update(task, advance=done, description=what),
        )
    for path in paths:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _progress(console: "Console") -> "Progress":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
    )
