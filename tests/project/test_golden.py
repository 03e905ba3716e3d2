"""Golden records and what is exported: by rule, by hand, with where each value comes from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from askwise import Project
from askwise.cli import commands
from askwise.errors import InputError
from askwise.project.exports import Wanted, cluster_columns, question_columns
from askwise.project.golden import FieldRule, GoldenRecords, field_rules, set_rules, set_value

RECORDS = [
    {"unique_id": "a", "source_dataset": "crm", "name": "Ann Lee", "city": "Rome", "seen": "2024-01-05", "size": 3},
    {"unique_id": "b", "source_dataset": "shop", "name": "Ann M. Lee", "city": "Roma", "seen": "2025-02-01", "size": 4},
    {"unique_id": "c", "source_dataset": "shop", "name": "Ann Lee", "city": None, "seen": None, "size": 4},
    {"unique_id": "d", "source_dataset": "web", "name": "=Dan", "city": "Oslo", "seen": "2023-01-01", "size": 1.5},
]
PAIRS = [
    {"unique_id_l": left, "unique_id_r": right, "score": score}
    for left, right, score in [("a", "b", 0.99), ("b", "c", 0.99), ("a", "c", 0.99), ("c", "d", 0.01)]
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.new(tmp_path / "p", RECORDS, PAIRS, source="source_dataset") as project:
        for other in "bc":
            if project.board().of("a") != project.board().of(other):
                project.editing.edit("join", [["a", other]], "ann")
        if project.board().of("c") == project.board().of("d"):
            project.editing.edit("split", [["d"]], "ann")
        assert project.board().names(project.board().of("a")) == ("a", "b", "c")
        yield project


def value(project: Project, name: str, **rule: object) -> tuple[str, tuple[str, ...]]:
    rules = field_rules({name: rule}, project.table)
    found = GoldenRecords(project, rules).of(["a", "b", "c"])[name]
    return found.value, found.records


def test_rules(project: Project) -> None:
    assert value(project, "name") == ("Ann Lee", ("a", "c"))
    assert value(project, "name", rule="longest") == ("Ann M. Lee", ("b",))
    assert value(project, "city", rule="newest", by="seen") == ("Roma", ("b",))
    assert value(project, "name", rule="newest", by="size") == ("Ann M. Lee", ("b",))
    assert value(project, "city", rule="trusted", order=["web", "shop"]) == ("Roma", ("b",))
    assert value(project, "city", rule="trusted", order=["crm"]) == ("Rome", ("a",))
    assert value(project, "size") == ("4", ("b", "c"))
    assert value(project, "seen") == ("2024-01-05", ("a",)), "as good as any other: the first"
    found = GoldenRecords(project).of(["a", "b", "c"], hidden=["city"])
    assert "city" not in found
    assert found["name"].others == ("Ann M. Lee",)


def test_rules_are_kept_and_values_are_given_by_hand(project: Project) -> None:
    set_rules(project, {"name": "longest", "city": {"rule": "trusted", "order": ["shop"]}}, "ann")
    with Project.open(project.folder) as other:
        golden = GoldenRecords(other)
        assert golden.rules["city"] == FieldRule("trusted", "", ("shop",))
        assert golden.of(["a", "b", "c"])["name"].value == "Ann M. Lee"
        set_value(other, "a", "name", "Annie", "bob")
    project.refresh()
    found = GoldenRecords(project).of(["a", "b", "c"])["name"]
    assert (found.value, found.rule, found.person, found.records) == ("Annie", "by hand", "bob", ())
    assert found.others == ("Ann Lee", "Ann M. Lee")
    split = project.editing.edit("split", [["a"]], "ann")
    assert GoldenRecords(project).of(["a"])["name"].value == "Annie"
    assert GoldenRecords(project).of(["b", "c"])["name"].value == "Ann M. Lee"
    project.editing.undo(split.id, "ann")
    set_value(project, "b", "name", None, "ann")
    assert GoldenRecords(project).of(["a", "b", "c"])["name"].rule == "longest"
    with pytest.raises(InputError, match="by hand"):
        set_value(project, "b", "name", None, "ann")
    kinds = [event.kind for event in project.store.events()]
    assert kinds.count("value") == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"salary": "longest"}, "no field 'salary'"),
        ({"name": "best"}, "no rule 'best'"),
        ({"name": {"rule": "newest"}}, "needs a column"),
        ({"name": {"rule": "newest", "by": "city"}}, "needs a column"),
        ({"name": {"rule": "trusted"}}, "needs the sources"),
        ({"name": {"rule": "trusted", "order": ["moon"]}}, "no source 'moon'"),
        ({"name": {"colour": 1}}, "has a name"),
        (["name"], "for each field"),
    ],
)
def test_rules_that_make_no_sense(project: Project, given: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        set_rules(project, given, "ann")


def test_what_is_written(project: Project, tmp_path: Path) -> None:
    row = project.board().row(project.board().of("a"))
    project.editing.review("approve", [row.members], "ann")
    every = cluster_columns(project, Wanted(fields=True, review=True, golden=True))
    assert every["unique_id"] == ["a", "b", "c", "d"]
    assert every["state"] == ["approved"] * 3 + ["new"]
    assert every["reviewer"] == ["ann"] * 3 + [None]
    assert every["reviewed"][0].endswith("+00:00")
    assert every["size"] == [3, 4, 4, 1.5]
    assert every["seen"] == ["2024-01-05", "2025-02-01", None, "2023-01-01"]
    assert every["golden_name"] == ["Ann Lee"] * 3 + ["=Dan"]
    assert cluster_columns(project, Wanted(approved=True))["unique_id"] == ["a", "b", "c"]
    confident = float(project.board(exact=True).trust.right.max())
    both = cluster_columns(project, Wanted(approved=True, confidence=min(confident + 0.1, 1.0)))
    assert set(both["unique_id"]) >= {"a", "b", "c"}
    assert cluster_columns(project, Wanted(confidence=0.0))["unique_id"] == every["unique_id"]
    assert "city" not in cluster_columns(project, Wanted(fields=True), hidden=["city"])

    def run(*words: object) -> str:
        done = CliRunner().invoke(commands, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return done.stdout

    folder = project.folder
    (one,) = csv.DictReader(io.StringIO(run("clusters", folder, "--one", "--approved", "--review")))
    assert (json.loads(one["records"]), one["name"], one["field_size"]) == (["a", "b", "c"], "Ann Lee", "4")
    assert one["size"] == "3"
    found = json.loads(run("clusters", folder, "--one", "--format", "json"))
    assert found[0]["records"] == ["a", "b", "c"]
    assert "'=Dan" in run("clusters", folder, "--fields")
    out = tmp_path / "out.parquet"
    run("clusters", folder, "--fields", "--golden", "--review", "--out", out)
    read = duckdb.connect().execute(f"SELECT * FROM '{out}' ORDER BY unique_id").fetchall()
    assert len(read) == 4
    assert 4.0 in read[1]


def test_questions_have_values_as_they_were_read(project: Project) -> None:
    columns = question_columns(project, 10)
    values = dict(zip(columns["unique_id_l"], zip(columns["size_l"], columns["seen_l"], strict=True), strict=True))
    known = {"a": (3, "2024-01-05"), "b": (4, "2025-02-01"), "c": (4, None), "d": (1.5, "2023-01-01")}
    assert values
    assert {record: known[record] for record in values} == values
    assert all(type(size) is type(known[record][0]) for record, (size, _) in values.items())
