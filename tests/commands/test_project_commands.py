"""The commands of a project as a user runs them, on good files and on hostile ones."""

import csv
import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from askwise import Project
from askwise.cli import commands
from askwise.errors import AskwiseError

PEOPLE = """id,name,city
1,Anna Miller,Rome
2,Ana Miller,roma
3,Bert Jones,Oslo
4,Bert Jonas,Oslo
5,Carla Ruiz,Madrid
"""


def run(*arguments: object, keys: str = "") -> str:
    """The output of a command that succeeds."""
    result = CliRunner().invoke(commands, list(map(str, arguments)), input=keys, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def query(text: str) -> Any:
    """What DuckDB finds."""
    return duckdb.sql(text)


def failure(*arguments: object) -> str:
    """What a command says that fails as it should: by an error of ours, in one line."""
    result = CliRunner().invoke(commands, list(map(str, arguments)))
    assert isinstance(result.exception, AskwiseError), result.exc_info
    said = str(result.exception)
    assert said
    assert "\n" not in said
    assert len(said) < 1000
    return said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    run("new", tmp_path / "people.csv", tmp_path / "people", "--id", "id")
    return tmp_path / "people"


def test_from_a_csv_to_clusters(folder: Path, tmp_path: Path) -> None:
    questions = list(csv.DictReader(io.StringIO(run("next", folder, "-n", 5))))
    assert {(row["unique_id_l"], row["unique_id_r"]) for row in questions} == {("1", "2"), ("3", "4")}
    assert questions[0]["name_l"] in ("Anna Miller", "Bert Jones")
    assert json.loads(run("next", folder, "--format", "json"))[0]["task"] == questions[0]["task"]
    votes = tmp_path / "votes.csv"
    votes.write_text("task,worker,label\n" + "".join(f"{row['task']},ann,1\n" for row in questions))
    assert "2 votes added" in run("answer", folder, votes)
    assert "nothing is counted twice" in run("answer", folder, votes)
    status = json.loads(run("status", folder, "--json"))
    assert (status["votes"], status["asked"], status["clusters"], status["workers"]) == (2, 2, 3, 1)
    assert "clusters        3" in run("status", folder)
    clusters = list(csv.DictReader(io.StringIO(run("clusters", folder))))
    assert [row["unique_id"] for row in clusters] == ["1", "2", "3", "4", "5"]
    assert [row["cluster_id"] for row in clusters] == ["1", "1", "2", "2", "3"]
    run("clusters", folder, "--out", tmp_path / "clusters.parquet")
    found = query(f"SELECT cluster_id, unique_id, confidence FROM '{tmp_path}/clusters.parquet'").fetchall()
    assert [row[:2] for row in found] == [(1, "1"), (1, "2"), (2, "3"), (2, "4"), (3, "5")]
    assert all(0.0 < row[2] <= 1.0 for row in found)
    labels = list(csv.DictReader(io.StringIO(run("labels", folder))))
    assert list(labels[0]) == ["unique_id_l", "unique_id_r", "clerical_match_score"]
    assert all(float(row["clerical_match_score"]) > 0.5 for row in labels)
    (tmp_path / "more.csv").write_text("id,name\n6,Carla Ruiz\n")
    assert "6 in all" in run("add", folder, tmp_path / "more.csv")
    assert "BAD" not in run("doctor", folder)
    again = list(csv.DictReader(io.StringIO(run("clusters", folder))))
    assert {(row["cluster_id"], row["unique_id"]) for row in clusters} <= {
        (row["cluster_id"], row["unique_id"]) for row in again
    }


def test_an_export_says_what_it_changed(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("unique_id,name,phone\n1,Ann,+47 22\n2,Anne,47 22\n")
    run("new", tmp_path / "p.csv", tmp_path / "p")

    def said(*arguments: str) -> str:
        typed = ["clusters", str(tmp_path / "p"), "--fields", "--out", *arguments]
        return CliRunner().invoke(commands, typed, catch_exceptions=False).stderr

    out = str(tmp_path / "out.csv")
    assert "got an apostrophe, in phone; --formulas, JSON" in said(out)
    assert "apostrophe" not in said(out, "--formulas")
    assert "apostrophe" not in said(str(tmp_path / "out.json"))


def test_labels_go_into_splink(folder: Path, tmp_path: Path) -> None:
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    from splink import comparison_library as comparisons

    votes = tmp_path / "votes.csv"
    votes.write_text("unique_id_l,unique_id_r,worker,label\n1,2,ann,1\n3,4,ann,1\n1,3,ann,0\n")
    run("answer", folder, votes)
    run("labels", folder, "--out", tmp_path / "labels.parquet")
    api = DuckDBAPI()
    people = query(f"SELECT id AS unique_id, name, city FROM '{folder}/records.parquet'").df()
    settings = SettingsCreator(
        "dedupe_only",
        comparisons=[comparisons.ExactMatch("city")],
        blocking_rules_to_generate_predictions=[block_on("city")],
    )
    linker = Linker(api.register(people), settings)
    labels = api.register(query(f"SELECT * FROM '{tmp_path}/labels.parquet'").df())
    linker.training.estimate_m_from_pairwise_labels(labels)  # type: ignore[no-untyped-call]


def test_votes_in_other_files(folder: Path, tmp_path: Path) -> None:
    query("SELECT 1 AS unique_id_l, 2 AS unique_id_r, 'ann' AS worker, true AS label").write_parquet(
        str(tmp_path / "votes.parquet")
    )
    run("answer", folder, tmp_path / "votes.parquet")
    (tmp_path / "votes.json").write_text('[{"task": "3|4", "worker": 7, "label": "unsure"}]')
    run("answer", folder, tmp_path / "votes.json")
    with Project.open(folder) as project:
        rows = project.store.votes()
    assert [(row.left, row.right, row.worker, row.label) for row in rows] == [
        ("1", "2", "ann", True),
        ("3", "4", "7", None),
    ]


def test_tasks_of_ids_with_bars(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("unique_id\na|b\nc\na\nb|c\n")
    run("new", tmp_path / "p.csv", tmp_path / "p")
    (tmp_path / "v.csv").write_text("task,worker,label\na|a|b,ann,1\n")
    run("answer", tmp_path / "p", tmp_path / "v.csv")
    (tmp_path / "v.csv").write_text("task,worker,label\na|b|c,ann,1\n")
    assert "several pairs" in failure("answer", tmp_path / "p", tmp_path / "v.csv")


def test_label_in_the_terminal(folder: Path) -> None:
    out = run("label", folder, "--worker", "ann", keys="y\nz\nx\nn\nu\n")
    assert "≠" in out
    assert "=" in out
    assert "An[n]a Miller" in out
    assert "nothing left to ask you" in out
    assert "2 answers kept" in out
    assert "there is nothing left" in run("label", folder, "--worker", "ann")
    assert "nothing to undo" in run("label", folder, "--worker", "bob", keys="z\nq\n")
    with Project.open(folder) as project:
        assert [(row.action, row.label, row.source) for row in project.store.votes()] == [
            ("vote", True, "terminal"),
            ("undo", None, "terminal"),
            ("vote", False, "terminal"),
            ("vote", None, "terminal"),
        ]
        assert project.workers()[0].seconds is not None


@pytest.mark.parametrize("stop", [b"q", b"\x03"])
def test_label_by_single_keys_on_a_real_terminal(folder: Path, stop: bytes) -> None:
    command = [sys.executable, "-c", "from askwise.cli import main; main()", "label", str(folder), "--worker", "ann"]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    out = b""

    def read_until(done: Callable[[], bool], seconds: float) -> bool:
        nonlocal out
        deadline = time.monotonic() + seconds
        while not done() and time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                with suppress(OSError):  # the other side has gone
                    out += os.read(ours, 10_000)
        return done()

    assert read_until(lambda: b"same?" in out, 60)
    for key, done in ((b"y", lambda: out.count(b"same?") == 2), (stop, lambda: process.poll() is not None)):
        for _ in range(10):  # what is typed before the terminal listens is lost
            time.sleep(0.3)
            os.write(ours, key)
            if read_until(done, 5):
                break
    assert read_until(lambda: process.poll() is not None, 60)
    assert process.returncode == 0
    assert b"1 answer kept" in out
    os.close(ours)
    assert b"\x1b[1;4;33m" in out  # bold, underlined, and yellow
    with Project.open(folder) as project:
        assert [row.label for row in project.store.votes()] == [True]


def test_records_cannot_talk_to_the_terminal(tmp_path: Path) -> None:
    records = [{"unique_id": number, "name": f"Anna\x1b[2J\x07 [red]Mill{number}[/] \u202e"} for number in (1, 2)]
    (tmp_path / "p.json").write_text(json.dumps(records))
    run("new", tmp_path / "p.json", tmp_path / "p")
    out = run("label", tmp_path / "p", "--worker", "ann", keys="q\n")
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "\u202e" not in out
    assert "[red]" in out


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "line 1 is empty"),
    "no records": (b"unique_id,name\n", "no records"),
    "too many values": (b"unique_id,name\n1,a,b\n", "line 2: 3 values where the header has 2"),
    "too few values": (b"unique_id,name,city\n1,a\n", "line 2: 2 values where the header has 3"),
    "an open quote": (b'unique_id,name\n1,"a\n2,b\n', "quote"),
    "text after a quote": (b'unique_id,name\n1,"a"b\n', "quote"),
    "a column twice": (b"unique_id,name,name\n1,a,b\n", "two columns are called 'name'"),
    "columns that differ in case": (b"unique_id,name,Name\n1,a,b\n", "differ in case only"),
    "no id column": (b"name,city\na,b\n", "no column 'unique_id'"),
    "an id missing": (b"unique_id,name\n1,a\n,b\n", "line 3: the unique_id is missing"),
    "an id twice": (b"unique_id,name\n1,a\n1,b\n", "line 3: the unique_id '1' was given before"),
    "an id with a line in it": (b'unique_id,name\n"1\n2",a\n', "cannot be printed"),
    "Latin-1": ("unique_id,name\n1,Müller\n".encode("latin-1"), "line 2 is not UTF-8"),
    "Latin-1 in the header": ("unique_id,Größe\n1,2\n".encode("latin-1"), "line 1 is not UTF-8"),
    "UTF-16": ("unique_id,name\n1,Müller\n".encode("utf-16"), "UTF-8"),
    "bytes": (bytes(range(256)) * 4, ""),
    "a NUL in an id": (b"unique_id,name\n1\0,a\n2,b\n", ""),
    "a line of ten million characters": (b"unique_id,name\n1," + b"x" * 10_000_000 + b"\n", "line 2"),
    "a header of ten million characters": (b"unique_id," + b"x" * 10_000_000 + b"\n1,2\n", "line 1"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_records(tmp_path: Path, name: str) -> None:
    content, expected = HOSTILE[name]
    (tmp_path / "p.csv").write_bytes(content)
    said = failure("new", tmp_path / "p.csv", tmp_path / "p")
    assert expected in said
    assert not (tmp_path / "p").exists()


def test_odd_records_that_are_good(tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_bytes(
        b'\xef\xbb\xbfunique_id;name\r\n1;M\xc3\xbcller\r\n2;\xf0\x9f\x99\x82 "quoted"\r\n'
    )
    (tmp_path / "bom.csv").write_bytes('\ufeffunique_id;name\r\n1;Müller\r\n2;"🙂 ""x"""\r\n'.encode())
    run("new", tmp_path / "bom.csv", tmp_path / "bom")
    with Project.open(tmp_path / "bom") as project:
        assert [project.record(number) for number in ("1", "2")] == [{"name": "Müller"}, {"name": '🙂 "x"'}]
    records = [{"unique_id": 1, "name": "x" * 10_000_000}, {"unique_id": 2, "name": "x" * 100}]
    (tmp_path / "long.json").write_text(json.dumps(records))
    run("new", tmp_path / "long.json", tmp_path / "long")
    out = run("label", tmp_path / "long", "--worker", "ann", keys="q\n")
    assert "10,000,000 characters" in out.replace("\n", " ")
    assert len(out) < 100_000


def test_half_a_character(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(r'[{"unique_id": 1, "name": "a\ud800"}, {"unique_id": 2, "name": "a"}]')
    assert "row 1: column 'name' has an incomplete character" in failure("new", tmp_path / "p.json", tmp_path / "p")
    (tmp_path / "p.json").write_text(r'[{"unique_id": "a\ud800"}, {"unique_id": 2}]')
    assert "row 1: the id" in failure("new", tmp_path / "p.json", tmp_path / "p")
    (tmp_path / "p.json").write_text(r'[{"unique_id": "1"}, {"unique_id": 1}]')
    assert "row 2: the id '1'" in failure("new", tmp_path / "p.json", tmp_path / "p")


HOSTILE_VOTES: dict[str, tuple[str, str]] = {
    "a label": ("unique_id_l,unique_id_r,worker,label\n1,2,ann,1\n1,2,bob,maybe\n", "line 3: the label 'maybe'"),
    "a record": ("unique_id_l,unique_id_r,worker,label\n1,99,ann,1\n", "line 2: record '99'"),
    "a record with itself": ("unique_id_l,unique_id_r,worker,label\n1,1,ann,1\n", "line 2: the pair"),
    "a missing record": ("unique_id_l,unique_id_r,worker,label\n1,,ann,1\n", "line 2: a record's id is missing"),
    "a missing worker": ("unique_id_l,unique_id_r,worker,label\n1,2,,1\n", "line 2: the worker is missing"),
    "a worker's name": ("unique_id_l,unique_id_r,worker,label\n1,2,\x1b[2J,1\n", "worker"),
    "a missing column": ("unique_id_l,unique_id_r,label\n1,2,1\n", "no column 'worker'"),
    "a task": ("task,worker,label\n1-2,ann,1\n", "line 2: the task '1-2'"),
    "no votes": ("task,worker,label\n", "no votes"),
}


@pytest.mark.parametrize("name", HOSTILE_VOTES)
def test_hostile_votes(folder: Path, tmp_path: Path, name: str) -> None:
    content, expected = HOSTILE_VOTES[name]
    (tmp_path / "votes.csv").write_text(content)
    assert expected in failure("answer", folder, tmp_path / "votes.csv")
    with Project.open(folder) as project:
        assert project.store.votes() == []


def test_what_cannot_be_done(folder: Path, tmp_path: Path) -> None:
    assert "not empty" in failure("new", tmp_path / "people.csv", folder, "--id", "id")
    assert "askwise new" in failure("status", tmp_path)
    assert "No such file" in failure("new", tmp_path / "none.csv", tmp_path / "x")
    assert "No such file" in failure("answer", folder, tmp_path / "none.csv")
    assert "cannot tell" in failure("clusters", folder, "--out", tmp_path / "clusters.xlsx")
    nowhere = tmp_path / "no" / "clusters.csv"
    assert f"the folder {nowhere.parent} does not exist" in failure("clusters", folder, "--out", nowhere)
    assert "name a file" in failure("clusters", folder, "--format", "parquet")
    assert "store" in failure("new", tmp_path / "people.csv", tmp_path / "y", "--id", "id", "--store", "nonsense")
    unreachable = "postgresql://ann:secret@127.0.0.1:1/none"
    assert "secret" not in failure("new", tmp_path / "people.csv", tmp_path / "z", "--id", "id", "--store", unreachable)
    assert not any((tmp_path / name).exists() for name in "xyz")
    (folder / "records.parquet").write_bytes(b"")
    assert "not in order: records" in failure("doctor", folder)


def test_what_is_wrong_with_new_records_has_a_file_and_a_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("id,name,city\n6,Ann Lee,Oslo\n4,Bert Jonas,Oslo\n")
    assert failure("add", folder, tmp_path / "more.csv").startswith(f"{tmp_path / 'more.csv'} line 3: ")
    (tmp_path / "more.csv").write_text("id,full name\n6,Ann Lee\n")
    assert "rename it or leave it out" in failure("add", folder, tmp_path / "more.csv")
    (tmp_path / "odd.csv").write_text("id,name\n6,Ann Lee\na\u0007b,Bert\n")
    assert failure("new", tmp_path / "odd.csv", "--id", "id").startswith(f"{tmp_path / 'odd.csv'} line 3: ")


def test_a_wrong_folder_and_a_wrong_backup(folder: Path, tmp_path: Path) -> None:
    assert "holds no project" in failure("status", tmp_path / "people.csv")
    assert "is not a backup" in failure("restore", folder, tmp_path / "new")


def test_questions_without_answers_are_no_votes(folder: Path, tmp_path: Path) -> None:
    run("next", folder, "--out", tmp_path / "ask.csv")
    assert "no column 'worker'" in (said := failure("answer", folder, tmp_path / "ask.csv"))
    assert said.endswith("add or rename it.")


def test_an_empty_list_says_so(folder: Path) -> None:
    for command in ("rules", "people"):
        result = CliRunner().invoke(commands, [command, "list", str(folder)])
        assert (result.stdout, result.stderr.startswith("there ")) == ("", True)


def test_a_failure_is_one_line_and_not_zero(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from askwise.cli import main; main()", "clusters", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("askwise: ")
    assert len(result.stderr.splitlines()) == 1


def test_what_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    typed = ["clusters", str(folder), "--out", str(tmp_path / "none" / "out.csv")]
    command = [sys.executable, "-c", "from askwise.cli import main; main()", *typed]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "out.csv" in result.stderr


CRM = "id,name,country\n1,Anna Miller,IT\n2,Bert Jones,NO\n3,Anna Miller,\n"
SHOP = "id,name,country\n1,Anna Miller,it\n2,Bert Jonas,no\n9,Carla Ruiz,ES\n"


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "crm.csv").write_text(CRM)
    (tmp_path / "shop.csv").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_files_with_other_columns_are_told_apart(sources: Path) -> None:
    (sources / "crm.csv").write_text("id,name,tax number\n" + "".join(f"{n},{n} Anna,{n}8437\n" for n in range(5)))
    (sources / "shop.csv").write_text("id,name,joined\n1,Bert,2020-01-01\n2,Carla,2021-03-05\n")
    said = run("new", "crm.csv", "shop.csv", "--id", "id", "--link-only")
    assert "column tax number: is only in crm, matched on\n" in said
    assert "column joined: is only in shop, looks like a date, matched on\n" in said
    assert "column name" not in said
    assert "if two mean the same, give them one name" in said
    assert "All files must give it one name" in failure("new", "crm.csv", "shop.csv", "elsewhere")
    assert "7 of the records resemble no other" in said
    assert "100%" not in said


def clusters_of(folder: Path) -> list[set[str]]:
    rows = list(csv.DictReader(io.StringIO(run("clusters", folder))))
    numbers = dict.fromkeys(row["cluster_id"] for row in rows)
    return [{row["unique_id"] for row in rows if row["cluster_id"] == number} for number in numbers]


def test_a_project_of_two_files(sources: Path) -> None:
    said = run("new", "crm.csv", "shop.csv", "--id", "id", "--link-only", "--no-duplicates-in", "crm")
    folder = Path("crm-shop")
    assert said.startswith("crm-shop: 6 records, ")
    pairs = query(
        f"SELECT r.source_dataset, s.source_dataset FROM '{folder}/pairs.parquet' p, "
        f"(SELECT *, row_number() OVER () - 1 AS n FROM '{folder}/records.parquet') r, "
        f"(SELECT *, row_number() OVER () - 1 AS n FROM '{folder}/records.parquet') s "
        "WHERE r.n = p.left AND s.n = p.right"
    ).fetchall()
    assert set(pairs) == {("crm", "shop")}
    assert run("rules", "list", folder) == "   1  no-duplicates:crm\n"
    yes = "unique_id_l,unique_id_r,worker,label\n" + "".join(
        f"crm:{n},shop:1,w{w},1\n" for n in (1, 3) for w in range(5)
    )
    (sources / "votes.csv").write_text(yes)
    run("answer", folder, "votes.csv")
    assert not any({"crm:1", "crm:3"} <= members for members in clusters_of(folder))
    run("rules", "withdraw", folder, 1)
    assert any({"crm:1", "crm:3", "shop:1"} <= members for members in clusters_of(folder))
    (sources / "more.csv").write_text("id,name,country,source_dataset\n4,Carla Ruiz,ES,crm\n")
    run("add", folder, "more.csv")
    assert any("crm:4" in members for members in clusters_of(folder))
    (sources / "bare.csv").write_text("id,name\n5,Carla Ruiz\n")
    assert "no column 'source_dataset'" in failure("add", folder, "bare.csv")


def test_links_and_a_column_for_the_source(sources: Path) -> None:
    rows = ["id,name,origin", *(f"{origin}{n},Anna Miller,{origin}" for origin in "abc" for n in range(2))]
    (sources / "all.csv").write_text("\n".join(rows) + "\n")
    run("new", "all.csv", "one", "--id", "id", "--source", "origin", "--link", "a", "b", "--link", "c", "c")
    with Project.open("one") as project:
        origin, ids = project.table.sources, project.table.ids
        candidates = project.resolution.graph.candidates
        assert origin is not None
        linked = {(origin[u], origin[v]) for u, v in zip(candidates.left, candidates.right, strict=True)}
        assert linked == {("a", "b"), ("c", "c")}
        assert "a0" in ids  # unique over all sources: as they were
        project.add_records([{"id": "b9", "name": "Anna Miller", "origin": "b"}])
        candidates = project.resolution.graph.candidates
        assert {origin[u] for u, v in zip(candidates.left, candidates.right, strict=True) if v == 6} == {"a"}


def test_rules_come_and_go(folder: Path, tmp_path: Path) -> None:
    before = clusters_of(folder)
    assert {"3", "4"} in before
    (tmp_path / "vetoes.csv").write_text("unique_id_l,unique_id_r,label\n3,4,0\n1,5,1\n")
    assert "rule 1: vetoes.csv (2 pairs)" in run("rules", "add", folder, tmp_path / "vetoes.csv")
    assert {"1", "2", "5"} in clusters_of(folder) or {"1", "5"} in clusters_of(folder)
    assert {"3", "4"} not in clusters_of(folder)
    said = failure("rules", "add", folder, "equal:city")
    assert said.startswith("rules contradict each other: '3' = '4' (equal:city), but '3' ≠ '4' (vetoes.csv).")
    assert run("rules", "list", folder) == "   1  vetoes.csv (2 pairs)\n"
    assert "good  rules" in run("doctor", folder)
    run("rules", "withdraw", folder, 1)
    assert clusters_of(folder) == before
    assert "there is no rule 1; the rules that hold are: none" in failure("rules", "withdraw", folder, 1)
    assert "rule 2: equal:city" in run("rules", "add", folder, "equal:city")  # no number is given twice
    run("rules", "add", folder, "equal:city")
    assert run("rules", "list", folder) == "   2  equal:city\n"
    assert "column 'colour' does not exist" in failure("rules", "add", folder, "differs:colour")
    (folder / "rules.json").write_text("{")
    assert "rules.json" in failure("rules", "list", folder)


def test_a_rule_says_which_decisions_it_overrules(folder: Path) -> None:
    with Project.open(folder) as project:
        project.decide("3", "4", False)
    result = CliRunner().invoke(commands, ["rules", "add", str(folder), "equal:city"])
    assert "overruled: you decided that 3 and 4 are different" in result.stderr
    assert {"3", "4"} in clusters_of(folder)


def test_explaining_a_pair(folder: Path, tmp_path: Path) -> None:
    said = run("explain", folder, 3, 4)
    assert said.startswith("3 and 4 are together.\n")
    assert "  prior\n" in said
    chart = tmp_path / "why.svg"
    plain = json.loads(run("explain", folder, 3, 4, "--json", "--chart", chart))
    assert plain["log_odds"] == pytest.approx(sum(part["log_odds"] for part in plain["parts"]), abs=1e-9)
    assert chart.read_text(encoding="utf-8").startswith("<svg")
    assert "record '77' is not among the 5 records" in failure("explain", folder, 3, 77)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["crm.csv", "crm.csv"], "would both be the source 'crm'"),
        (["crm.csv", "shop.csv", "--no-duplicates-in", "web"], "source 'web' does not exist; choose from: crm, shop"),
        (["crm.csv", "--link-only"], "does not say where records are from"),
        (["crm.csv", "--source", "origin"], "no column 'origin'"),
        (["crm.csv", "shop.csv", "--link", "crm", "web"], "source 'web' does not exist"),
    ],
)
def test_sources_that_do_not_fit(sources: Path, arguments: list[str], what: str) -> None:
    assert what in failure("new", *arguments, "--id", "id")
    assert not [path for path in sources.iterdir() if path.is_dir()]
