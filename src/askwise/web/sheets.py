"""The records of a cluster as a table: which columns are shown, which are equal in all records, and what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askwise.differences import Part, differences, shown
from askwise.project import Project
from askwise.web.access import Visitor
from askwise.web.drawings import letter
from askwise.web.site import Site

LONGEST = 200
_COMPARED = 2000


@dataclass(frozen=True, slots=True)
class Cell:
    """A value in parts, with differences from the most common value marked; or the address of a picture."""

    name: str
    parts: tuple[Part, ...] = ()
    picture: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A record: its id, its letter, its place in the cluster and its cells."""

    id: str
    letter: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The columns that differ between records, those that are `equal` or `empty` in all, and those that are `hidden`.

    `compared` is how many records were compared for that.
    """

    columns: list[str]
    equal: list[tuple[str, str]]
    empty: list[str]
    hidden: list[str]
    lines: list[Line]
    compared: int


def ordered_columns(fields: Sequence[str], chosen: object) -> list[tuple[str, bool]]:
    """All fields in the chosen order, and whether each is shown; new fields come last.

    `chosen` is a list of names in order, hidden ones with a minus in front.
    """
    names = [name for name in chosen if isinstance(name, str)] if isinstance(chosen, list) else []
    found: dict[str, bool] = {}
    for text in names:
        is_shown = not text.startswith("-")
        name = text if is_shown else text[1:]
        if name in fields:
            found.setdefault(name, is_shown)
    return [*found.items(), *((name, True) for name in fields if name not in found)]


def columns_of(project: Project, visitor: Visitor) -> list[tuple[str, bool]]:
    """The columns that a visitor may see, as chosen by them or for the project."""
    hidden = project.hidden(visitor.role)
    fields = [name for name in project.table.shown if name not in hidden]
    return ordered_columns(fields, project.desk.preference(visitor.name, "columns"))


def sheet(
    site: Site, members: Sequence[str], page: Collection[str], columns: Sequence[tuple[str, bool]], fold: bool = True
) -> Sheet:
    """The records of one page of a cluster; columns are compared over the whole cluster, up to 2,000 records."""
    project = site.project
    pictures = project.settings.image_fields
    seen = list(dict.fromkeys([*members[:_COMPARED], *page]))
    records = {member: project.record(member) for member in seen}
    wanted = [name for name, is_shown in columns if is_shown]
    texts = {name: {member: shown(records[member][name]) for member in seen} for name in wanted}
    counted = {name: Counter(text for text in texts[name].values() if text) for name in wanted}
    empty = [name for name in wanted if not counted[name]]
    equal = [
        name
        for name in wanted
        if fold and len(seen) > 1 and name not in pictures and len(set(texts[name].values())) == 1
    ]
    left = [name for name in wanted if name not in empty and name not in equal]
    usual = {name: counted[name].most_common(1)[0][0] for name in left}

    def cell(member: str, name: str) -> Cell:
        text = texts[name][member]
        if name in pictures and text:
            return Cell(name, picture=site.pictures.address(member, name))
        return Cell(name, _marked(_short(usual[name]), _short(text)))

    at = {member: place for place, member in enumerate(members)}
    lines = [Line(member, letter(at[member]), [cell(member, name) for name in left]) for member in page]
    same = [(name, _short(next(iter(texts[name].values())))) for name in equal if name not in empty]
    return Sheet(left, same, empty, [name for name, is_shown in columns if not is_shown], lines, len(seen))


@lru_cache(20_000)
def _marked(usual: str, text: str) -> tuple[Part, ...]:
    return tuple(differences(usual, text)[1])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
