"""`askwise assign`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from askwise import Project, Vote
from askwise.cli import commands

PEOPLE = [{"unique_id": f"p{n}", "name": f"Anna {n}"} for n in range(4)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Project.new(tmp_path / "people", PEOPLE) as project:
        project.invites.add("a digest", "ann")
        project.add_votes([Vote("p0", "p1", f"w{n}", n % 2 == 0) for n in range(4)], "test")
    return tmp_path / "people"


def run(folder: Path, *arguments: str) -> str:
    result = CliRunner().invoke(commands, ["assign", str(folder), *arguments])
    return result.output if result.exception is None else f"{result.output}{result.exception}"


def test_assigning_listing_and_withdrawing(folder: Path) -> None:
    assert run(folder, "ann", "--pair", "p3", "p2", "--pair", "p0", "p2") == "2 questions assigned to ann\n"
    assert run(folder) == "p2\tp3\tann\np0\tp2\tann\n"
    assert run(folder, "--pair", "p0", "p2", "--withdraw") == "1 question withdrawn\n"
    assert run(folder, "ann", "--conflicts") == "1 question assigned to ann\n"
    assert run(folder, "ann", "--withdraw") == "2 questions withdrawn\n"
    assert run(folder) == ""
    with Project.open(folder) as project:
        number = project.board().ids[project.board().of("p0")]
    assert run(folder, "ann", "--cluster", str(number)) == "1 question assigned to ann\n"


def test_what_is_missing_is_named(folder: Path) -> None:
    assert "Name a worker" in run(folder, "ann")
    assert "Name a worker" in run(folder, "--withdraw")
    assert "choose from: ann" in run(folder, "bob", "--conflicts")
    assert "no cluster 99" in run(folder, "ann", "--cluster", "99")
