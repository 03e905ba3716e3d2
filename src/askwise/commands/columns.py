"""`askwise columns`: what the columns of a project are used for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import opened, project_folder

if TYPE_CHECKING:
    from askwise.tables import Table

match_option = click.option("--match", metavar="COLUMNS", help="Match on these columns only: name,address,phone.")
show_option = click.option("--show", metavar="COLUMNS", help="Show people these columns only, in this order.")
ignore_option = click.option("--ignore", metavar="COLUMNS", help="Neither match on these columns nor show them.")

LOOKS = {
    "id": "looks like an id",
    "picture": "looks like a picture",
    "date": "looks like a date",
    "vector": "holds vectors",
    "constant": "is the same everywhere",
    "empty": "is empty",
}


@click.command("columns")
@project_folder
@match_option
@show_option
@ignore_option
def command(folder: Path, match: str | None, show: str | None, ignore: str | None) -> None:
    """List what the columns of the project in FOLDER are used for, or change it.

    An option that is not given stays as it was. An empty one (--match '') restores the default: all columns are shown,
    and records are matched on all that may help. Votes, decisions and cluster ids stay.
    """
    with opened(folder) as project:
        if (match, show, ignore) != (None, None, None):
            use = project.table.use
            project.use_columns(
                use.match if match is None else match or None,
                use.show if show is None else show or None,
                use.ignore if ignore is None else ignore,
            )
        table = project.table
        for name in table.fields:
            click.echo(f"{name:<24} {table.kinds[name]:<7} {used_for(table, name)}")


def used_for(table: Table, name: str) -> str:
    """What a column is used for, and what it looks like."""
    if name == table.source_column:
        return "where a record is from"
    uses = [("matched", name in table.compared), ("shown", name in table.shown)]
    said = ", ".join(use for use, holds in uses if holds) or "ignored"
    look = table.looks(name)
    return f"{said}; {LOOKS[look]}" if look else said


def notable(table: Table) -> list[str]:
    """A line for each special column: whether records are matched on it, and what it looks like."""
    found = []
    apart = False
    for name in table.fields:
        if name == table.source_column or name in table.use.ignore:
            continue
        alone, look = table.only_in(name), table.looks(name)
        apart = apart or alone is not None
        special = [f"is only in {alone}"] if alone else []
        special += [LOOKS[look]] if look else []
        if special:
            use = "matched on" if name in table.compared else "not matched on"
            found.append(f"column {name}: {', '.join([*special, use])}")
    if apart:
        found.append("columns are compared by name: if two mean the same, give them one name in all files")
    return found
