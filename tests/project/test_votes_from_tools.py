"""Votes of other tools in, and out again for them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from shared.made_things import made_project

from askwise.cli import commands
from askwise.errors import InputError
from askwise.evidence import Vote
from askwise.project import Project
from askwise.project.exports import crowd_kit_columns, training_pairs
from askwise.project.votes_from_tools import form_of, read_archive


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with made_project(tmp_path / "p", 3, 3) as made:
        yield made


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def hit(left: str, right: str, worker: str, status: str = "Approved", **answers: str) -> dict[str, str]:
    fixed = {"HITId": "H1", "HITTypeId": "T", "AssignmentId": "A", "WorkerId": worker, "AssignmentStatus": status}
    pair = {"Input.unique_id_l": left, "Input.unique_id_r": right}
    return {**fixed, "WorkTimeInSeconds": "7", **pair, **{f"Answer.{name}": text for name, text in answers.items()}}


@pytest.mark.parametrize(
    "form",
    [
        [{"same": "yes"}, {"same": "No"}, {"same": "unsure"}],
        [
            {"same.yes": "true", "same.no": "false", "same.unsure": "false"},
            {"same.yes": "false", "same.no": "true", "same.unsure": "false"},
            {"same.yes": "false", "same.no": "false", "same.unsure": "true"},
        ],
        [
            {"taskAnswers": '[{"same": {"yes": true, "no": false}}]'},
            {"taskAnswers": '[{"same": "no"}]'},
            {"taskAnswers": '[{"same": {"label": "unsure"}}]'},
        ],
        [{"comment": "nice", "same": "1"}, {"comment": "", "same": "0"}, {"comment": "hm", "same": "u"}],
    ],
)
def test_batch_results_of_mechanical_turk(project: Project, tmp_path: Path, form: list[dict[str, str]]) -> None:
    pairs = [("e0r0", "e0r1"), ("e0r0", "e1r0"), ("e1r1", "e0r2")]
    rows = [hit(*pair, f"W{at}", **answer) for at, (pair, answer) in enumerate(zip(pairs, form, strict=True))]
    rows.append(hit("e0r0", "e0r1", "W9", "Rejected", **form[1]))
    path = table(tmp_path / "batch.csv", rows)
    assert form_of(path) == "mturk"
    found = read_archive(path, project)
    labels = [True, False, None]
    assert found == [Vote(*pair, f"W{at}", labels[at]) for at, pair in enumerate(pairs)]


def test_bad_batch_results_name_their_line(project: Project, tmp_path: Path) -> None:
    for row, wrong in (
        (hit("e0r0", "nobody", "W", same="yes"), "line 2: .*nobody"),
        (hit("e0r0", "e0r0", "W", same="yes"), "line 2"),
        (hit("e0r0", "e0r1", "", same="yes"), "line 2: the worker is missing"),
        (hit("e0r0", "e0r1", "W", same="perhaps"), "line 2: no answer"),
        (hit("e0r0", "e0r1", "W", same="yes", other="no"), "line 2: several answers"),
        (hit("e0r0", "e0r1", "W"), "no column Answer"),
    ):
        with pytest.raises(InputError, match=wrong):
            read_archive(table(tmp_path / "batch.csv", [row]), project)
    row = hit("e0r0", "e0r1", "W", same="yes")
    del row["Input.unique_id_l"]
    with pytest.raises(InputError, match=r"Input\.unique_id_l"):
        read_archive(table(tmp_path / "batch.csv", [row]), project)


def test_training_files_of_dedupe_there_and_back(project: Project, tmp_path: Path) -> None:
    votes = [Vote("e0r0", "e0r1", "anna", True), Vote("e0r0", "e1r0", "anna", False)]
    project.add_votes([*votes, *(Vote("e0r0", "e1r0", f"w{at}", False) for at in range(4))], "test")
    project.refresh()
    written = training_pairs(project)
    assert [len(written[name]) for name in ("match", "distinct")] == [1, 1]
    assert written["match"][0]["__class__"] == "tuple", "dedupe takes tuples only"
    path = tmp_path / "training.json"
    path.write_text(json.dumps(written))
    assert form_of(path) == "dedupe"
    assert read_archive(path, project) == [Vote(v.left, v.right, "dedupe", v.label) for v in votes]
    # As older versions wrote it: lists, values in small letters; and with ids of our own.
    record = {name: str(value).upper() for name, value in project.record("e2r0").items()}
    path.write_text(json.dumps({"match": [[record, {"unique_id": "e2r1"}]], "distinct": []}))
    assert read_archive(path, project) == [Vote("e2r0", "e2r1", "dedupe", True)]
    for content, wrong in (
        ({"match": [[{"name": "nothing like it"}, record]]}, r"pair 1 \(match\): no record"),
        ({"distinct": [[{"colour": "red"}, record]]}, "none of the project's fields"),
        ({"match": [[record]]}, "not two records"),
        ({"match": [], "distinct": []}, "no votes"),
    ):
        path.write_text(json.dumps(content))
        with pytest.raises(InputError, match=wrong):
            read_archive(path, project)
    path.write_text('{"match": [')
    with pytest.raises(InputError, match="not a training file"):
        read_archive(path, project, "dedupe")


def test_judgements_of_nomenklatura(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "resolver.ijson"
    lines: list[list[object]] = [
        ["e0r0", "e0r1", "positive", 0.9, "anna", "2024-01-01"],
        ["e1r0", "e0r0", "negative", None, None, "2024-01-01"],
        ["e1r0", "e1r1", "unsure", 0.5, "bert", None],
        ["e1r0", "e1r2", "no_judgement", 0.5, None, None],
        ["NK-one", "e2r0", "positive", None, "anna", None],
        ["NK-one", "NK-two", "positive", None, "anna", None],
        ["NK-two", "e2r1", "positive", None, "anna", None],
        ["NK-two", "e0r0", "negative", None, "bert", None],
        ["NK-empty", "e0r2", "negative", None, "bert", None],
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert form_of(path) == "nomenklatura"
    assert read_archive(path, project) == [
        Vote("e0r0", "e0r1", "anna", True),
        Vote("e1r0", "e0r0", "nomenklatura", False),
        Vote("e1r0", "e1r1", "bert", None),
        Vote("e2r0", "e2r1", "anna", True),
        Vote("e2r0", "e0r0", "bert", False),
    ]
    for line, wrong in (
        (["e0r0", "gone", "positive", None, "anna", None], "line 1: the record 'gone'"),
        (["e0r0", "e0r1", "maybe", None, "anna", None], "line 1 is not"),
        (["e0r0"], "line 1 is not"),
    ):
        path.write_text(json.dumps(line) + "\n")
        with pytest.raises(InputError, match=wrong):
            read_archive(path, project, "nomenklatura")


def test_crowd_kit_there_and_back(project: Project, tmp_path: Path) -> None:
    votes = [
        Vote("e0r0", "e0r1", "anna", True),
        Vote("e0r0", "e0r1", "bert", False),
        Vote("e0r0", "e1r0", "anna", None),
    ]
    project.add_votes([*votes, Vote("e0r0", "e0r1", "anna", False), Vote("e2r0", "e2r1", "carl", True)], "test")
    project.exclude("carl")
    columns = crowd_kit_columns(project)
    assert columns == {"task": ["e0r0|e0r1"] * 2, "worker": ["anna", "bert"], "label": [0, 0]}
    rows = [dict(zip(columns, map(str, row), strict=True)) for row in zip(*columns.values(), strict=True)]
    found = read_archive(table(tmp_path / "votes.csv", rows), project)
    assert found == [Vote("e0r0", "e0r1", "anna", False), Vote("e0r0", "e0r1", "bert", False)]


def test_from_the_command_line(project: Project, tmp_path: Path) -> None:
    project.close()
    batch = table(tmp_path / "batch.csv", [hit("e0r0", "e0r1", "W1", same="yes"), hit("e0r0", "e1r1", "W1", same="no")])
    place = str(tmp_path / "p")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(commands, list(arguments), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert "2 votes added" in run("answer", place, str(batch))
    assert "added before" in run("answer", place, str(batch))
    assert "e0r0|e0r1,W1,1" in run("labels", place, "--for", "crowd-kit")
    assert len(json.loads(run("labels", place, "--for", "dedupe"))["match"]) == 1
    out = tmp_path / "training.json"
    run("labels", place, "--for", "dedupe", "--out", str(out))
    assert "2 votes added" in run("answer", place, str(out), "--form", "dedupe")
