"""`askwise spark`: resolve tables of any size on Spark."""

from __future__ import annotations

from pathlib import Path

import click

from askwise.commands.common import format_option, out_option, write
from askwise.plurals import plural


@click.command("spark")
@click.argument("records")
@click.argument("pairs")
@click.argument("votes", required=False)
@click.option("--state", required=True, help="The folder, or its address, for the results.")
@click.option("--count", "-n", type=click.IntRange(min=1), default=1000, show_default=True, help="How many questions.")
@click.option("--score", help="The column with the scores.  [default: the first known one]")
@click.option("--evidence", type=click.Choice(["auto", "scores"]), default="auto", show_default=True)
@click.option("--clustering", default="scc+moves", show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--rule", "rules", multiple=True, help="A rule; see askwise rules --help.")
@click.option("--bucket", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Pairs in each task.")
@click.option(
    "--largest",
    type=click.IntRange(min=1),
    default=5_000_000,
    show_default=True,
    help="A component with more pairs is clustered on the driver.",
)
@click.option("--master", help="local[2], spark://host:7077, ...  [default: what spark-submit or Spark's settings say]")
@click.option("--memory", default="4g", show_default=True, help="Memory of Spark on one machine (--master local[...]).")
@out_option
@format_option
def command(
    records: str,
    pairs: str,
    votes: str | None,
    state: str,
    count: int,
    score: str | None,
    evidence: str,
    clustering: str,
    seed: int,
    rules: tuple[str, ...],
    bucket: int,
    largest: int,
    master: str | None,
    memory: str,
    out: Path | None,
    form: str | None,
) -> None:
    """Resolve RECORDS with scored PAIRS and VOTES, tables far beyond memory, and write the next questions.

    Tables are Parquet, or CSV or JSON by their names. Add votes to their table and run again: only what they touch is
    computed again. Clusters and questions are tables in the folder of the state.
    """
    from rich.console import Console

    from askwise.spark import resolve_frames
    from askwise.spark.session import opened, read

    with Console(stderr=True).status("starting Spark") as status, opened(master, memory) as spark:
        tables = [None if name is None else read(spark, name) for name in (records, pairs, votes)]
        found = resolve_frames(
            *tables,  # type: ignore[arg-type]
            state=state,
            questions=count,
            score=score,
            clustering=clustering,
            evidence=evidence,
            seed=seed,
            rules=rules,
            bucket=bucket,
            largest=largest,
            progress=status.update,
        )
        table = found.questions.orderBy("rank").toArrow()
    write({name: table.column(name).to_pylist() for name in table.column_names}, out, form)
    done = f"clustered {found.clustered:,} of {plural(found.components, 'component')}"
    click.echo(f"{done}; the clusters are in {found.folder}/clusters", err=True)
