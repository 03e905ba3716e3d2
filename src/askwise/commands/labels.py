"""`askwise labels`: what the votes say of pairs, for Splink."""

from pathlib import Path

import click

from askwise.commands.common import format_option, opened, out_option, project_folder, write


@click.command("labels")
@project_folder
@out_option
@format_option
def command(folder: Path, out: Path | None, form: str | None) -> None:
    """Write every pair with votes and the probability that it is the same, as Splink's clerical labels."""
    with opened(folder) as project:
        from askwise.project.exports import label_columns

        write(label_columns(project), out, form)
