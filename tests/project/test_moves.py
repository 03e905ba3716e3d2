"""Which cluster a record was in, and what moved it: votes, edits, rules, other inputs, excluded workers, fits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import reopened
from sqlalchemy import func, select

from askwise import Project, Vote
from askwise.errors import RecordError
from askwise.project import schema
from askwise.project.moves import AT_ONCE, MOST_VOTES
from askwise.project.record_history import Move, record_moves

PEOPLE = [
    {"unique_id": f"p{n}", "name": name, "city": city}
    for n, (name, city) in enumerate(
        [("Anna Miller", "Rome"), ("Ana Miller", "Rome"), ("Bert Jones", "Oslo"), ("Bert Johns", "Oslo")]
    )
]
PAIRS = [
    {"unique_id_l": left, "unique_id_r": right, "score": 0.5}
    for left, right in [("p0", "p1"), ("p2", "p3"), ("p0", "p2"), ("p1", "p3")]
]


@pytest.fixture
def project(address: str | None, tmp_path: Path) -> Iterator[Project]:
    with Project.new(tmp_path / "people", PEOPLE, PAIRS, store=address) as project:
        said(project, ("p0", "p1", False), ("p2", "p3", False), ("p0", "p2", False), ("p1", "p3", False))
        yield project


def said(project: Project, *answers: tuple[str, str, bool], workers: int = 4) -> None:
    """Several workers agree on pairs; then the clusters are looked at."""
    votes = [Vote(left, right, f"w{n}", same) for left, right, same in answers for n in range(workers)]
    project.add_votes(votes, "test")
    project.refresh()
    project.clusters()


def cluster(project: Project, record: str) -> int:
    board = project.board()
    return int(board.ids[board.of(record)])


def moved(project: Project, record: str) -> Move:
    """The last move of a record, which led to where it is."""
    found = record_moves(project, record)[0]
    assert found.cluster == cluster(project, record)
    return found


def test_a_record_that_votes_moved(project: Project) -> None:
    first = cluster(project, "p1")
    assert record_moves(project, "p1") == [], "it has been there from the beginning"
    said(project, ("p0", "p1", True))
    now = moved(project, "p1")
    assert (now.origin, now.cluster) == (first, cluster(project, "p0"))
    assert "votes" in now.why
    assert not {"an edit", "rules", "new records or columns", "a worker excluded or included"} & set(now.why)
    assert record_moves(project, "p0") == record_moves(project, "p2") == [], "the cluster of p0 kept its id"
    said(project, ("p0", "p1", False), workers=6)
    back = record_moves(project, "p1")
    assert [move.origin for move in back] == [now.cluster, first]
    assert back[0].time >= back[1].time
    with pytest.raises(RecordError):
        record_moves(project, "p9")


def test_an_edit_and_its_undo(project: Project) -> None:
    edit = project.editing.edit("join", [["p0", "p1"]], "ann")
    project.clusters()
    assert moved(project, "p1").why == ("an edit",)
    project.editing.undo(edit.id, "ann")
    project.clusters()
    assert moved(project, "p1").why == ("an edit",)
    assert len(record_moves(project, "p1")) == 2


def test_votes_on_other_clusters_are_no_reason(project: Project) -> None:
    project.add_votes([Vote("p2", "p3", "w0", True)], "test")
    project.refresh()
    project.editing.edit("join", [["p0", "p1"]], "ann")
    project.clusters()
    assert "votes" not in moved(project, "p1").why
    assert "an edit" in moved(project, "p1").why


def test_rules_and_other_inputs(project: Project) -> None:
    said(project, ("p0", "p1", True))
    ((number, _),) = project.add_rules([("p0", "p1", False)])
    project.clusters()
    assert moved(project, "p1").why == ("rules",)
    project.withdraw_rules([number])
    project.clusters()
    assert moved(project, "p1").why == ("rules",)
    project.add_records(
        [{"unique_id": "p4", "name": "Cleo Park", "city": "Bonn"}],
        [{"unique_id_l": "p3", "unique_id_r": "p4", "score": 0.1}],
    )
    project.clusters()
    assert record_moves(project, "p4") == [], "a new record comes from nowhere"
    assert len(record_moves(project, "p1")) == 3


def test_an_excluded_worker(project: Project) -> None:
    said(project, ("p0", "p1", True), workers=3)
    said(project, ("p0", "p1", False), workers=1)
    for worker in ("w1", "w2"):
        project.exclude(worker)
    project.refresh()
    project.clusters()
    assert "a worker excluded or included" in moved(project, "p1").why


def test_what_happened_before_it_was_opened_again(project: Project, address: str | None) -> None:
    """The process that looks at the clusters is not the one that took the votes, and not the one that looked before."""
    project.add_votes([Vote("p0", "p1", f"w{n}", True) for n in range(4)], "test")
    with reopened(project, address) as again:
        again.clusters()
        assert "votes" in moved(again, "p1").why
        assert record_moves(again, "p1") == record_moves(project, "p1")
    with project.store.reading() as connection:
        versions = connection.execute(select(func.max(schema.clusterings.c.version))).scalar_one()
        assert versions == connection.execute(select(schema.cluster_ids.c.version)).scalar_one()


def test_many_votes_at_once(project: Project) -> None:
    """Then it is not looked up which records they are about."""
    project.add_votes([Vote("p0", "p3", "w0", False)] * (MOST_VOTES + 1), "test")
    project.refresh()
    project.editing.edit("join", [["p0", "p1"]], "ann")
    project.clusters()
    assert moved(project, "p1").why[:2] == ("votes", "an edit")


def test_a_store_without_moves_begins_to_keep_them(project: Project) -> None:
    """As after an upgrade: what moved a record the first time is unknown, and then it is known."""
    with project.store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM clusterings")
    with Project.open(project.folder, store=str(project.store.url.render_as_string(hide_password=False))) as again:
        said(again, ("p0", "p1", True))
        assert moved(again, "p1").why == ()
        said(again, ("p0", "p1", False), workers=6)
        assert "votes" in moved(again, "p1").why


def test_many_records_move_at_once(address: str | None, tmp_path: Path) -> None:
    """They are written in parts."""
    people = [{"unique_id": f"p{n}", "city": "Rome"} for n in range(AT_ONCE + 500)]
    pair = {"unique_id_l": "p0", "unique_id_r": "p1", "score": 0.5}
    with Project.new(tmp_path / "many", people, [pair], store=address) as project:
        project.clusters()
        project.add_rules(["equal:city"])
        assert len(project.clusters()) == 1
        with project.store.reading() as connection:
            count = connection.execute(select(func.count()).select_from(schema.moves)).scalar_one()
        assert count >= AT_ONCE + 498, "p0 and p1 may have been together"
        assert moved(project, people[-1]["unique_id"]).why == ("rules",)
