"""The command line: parse, call, print. What computes is imported by the command that needs it."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.serve import serve
from askwise.errors import AskwiseError
from askwise.version import __version__

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from askwise.demo.people import Example
    from askwise.demo.run import Run
    from askwise.resolution import Resolution


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="askwise")
def commands() -> None:
    """Entity resolution with people and models who make mistakes.

    Askwise keeps every vote as evidence, finds the most likely clustering, knows how reliable it is, and asks next what
    makes it most reliable.
    """


@commands.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("askwise-demo"), show_default=True
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another example, other workers."
)
def demo(out: Path, seed: int) -> None:
    """Resolve a made-up customer list with noisy workers, and compare.

    Writes clusters.csv and f1.svg to the folder --out.
    """
    from rich.console import Console

    console = Console()
    _make_folder(out)
    with console.status("Loading (the first time, this compiles the engine: up to half a minute) ..."):
        from askwise.demo.people import customers
        from askwise.demo.run import BUDGET, ERROR, VOTES, warm_up

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


@commands.command()
@click.option("--preset", type=click.Choice(["quick", "paper", "evidence"]), default="quick", show_default=True)
@click.option("--system", "systems", multiple=True, help="Only these systems; may be repeated.")
@click.option("--dataset", "datasets", multiple=True, help="A folder, or standin:NAME[,option=value]; may be repeated.")
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of real datasets.")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each system on each dataset.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at a time.  [default: all cores]")
@click.option("--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("askwise-experiment"), show_default=True
)
def experiment(
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

    Runs strategies on datasets in parallel and writes results and report.html to the folder --out. Finished runs are
    kept there: start the same command again after an interruption, and it goes on.
    """
    from rich.console import Console

    from askwise.experiments.presets import PRESETS, plans
    from askwise.report.run import run_experiment

    console = Console()
    _make_folder(out)
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


commands.add_command(serve)


def _progress(console: "Console") -> "Progress":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
    )


def _watch_demo(console: "Console", data: "Example", seed: int) -> "list[Run]":
    from rich.progress import BarColumn, Progress, TextColumn

    from askwise.demo.run import BUDGET, SYSTEMS, run_system

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
    from askwise.demo.run import write_chart, write_clusters

    clusters, chart = out / "clusters.csv", out / "f1.svg"
    try:
        write_clusters(clusters, data, runs[0].resolution)
        write_chart(chart, runs)
    except OSError as error:
        raise AskwiseError(f"cannot write to the folder {str(out)!r}: {error.strerror}") from None
    return [clusters, chart]


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AskwiseError(f"cannot write to the folder {str(out)!r}: {error.strerror}") from None


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


def main() -> None:
    """Run a command; a failure is one clear line and a non-zero exit."""
    try:
        commands(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _fail("interrupted", 130)
    except SystemError as error:
        # An interrupt in the middle of compiled code arrives like this.
        if not _interrupted(error):
            raise
        _fail("interrupted", 130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except AskwiseError as error:
        _fail(str(error), 1)
    except OSError as error:
        _fail(f"{error.strerror or error}", 1)


def _interrupted(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _fail(message: str, code: int) -> None:
    """Say why, and leave; what could not be written to a closed or full output is not tried again."""
    with suppress(OSError):
        click.echo(f"askwise: {message}", err=True)
    with suppress(OSError):
        sys.stdout.close()
    sys.exit(code)
