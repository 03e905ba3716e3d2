"""`askwise next`: write the most useful questions to a file."""

from pathlib import Path

import click

from askwise.commands.common import format_option, formulas_option, opened, out_option, project_folder, write


@click.command("next")
@project_folder
@click.option("--count", "-n", type=click.IntRange(min=1), default=10, show_default=True, help="How many questions.")
@out_option
@format_option
@formulas_option
def command(folder: Path, count: int, out: Path | None, form: str | None, formulas: bool) -> None:
    """Write the most useful questions, with both records' fields.

    Get them answered anywhere, and give the votes to `askwise answer`.
    """
    with opened(folder) as project:
        from askwise.project.exports import question_columns

        write(question_columns(project, count), out, form, formulas)
