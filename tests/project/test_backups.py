"""Backups while people work, what is restored from them, and what the doctor notices."""

import os
import shutil
import subprocess
import threading
import time
import zipfile
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from databases import Databases
from projects import many, state, vote_for

from askwise import Project
from askwise.cli import commands
from askwise.errors import InputError, ProjectError, StoreError
from askwise.project.backups import backup, restore
from askwise.project.doctor import examine


def bad(folder: Path) -> list[str]:
    return [finding.what for finding in examine(folder) if not finding.good]


@pytest.fixture
def at_store(address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands find the votes where the project of the test has them."""
    if address is not None:
        monkeypatch.setenv("ASKWISE_STORE", address)


@pytest.mark.usefixtures("at_store")
def test_a_backup_while_people_work(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.folder / "pictures").mkdir()
    (project.folder / "pictures" / "one.png").write_bytes(b"picture")
    stop = threading.Event()
    rows: list[int] = []

    def work() -> None:
        while not stop.is_set():
            task = project.take("ann")
            assert task is not None
            rows.append(project.answer(task.id, "ann", "yes").id)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while len(rows) < 20:
            time.sleep(0.01)
        least = len(rows)
        file = tmp_path / "backup.zip"
        count = backup(project.folder, file)
    finally:
        stop.set()
        thread.join()
    assert least <= count <= len(rows)
    assert file.stat().st_mode & 0o777 == 0o600
    monkeypatch.delenv("ASKWISE_STORE", raising=False)
    assert restore(file, tmp_path / "again") == count
    assert (tmp_path / "again" / "pictures" / "one.png").read_bytes() == b"picture"
    with Project.open(tmp_path / "again") as again:
        assert again.store.votes() == project.store.votes()[:count]
        assert again.settings == project.settings
    with pytest.raises(InputError, match="exists already"):
        backup(project.folder, file)
    # The sums are those that sha256sum reads.
    with zipfile.ZipFile(file) as zipped:
        zipped.extractall(tmp_path / "plain")
    assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=tmp_path / "plain").returncode == 0


def test_from_one_database_to_the_other_and_back(tmp_path: Path, server: str) -> None:
    databases = Databases("postgresql", tmp_path, server)
    with Project.new(tmp_path / "one", many()) as project:
        vote_for(project, "ann", 10)
        project.undo("ann")
        project.invites.add("digest", "ann")
        project.refresh()
        expected, rows = state(project), project.store.votes()
    command = ["backup", str(tmp_path / "one"), "-o", str(tmp_path / "1.zip")]
    assert CliRunner().invoke(commands, command, catch_exceptions=False).exit_code == 0
    address = databases.fresh()
    restore(tmp_path / "1.zip", tmp_path / "two", address)
    assert not (tmp_path / "two" / "votes.sqlite").exists()
    with Project.open(tmp_path / "two") as project:
        assert (state(project), project.store.votes()) == (expected, rows)
        assert [invite.id for invite in project.invites.all()] == [1]
        assert project.invites.add("another").id == 2  # numbers go on
        vote_for(project, "bob", 5)
        rows = project.store.votes()
    assert bad(tmp_path / "two") == []
    with pytest.raises(InputError, match="holds a project already"):
        restore(tmp_path / "1.zip", tmp_path / "three", address)
    assert not (tmp_path / "three").exists()
    backup(tmp_path / "two", tmp_path / "2.zip")
    command = ["restore", str(tmp_path / "2.zip"), str(tmp_path / "four")]
    assert "15 rows" not in CliRunner().invoke(commands, command, catch_exceptions=False).output
    with Project.open(tmp_path / "four") as project:
        assert project.store.votes() == rows


def test_damaged_and_hostile_backups(tmp_path: Path) -> None:
    with Project.new(tmp_path / "one", many()) as project:
        vote_for(project, "ann", 3)
    file = tmp_path / "backup.zip"
    backup(tmp_path / "one", file)
    content = file.read_bytes()
    (tmp_path / "short.zip").write_bytes(content[: len(content) // 2])
    (tmp_path / "text.zip").write_bytes(b"no zip at all")
    with zipfile.ZipFile(file) as zipped:
        parts = {name: zipped.read(name) for name in zipped.namelist()}

    def written(name: str, changes: dict[str, bytes]) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as zipped:
            for part, content in {**parts, **changes}.items():
                zipped.writestr(part, content)
        return path

    sums = parts["SHA256SUMS"]
    outside = written("outside.zip", {"../evil": b"x", "SHA256SUMS": sums + b"0  ../evil\n"})
    changed = written("changed.zip", {"records.parquet": parts["records.parquet"] + b"x"})
    more = written("more.zip", {"more": b"x"})
    for archive in (tmp_path / "short.zip", tmp_path / "text.zip", outside, changed, more):
        with pytest.raises(ProjectError, match=archive.name):
            restore(archive, tmp_path / "again")
        assert not (tmp_path / "again").exists()
    assert not (tmp_path / "evil").exists()


def test_a_copy_without_its_log_is_noticed(tmp_path: Path) -> None:
    with Project.new(tmp_path / "one", many()) as project:
        vote_for(project, "ann", 5)
        shutil.copytree(project.folder, tmp_path / "whole")
        shutil.copytree(project.folder, tmp_path / "part", ignore=shutil.ignore_patterns("*-wal", "*-shm"))
        assert bad(project.folder) == []
    assert bad(tmp_path / "one") == []
    assert bad(tmp_path / "whole") == []
    with Project.open(tmp_path / "whole") as project:
        assert len(project.store.votes()) == 5
    shutil.copytree(tmp_path / "one", tmp_path / "closed")  # a copy of a closed project is good
    assert bad(tmp_path / "closed") == []
    assert bad(tmp_path / "part") == ["store"]
    with pytest.raises(StoreError, match="copied while it was in use"):
        Project.open(tmp_path / "part")
    with pytest.raises(StoreError, match="copied while it was in use"):
        backup(tmp_path / "part", tmp_path / "part.zip")
    assert CliRunner().invoke(commands, ["doctor", str(tmp_path / "part")]).exit_code == 1
    assert CliRunner().invoke(commands, ["doctor", str(tmp_path / "part"), "--accept"]).exit_code == 0
    Project.open(tmp_path / "part").close()


def test_a_project_that_was_never_closed_is_no_copy(tmp_path: Path) -> None:
    project = Project.new(tmp_path / "one", many())
    vote_for(project, "ann", 3)
    del project  # without close
    assert bad(tmp_path / "one") == []


@pytest.mark.usefixtures("at_store")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE votes SET label = NOT label WHERE id = 3",
        "UPDATE votes SET worker = 'bob' WHERE id = 3",
        "UPDATE votes SET time = time + 1 WHERE id = 5",
        "UPDATE votes SET digest = '' WHERE id = 2",
        "UPDATE project SET digest = 'another'",
    ],
)
def test_a_changed_vote_is_noticed(project: Project, damage: str) -> None:
    vote_for(project, "ann", 4)
    project.undo("ann")
    project.exclude("ann")
    assert bad(project.folder) == []
    with project.store.writing() as connection:
        connection.exec_driver_sql(damage)
    assert bad(project.folder)[0] == "votes"


@pytest.mark.usefixtures("at_store")
def test_other_damage_is_noticed(project: Project) -> None:
    vote_for(project, "ann", 1)
    assert project.take("bob") is not None
    path = project.folder / "records.parquet"
    before = path.read_bytes()
    duckdb.sql(f"COPY (SELECT * FROM '{path}' ORDER BY random()) TO '{path}.new' (FORMAT parquet)")
    os.replace(f"{path}.new", path)
    assert bad(project.folder) == ["inputs"]
    path.write_bytes(before)
    with project.store.writing() as connection:
        connection.exec_driver_sql("UPDATE tasks SET until = until + 1e9 WHERE state = 0")
    assert bad(project.folder) == ["leases"]
    assert project.take("cleo") is not None  # frees them
    assert bad(project.folder) == []


def test_a_clock_that_was_ahead_holds_no_question(project: Project) -> None:
    project.change_settings(votes=1, batch=1)
    ahead = project.take("ann", now=time.time() + 86400)
    assert ahead is not None
    now = project.take("bob")
    assert now is not None
    assert {now.left, now.right} == {ahead.left, ahead.right}


def test_new_projects_are_private(tmp_path: Path) -> None:
    with Project.new(tmp_path / "one", many()) as project:
        vote_for(project, "ann", 1)
        project.add_records([{"unique_id": "new", "name": "Arla Jansen"}])
        modes = {path.name: path.stat().st_mode & 0o777 for path in project.folder.iterdir()}
    assert set(modes.values()) == {0o600}, modes
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o700


def test_truncated_stores(tmp_path: Path) -> None:
    with Project.new(tmp_path / "one", many()) as project:
        vote_for(project, "ann", 3)
    file = tmp_path / "one" / "votes.sqlite"
    content = file.read_bytes()
    for size in (0, 50, 4096, len(content) // 2, len(content) - 4096):
        file.write_bytes(content[:size])
        assert bad(tmp_path / "one"), size
    for size in (0, 50, 4096):  # others may open: what is missing may be far from what is read first
        file.write_bytes(content[:size])
        with pytest.raises(StoreError):
            Project.open(tmp_path / "one")
