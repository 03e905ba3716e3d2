"""The folder of a project: what is none, what is missing in one, what is kept there and what never."""

import sys
from pathlib import Path

import pytest
from databases import Databases
from projects import PEOPLE, many, state, vote_for

from askwise import Project
from askwise.errors import AskwiseError, InputError, ProjectError, StoreError
from askwise.project import machine_file
from askwise.project.doctor import examine


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
    monkeypatch.setattr(machine_file, "QUICK_PAIRS", 1)
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
