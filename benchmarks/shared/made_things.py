"""A made-up table with known entities, for tests that ask crowds."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

from askwise.project import Project


def records(entities: int, each: int) -> list[dict[str, str]]:
    """Records whose field `name` says which entity they are of."""
    return [
        {"unique_id": f"e{entity}r{number}", "name": f"thing {entity}", "copy": f"copy {number}"}
        for entity in range(entities)
        for number in range(each)
    ]


def made_project(folder: Path, entities: int = 10, each: int = 4, near: int = 10**9, **settings: Any) -> Project:
    """A project in which every pair may be asked, of records that are at most `near` apart in the table."""
    rows = records(entities, each)
    ids = [row["unique_id"] for row in rows]
    pairs = [
        {"unique_id_l": ids[one], "unique_id_r": ids[two], "score": 0.5}
        for one, two in combinations(range(len(ids)), 2)
        if two - one <= near
    ]
    project = Project.new(folder, rows, pairs, name="Things")
    project.change_settings(**settings)
    return project


def truth(first: dict[str, str], second: dict[str, str]) -> str:
    """What is right of two records."""
    return "yes" if first["name"] == second["name"] else "no"
