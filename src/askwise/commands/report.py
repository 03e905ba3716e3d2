"""`askwise report`: the project on one page that opens offline."""

from pathlib import Path

import click

from askwise.commands.common import opened, project_folder


@click.command("report")
@project_folder
@click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The file to write.",
)
def command(folder: Path, out: Path) -> None:
    """Write a self-contained HTML page: questions and their cost, clusters, workers, charts."""
    from askwise.report.page import write_page
    from askwise.report.project import project_report

    with opened(folder) as project:
        write_page(out, project_report(project))
    click.echo(f"wrote {out}", err=True)
