"""`askwise backup`: a project in one file."""

from pathlib import Path

import click

from askwise.commands.common import project_folder
from askwise.plurals import plural


@click.command("backup")
@project_folder
@click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.  [default: the folder's name, date and time, .zip]",
)
def command(folder: Path, out: Path | None) -> None:
    """Write the project with all votes to one file with checksums. People may go on working."""
    from datetime import datetime

    from askwise.project.backups import backup

    out = out or Path(f"{folder.resolve().name}-{datetime.now():%Y%m%d-%H%M%S}.zip")
    rows = backup(folder, out)
    click.echo(f"wrote {out} ({plural(rows, 'row')} of votes)", err=True)
