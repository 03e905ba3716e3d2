"""Stores that earlier versions of Askwise made, kept as SQL in `stores`: each opens, and nothing in it is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import Databases
from sqlalchemy import or_, select

from askwise import Project
from askwise.errors import StoreError
from askwise.project import folder as files
from askwise.project import schema
from askwise.project.backups import backup, restore
from askwise.project.doctor import examine
from askwise.project.migrations import MIGRATIONS

PEOPLE = [
    {"unique_id": f"p{n}", "name": name}
    for n, name in enumerate(["Anna Miller", "Ana Miller", "Bert Jones", "Bert Johns", "Chen Wei", "Wei Chen"])
]
PAIRS = [
    {"unique_id_l": left, "unique_id_r": right, "score": score}
    for left, right, score in [
        ("p0", "p1", 0.9),
        ("p2", "p3", 0.8),
        ("p4", "p5", 0.7),
        ("p0", "p2", 0.3),
        ("p1", "p3", 0.2),
    ]
]
STORES = Path(__file__).parent / "stores"
VERSIONS = range(1, len(MIGRATIONS))
_NUMBERS = count()
_COLUMNS = 'id, time, action, worker, "left", "right", label, source, task, seconds, shown'


class Old:
    """A project with a store of an earlier version."""

    def __init__(self, databases: Databases, tmp_path: Path, server: str, version: int) -> None:
        self.kind, self.version, self.folder = databases.kind, version, tmp_path / "people"
        Project.new(self.folder, PEOPLE, PAIRS).close()
        script = (STORES / f"version{version}.{databases.kind}.sql").read_text()
        if databases.kind == "sqlite":
            (self.folder / "votes.sqlite").unlink()
            self.address = None
            with closing(sqlite3.connect(self.folder / "votes.sqlite")) as connection:
                connection.executescript(script)
                if version < 5:
                    connection.execute("PRAGMA journal_mode = WAL")  # as that version left it
        else:
            name = f"upgraded{next(_NUMBERS)}"
            with psycopg.connect(server, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
            self.address = server.replace("/postgres", f"/{name}")
            with psycopg.connect(self.address) as connection:
                connection.execute(script.encode())
        (key,) = self.rows("SELECT key FROM project")[0]
        about = files.read_about(self.folder)
        files.write_about(self.folder, replace(about, key=key, store=self.address or ""))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database itself says."""
        if self.address is None:
            with closing(sqlite3.connect(self.folder / "votes.sqlite")) as connection:
                return connection.execute(query).fetchall()
        with psycopg.connect(self.address) as connection:
            return connection.execute(query.encode()).fetchall()

    def bad(self) -> list[str]:
        """What the doctor finds."""
        return [finding.what for finding in examine(self.folder) if not finding.good]


@pytest.fixture(params=VERSIONS)
def old(databases: Databases, tmp_path: Path, request: pytest.FixtureRequest) -> Old:
    server = request.getfixturevalue("server") if databases.kind == "postgresql" else ""
    return Old(databases, tmp_path, server, request.param)


def test_there_is_a_store_of_every_earlier_version() -> None:
    kept = {path.name for path in STORES.iterdir()}
    assert kept == {f"version{version}.{kind}.sql" for version in VERSIONS for kind in ("sqlite", "postgresql")}


def test_a_store_of_an_earlier_version_opens(old: Old) -> None:
    (version,) = old.rows("SELECT version FROM project")[0]
    assert version == old.version
    votes = old.rows(f"SELECT {_COLUMNS} FROM votes ORDER BY id")
    tasks = old.rows("SELECT id, question, worker, vote FROM tasks ORDER BY id")
    assert len(votes) >= 8
    assert old.bad() == [], "it is in order before"
    with Project.open(old.folder) as project:
        assert (project.settings.votes, project.settings.currency) == (2, "EUR")
        assert [worker.name for worker in project.workers() if worker.excluded] == ["cleo"]
        assert [invite.worker for invite in project.invites.all()] == ["ann", None]
        assert project.invites.all()[1].most == 100
        if version >= 5:  # all else has its votes, or was decided
            project.ask_more([("p0", "p1")], 1)
        task = project.take("dora")
        assert task is not None
        row = project.answer(task.id, "dora", "yes")
        assert row.id == len(votes) + 1
        assert project.status().clusters == len(project.clusters())
    assert old.rows("SELECT version FROM project") == [(len(MIGRATIONS),)]
    assert old.rows(f"SELECT {_COLUMNS} FROM votes ORDER BY id")[:-1] == votes
    assert old.rows("SELECT id, question, worker, vote FROM tasks ORDER BY id")[: len(tasks)] == tasks
    assert old.bad() == [], "and after"


@pytest.mark.parametrize("old", [5], indirect=True)
def test_what_the_owner_had_decided_still_counts(old: Old) -> None:
    with Project.open(old.folder) as project:
        edits = {edit.groups: edit.counts for edit in project.desk.edits}
        assert edits == {(("p0",), ("p2",)): True, (("p4", "p5"),): True, (("p1", "p3"),): False}
        together = {frozenset(row.members) for row in project.clusters()}
        assert any({"p4", "p5"} <= cluster for cluster in together)
        assert not any({"p0", "p2"} <= cluster for cluster in together)


@pytest.mark.parametrize("old", [6], indirect=True)
def test_what_stewards_did_still_counts(old: Old) -> None:
    with Project.open(old.folder) as project:
        assert [(edit.kind, edit.counts) for edit in project.desk.edits if edit.person == "Ann Lee"] == [
            ("join", True),
            ("split", False),
        ]
        assert {"p0", "p4"} <= set(next(row.members for row in project.clusters() if "p0" in row.members))
        assert project.people.check("Ann Lee", "correct horse") is not None
        assert [one.text for one in project.desk.comments("cluster 1")] == ["looked at twice"]


def test_the_votes_on_a_record_are_found_by_indexes(databases: Databases, tmp_path: Path) -> None:
    """However many there are on others, and whichever side the record is on."""
    store = databases.fresh() if databases.kind == "postgresql" else None
    with Project.new(tmp_path / "people", PEOPLE, PAIRS, store=store) as project:
        votes = schema.votes
        query = select(votes.c.id).where(or_(votes.c.left == "p1", votes.c.right == "p1"))
        explain = "EXPLAIN QUERY PLAN " if store is None else "EXPLAIN "
        with project.store.reading() as connection:
            if store is not None:
                connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # the table is too small to tell
            text = str(query.compile(connection, compile_kwargs={"literal_binds": True}))
            plan = "\n".join(map(str, connection.exec_driver_sql(explain + text).all()))
        assert "votes_on_pair" in plan
        assert "votes_on_right" in plan
        assert "Seq Scan" not in plan
        assert "SCAN votes" not in plan


def test_a_backup_before_the_upgrade(old: Old, tmp_path: Path) -> None:
    votes = old.rows(f"SELECT {_COLUMNS} FROM votes ORDER BY id")
    assert backup(old.folder, tmp_path / "backup.zip") == len(votes)
    assert old.rows("SELECT version FROM project") == [(old.version,)], "a backup changes nothing"
    assert restore(tmp_path / "backup.zip", tmp_path / "again") == len(votes)
    with Project.open(tmp_path / "again") as project:
        assert [(row.id, row.worker, row.left, row.right) for row in project.store.votes()] == [
            (row[0], row[3], row[4], row[5]) for row in votes
        ]


def test_a_store_of_a_later_version_is_refused(tmp_path: Path) -> None:
    with Project.new(tmp_path / "people", PEOPLE, PAIRS) as project, project.store.writing() as connection:
        connection.exec_driver_sql(f"UPDATE project SET version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match="install a newer one"):
        Project.open(tmp_path / "people")
