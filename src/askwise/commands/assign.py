"""`askwise assign`: let only one worker answer some questions."""

from __future__ import annotations

from pathlib import Path

import click

from askwise.commands.common import opened, project_folder
from askwise.plurals import plural


@click.command("assign")
@project_folder
@click.argument("worker", default="")
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="LEFT RIGHT", help="A pair; can be repeated.")
@click.option("--cluster", "clusters", type=int, multiple=True, help="All conflicts of this cluster; can be repeated.")
@click.option("--conflicts", is_flag=True, help="All conflicts.")
@click.option("--withdraw", is_flag=True, help="Let anyone get these questions again; without pairs, all of WORKER's.")
def command(
    folder: Path,
    worker: str,
    pairs: tuple[tuple[str, str], ...],
    clusters: tuple[int, ...],
    conflicts: bool,
    withdraw: bool,
) -> None:
    """Assign questions to WORKER, who gets them first; others do not get them. Without WORKER, list what is assigned.

    An assignment ends with the worker's vote, or when you withdraw it, exclude the worker or revoke their link.
    """
    from askwise.project.pair_rows import conflicts as all_conflicts
    from askwise.project.pair_rows import conflicts_of

    chosen = bool(pairs or clusters or conflicts)
    with opened(folder) as project:
        found = list(pairs)
        for number in clusters:
            board = project.board()
            found += conflicts_of(project, board.names(board.at(number)))
        if conflicts:
            found += [(row.left, row.right) for row in all_conflicts(project, 0, len(project.table) ** 2)[1]]
        if withdraw and (chosen or worker):
            done = project.reserving.withdraw(found) if chosen else project.reserving.withdraw_all(worker)
            click.echo(f"{plural(done, 'question')} withdrawn")
        elif chosen and worker:
            done = project.reserving.assign(found, worker)
            click.echo(f"{plural(done, 'question')} assigned to {worker}")
        elif chosen or worker or withdraw:
            raise click.UsageError("Name a worker, and say which questions: --pair, --cluster or --conflicts.")
        else:
            for (left, right), to in project.reserving.all().items():
                click.echo(f"{left}\t{right}\t{to}")
