"""`askwise clusters`: write the result to a file."""

from pathlib import Path

import click

from askwise.commands.common import format_option, formulas_option, opened, out_option, project_folder, write


@click.command("clusters")
@project_folder
@out_option
@format_option
@formulas_option
@click.option("--approved", is_flag=True, help="Only approved clusters.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1),
    help="Only clusters with at least this confidence; with --approved, also the approved ones.",
)
@click.option("--fields", is_flag=True, help="With the records' fields.")
@click.option("--review", is_flag=True, help="With the review state, who reviewed it and when.")
@click.option("--golden", is_flag=True, help="With the golden record of the cluster, as golden_NAME.")
@click.option("--one", is_flag=True, help="One row for each cluster: its golden record.")
def command(
    folder: Path,
    out: Path | None,
    form: str | None,
    formulas: bool,
    approved: bool,
    confidence: float | None,
    fields: bool,
    review: bool,
    golden: bool,
    one: bool,
) -> None:
    """Write every record with its cluster's id and how far to trust the cluster.

    A cluster keeps its id as long as most of its records stay together. `confidence` is the probability that the
    cluster is right, `connectivity` that it holds together, `separation` that it is apart from its nearest neighbour.
    """
    with opened(folder) as project:
        from askwise.project.exports import Wanted, cluster_columns

        wanted = Wanted(approved, confidence, fields, golden, review, one)
        write(cluster_columns(project, wanted), out, form, formulas)
