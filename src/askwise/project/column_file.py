"""columns.json in a project's folder: what columns are used for, if anything was chosen."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from askwise.columns import Use, use_of
from askwise.errors import ProjectError
from askwise.json_text import from_json
from askwise.project.folder import COLUMNS, write_text
from askwise.sources import first_line


def read_use(folder: Path) -> Use:
    """Read the use of columns of the project in a folder."""
    path = folder / COLUMNS
    if not path.exists():
        return Use()
    try:
        found = from_json(path.read_text(encoding="utf-8"))
        return use_of(found["match"], found["show"], found["ignore"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ProjectError(f"cannot read {path}: {first_line(error)}") from None


def write_use(folder: Path, use: Use) -> None:
    """Write it atomically."""
    write_text(folder / COLUMNS, json.dumps(asdict(use), ensure_ascii=False, indent=1))
