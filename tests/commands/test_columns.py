"""What columns are used for: found out, or chosen, and changed later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from askwise import Project, Table, candidates
from askwise.cli import commands
from askwise.columns import look_of
from askwise.errors import InputError, UnknownNameError
from askwise.kinds import column_of
from askwise.project.exports import question_columns

NUMBERS = range(30)
ROWS = [
    {
        "unique_id": f"r{at}",
        "name": f"{'Anna Miller' if at % 2 else 'Bert Jones'} {at // 4}",
        "city": "Rome" if at % 3 else "Oslo",
        "customer": f"C-{at:04}",
        "photo": f"pictures/{at}.jpg",
        "born": f"{at % 28 + 1}.{at % 12 + 1}.1980",
        "country": "IT",
        "note": None,
    }
    for at in NUMBERS
]


def run(*arguments: object) -> Any:
    return CliRunner().invoke(commands, list(map(str, arguments)))


@pytest.mark.parametrize(
    ("values", "look"),
    [
        ([f"A-{at}" for at in NUMBERS], "id"),
        ([f"{at:032x}" for at in NUMBERS], "id"),
        ([*(f"A-{at}" for at in NUMBERS[1:]), "a7"], ""),  # two are the same but for signs and case
        ([*(f"A-{at}" for at in NUMBERS[1:]), None], ""),  # one has none
        ([f"A-{at}" for at in NUMBERS[:10]], ""),  # too few to say
        ([f"person {at}" for at in NUMBERS], ""),
        ([1000 + at for at in NUMBERS], "id"),
        ([at * at * 1000 for at in NUMBERS], ""),  # whole and different, but far apart
        ([at + 0.5 for at in NUMBERS], ""),
        ([5] * 30, "constant"),
        (["x"] * 30, "constant"),
        (["x"] * 29 + [None], ""),
        ([None] * 30, "empty"),
        ([f"p/{at % 7}.PNG" for at in NUMBERS], "picture"),
        ([f"{at % 28 + 1}/11/2020" for at in NUMBERS], "date"),
        (["2020-11-18", "2020-11-19"], "date"),
        (["Anna", "Bert"], ""),
    ],
)
def test_what_a_column_looks_like(values: list[Any], look: str) -> None:
    assert look_of(*column_of(values)) == look


def test_columns_that_cannot_help_are_not_matched_on() -> None:
    table = Table.read(ROWS)
    assert table.compared == ["name", "city", "born"]
    assert table.shown == table.fields
    named = Table.read(ROWS, match=["customer", "name"])
    assert named.compared == ["customer", "name"]


def test_candidates_go_by_what_is_matched_on() -> None:
    chosen, found = (candidates(Table.read(ROWS, match="city")), candidates(ROWS, columns=["city"]))
    assert list(chosen) == list(found) != list(candidates(ROWS))
    ignored = Table.read(ROWS, ignore=["name", "born"])
    assert list(candidates(ignored)) == list(found)
    assert ignored.shown == ["city", "customer", "photo", "country", "note"]


@pytest.mark.parametrize(
    ("use", "error", "said"),
    [
        ({"match": "nmae"}, UnknownNameError, "match: there is no column 'nmae'; do you mean 'name'?"),
        ({"show": ["Name"]}, UnknownNameError, "do you mean 'name'"),
        ({"ignore": ["xyz"]}, UnknownNameError, "the columns are: name, city"),
        ({"match": "name", "ignore": "name"}, InputError, "'name' is ignored"),
        ({"match": ""}, InputError, "match names no column"),
        ({"match": 7}, InputError, "match must name columns, not 7"),
        ({"show": [7]}, InputError, "show must name columns by texts, not 7"),
    ],
)
def test_names_that_cannot_be(use: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Table.read(ROWS, **use)


def test_the_source_is_not_matched_on() -> None:
    rows = [{"unique_id": 1, "source_dataset": "crm", "name": "Anna"}]
    with pytest.raises(InputError, match="says where a record is from"):
        Table.read(rows, match="source_dataset")


def test_a_column_of_bytes_can_be_ignored() -> None:
    rows = [{"unique_id": 1, "name": "Anna", "face": b"\x89PNG"}]
    with pytest.raises(InputError, match="holds bytes"):
        Table.read(rows)
    assert Table.read(rows, ignore="face").compared == ["name"]


def test_a_project_shows_what_was_chosen_and_keeps_votes_when_that_changes(tmp_path: Path) -> None:
    with Project.new(tmp_path / "people", ROWS, match="name", show="city,name", ignore=["born"]) as project:
        assert project.record("r1") == {"city": "Rome", "name": "Anna Miller 0"}
        names = list(question_columns(project, 1))
        assert names == ["task", "unique_id_l", "unique_id_r", "city_l", "city_r", "name_l", "name_r"]
        task = project.take("ann")
        assert task is not None
        project.answer(task.id, "ann", "yes")
    with Project.open(tmp_path / "people") as project:
        assert project.table.compared == ["name"]
        pairs = len(project.resolution.graph.candidates.left)
        project.use_columns(match=["name", "city"], show="name")
        assert len(project.resolution.graph.candidates.left) != pairs
        assert project.resolution.votes.count == 1
        assert list(project.record("r1")) == ["name"]
        assert project.fields("r1", ["born"]) == {"born": "2.2.1980"}
        with pytest.raises(UnknownNameError):
            project.use_columns(match="nowhere")
    with Project.open(tmp_path / "people") as project:
        assert project.table.compared == ["name", "city"]
        assert project.status().votes == 1


def test_columns_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "people.json").write_text(json.dumps(ROWS))
    made = run("new", tmp_path / "people.json", tmp_path / "p", "--ignore", "note")
    assert made.exit_code == 0
    assert "column customer: looks like an id, not matched on\n" in made.output
    assert "column born: looks like a date, matched on\n" in made.output
    assert "note" not in made.output
    listed = run("columns", tmp_path / "p").output
    assert "photo                    text    shown; looks like a picture\n" in listed
    changed = run("columns", tmp_path / "p", "--match", "name,customer", "--show", "name").output
    assert "customer                 text    matched; looks like an id\n" in changed
    assert "city                     text    ignored\n" in changed
    again = run("columns", tmp_path / "p", "--match", "", "--show", "").output
    assert again == listed
    assert isinstance(run("columns", tmp_path / "p", "--show", "nmae").exception, UnknownNameError)
    (tmp_path / "p" / "columns.json").write_text("[1]")
    assert "columns.json" in str(run("columns", tmp_path / "p").exception)
