"""Pages and calls that assign questions to a worker, and the moves on the page of a record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sites import Served, served

from askwise import Vote


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "project") as site:
        site.worker("ann")
        site.worker("bob")
        site.project.add_votes([Vote("b1", "b2", f"w{n}", n % 2 == 0) for n in range(4)], "test")
        site.project.refresh()
        yield site


def test_questions_are_assigned_from_lists_and_withdrawn(site: Served) -> None:
    owner, project = site.owner(), site.project
    assert "No question is assigned" in owner.get("/questions")
    page = owner.get("/candidates")
    assert 'name="pair" value="a1&#9;a2"' in page
    given = {"pair": ["a1\ta2", "c1\tc2"], "to": "bob", "back": "/candidates"}
    status, headers, _ = owner.post("/questions", "/candidates", **given)
    assert (status, headers["location"]) == (303, "/candidates")
    assert "2 questions assigned to bob, who gets them first." in owner.get("/candidates")
    assert "assigned to bob" in owner.get("/candidates")
    assert project.reserving.all() == {("a1", "a2"): "bob", ("c1", "c2"): "bob"}
    assert "2 questions" not in owner.get("/questions?worker=ann")
    assert "Withdraw the question from bob" in owner.get("/pair?left=a2&right=a1")
    assert owner.post("/questions", "/questions", pair=["a1\ta2"])[0] == 303
    assert project.reserving.all() == {("c1", "c2"): "bob"}
    assert "Assigned c1 and c2 to bob" not in owner.get("/edits?before=1")
    assert "Assigned a1 and a2 and c1 and c2 to bob, as questions" in owner.get("/edits")


def test_what_a_worker_has_answered_is_not_assigned(site: Served) -> None:
    owner = site.owner()
    site.project.add_votes([Vote("a1", "a2", "ann", True)], "test")
    owner.post("/questions", "/questions", pair=["a1\ta2"], to="ann")
    assert "Nothing was assigned: ann has answered this question before." in owner.get("/questions")
    owner.post("/questions", "/questions", pair=["a1\ta2", "c1\tc2"], to="ann")
    assert "1 question assigned to ann, who gets them first. ann has answered the other 1 before." in owner.get(
        "/questions"
    )


def test_the_conflicts_of_a_cluster_are_assigned_on_its_page(site: Served) -> None:
    owner, project = site.owner(), site.project
    board = project.board()
    number = int(board.ids[board.of("b1")])
    assert "Ask about all conflicts of this cluster only" in owner.get(f"/clusters/{number}")
    back = f"/clusters/{number}"
    status, headers, _ = owner.post("/questions", back, cluster=number, to="ann", back=back)
    assert (status, headers["location"]) == (303, back)
    assert project.reserving.all() == {("b1", "b2"): "ann"}
    none = int(board.ids[board.of("d1")])
    assert "has no conflicts" in owner.post("/questions", back, cluster=none, to="ann")[2]


def test_bad_forms(site: Served) -> None:
    owner = site.owner()
    assert "Tick the pairs first" in owner.post("/questions", "/questions", to="ann")[2]
    assert "is not a worker who gets questions" in owner.post("/questions", "/questions", pair=["a1\ta2"], to="x")[2]
    for back in ("https://elsewhere.example", "//elsewhere.example", "/settings"):
        headers = owner.post("/questions", "/questions", pair=["a1\ta2"], to="ann", back=back)[1]
        assert headers["location"] == "/questions"


def test_questions_are_assigned_over_the_interface(site: Served) -> None:
    program = site.program()
    board = site.project.board()
    given = {"pairs": [["a2", "a1"]], "clusters": [int(board.ids[board.of("b1")])], "to": "ann"}
    assert program.call("POST", "/api/questions/assigned", given) == (200, {"pairs": 2})
    listed = [{"left": "a1", "right": "a2", "to": "ann"}, {"left": "b1", "right": "b2", "to": "ann"}]
    assert program.call("GET", "/api/questions/assigned") == (200, listed)
    assert program.call("POST", "/api/questions/assigned", given | {"to": "zoe"})[0] == 422
    assert program.call("POST", "/api/questions/assigned", given | {"to": ""}) == (200, {"pairs": 2})


def test_a_worker_with_assigned_questions(site: Served) -> None:
    owner, ann = site.owner(), site.worker("ann")
    owner.post("/questions", "/questions", pair=["c1\tc2"], to="ann")
    page = ann.get("/work")
    assert "88 Park Row" in page


def test_the_page_of_a_record_says_where_it_was(site: Served) -> None:
    owner, project = site.owner(), site.project
    project.clusters()
    assert "Moved from" not in owner.get("/record?id=d1")
    assert "It moved there" not in owner.get("/record?id=d1")
    edit = project.editing.edit("join", [["c1", "d1"]], "owner")
    page = owner.get("/record?id=d1")
    assert "It moved there just now" in page
    assert ", after an edit</td>" in page
    project.editing.undo(edit.id, "owner")
    assert owner.get("/record?id=d1").count("Moved from") == 2
    moves = site.program().call("GET", "/api/record/history?id=d1")[1]["moves"]
    assert [move["why"] for move in moves] == [["an edit"], ["an edit"]]
    assert moves[0]["origin"] == moves[1]["cluster"]
