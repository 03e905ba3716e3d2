"""`askwise review`: review clusters in the terminal."""

from __future__ import annotations

import getpass
import string
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import opened, project_folder
from askwise.errors import InputError
from askwise.plurals import plural

if TYPE_CHECKING:
    from rich.console import Console

    from askwise.project import Project
    from askwise.project.planning import Plan
    from askwise.project.views import View

KEYS = "a approve, s split, j join, c ask the crowd, z undo, r redo, n next, p previous, q quit"
_AROUND = 9  # lines of a screen that are not records
_LETTERS = string.ascii_lowercase + string.digits


@click.command("review")
@project_folder
@click.option("--person", help="Who reviews.  [default: your user name]")
@click.option("--all", "every", is_flag=True, help="Include clusters that were approved or sent to the crowd.")
@click.option("--order", default="help", show_default=True, help="help, size, confidence or id; -size reverses it.")
@click.option("--least-size", type=click.IntRange(min=1), default=1, show_default=True, help="Records of a cluster.")
@click.option("--words", default="", help="Only clusters with a record that has all of these words.")
@click.option(
    "--approve-above",
    type=click.FloatRange(0, 1, min_open=True),
    help="Approve clusters from this confidence on, and end.",
)
def command(
    folder: Path,
    person: str | None,
    every: bool,
    order: str,
    least_size: int,
    words: str,
    approve_above: float | None,
) -> None:
    """Review clusters in the terminal, the most useful ones first.

    \b
    a  approve, and go on          s  split: name the records that leave
    j  join with another cluster   c  ask the crowd
    z  undo, r redo                n  next, p previous, q quit

    Before a split or a join, you see what it changes. Every step is kept at once.
    """
    from rich.console import Console

    from askwise.project.reviewing import Reviewing

    with opened(folder) as project:
        queue = Reviewing(project)
        states = [] if every else ["new", "in review"]
        view = queue.view(states=states, order=order, least_size=least_size, words=words)
        who = getpass.getuser() if person is None else person
        if approve_above is not None:
            clusters, records = queue.above(approve_above, view)
            if clusters:
                queue.approve_above(approve_above, view, who)
            click.echo(f"{plural(clusters, 'cluster')} with {plural(records, 'record')} approved")
            return
        _Desk(project, queue, view, who, Console(highlight=False)).run()


class _Desk:
    """One steward at a terminal."""

    def __init__(self, project: Project, queue: object, view: View, person: str, console: Console) -> None:
        from askwise.project.reviewing import Reviewing

        assert isinstance(queue, Reviewing)
        self._project, self._queue, self._view = project, queue, view
        self._person, self._console = person, console
        self._seen: list[int] = []  # where `previous` leads
        self._done = 0

    def run(self) -> None:
        """Show cluster after cluster until the steward quits, or none is left."""
        from askwise.crowds.terminal import one_key

        now = self._first()
        while now is not None:
            members = self._show(now)
            self._console.print(f"({KEYS}) ", end="")
            key = one_key(self._console)
            if key == "q":
                break
            try:
                now = self._do(key, now, members)
            except InputError as error:
                self._say(str(error))
        else:
            self._say("there is no cluster left to review")
        self._say(f"{plural(self._done, 'step')} kept")

    def _first(self) -> int | None:
        return self._queue.around(self._view, -1).next

    def _do(self, key: str, now: int, members: tuple[str, ...]) -> int | None:
        """Carry out a key; returns the cluster to show next."""
        editing = self._project.editing
        if key == "a":
            after = self._queue.around(self._view, now).next
            editing.review("approve", [members], self._person)
            return self._on(now, after)
        if key == "c":
            after = self._queue.around(self._view, now).next
            asked = self._queue.ask_crowd([now], self._person)
            self._say(f"{plural(asked, 'pair')} will be asked first")
            return self._on(now, after)
        if key == "n":
            after = self._queue.around(self._view, now).next
            self._seen.append(now)
            return after if after is not None else self._first()
        if key == "p":
            while self._seen:
                before = self._seen.pop()
                if self._project.board().find(before) is not None:
                    return before
            return self._queue.around(self._view, now).previous or now
        if key in ("z", "r"):
            self._turn(key == "z")
        elif key == "s":
            self._split(members)
        elif key == "j":
            self._join(now, members)
        found = self._project.board().of(members[0])
        return int(self._project.board().ids[found])

    def _on(self, now: int, after: int | None) -> int | None:
        self._done += 1
        self._seen.append(now)
        return after if after is not None else self._first()

    def _turn(self, back: bool) -> None:
        desk = self._project.desk
        number = desk.undoable(self._person) if back else desk.redoable(self._person)
        if number is None:
            raise InputError(f"there is nothing to {'undo' if back else 'redo'}")
        (self._project.editing.undo if back else self._project.editing.redo)(number, self._person)
        self._done += 1
        self._say(f"step {number} is {'undone' if back else 'redone'}")

    def _split(self, members: tuple[str, ...]) -> None:
        said = self._read("which leave? letters; a comma between groups: ")
        known = dict(zip(_names(len(members)), members, strict=True))
        groups = [[known[name] for name in group.split()] for group in _grouped(said, known)]
        if any(groups):
            self._edit("split", groups)

    def _join(self, now: int, members: tuple[str, ...]) -> None:
        nearest = self._queue.row(now).cluster.nearest
        board = self._project.board()
        near = None if nearest is None else int(board.ids[board.of(nearest)])
        said = self._read(f"join with which cluster? [{'none is near' if near is None else near}] ").strip()
        number = int(said) if said.isdigit() and len(said) < 18 else near if not said else None
        if number is None:
            raise InputError("name a cluster by its number")
        self._edit("join", [[members[0], board.names(board.at(number))[0]]])

    def _edit(self, kind: str, groups: list[list[str]]) -> None:
        plan = self._project.editing.preview(kind, groups)
        self._show_plan(plan)
        if self._read("go on? (y/n) ").strip().lower() == "y":
            self._project.editing.edit(kind, groups, self._person)
            self._done += 1

    def _show_plan(self, plan: Plan) -> None:
        for title, clusters in (("now", plan.before), ("then", plan.after), ("elsewhere", plan.elsewhere)):
            for members in clusters:
                shown = ", ".join(members[:8]) + (f" and {len(members) - 8} more" if len(members) > 8 else "")
                self._say(f"{title:>9}: {shown}")

    def _read(self, prompt: str) -> str:
        self._console.print(prompt, end="", markup=False)
        return sys.stdin.readline().rstrip("\n") if not sys.stdin.isatty() else input()

    def _say(self, text: str) -> None:
        from askwise.crowds.terminal import clean

        self._console.print(clean(text), markup=False, soft_wrap=True)

    def _show(self, now: int) -> tuple[str, ...]:
        """Show a cluster as a table, differences first; returns its records."""
        from rich import box
        from rich.table import Table

        from askwise.crowds.terminal import clean
        from askwise.differences import shown

        row, around = self._queue.row(now), self._queue.around(self._view, now)
        members = row.cluster.members
        place = "" if around.place is None else f" · {around.place:,} of {around.total:,}"
        self._say(
            f"cluster {now}{place} · {row.state} · {row.cluster.confidence:.0%} likely right · "
            f"{plural(len(members), 'record')}{' · conflict' if row.conflict else ''}"
        )
        fits = members[: max(3, self._console.height - _AROUND)]
        records = [{name: clean(shown(value)) for name, value in self._project.record(one).items()} for one in fits]
        fields = [name for name in (records[0] if records else {}) if any(record[name] for record in records)]
        equal = [name for name in fields if len({record[name] for record in records}) == 1 and len(records) > 1]
        different = sorted((name for name in fields if name not in equal), key=lambda name: _variety(records, name))
        table = Table(box=box.SIMPLE_HEAD, show_edge=False)
        for title in ("", self._project.about.id, *different):
            table.add_column(clean(title), overflow="ellipsis", no_wrap=True, max_width=30)
        for name, member, record in zip(_names(len(fits)), fits, records, strict=True):
            table.add_row(name, clean(member), *(record[field] for field in different))
        self._console.print(table)
        if len(members) > len(fits):
            self._say(f"and {plural(len(members) - len(fits), 'more record')}")
        if equal:
            text = "equal: " + ", ".join(f"{name} {records[0][name]}" for name in equal)
            self._say(text if len(text) <= self._console.width else text[: self._console.width - 1] + "…")
        return members


def _variety(records: list[dict[str, str]], name: str) -> int:
    """Fields that most records have and that have several values come first."""
    values = [record[name] for record in records if record[name]]
    return -len(values) - len(set(values))


def _names(count: int) -> list[str]:
    """a, b, ..., z, 0, ..., 9, aa, ab, ..."""
    names = list(_LETTERS)
    while len(names) < count:
        names += [first + second for first in string.ascii_lowercase for second in _LETTERS]
    return names[:count]


def _grouped(said: str, known: dict[str, str]) -> list[str]:
    """Groups of names with spaces between them; "ac" is "a c" where names are single letters."""
    groups = []
    for part in said.lower().split(","):
        words = part.split()
        if len(known) <= len(_LETTERS):
            words = [letter for word in words for letter in word]
        for word in words:
            if word not in known:
                raise InputError(f"there is no record {word!r} here")
        groups.append(" ".join(words))
    return [group for group in groups if group]
