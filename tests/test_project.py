"""Projects: a folder and a store that last, and the engine that follows them."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from databases import Databases

from askwise import Project, Resolution, Vote
from askwise.demo.people import customers
from askwise.errors import AskwiseError, InputError, ProjectError, RecordError, StoreError, TaskError
from askwise.project import machine_file
from askwise.project.doctor import examine
from askwise.project.identity import lasting_ids

PEOPLE = [
    {"unique_id": 1, "name": "Anna Miller", "city": "Rome", "born": "1980-01-02", "size": 1.5},
    {"unique_id": 2, "name": "Ana Miller", "city": "roma", "born": "1980-01-02", "size": None},
    {"unique_id": 3, "name": "Bert Jones", "city": "Oslo", "born": None, "size": 2},
    {"unique_id": 4, "name": "Bert Jonas", "city": "Oslo", "born": "1979-03-04", "size": 3},
    {"unique_id": 5, "name": "Anna Millers", "city": "Rome", "born": None, "size": None},
]


def many() -> list[dict[str, object]]:
    data = customers()
    return [{"unique_id": record, **fields} for record, fields in data.fields.items()]


@pytest.fixture
def address(databases: Databases) -> str | None:
    """Where the votes of a new project go: None is in its folder."""
    return None if databases.kind == "sqlite" else databases.fresh()


@pytest.fixture
def project(tmp_path: Path, address: str | None) -> Iterator[Project]:
    with Project.new(tmp_path / "people", many(), store=address) as made:
        yield made


def state(project: Project) -> tuple[object, ...]:
    """All that the engine knows."""
    resolution = project.resolution
    graph = resolution.graph
    evidence = {(graph.pair_u[row], graph.pair_v[row]): graph.pair_p[row] for row in range(graph.pair_count)}
    return evidence, resolution.clustering.roots.tolist(), resolution.asked, resolution.next_questions(20)


def vote_for(project: Project, worker: str, count: int, seed: int = 0) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        task = project.take(worker)
        assert task is not None
        project.answer(task.id, worker, chance.choice(["yes", "no", "unsure"]))


def reopened(project: Project, address: str | None) -> Project:
    return Project.open(project.folder, store=address)


def test_state_after_a_restart_equals_a_rebuild(project: Project, address: str | None) -> None:
    for round, worker in enumerate(("ann", "bob", "cleo", "bob")):
        vote_for(project, worker, 40, round)
        project.undo(worker)
        project.refresh()
    project.exclude("bob")
    vote_for(project, "ann", 5)
    project.refresh()
    with reopened(project, address) as again:
        assert state(again) == state(project)
    project.include("bob")
    vote_for(project, "bob", 5)
    project.refresh()
    with reopened(project, address) as again:
        assert state(again) == state(project)
        rows = again.store.votes()
    last: dict[tuple[object, ...], Vote] = {}
    votes = []
    for row in rows:
        if row.action in ("vote", "undo"):
            last[row.worker, row.left, row.right] = Vote(row.left, row.right, row.worker, row.label)
    votes = list(last.values())
    plain = Resolution(project.table.ids, evidence="ratio", votes=votes)
    assert (plain.votes.yes.sum(), plain.votes.no.sum()) == (
        project.resolution.votes.yes.sum(),
        project.resolution.votes.no.sum(),
    )


def test_the_owner_has_the_last_word(project: Project, address: str | None) -> None:
    """What the owner says on the pages is certain, after a restart too; a worker "owner" of a file only votes."""
    pair = "c000", "c001"
    project.add_votes([Vote(*pair, f"w{number}", True) for number in range(9)], "file")
    project.add_votes([Vote(*pair, "owner", False)], "file")
    project.refresh()
    together = project.resolution.graph.p(*pair)
    assert together is not None
    assert together > 0.9
    project.add_votes([Vote(*pair, "owner", False)], "owner")
    project.refresh()
    labels = project.resolution.clustering.labels
    assert labels["c000"] != labels["c001"]
    with reopened(project, address) as again:
        assert state(again) == state(project)
    project.exclude("owner")
    project.refresh()
    taken_back = project.resolution.graph.p(*pair)
    assert taken_back is not None
    assert taken_back > 0.9


def test_an_excluded_worker_counts_for_nothing(project: Project) -> None:
    vote_for(project, "ann", 30)
    vote_for(project, "bob", 30)
    project.refresh()
    tally = int(project.resolution.votes.yes.sum() + project.resolution.votes.no.sum())
    assert project.exclude("bob")
    assert not project.exclude("bob")
    assert project.take("bob") is None
    project.add_votes([Vote("c000", "c001", "bob", True)], "file")
    project.refresh()
    mine = sum(row.label is not None for row in project.votes_of("ann"))
    assert int(project.resolution.votes.yes.sum() + project.resolution.votes.no.sum()) == mine < tally
    with pytest.raises(InputError, match="no worker 'nobody'"):
        project.exclude("nobody")


def test_votes_are_counted_alike_everywhere(project: Project) -> None:
    for worker in ("ann", "bob"):
        vote_for(project, worker, 5)
        project.undo(worker)
    project.exclude("bob")
    project.include("bob")
    project._engine.follow()
    assert project.status().votes == project.history()[-1].votes == sum(one.votes for one in project.workers()) == 8


def test_workers_are_served_while_the_engine_follows(project: Project) -> None:
    project.change_settings(votes=2, batch=20)
    project.start()

    def work(worker: str) -> list[tuple[str, str]]:
        had = []
        for _ in range(25):
            task = project.take(worker)
            if task is not None:
                project.answer(task.id, worker, "no", request=f"r{task.id}")
                had.append((min(task.left, task.right), max(task.left, task.right)))
        return had

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(work, [f"w{number}" for number in range(6)]))
    asked = Counter(pair for had in found for pair in had)
    assert max(asked.values()) <= 2
    assert all(len(set(had)) == len(had) for had in found)
    project.refresh()
    assert project.status().votes == sum(asked.values()) == len(project.store.votes())
    assert project.history()[-1].vote <= len(project.store.votes())


def _serve(folder: Path, address: str | None, worker: str, count: int) -> None:
    """A process of its own that answers questions."""
    with Project.open(folder, store=address) as project:
        for _ in range(count):
            task = project.take(worker)
            if task is not None:
                project.answer(task.id, worker, "no")


def test_several_processes(project: Project, address: str | None) -> None:
    project.change_settings(votes=2, batch=10)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_serve, args=(project.folder, address, f"w{number}", 30)) for number in range(3)]
    for process in workers:
        process.start()
    for process in workers:
        process.join(60)
        assert process.exitcode == 0
    rows = project.store.votes()
    assert [row.id for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) == 90
    assert max(Counter((row.left, row.right) for row in rows).values()) <= 2
    assert project.refresh() == 90
    with reopened(project, address) as again:
        assert state(again) == state(project)


_ANSWERING = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from askwise import Project

project = Project.open(sys.argv[1], store=sys.argv[2] or None)
project.start()

def work(worker):
    while True:
        task = project.take(worker)
        if task is not None:
            row = project.answer(task.id, worker, "no", request=f"{worker} {task.id}")
            os.write(1, f"{row.id} {row.worker} {task.id}\\n".encode())

with ThreadPoolExecutor(5) as pool:
    list(pool.map(work, [f"w{number}" for number in range(5)]))
"""


def test_killed_in_the_middle(project: Project, address: str | None) -> None:
    project.change_settings(votes=3, lease_seconds=600)
    acknowledged: dict[int, tuple[str, int]] = {}
    for wanted in (20, 60, 40):
        process = subprocess.Popen(
            [sys.executable, "-c", _ANSWERING, str(project.folder), address or ""], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(wanted):
            said = process.stdout.readline().split()
            acknowledged[int(said[0])] = (said[1], int(said[2]))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    rows = {row.id: row for row in project.store.votes()}
    assert sorted(rows) == list(range(1, len(rows) + 1))
    for number, expected in acknowledged.items():
        assert (rows[number].worker, rows[number].task) == expected
    tasks = Counter(row.task for row in rows.values())
    assert max(tasks.values()) == 1
    held = project.store.tasks_of("w0")
    task = project.take("w0")  # what was in the worker's hands when the process died is still there
    assert task is not None
    assert not held or task.id == held[0].id
    project.refresh()
    with reopened(project, address) as again:
        assert state(again) == state(project)
    assert all(finding.good for finding in examine(project.folder)) or address is not None


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE, name="five people") as project:
        assert project.table.ids == ["1", "2", "3", "4", "5"]
        assert project.record("1")["size"] == 1.5
        assert str(project.record("1")["born"]) == "1980-01-02"
        assert project.record("2") == {
            "name": "Ana Miller",
            "city": "roma",
            "born": project.record("1")["born"],
            "size": None,
        }
        assert project.table.kinds == {"name": "text", "city": "text", "born": "date", "size": "number"}
        assert project.name == "five people"
        with pytest.raises(RecordError, match="'9'"):
            project.record("9")


def test_every_pair_of_records_without_fields(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", {"unique_id": ["a", "b", "c"]}) as project:
        assert project.status().candidates == 3
        assert project.record("a") == {}
        vote_for(project, "ann", 3)
        assert project.take("ann") is None
        assert project.add_records({"unique_id": ["d"]}) == 1
        assert project.status().candidates == 6
        with pytest.raises(InputError, match="need no pairs"):
            project.add_records({"unique_id": ["e"]}, [{"unique_id_l": "a", "unique_id_r": "e", "score": 1.0}])


def test_pairs_of_ones_own(tmp_path: Path) -> None:
    pairs = [{"unique_id_l": 2, "unique_id_r": 1, "match_weight": 3.0}]
    with Project.new(tmp_path / "p", PEOPLE, pairs) as project:
        assert project.status().candidates == 1
        (question,) = project.next_questions(5)
        assert {question.left, question.right} == {"1", "2"}
        with pytest.raises(InputError, match="match_weight"):
            project.add_records([{"unique_id": 6, "name": "Bert Jones"}])
        with pytest.raises(InputError, match="two kinds"):
            project.add_records([{"unique_id": 6}], [{"unique_id_l": 6, "unique_id_r": 3, "match_probability": 0.5}])
        more = [{"unique_id_l": 6, "unique_id_r": 3, "match_weight": 1.0}]
        assert project.add_records([{"unique_id": 6, "name": "Bert Jones"}], more) == 1
        assert project.status().candidates == 2
    with pytest.raises(RecordError, match="99"):
        Project.new(tmp_path / "q", PEOPLE, [{"unique_id_l": 99, "unique_id_r": 1, "score": 1}])
    assert not (tmp_path / "q").exists()


def test_new_records_leave_the_old_ones_alone(project: Project, address: str | None) -> None:
    vote_for(project, "ann", 60)
    project.refresh()
    before = {member: row.id for row in project.clusters() for member in row.members}
    clusters = {row.id: set(row.members) for row in project.clusters()}
    votes = project.store.votes()
    with reopened(project, address) as other:
        assert project.add_records([{"unique_id": "new", "name": "Nobody Atall", "phone": 12}]) == 1
        assert other.refresh() == 0
        assert state(other) == state(project)
    assert project.store.votes() == votes
    rows = project.clusters()
    after = {member: row.id for row in rows for member in row.members}
    assert after["new"] not in before.values()
    kept = [row for row in rows if clusters.get(row.id) == set(row.members)]
    assert len(kept) > 0.9 * len(clusters)
    for bad, match in (
        ([{"unique_id": "c000"}], "already"),
        ([{"unique_id": "x", "nonsense": 1}], "no column 'nonsense'"),
    ):
        with pytest.raises(InputError, match=match):
            project.add_records(bad)


def test_columns_of_two_kinds_become_text(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE) as project:
        project.add_records([{"unique_id": 6, "size": "large", "born": "2001-02-03T04:05:06"}, {"unique_id": 7}])
        assert project.table.kinds == {"name": "text", "city": "text", "born": "date", "size": "text"}
        assert [project.record(str(number))["size"] for number in (1, 3, 6, 7)] == ["1.5", "2", "large", None]
        assert str(project.record("6")["born"]) == "2001-02-03 04:05:06"


def test_cluster_ids_last(project: Project) -> None:
    seen: dict[int, set[str]] = {}
    before: dict[str, int] = {}
    for round in range(5):
        vote_for(project, f"w{round}", 40, round)
        project.refresh()
        rows = project.clusters()
        assert len({row.id for row in rows}) == len(rows)
        for row in rows:
            had = Counter(before[member] for member in row.members if member in before)
            if row.id in seen:
                assert had[row.id] > 0  # an id that was there before goes to some of its records
            seen[row.id] = set(row.members)
            assert 0 <= row.confidence <= 1
        before = {member: row.id for row in rows for member in row.members}
        assert sorted(before) == sorted(project.table.ids)  # type: ignore[type-var]
    assert project.clusters() == rows


def test_lasting_ids() -> None:
    first, free = lasting_ids(np.empty(0, np.int64), np.array([0, 0, 2, 2, 4], np.int32), 1)
    assert (first.tolist(), free) == ([1, 1, 2, 2, 3], 4)
    split, free = lasting_ids(first, np.array([0, 1, 2, 2, 2, 5], np.int32), free)
    assert (split.tolist(), free) == ([1, 4, 2, 2, 2, 5], 6)
    merged, free = lasting_ids(split, np.array([0, 0, 0, 0, 0, 0], np.int32), free)
    assert (merged.tolist(), free) == ([2] * 6, 6)
    again, free = lasting_ids(merged, np.array([0, 0, 0, 0, 4, 4], np.int32), free)
    assert (again.tolist(), free) == ([2, 2, 2, 2, 6, 6], 7)


def test_settings(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE) as project:
        changed = project.change_settings(votes=1, image_fields=["name"], instructions="Same person?", budget=10)
        assert project.settings == changed
        assert changed.image_fields == ("name",)
        for bad in (
            {"votes": 0},
            {"votes": True},
            {"votes": 1.5},
            {"lease_seconds": 10**9},
            {"paused": 1},
            {"budget": -1},
            {"price": float("nan")},
            {"currency": "x" * 11},
            {"instructions": 3},
            {"image_fields": ["none"]},
            {"nonsense": 1},
        ):
            with pytest.raises(InputError, match=next(iter(bad)) if "image_fields" not in bad else "no field"):
                project.change_settings(**bad)
        assert project.settings == changed


def test_what_comes_in_is_checked(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE) as project:
        task = project.take("ann")
        assert task is not None
        for worker in ("", " ", "a\nb", "x" * 201, None, 5, "a\0"):
            with pytest.raises(InputError, match="worker"):
                project.take(worker)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="'maybe'"):
            project.answer(task.id, "ann", "maybe")  # type: ignore[arg-type]
        for number in ("1", 0, 2**70):
            with pytest.raises(InputError, match="task"):
                project.answer(number, "ann", "yes")  # type: ignore[arg-type]
        for given in ({"seconds": -1.0}, {"seconds": float("nan")}, {"request": ""}, {"shown": "x" * 30_000}):
            with pytest.raises(InputError):
                project.answer(task.id, "ann", "yes", **given)
        with pytest.raises(TaskError):
            project.answer(task.id, "bob", "yes")
        assert project.store.votes() == []
        with pytest.raises(RecordError, match="'9'"):
            project.add_votes([Vote("1", "2", "ann", True), Vote("1", "9", "ann", True)], "file")
        assert project.store.votes() == []
        assert project.add_votes([Vote(1, 2, "bob", True)], "file", request="r") == 1
        assert project.add_votes([Vote(1, 2, "bob", True)], "file", request="r") == 1
        assert [row.worker for row in project.votes_on("2", "1")] == ["bob"]
        assert project.ask_more([("2", "1")], 2) == 1


def test_folders_that_are_no_projects(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="askwise new"):
        Project.open(tmp_path)
    folder = tmp_path / "p"
    Project.new(folder, PEOPLE).close()
    with pytest.raises(ProjectError, match="not empty"):
        Project.new(folder, PEOPLE)
    about = (folder / "askwise.toml").read_text()
    for text, match in (
        ("", "version"),
        ("version = 2", "version 2"),
        ("version = ", "cannot read"),
        (about.replace("key = ", "kye = "), "key"),
        (about.replace('id = "unique_id"', 'id = "other"'), "'other'"),
        (about.replace('key = "', 'key = "x'), "another project"),
    ):
        (folder / "askwise.toml").write_text(text)
        with pytest.raises(AskwiseError, match=match):
            Project.open(folder)
        assert not all(finding.good for finding in examine(folder))
    (folder / "askwise.toml").write_text(about)
    assert all(finding.good for finding in examine(folder))
    for name in ("records.parquet", "pairs.parquet", "votes.sqlite"):
        kept = (folder / name).read_bytes()
        (folder / name).write_bytes(b"nonsense" * 100)
        with pytest.raises(AskwiseError):
            Project.open(folder)
        assert not all(finding.good for finding in examine(folder))
        (folder / name).write_bytes(kept)
    (folder / "pairs.parquet").unlink()
    with pytest.raises(ProjectError, match=r"pairs\.parquet"):
        Project.open(folder)


def test_an_engine_that_cannot_follow_says_so_and_tries_again(tmp_path: Path) -> None:
    def waited(done: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + 30
        while not done() and time.monotonic() < deadline:
            time.sleep(0.05)
        return done()

    with Project.new(tmp_path / "p", PEOPLE) as project:
        records = tmp_path / "p" / "records.parquet"
        kept = records.read_bytes()
        project.store.change_inputs(1, lambda: records.write_bytes(b"nonsense"))  # type: ignore[arg-type]
        project.start()
        assert waited(lambda: project.failure is not None)
        assert "records.parquet" in str(project.failure)
        task = project.take("ann")  # workers do not notice
        assert task is not None
        project.answer(task.id, "ann", "yes")
        records.write_bytes(kept)
        assert waited(lambda: project.failure is None)
        assert waited(lambda: project.resolution.asked == 1)


def test_odd_names_of_folders(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%20'd[e]* ü"
    with Project.new(folder, PEOPLE) as project:
        vote_for(project, "ann", 1)
    with Project.open(folder) as project:
        assert project.name == folder.name
        assert len(project.store.votes()) == 1
    assert (folder / "votes.sqlite").exists()
    (folder / "votes.sqlite").unlink()
    with pytest.raises(StoreError, match="missing"):
        Project.open(folder)
    assert not (folder / "votes.sqlite").exists()


def test_postgresql_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InputError, match=r"askwise\[postgres\]"):
        Project.new(tmp_path / "p", PEOPLE, store="postgresql://localhost/none")
    assert not (tmp_path / "p").exists()


def test_the_doctor_finds_what_is_missing(
    project: Project, address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if address is not None:
        monkeypatch.setenv("ASKWISE_STORE", address)
    vote_for(project, "ann", 5)
    assert [finding.what for finding in examine(project.folder) if not finding.good] == []
    with project.store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM votes WHERE id = 3")
    assert [finding.what for finding in examine(project.folder) if not finding.good] == ["votes", "queue"]


def test_a_password_is_not_kept(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    databases = Databases("postgresql", tmp_path, server)
    address = databases.fresh().replace("askwise@", "askwise:secret@")
    Project.new(tmp_path / "p", PEOPLE, store=address).close()
    assert "secret" not in "".join(path.read_text("latin-1") for path in (tmp_path / "p").iterdir())
    with Project.open(tmp_path / "p") as project:  # the server trusts all; others have PGPASSWORD
        assert "secret" not in project.store.address
    monkeypatch.setenv("ASKWISE_STORE", address)
    with Project.open(tmp_path / "p") as project:
        assert "secret" not in project.store.address
    monkeypatch.setenv("ASKWISE_STORE", databases.fresh())
    with pytest.raises(StoreError, match="empty"):
        Project.open(tmp_path / "p")


def test_the_matchers_view_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_file, "FEW", 1)
    with Project.new(tmp_path / "p", many()) as project:
        expected = state(project)
    path = tmp_path / "p" / machine_file.FILE
    kept = path.read_bytes()
    with Project.open(tmp_path / "p") as project:
        assert state(project) == expected
    path.write_bytes(b"nonsense")
    with Project.open(tmp_path / "p") as project:
        assert state(project) == expected
    assert path.read_bytes() == kept
    with Project.open(tmp_path / "p") as project:
        project.add_records([{"unique_id": "new", "name": "Arla Jansen"}])
        assert path.read_bytes() != kept
