"""`askwise doctor`: check a project."""

from pathlib import Path

import click

from askwise.commands.common import project_folder
from askwise.errors import AskwiseError


@click.command("doctor")
@project_folder
@click.option(
    "--accept",
    is_flag=True,
    help="Go on with a votes.sqlite that was copied without its log; its latest votes are lost.",
)
def command(folder: Path, accept: bool) -> None:
    """Check the project's folder and its votes, and report problems. Without --accept, nothing is changed."""
    from askwise.project import doctor

    if accept:
        doctor.accept(folder)
    findings = doctor.examine(folder)
    for finding in findings:
        click.echo(f"{'good' if finding.good else 'BAD':<5} {finding.what}: {finding.detail}")
    bad = [finding.what for finding in findings if not finding.good]
    if bad:
        raise AskwiseError(f"not in order: {', '.join(bad)}")
