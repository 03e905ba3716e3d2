"""`askwise add`: more records for a project."""

from pathlib import Path

import click

from askwise.commands.common import opened, progress_shown, project_folder
from askwise.plurals import plural


@click.command("add")
@project_folder
@click.argument("records", type=click.Path(path_type=Path))
@click.option("--pairs", type=click.Path(path_type=Path), help="Scored pairs of the new records.")
def command(folder: Path, records: Path, pairs: Path | None) -> None:
    """Add RECORDS to the project in FOLDER; votes, clusters and cluster ids stay."""
    with opened(folder) as project:
        with progress_shown() as show:
            count = project.add_records(records, pairs, progress=show)
        click.echo(f"{folder}: {plural(count, 'record')} more, {len(project.table):,} in all")
