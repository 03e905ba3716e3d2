"""`askwise explain`: why two records are together or apart."""

from pathlib import Path

import click

from askwise.commands.common import opened, project_folder


@click.command("explain")
@project_folder
@click.argument("left")
@click.argument("right")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option("--chart", type=click.Path(dir_okay=False, path_type=Path), help="Write a chart (SVG) to this file.")
def command(folder: Path, left: str, right: str, as_json: bool, chart: Path | None) -> None:
    """Explain why the records LEFT and RIGHT are together or apart.

    The log-odds of the pair are a sum: the prior, each field, features from other candidates, each vote, and rules. For
    two records of one cluster, the strongest path between them follows.
    """
    import json

    with opened(folder) as project:
        found = project.resolution.explain(left, right)
    click.echo(json.dumps(found.as_dict(), ensure_ascii=False) if as_json else str(found))
    if chart is not None:
        chart.write_text(found.chart(), encoding="utf-8")
        click.echo(f"wrote {chart}", err=True)
