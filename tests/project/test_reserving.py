"""Questions that are assigned to one worker: who gets them when, and how an assignment ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import Databases

from askwise import Project, Vote
from askwise.errors import InputError, TaskError
from askwise.project import schema
from askwise.project.pair_rows import conflicts_of
from askwise.project.queue import miscounted
from askwise.project.values import ordered

PEOPLE = [{"unique_id": f"p{n}", "name": f"{name} {n}"} for n, name in enumerate(["Ann", "Ann", "Bert", "Bert", "Cy"])]
PAIRS = [
    {"unique_id_l": f"p{one}", "unique_id_r": f"p{two}", "score": 0.5} for one in range(5) for two in range(one + 1, 5)
]
CHOSEN = [("p0", "p1"), ("p3", "p2"), ("p0", "p4")]


@pytest.fixture
def project(address: str | None, tmp_path: Path) -> Iterator[Project]:
    with Project.new(tmp_path / "people", PEOPLE, PAIRS, store=address) as project:
        project.change_settings(votes=1, lease_seconds=60, batch=20)
        project.fill()
        for worker in ("ann", "bob"):
            project.invites.add(f"digest of {worker}", worker)
        yield project
        with project.store.reading() as connection:
            assert miscounted(connection) == 0


def taken(project: Project, worker: str, now: float = 1000.0) -> list[tuple[str, str]]:
    """All that a worker gets, without answers."""
    found: list[int] = []
    pairs = []
    while (task := project.take(worker, beside=found, now=now)) is not None:
        found.append(task.id)
        pairs.append(ordered(task.left, task.right))
    return pairs


def test_a_worker_gets_the_assigned_questions_first_and_others_never(project: Project) -> None:
    assert project.reserving.assign(CHOSEN, "bob", by="sue") == 3
    assert project.reserving.all() == dict.fromkeys((("p0", "p1"), ("p2", "p3"), ("p0", "p4")), "bob")
    assert project.reserving.on("p4", "p0") == "bob"
    others = taken(project, "ann")
    assert len(others) == 7
    assert not set(others) & set(project.reserving.all())
    assert taken(project, "bob") == [("p0", "p1"), ("p2", "p3"), ("p0", "p4")]
    (event,) = project.store.events(limit=1)
    assert (event.person, event.kind, event.data["to"]) == ("sue", "questions", "bob")


def test_a_vote_ends_the_assignment(project: Project) -> None:
    project.change_settings(votes=2)
    project.reserving.assign(CHOSEN[:2], "bob")
    task = project.take("bob")
    assert task is not None
    project.answer(task.id, "bob", "yes")
    assert project.reserving.all() == {("p2", "p3"): "bob"}
    project.add_votes([Vote("p2", "p3", "bob", True)], "a file")
    assert project.reserving.all() == {}
    assert {("p0", "p1"), ("p2", "p3")} <= set(taken(project, "ann")), "the second votes are for anyone"
    assert project.reserving.assign(CHOSEN, "bob") == 1, "bob has answered the others"


def test_what_is_out_of_the_queue_or_full_gets_one_more_vote(project: Project) -> None:
    """For someone who did not vote, and whether or not the pair was ever in the queue."""
    task = project.take("ann")
    assert task is not None
    project.answer(task.id, "ann", "no")
    full = ordered(task.left, task.right)
    with project.store.writing() as connection:
        connection.execute(schema.questions.delete().where(~schema.questions.c.touched))
    assert project.reserving.assign([full, CHOSEN[0], CHOSEN[2]], "bob") >= 2
    assert taken(project, "bob")[: len(project.reserving.all())] == list(project.reserving.all())
    assert len(project.votes_on(*full)) == 1


def test_a_lease_of_someone_else_stays(project: Project) -> None:
    held = project.take("ann", now=1000.0)
    assert held is not None
    pair = ordered(held.left, held.right)
    project.reserving.assign([pair], "bob")
    assert project.take("ann", now=1001.0) is not None
    project.answer(held.id, "ann", "yes", now=1002.0)
    assert project.reserving.all() == {pair: "bob"}, "it still waits for bob"
    mine = project.take("bob", now=1003.0)
    assert mine is not None
    assert ordered(mine.left, mine.right) == pair


def test_a_lease_that_runs_out_goes_to_no_one_else(project: Project) -> None:
    held = project.take("ann", now=1000.0)
    assert held is not None
    pair = ordered(held.left, held.right)
    project.reserving.assign([pair], "bob")
    assert pair not in taken(project, "ann", now=1100.0)
    with pytest.raises(TaskError, match="ran out of time"):
        project.answer(held.id, "ann", "yes", now=1101.0)
    assert taken(project, "bob", now=1102.0)[0] == pair
    assert pair not in taken(project, "ann", now=1300.0), "bob's lease has run out, but it is still bob's"
    again = project.take("bob", now=1400.0)
    assert again is not None
    assert ordered(again.left, again.right) == pair
    project.answer(again.id, "bob", "yes", now=1401.0)


def test_a_worker_who_ran_out_of_time_can_get_it_assigned(project: Project) -> None:
    held = project.take("bob", now=1000.0)
    assert held is not None
    pair = ordered(held.left, held.right)
    assert project.take("ann", now=1100.0) is not None
    assert project.reserving.assign([pair], "bob") == 1
    assert taken(project, "bob", now=1200.0)[0] == pair


def test_an_assignment_is_withdrawn_or_moved(project: Project) -> None:
    project.reserving.assign(CHOSEN, "bob")
    assert project.reserving.withdraw([("p1", "p0"), ("p1", "p2")]) == 1
    assert project.reserving.assign([("p3", "p2")], "ann") == 1
    assert project.reserving.all() == {("p2", "p3"): "ann", ("p0", "p4"): "bob"}
    assert project.reserving.withdraw_all("bob") == 1
    assert project.reserving.withdraw_all("bob") == 0
    assert taken(project, "ann")[0] == ("p2", "p3")


@pytest.mark.parametrize("how", ["excluded", "revoked"])
def test_an_assignment_ends_with_the_worker(project: Project, how: str) -> None:
    project.reserving.assign(CHOSEN, "bob")
    task = project.take("bob")
    assert task is not None
    if how == "excluded":
        project.exclude("bob")
    else:
        (link,) = [invite for invite in project.invites.all() if invite.worker == "bob"]
        project.invites.revoke(link.id)
    assert project.reserving.all() == {}
    later = task.until + 1
    assert {("p0", "p1"), ("p2", "p3"), ("p0", "p4")} <= set(taken(project, "ann", now=later))
    assert project.reserving.workers() == ["ann"]


def test_a_second_link_keeps_the_assignment(project: Project) -> None:
    project.invites.add("another digest", "bob")
    project.reserving.assign(CHOSEN, "bob")
    project.invites.revoke(next(invite.id for invite in project.invites.all() if invite.worker == "bob"))
    assert len(project.reserving.all()) == 3


def test_only_to_workers_who_get_questions(project: Project) -> None:
    project.add_votes([Vote("p0", "p1", "a model", True)], "a file")
    with pytest.raises(InputError, match="'a model' is not a worker who gets questions; choose from: ann, bob"):
        project.reserving.assign(CHOSEN, "a model")
    assert project.take("cid") is not None
    assert project.reserving.workers() == ["ann", "bob", "cid"]
    with pytest.raises(InputError, match="p9"):
        project.reserving.assign([("p0", "p9")], "ann")
    assert project.reserving.all() == {}


def test_pause_budget_and_settled_pairs(project: Project) -> None:
    project.reserving.assign(CHOSEN, "bob")
    project.change_settings(paused=True)
    assert project.take("bob") is None
    project.change_settings(paused=False, budget=0)
    assert project.take("bob") is None
    project.change_settings(budget=None)
    project.decide("p0", "p1", True)
    project.fill()
    assert taken(project, "bob")[0] == ("p0", "p1"), "a person asked for it"


def test_the_conflicts_of_a_cluster(project: Project) -> None:
    votes = [Vote("p0", "p1", "a", True), Vote("p0", "p1", "b", False), Vote("p2", "p3", "a", True)]
    project.add_votes([*votes, Vote("p2", "p3", "b", False)], "test")
    project.refresh()
    assert conflicts_of(project, ["p0"]) == [("p0", "p1")]
    assert conflicts_of(project, ["p4"]) == []
    project.reserving.assign(conflicts_of(project, ["p2", "p3"]), "ann")
    assert project.reserving.all() == {("p2", "p3"): "ann"}


def test_the_next_questions_are_found_by_an_index(project: Project, databases: Databases) -> None:
    """However many are assigned to others."""
    project.reserving.assign(CHOSEN, "bob")
    explain = "EXPLAIN QUERY PLAN " if databases.kind == "sqlite" else "EXPLAIN "
    query = "SELECT id FROM questions WHERE room > 0 AND assignee IS NULL ORDER BY assignee, rank LIMIT 10"
    with project.store.reading() as connection:
        if databases.kind == "postgresql":
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # the table is too small to tell
            connection.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
        plan = "\n".join(map(str, connection.exec_driver_sql(explain + query).all()))
    assert "questions_next" in plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


def test_assigned_questions_stay_when_others_are_chosen_anew(project: Project) -> None:
    project.reserving.assign(CHOSEN, "bob")
    for _ in range(3):
        task = project.take("ann")
        assert task is not None
        project.answer(task.id, "ann", "no")
        project.refresh()
        project.fill()
    assert len(project.reserving.all()) == 3
    assert taken(project, "bob")[:3] == [("p0", "p1"), ("p2", "p3"), ("p0", "p4")]
