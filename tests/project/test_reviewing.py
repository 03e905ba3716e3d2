"""The review queue, search and a record's history, against plain loops over the clusters."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from edited import made

from askwise import Project, Vote
from askwise.errors import InputError
from askwise.project.record_history import record_history, record_pairs
from askwise.project.reviewing import Reviewing
from askwise.project.searching import Piece, folded, marks
from askwise.project.views import TO_REVIEW, View


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with made(tmp_path / "p", 11) as project:
        yield project


def test_a_board_that_is_patched_has_the_clusters_of_a_new_one(project: Project) -> None:
    chance = random.Random(2)
    project.board()
    ids = [str(record) for record in project.table.ids]
    for number in range(12):
        left, right = chance.sample(ids, 2)
        if number % 3:
            project.decide(left, right, number % 2 == 0)
        else:
            project.add_votes([Vote(left, right, "w", True)], "test")
            project.refresh()
        patched = project.board()
        rows = {row.members: row.id for row in map(patched.row, range(len(patched)))}
        exact = project.board(exact=True)
        assert rows == {row.members: row.id for row in exact.rows}
        assert {row.members: row for row in exact.rows} == {row.members: row for row in project.clusters()}
        for at in range(len(exact)):
            assert patched.of(exact.names(at)[0]) == patched.find(int(exact.ids[at]))
    trust = project.resolution.confidences()
    assert [float(one.right) for one in trust] == exact.trust.right.tolist()
    assert [float(one.connectivity) for one in trust] == exact.trust.connectivity.tolist()
    one = project.resolution.confidence(ids[3])
    at = exact.of(ids[3])
    assert (one.right, float(one.separation)) == (exact.trust.right[at], exact.trust.separation[at])


def test_the_queue_against_plain_loops(project: Project) -> None:
    queue = Reviewing(project)
    rows = project.clusters()
    project.editing.review("approve", [rows[0].members, rows[1].members], "ann")
    project.editing.review("review", [rows[2].members], "bob")
    project.editing.assign([f"cluster {rows[3].id}"], "bob", "ann")
    for wrong in ("cluster x", "pair a", "r1"):  # programs read assignments as numbers and pairs
        with pytest.raises(InputError, match="is neither"):
            project.editing.assign([wrong], "bob", "ann")
    states = {rows[0].id: "approved", rows[1].id: "approved", rows[2].id: "in review"}
    for view in (
        View(),
        View(order="-size"),
        View(order="confidence", least_size=2),
        View(most_size=2, states=("new",)),
        View(least_confidence=0.2, most_confidence=0.9, order="-id"),
        View(reviewer="ann"),
        View(assignee="bob"),
        View(words="name 3"),
        View(conflict=True),
        TO_REVIEW,
    ):
        total, found = queue.page(view, 0, 100)
        chosen = [
            row
            for row in rows
            if view.least_size <= len(row.members) <= (view.most_size or 10**9)
            and view.least_confidence <= row.confidence <= view.most_confidence
            and (not view.states or states.get(row.id, "new") in view.states)
            and (not view.reviewer or row.id in (rows[0].id, rows[1].id))
            and (not view.assignee or row.id == rows[3].id)
            and (not view.words or any(_has(project, one, view.words) for one in row.members))
            and (view.conflict is None or row.id in _conflicts(project))
        ]
        keys = {
            "help": lambda row: (-(1 - row.confidence) * len(row.members), row.id),
            "-size": lambda row: (len(row.members), row.id),
            "confidence": lambda row: (row.confidence, row.id),
            "-id": lambda row: -row.id,
        }
        assert [row.cluster for row in found] == sorted(chosen, key=keys[view.order]), view
        assert total == len(chosen)
        assert queue.page(view, 1, 2)[1] == found[1:3]
        assert sum(one.clusters for one in queue.totals(view)) == total
        for at, row in enumerate(found):
            around = queue.around(view, row.cluster.id)
            beside = [found[place].cluster.id if 0 <= place < total else None for place in (at - 1, at + 1)]
            assert (around.place, around.total, around.previous, around.next) == (at + 1, total, *beside)
    totals = {one.state: one for one in queue.totals()}
    assert totals["approved"].clusters == 2
    assert totals["approved"].records == len(rows[0].members) + len(rows[1].members)
    row = queue.row(rows[2].id)
    assert (row.state, row.reviewer, row.assignee) == ("in review", "bob", None)
    assert queue.around(View(states=("sent to the crowd",)), rows[0].id).next is None


def _has(project: Project, record: str, words: str) -> bool:
    return all(word in f"{record} {project.record(record)['name']}" for word in words.split())


def _conflicts(project: Project) -> set[int]:
    from askwise.project.pair_rows import conflicts

    cluster = {member: row.id for row in project.clusters() for member in row.members}
    return {cluster[record] for pair in conflicts(project, 0, 1000)[1] for record in (pair.left, pair.right)}


def test_approving_many_at_once_is_one_event(project: Project) -> None:
    queue = Reviewing(project)
    bound = sorted(row.confidence for row in project.clusters())[len(project.clusters()) // 2]
    count, records = queue.above(bound, TO_REVIEW)
    wanted = {row.id for row in project.clusters() if row.confidence >= bound}
    assert (count, records) == (
        len(wanted),
        sum(len(row.members) for row in project.clusters() if row.id in wanted),
    )
    event = queue.approve_above(bound, TO_REVIEW, "ann")
    assert {row.cluster.id for row in queue.page(View(states=("approved",)), 0, 100)[1]} == wanted
    project.editing.undo(event.id, "ann")
    assert queue.page(View(states=("approved",)))[0] == 0
    project.editing.redo(event.id, "ann")
    assert queue.page(View(states=("approved",)))[0] == len(wanted)
    with pytest.raises(InputError, match="no cluster"):
        queue.approve_above(bound, TO_REVIEW, "ann")
    with pytest.raises(InputError, match="above 0"):
        queue.approve_above(0.0, TO_REVIEW, "ann")


def test_a_review_is_of_the_cluster_that_was_seen(project: Project) -> None:
    queue = Reviewing(project)
    row = max(project.clusters(), key=lambda row: len(row.members))
    project.editing.review("approve", [row.members[::-1]], "ann")
    assert queue.row(row.id).state == "approved"
    split = project.editing.edit("split", [row.members[:1]], "ann")
    assert all(one.state == "new" for one in queue.page(View(), 0, 100)[1]), "what was approved is no more"
    with pytest.raises(InputError, match="has changed"):
        project.editing.review("approve", [row.members], "ann")
    project.editing.undo(split.id, "ann")
    assert queue.page(View(states=("approved",)))[0] == 1, "it is again what was approved"
    review = project.desk.review_of(row.members)
    assert review is not None
    assert review.state == "approved"
    assert queue.ask_crowd([queue.page(View(), 0, 1)[1][0].cluster.id], "bob") > 0
    assert queue.totals()[3].clusters == 1


def test_views_are_kept_by_person(project: Project) -> None:
    queue = Reviewing(project)
    view = queue.view(states=["new"], least_size=2, order="-confidence")
    queue.keep_view("doubtful pairs", view, "ann")
    assert queue.views("ann") == {"doubtful pairs": view}
    assert queue.views("bob") == {}
    queue.keep_view("doubtful pairs", None, "ann")
    assert queue.views("ann") == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"colour": 1}, "no 'colour'"),
        ({"states": ["old"]}, "no state 'old'"),
        ({"order": "luck"}, "no order"),
        ({"least_confidence": float("nan")}, "from 0 to 1"),
        ({"least_confidence": "0.5"}, "from 0 to 1"),
        ({"least_size": -1}, "not a number of records"),
        ({"least_size": True}, "not a number of records"),
        ({"conflict": 2}, "true, false"),
        ({"value": "name"}, "not a field with numbers"),
        ({"words": 3}, "must be a text"),
    ],
)
def test_views_that_make_no_sense(project: Project, given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Reviewing(project).view(**given)
    with pytest.raises(InputError, match="do not say which source"):
        Reviewing(project).page(View(source="crm"))


def test_value_and_source(tmp_path: Path) -> None:
    records = [
        {
            "unique_id": n,
            "name": f"n{n}",
            "source_dataset": "crm" if n < 3 else "shop",
            "turnover": [1, 500, None, 2][n],
        }
        for n in range(4)
    ]
    pairs = [{"unique_id_l": 0, "unique_id_r": 2, "score": 0.6}, {"unique_id_l": 1, "unique_id_r": 3, "score": 0.6}]
    with Project.new(tmp_path / "p", records, pairs) as project:
        queue = Reviewing(project)
        first = queue.page(queue.view(value="turnover"))[1][0]
        assert "1" in first.cluster.members
        assert {record for row in queue.page(queue.view(source="shop"))[1] for record in row.cluster.members} >= {"3"}
        assert queue.page(queue.view(source="nowhere"))[0] == 0


def test_search(tmp_path: Path) -> None:
    people = [
        {"unique_id": "a1", "name": "Zoë Müller", "city": "Straße", "born": "1980-01-02", "size": 15},
        {"unique_id": "a2", "name": "Zoe Muller", "city": None, "born": None, "size": 1.5},
        {"unique_id": "a12", "name": "Anna", "city": "zoetermeer", "born": None, "size": None},
    ]
    with Project.new(tmp_path / "p", people, [{"unique_id_l": "a1", "unique_id_r": "a2", "score": 0.5}]) as project:
        search = Reviewing(project).search

        def found(words: str, hidden: Sequence[str] = ()) -> list[str]:
            total, hits = search.hits(words, hidden=hidden)
            assert total == len(hits)
            return [hit.record for hit in hits]

        assert found("ZOE muller") == ["a1", "a2"]
        assert found("zoë") == ["a1", "a2", "a12"]
        assert found("strasse") == ["a1"]
        assert found("1980 15 müll") == ["a1"]
        assert found("a12") == ["a12"]
        assert found("a1") == ["a1", "a12"]
        assert found("a1 anna") == ["a12"]
        assert found("nothing") == found("  ") == []
        assert found("zoe", hidden=["name"]) == ["a12"]
        total, hits = search.hits("zoe", 1, 1)
        assert (total, hits[0].record) == (3, "a2")
        (hit,) = search.hits("Straße zoë")[1]
        assert hit.fields["name"] == [Piece("Zoë", True), Piece(" Müller", False)]
        assert hit.fields["city"] == [Piece("Straße", True)]
        assert hit.cluster == project.board().ids[project.board().of("a1")]
        with pytest.raises(InputError, match="at most 20"):
            search.hits(" ".join(f"w{n}" for n in range(21)))


@pytest.mark.parametrize("text", ["", "ﬁne ﬁne", "Ǆx", "e\u0301e", "plain", "İstanbul", "ßß"])
def test_marks_are_the_text_again(text: str) -> None:
    for word in ("", "f", "i", "e", "ss", "s", "x", folded(text)):
        pieces = marks(text, [word])
        assert "".join(piece.text for piece in pieces) == text
        assert any(piece.found for piece in pieces) == (word != "" and word in folded(text))


def test_a_records_history(project: Project) -> None:
    row = max(project.clusters(), key=lambda row: len(row.members))
    record, other = row.members[:2]
    project.add_votes([Vote(record, other, "zoe", True)], "test")
    project.editing.review("approve", [row.members], "ann", "looks good")
    split = project.editing.edit("split", [[record]], "bob")
    project.editing.undo(split.id, "bob")
    project.editing.comment(f"pair {record}\t{other}", "twins?", "cid")
    project.refresh()
    history = record_history(project, record)
    assert [one.time for one in history] == sorted((one.time for one in history), reverse=True)
    seen = {(one.person, one.kind): one for one in history}
    assert seen["zoe", "vote"].about == (other,)
    assert seen["ann", "approve"].text == "looks good"
    assert set(seen["ann", "approve"].about) == set(row.members) - {record}
    assert (seen["bob", "split"].counts, seen["bob", "split"].about) == (False, ())
    assert seen["cid", "comment"].text == "twins?"
    total, pairs = record_pairs(project, record)
    graph = project.resolution.graph
    known = {pair.other: pair for pair in pairs}
    assert total == len(known)
    assert known[other].together
    assert known[other].row.yes >= 1
    assert all(graph.p(record, pair.other) == pair.row.p for pair in pairs)
    project.decide(record, other, False)
    decided = {pair.other: pair for pair in record_pairs(project, record)[1]}[other]
    assert (decided.decided, decided.together) == (False, False)
    assert decided.rules
    taken, friend = sorted(max(project.clusters(), key=lambda row: len(row.members)).members)[-2:]
    project.editing.edit("split", [[taken]], "bob")
    project.add_votes([Vote(taken, friend, f"w{n}", True) for n in range(5)], "test")
    project.refresh()
    apart = next(pair for pair in record_pairs(project, taken)[1] if pair.other == friend)
    assert (apart.decided, apart.together) == (None, False)
    assert apart.row.p is not None
    assert apart.row.p > 0.5
    assert apart.rules, "it says why a likely pair is apart"
