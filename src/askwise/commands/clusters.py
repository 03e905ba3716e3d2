"""`askwise clusters`: the result, to a file."""

from pathlib import Path

import click

from askwise.commands.common import format_option, formulas_option, opened, out_option, project_folder, write


@click.command("clusters")
@project_folder
@out_option
@format_option
@formulas_option
def command(folder: Path, out: Path | None, form: str | None, formulas: bool) -> None:
    """Write every record with its cluster's id and how far to trust the cluster.

    A cluster keeps its id as long as most of its records stay together. `confidence` is the smaller of `connectivity`
    (that it holds together) and `separation` (that it is apart from its nearest neighbour).
    """
    with opened(folder) as project:
        from askwise.project.exports import cluster_columns

        write(cluster_columns(project), out, form, formulas)
