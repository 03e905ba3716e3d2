"""What several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.cells import cell
from askwise.errors import AskwiseError
from askwise.plurals import plural

if TYPE_CHECKING:
    from askwise.parallel import Progress
    from askwise.project import Project
    from askwise.project.exports import Columns


class Commands(click.Group):
    """Commands with a common name; an unknown one is an error that says which there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names."""
        known = ctx.resilient_parsing or args[0].startswith("-")  # a shell that completes a line gets no errors
        if not known and self.get_command(ctx, args[0]) is None:
            names = self.list_commands(ctx)
            near = get_close_matches(args[0], names)
            raise click.UsageError(f"There is no command {args[0]!r}; choose {', '.join(near or names)}.", ctx)
        return super().resolve_command(ctx, args)


def _in_a_folder(_context: click.Context, _option: click.Parameter, out: Path | None) -> Path | None:
    """Refuse a file in a folder that does not exist, before anything is computed."""
    if out is not None and not out.parent.is_dir():
        raise AskwiseError(
            f"cannot write {out}: the folder {out.parent} does not exist; make it first, or name another"
        )
    return out


project_folder = click.argument("folder", type=click.Path(path_type=Path))
out_option = click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_in_a_folder,
    help="The file to write.  [default: the screen]",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json", "parquet"]),
    help="[default: from the file's name, or csv]",
)

formulas_option = click.option(
    "--formulas",
    is_flag=True,
    help="In CSV, leave text alone that a spreadsheet would run as a formula; by default it gets an apostrophe.",
)


def make_folder(out: Path) -> None:
    """Make a folder, or raise an error in one line."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AskwiseError(f"cannot write to the folder {str(out)!r}: {error.strerror}") from None


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """A progress bar for what takes more than two seconds; it says so if the engine is being compiled."""
    from askwise.blocking.progress import progress_bar
    from askwise.kernels.compiled import FIRST_USE, told_of_compiling

    with progress_bar() as show:

        def compiling(count: int) -> None:
            show("compiling the engine, once", count, max(count, FIRST_USE))

        with told_of_compiling(compiling):
            yield show


@contextmanager
def opened(folder: Path) -> Iterator[Project]:
    """Open a project, with a progress bar if that takes long."""
    from askwise.project import Project

    with progress_shown() as show:
        project = Project.open(folder, progress=show)
    with project:
        yield project


def write(columns: Columns, out: Path | None, form: str | None, formulas: bool = False) -> None:
    """Write columns to a file or the screen; name the file."""
    from askwise.project.exports import format_of, write_columns

    write_columns(columns, out, format_of(out, form), formulas=formulas)
    if out is not None:
        rows = len(next(iter(columns.values())))
        click.echo(f"wrote {out} ({plural(rows, 'row')})", err=True)
        guarded = [name for name, values in columns.items() if any(cell(value) is not value for value in values)]
        if guarded and format_of(out, form) == "csv" and not formulas:
            click.echo(
                f"texts that a spreadsheet would run as a formula got an apostrophe, in {', '.join(guarded)}; "
                "--formulas, JSON and Parquet leave them alone",
                err=True,
            )
