"""Files that do no harm: formulas in exports, text that turns around, projects that cannot be written."""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from projects import many, state, vote_for
from sites import PAIRS, PEOPLE, served

from askwise import Project, Vote
from askwise.cells import cell, visible, without_mark
from askwise.cli import commands
from askwise.errors import StoreError
from askwise.project.doctor import examine
from askwise.report.project import project_report

OVERRIDE = "\u202e"
RECORDS = [
    {"unique_id": "=1+1", "=name": "=cmd|' /C calc'!A0", "city": "-5"},
    {"unique_id": "@b", "=name": "+SUM(A1)", "city": "-x"},
    {"unique_id": "-7", "=name": "\tplain", "city": "'quoted"},
    {"unique_id": "d", "=name": f"gpj{OVERRIDE}exe", "city": "Rome"},
]
LISTED = [
    {"unique_id_l": one, "unique_id_r": two, "score": 0.5}
    for one, two in [("=1+1", "@b"), ("=1+1", "-7"), ("@b", "d"), ("-7", "d")]
]


def run(*arguments: object) -> str:
    done = CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.new(tmp_path / "p", RECORDS, LISTED) as made:
        yield made


def test_no_cell_is_a_formula(project: Project, tmp_path: Path) -> None:
    project.add_votes([Vote("=1+1", "@b", "=HYPERLINK(1)", True)], "file")
    for command in (["next", "-n", "9"], ["clusters"], ["labels"], ["labels", "--for", "crowd-kit"]):
        out = tmp_path / "out.csv"
        run(*command[:1], project.folder, *command[1:], "-o", out)
        with out.open(newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert any(cell.startswith("'") for cell in cells), command
        assert not [cell for cell in cells if cell[:1] in set("=+@\t\r") or cell == "-x"], command
        run(*command[:1], project.folder, *command[1:], "-o", out, "--formulas")
        with out.open(newline="") as file:
            raw = [cell for row in csv.reader(file) for cell in row]
        assert [without_mark(cell) for cell in cells] == raw, command
        out.unlink()
    run("clusters", project.folder, "-o", tmp_path / "out.json")
    assert '"=1+1"' in (tmp_path / "out.json").read_text(), "only CSV goes to spreadsheets"


@pytest.mark.parametrize("columns", [["unique_id_l", "unique_id_r"], ["task"]])
def test_answers_come_back_from_a_spreadsheet(project: Project, tmp_path: Path, columns: list[str]) -> None:
    run("next", project.folder, "-n", 9, "-o", tmp_path / "ask.csv")
    with (tmp_path / "ask.csv").open(newline="") as file, (tmp_path / "votes.csv").open("w", newline="") as answers:
        writer = csv.writer(answers)
        writer.writerow([*columns, "worker", "label"])
        for row in csv.DictReader(file):
            writer.writerow([*(row[name] for name in columns), "ann", 1])
    run("answer", project.folder, tmp_path / "votes.csv")
    pairs = {tuple(sorted((str(row["unique_id_l"]), str(row["unique_id_r"])))) for row in LISTED}
    assert {(row.left, row.right) for row in project.store.votes()} == pairs


@given(st.one_of(st.text(), st.from_regex(r"[=+\-@\t'].*"), st.integers().map(str)))
def test_cells(text: str) -> None:
    safe = str(cell(text))
    assert without_mark(safe) == text or text.startswith("'")
    if safe[:1] in set("=+-@\t\r\n"):
        float(safe)  # a number


def test_numbers_stay_numbers() -> None:
    assert [cell(value) for value in (-1.5, -2, None, "-1.5", "+3")] == [-1.5, -2, None, "-1.5", "+3"]


def test_text_that_turns_around_is_shown_with_a_mark(tmp_path: Path) -> None:
    assert visible(f"gpj{OVERRIDE}exe\u2066\u2069 \u05d0\u200f") == "gpj\ufffdexe\ufffd\ufffd \u05d0\u200f"
    people = [{**person, "name": f"{person['name']} {OVERRIDE}txt"} for person in PEOPLE]
    with served(tmp_path / "project", people, PAIRS) as site:
        owner, worker = site.owner(), site.worker("ann")
        for page in (worker.get("/work"), owner.get("/progress"), owner.get("/pair?left=a1&right=a2")):
            assert OVERRIDE not in page
            assert "\ufffdtxt" in page
        assert OVERRIDE in site.program().call("GET", "/api/record?id=a1")[1]["fields"]["name"], "programs get the data"
        with site.project.lock:
            assert OVERRIDE not in project_report(site.project)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Act as an account that owns nothing, because root may write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that every account can look into."""
    place = Path(tempfile.mkdtemp(prefix="askwise-test-"))
    place.chmod(0o755)
    yield place
    for path in (place, *place.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    shutil.rmtree(place)


def locked(folder: Path) -> None:
    """Readable by all, writable by no one but root."""
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


def test_a_project_that_cannot_be_written_opens_for_reading(shelf: Path) -> None:
    folder = shelf / "p"
    with Project.new(folder, many()) as project:
        vote_for(project, "ann", 10)
        project.refresh()
        project.clusters()
        expected, rows = state(project), project.clusters()
        run("report", folder, "-o", shelf / "report.html")  # what is loaded late is loaded
    locked(folder)
    content = {path.name: path.read_bytes() for path in folder.iterdir()}
    with as_nobody():
        with Project.open(folder) as project:
            assert (state(project), project.clusters()) == (expected, rows)
            assert project.status().votes == 10
            for change in (
                lambda: project.take("bob"),
                lambda: project.undo("ann"),
                lambda: project.exclude("ann"),
                lambda: project.change_settings(votes=2),
                lambda: project.add_votes([Vote("c000", "c001", "bob", True)], "file"),
                lambda: project.add_records([{"unique_id": "new", "name": "Arla Jansen"}]),
            ):
                with pytest.raises(StoreError, match="reading only"):
                    change()
        assert "votes           10" in run("status", folder)
        assert run("clusters", folder).count("\n") == 151
        assert all(finding.good for finding in examine(folder))
        said = CliRunner().invoke(commands, ["serve", str(folder), "--port", "0"])
        assert "cannot be written to" in str(said.exception)
        with tempfile.TemporaryDirectory() as place:
            run("report", folder, "-o", Path(place) / "report.html")
            run("backup", folder, "-o", Path(place) / "backup.zip")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == content


def test_a_project_that_cannot_be_read_says_so(shelf: Path) -> None:
    folder = shelf / "p"
    Project.new(folder, many()).close()  # for its owner alone
    with as_nobody():
        if os.geteuid() != folder.stat().st_uid:
            said = CliRunner().invoke(commands, ["status", str(folder)])
            assert "cannot read" in str(said.exception)
