"""Changes of a project's files (records, pairs, rules, columns) that are done as a whole, or not at all.

The new files are written beside the old ones, with a note of what they are. Then they take their places, and the store
is told, in one transaction with its own changes. If the process ends in between, whoever opens the project next carries
the change to its end. Everything here happens in a transaction of the store, so only one process does it at a time.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from askwise.errors import ProjectError
from askwise.project import digests
from askwise.project.events import noted
from askwise.project.folder import put_in_place, write_text
from askwise.project.writer import Transaction
from askwise.sources import first_line

PLACE = "changing"
"""The folder in the project's folder where new files wait."""

_NOTE = "change.json"

Said = tuple[str, str, dict[str, Any]]
"""Who does something, what, and more about it."""


class Change(NamedTuple):
    """A change of the inputs number `inputs`: the digest of all files after it, and what the log says of it."""

    inputs: int
    digest: str
    said: Said | None


def prepared(folder: Path, inputs: int, write: Callable[[Path], object], said: Said | None) -> Change:
    """Let `write` put new files into a folder of their own, and note what they are; nothing has changed yet."""
    place = folder / PLACE
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(mode=0o700)
    write(place)
    found = Change(inputs, digests.of_files(folder, place), said)
    write_text(place / _NOTE, json.dumps(found))
    return found


def carried_out(folder: Path) -> None:
    """Put the new files in the places of the old."""
    for path in sorted((folder / PLACE).iterdir()):
        if path.name != _NOTE:
            put_in_place(path, folder / path.name)


def tell(work: Transaction, change: Change) -> None:
    """Tell the store that the new files are in place."""
    work.project["files"] = change.digest
    work.project["inputs"] += 1
    if change.said is not None:
        noted(work, *change.said)


def unfinished(folder: Path) -> Change | None:
    """The change that was prepared, if there is one; its files may be in their places already."""
    path = folder / PLACE / _NOTE
    if not path.exists():
        return None
    try:
        inputs, digest, said = json.loads(path.read_text(encoding="utf-8"))
        return Change(int(inputs), str(digest), None if said is None else (str(said[0]), str(said[1]), dict(said[2])))
    except (OSError, ValueError, TypeError) as error:
        raise ProjectError(f"cannot read {path}: {first_line(error)}") from None


def is_there(folder: Path) -> bool:
    """Whether a change is under way, or was interrupted."""
    return os.path.lexists(folder / PLACE)


def clear(folder: Path, inputs: int) -> None:
    """Forget a change that is done, because the inputs have a later number, or that was never prepared to its end."""
    found = unfinished(folder)
    if found is None or found.inputs < inputs:
        shutil.rmtree(folder / PLACE, ignore_errors=True)
