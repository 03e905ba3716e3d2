"""`askwise new`: make a project from one or more files of records."""

from pathlib import Path

import click

from askwise.commands.columns import ignore_option, match_option, notable, show_option
from askwise.commands.common import progress_shown
from askwise.plurals import plural


@click.command("new")
@click.argument("records", nargs=-1, required=True, metavar="RECORDS... [FOLDER]", type=click.Path(path_type=Path))
@click.option("--pairs", type=click.Path(path_type=Path), help="Scored pairs, for example Splink's predictions.")
@click.option("--id", "id_column", help="The column that holds the records' ids.  [default: unique_id]")
@click.option(
    "--source", help="The column that says which source a record is from.  [default: source_dataset, if there is one]"
)
@click.option("--link-only", is_flag=True, help="Compare records of different sources only.")
@click.option(
    "--link", "links", nargs=2, multiple=True, metavar="SOURCE SOURCE", help="Compare these two sources only."
)
@click.option("--no-duplicates-in", multiple=True, metavar="SOURCE", help="No two records of this source are the same.")
@click.option(
    "--rule", "rules", multiple=True, help="A rule that always holds: differs:FIELD, equal:FIELD, or a file of pairs."
)
@match_option
@show_option
@ignore_option
@click.option("--store", help="A PostgreSQL database for the votes: postgresql://user@host/database.")
@click.option("--name", help="The project's name.  [default: the folder's name]")
def command(
    records: tuple[Path, ...],
    pairs: Path | None,
    id_column: str | None,
    source: str | None,
    link_only: bool,
    links: tuple[tuple[str, str], ...],
    no_duplicates_in: tuple[str, ...],
    rules: tuple[str, ...],
    match: str | None,
    show: str | None,
    ignore: str | None,
    store: str | None,
    name: str | None,
) -> None:
    """Make a project from RECORDS (CSV, Parquet, JSON), in FOLDER.

    Each of several files is a source with the name of the file; ids need to be unique within a source only. By default
    the folder has the name of the file. Columns that look like ids or pictures are not matched on, unless --match names
    them; `askwise columns` changes that later.

    Askwise finds the pairs that are worth a question by comparing the records, unless --pairs gives them. Votes are
    kept in the folder, in SQLite, or in --store. A password for that belongs in the environment (PGPASSWORD, or the
    whole address in ASKWISE_STORE).
    """
    from askwise.blocking.possible import ACROSS
    from askwise.project import Project
    from askwise.rules import NO_DUPLICATES
    from askwise.tables import ID_COLUMN, read_sources

    if link_only and links:
        raise click.UsageError("--link-only compares all sources with each other; --link names some: give one of them")
    files, folder = _files_and_folder(records)
    if len(files) > 1 and source is not None:
        raise click.UsageError("of several files each is a source; --source is for one file")
    folder = Path("-".join(file.name.split(".")[0] for file in files)) if folder is None else folder
    with progress_shown() as bar:
        project = Project.new(
            folder,
            files[0] if len(files) == 1 else read_sources(files, id_column or ID_COLUMN),
            pairs,
            id=id_column,
            source=source,
            links=ACROSS if link_only else links or None,
            rules=[*(f"{NO_DUPLICATES}:{name}" for name in no_duplicates_in), *rules],
            match=match,
            show=show,
            ignore=ignore or (),
            store=store,
            name=name,
            progress=bar,
        )
    with project:  # not project.status(): it compiles what measures the clusters
        resolution, table = project.resolution, project.table
        candidates, clusters, recall = (
            resolution.graph.candidates,
            len(resolution.clustering),
            resolution.candidate_recall,
        )
    for line in notable(table):
        click.echo(line)
    lonely = 2 * candidates.alone > len(table)  # then clusters are too small to tell what is missing
    among = "" if lonely else f" (about {recall:.0%} of all matches are among them)"
    click.echo(
        f"{folder}: {plural(len(table), 'record')}, {plural(candidates.total, 'pair')} that might be the same"
        f"{among}, {plural(clusters, 'cluster')} before anyone was asked"
    )
    if lonely:
        click.echo(
            f"{candidates.alone:,} of the records resemble no other. If you expected more pairs, match on fewer "
            "columns: those that say what a record is, with --match"
        )


def _files_and_folder(paths: tuple[Path, ...]) -> tuple[tuple[Path, ...], Path | None]:
    """The last of several paths is the folder, unless it is a file or has the ending of a table."""
    from askwise.sources import ENDINGS

    last = paths[-1]
    table = last.is_file() or last.name.endswith(ENDINGS)
    return (paths, None) if len(paths) == 1 or table else (paths[:-1], last)
