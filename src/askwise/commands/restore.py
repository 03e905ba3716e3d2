"""`askwise restore`: restore a project from a backup."""

from pathlib import Path

import click

from askwise.plurals import plural


@click.command("restore")
@click.argument("backup", type=click.Path(exists=True, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--store", help="An empty PostgreSQL database for the votes.  [default: ASKWISE_STORE, or SQLite]")
def command(backup: Path, folder: Path, store: str | None) -> None:
    """Restore the project in BACKUP to FOLDER, which must be new or empty.

    Checksums are compared, and the result is checked as by `askwise doctor`. Votes go to the folder, in SQLite, or to
    --store, whichever database they were in before.
    """
    from askwise.project.backups import restore

    rows = restore(backup, folder, store)
    click.echo(f"{folder}: restored, {plural(rows, 'row')} of votes")
