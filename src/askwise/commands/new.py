"""`askwise new`: a project from a file of records."""

from pathlib import Path

import click

from askwise.web.wording import plural


@click.command("new")
@click.argument("records", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), required=False)
@click.option("--pairs", type=click.Path(path_type=Path), help="Scored pairs, say Splink's predictions.")
@click.option("--id", "id_column", help="The column that holds the records' ids.  [default: unique_id]")
@click.option("--store", help="A PostgreSQL database for the votes: postgresql://user@host/database.")
@click.option("--name", help="What to call the project.  [default: the folder's name]")
def command(
    records: Path, folder: Path | None, pairs: Path | None, id_column: str | None, store: str | None, name: str | None
) -> None:
    """Make a project out of RECORDS (CSV, Parquet, JSON), in FOLDER.

    By default the folder is called like the file, without its ending. The pairs that are worth a question are found by
    comparing the records, unless --pairs gives them. Votes are kept in the folder, in SQLite, or in --store; a password
    for it belongs in the environment (PGPASSWORD, or the whole address in ASKWISE_STORE).
    """
    from askwise.blocking.bar import progress_bar
    from askwise.project import Project

    folder = Path(records.name.split(".")[0]) if folder is None else folder
    with progress_bar() as show:
        project = Project.new(folder, records, pairs, id=id_column, store=store, name=name, progress=show)
    with project:
        status = project.status()
    click.echo(
        f"{folder}: {plural(status.records, 'record')}, {plural(status.candidates, 'pair')} that might be the same, "
        f"{plural(status.clusters, 'cluster')} before anyone was asked"
    )
