"""A task as the worker sees it: two records field by field, with differences marked, and nothing else."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import uuid4

from askwise.differences import Part, differences, shown
from askwise.project import Project, Task
from askwise.web.pictures import Pictures

ASKED = "Are these two the same?"
LONGEST = 20_000
_CUT = " … (cut here: the text is too long to show)"


@dataclass(frozen=True, slots=True)
class Side:
    """A field of one record: text in parts, or the address of a picture; neither if it is empty."""

    parts: list[Part]
    picture: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A field of both records."""

    name: str
    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on a page. `request` makes the answer count once, however often it is sent."""

    task: int
    request: str
    asked: str
    instructions: str
    fields: list[Field]


def asked(project: Project, pictures: Pictures, task: Task) -> Asked:
    """What the worker sees of a task."""
    return Asked(
        task=task.id,
        request=uuid4().hex,
        asked=ASKED,
        instructions=project.settings.instructions,
        fields=compared(project, pictures, task.left, task.right, project.hidden("worker")),
    )


def compared(project: Project, pictures: Pictures, left: str, right: str, hidden: Collection[str] = ()) -> list[Field]:
    """Two records field by field, without fields that are `hidden` or empty in both."""
    one, other = project.record(left), project.record(right)
    image_fields = project.settings.image_fields
    fields = []
    for name in one:
        ours, theirs = _text(one[name]), _text(other[name])
        if name in hidden or (not ours and not theirs):
            continue
        if name in image_fields:
            pair = Side([], pictures.address(left, name)), Side([], pictures.address(right, name))
            sides = tuple(side if text else Side([]) for side, text in zip(pair, (ours, theirs), strict=True))
        else:
            sides = tuple(Side(parts) for parts in differences(ours, theirs))
        fields.append(Field(name, *sides))
    return fields


def _text(value: object) -> str:
    text = shown(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + _CUT
