"""`askwise answer`: add votes from a file."""

from pathlib import Path

import click

from askwise.commands.common import opened, project_folder
from askwise.plurals import plural


@click.command("answer")
@project_folder
@click.argument("votes", type=click.Path(path_type=Path))
@click.option(
    "--form",
    type=click.Choice(["votes", "mturk", "dedupe", "nomenklatura"]),
    help="[default: recognised from the file]",
)
@click.option("--known", is_flag=True, help="These answers are known to be right; use them as control questions.")
def command(folder: Path, votes: Path, form: str | None, known: bool) -> None:
    """Add the votes in the file VOTES (CSV, Parquet, JSON), all or none.

    Columns: unique_id_l, unique_id_r, worker, label; or crowd-kit's task, worker, label, with the task that `askwise
    next` wrote. A label is 1 or yes, 0 or no, empty or unsure. Other columns are ignored, so you can fill in worker and
    label in a file of `askwise next`. The same file counts once, however often it is given.

    Other formats: batch results of Mechanical Turk (HITId, WorkerId, Input.unique_id_l, Input.unique_id_r, Answer.*),
    dedupe's training.json, and nomenklatura's judgements.

    With --known, the answers do not count as votes. They become control questions, by which workers are tested; the
    settings of the project say what share of the questions are control questions.
    """
    import hashlib

    from askwise.project.votes_from_tools import read_archive

    with opened(folder) as project:
        found = read_archive(votes, project, form)
        if known:
            from askwise.project.studies import Studies

            kept = Studies(project).know(found)
            click.echo(f"{plural(kept, 'answer is', 'answers are')} known; the settings say how often to ask one")
            return
        with votes.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        before = project.store.counts().rows
        project.add_votes(found, "file", request=f"file {digest}")
        project.refresh()
        new = project.store.counts().rows > before
        status = project.status()
    click.echo(
        (f"{plural(len(found), 'vote')} added" if new else f"{votes} was added before; nothing is counted twice")
        + f": {plural(status.asked, 'pair')} asked, {plural(status.clusters, 'cluster')}, "
        + f"reliability {status.reliability:,.1f}"
    )
