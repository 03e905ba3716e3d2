"""Edits against a plain model: what an edit says happens, nothing else does, undo and redo go back and forth."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from databases import Databases
from edited import Partition, clusters, drawn, made
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from askwise import Project, Resolution, Vote
from askwise.errors import InputError
from askwise.project.doctor import examine
from askwise.project.edits import decisions_of


def expected(before: Partition, kind: str, groups: list[list[str]]) -> Partition:
    """The plain model: the clusters that are named are replaced by what the edit says."""
    named = {record for group in groups for record in group}
    touched = {cluster for cluster in before if cluster & named}
    union = frozenset().union(*touched)
    if kind == "split":
        after = {frozenset(group) for group in groups} | {cluster - named for cluster in touched}
    elif kind == "join":
        after = {union}
    elif kind == "move":
        moved, to = frozenset(groups[0]), groups[1][0]
        there = next(cluster for cluster in before if to in cluster)
        after = {there | moved} | {cluster - moved for cluster in touched if cluster != there}
    else:
        after = touched
    return (before - touched) | (after - {frozenset()})


@given(st.integers(0, 10**6))
@examples(max_examples=12)
def test_an_edit_does_what_it_says_and_nothing_else(seed: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, made(Path(folder) / "p", seed) as project:
        seen: list[tuple[int, Partition, Partition]] = []
        for _ in range(6):
            before = clusters(project)
            kind, groups = drawn(chance, before)
            after = expected(before, kind, groups)
            plan = project.editing.preview(kind, groups)
            assert clusters(project) == before, "a preview changes nothing"
            assert plan.elsewhere == ()
            assert (before - set(map(frozenset, plan.before))) | set(map(frozenset, plan.after)) == after
            event = project.editing.edit(kind, groups, "ann")
            assert clusters(project) == after
            seen.append((event.id, before, after))
        for number, before, after in reversed(seen):
            assert clusters(project) == after
            plan = project.editing.preview_turn("undo", number)
            project.editing.undo(number, "bob")
            assert clusters(project) == before
            assert (after - set(map(frozenset, plan.before))) | set(map(frozenset, plan.after)) == before
        for number, _, after in seen:
            project.editing.redo(number, "ann")
            assert clusters(project) == after
        # Undoing edits in any order is the same as never having made them.
        gone = set(chance.sample([number for number, _, _ in seen], 3))
        for number in gone:
            project.editing.undo(number, "ann")
        assert clusters(project) == replayed(project, gone)


def replayed(project: Project, gone: set[int]) -> Partition:
    """What a resolution from scratch makes of the same votes and of the edits that are left."""
    votes = [Vote(row.left, row.right, row.worker, row.label) for row in project.store.votes()]
    decided: dict[frozenset[str], tuple[str, str, bool]] = {}
    for edit in project.desk.edits:
        if edit.id not in gone:
            for left, right, same in [*decisions_of(edit.groups, edit.kind), *edit.kept]:
                decided.pop(frozenset((left, right)), None)
                decided[frozenset((left, right))] = left, right, same
    graph = project.resolution.graph
    table = project.table
    assert graph.candidates.score is not None
    pairs = [
        (table.ids[u], table.ids[v], float(score))
        for u, v, score in zip(graph.candidates.left, graph.candidates.right, graph.candidates.score, strict=True)
    ]
    fresh = Resolution(table, pairs, votes=votes)
    fresh.set_decisions(list(decided.values()))
    return {frozenset(map(str, cluster)) for cluster in fresh.clustering}


def test_the_same_after_reopening_and_on_two_servers(databases: Databases, tmp_path: Path) -> None:
    chance = random.Random(5)
    address = databases.fresh() if databases.kind == "postgresql" else None
    with made(tmp_path / "p", 5, address) as project, Project.open(tmp_path / "p", store=address) as other:
        for number in range(8):
            here = project if number % 2 else other
            here.refresh()
            event = here.editing.edit(*drawn(chance, clusters(here)), "ann")
            if number == 5:
                here.editing.undo(event.id - 2, "bob")
        project.refresh()
        other.refresh()
        gone = {edit.id for edit in project.desk.edits if not edit.counts}
        assert clusters(project) == clusters(other) == replayed(project, gone)
        assert {row.id for row in project.clusters()} == {row.id for row in other.clusters()}
        kept = clusters(project), [(edit.id, edit.counts) for edit in project.desk.edits]
    with Project.open(tmp_path / "p", store=address) as again:
        assert (clusters(again), [(edit.id, edit.counts) for edit in again.desk.edits]) == kept
    assert [finding for finding in examine(tmp_path / "p") if not finding.good] == []


_EDITOR = """
import random, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from askwise import Project
from edited import clusters, drawn
with Project.open(sys.argv[1]) as project:
    chance = random.Random(1)
    for _ in range(1000):
        print(project.editing.edit(*drawn(chance, clusters(project)), "ann").id, flush=True)
"""


def test_an_edit_that_was_acknowledged_is_there_after_a_kill(databases: Databases, tmp_path: Path) -> None:
    address = databases.fresh() if databases.kind == "postgresql" else None
    made(tmp_path / "p", 7, address).close()
    command = [sys.executable, "-c", _EDITOR, str(tmp_path / "p"), str(Path(__file__).parents[1] / "support")]
    place = {} if address is None else {"ASKWISE_STORE": address}
    editor = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **place})
    assert editor.stdout is not None
    try:
        seen = [int(editor.stdout.readline()) for _ in range(15)]
    finally:
        editor.kill()
        editor.wait()
        editor.stdout.close()
    with Project.open(tmp_path / "p", store=address) as project:
        assert [edit.id for edit in project.desk.edits][: len(seen)] == seen
        assert clusters(project) == replayed(project, set())
    if address is None:
        assert [finding for finding in examine(tmp_path / "p") if not finding.good] == []


def test_a_lock_holds_whatever_is_voted(tmp_path: Path) -> None:
    with made(tmp_path / "p", 3) as project:
        row = max(project.clusters(), key=lambda row: len(row.members))
        project.editing.edit("lock", [row.members[:1]], "ann")
        graph, ids = project.resolution.graph, project.table.ids
        pairs = [(ids[graph.pair_u[at]], ids[graph.pair_v[at]]) for at in range(graph.pair_count)]
        votes = []
        for left, right in pairs:
            inside = (left in row.members) + (right in row.members)
            votes += [Vote(left, right, f"x{n}", inside == 1) for n in range(3) if inside]
        project.add_votes(votes, "test")
        project.refresh()
        assert frozenset(row.members) in clusters(project)
        review = project.desk.review_of(row.members)
        assert review is not None
        assert (review.state, review.person) == ("approved", "ann")


def test_rules_come_before_edits(tmp_path: Path) -> None:
    with made(tmp_path / "p", 3) as project:
        project.add_rules([("r00", "r01", False)])
        with pytest.raises(InputError, match=r"a rule forbids this: .*r00.*r01"):
            project.editing.edit("join", [["r00", "r01"]], "ann")
        assert project.desk.edits == []


@pytest.mark.parametrize(
    ("kind", "groups", "said"),
    [
        ("glue", [["r00"]], "is not an edit"),
        ("split", [], "at least one record"),
        ("split", [["r00"], ["r00"]], "named twice"),
        ("split", [["zzz"], ["r00"]], "zzz"),
        ("join", [["r00"]], "two clusters"),
        ("move", [["r00"]], "two groups"),
        ("decide", [["r00", "r01", "r02"]], "about two records"),
    ],
)
def test_edits_that_make_no_sense(tmp_path: Path, kind: str, groups: list[list[str]], said: str) -> None:
    with made(tmp_path / "p", 3) as project:
        before = clusters(project)
        with pytest.raises(InputError, match=said):
            project.editing.preview(kind, groups)
        with pytest.raises(InputError, match=said):
            project.editing.edit(kind, groups, "ann")
        with pytest.raises(InputError, match="there is no edit 9"):
            project.editing.undo(9, "ann")
        assert clusters(project) == before


def test_a_decided_pair_can_be_asked_again_once_it_is_withdrawn(tmp_path: Path) -> None:
    with made(tmp_path / "p", 3) as project:
        to_ask = project.resolution.to_ask
        left, right = (side[0] for side in project.resolution.graph.unasked())
        pair = str(project.table.ids[left]), str(project.table.ids[right])
        event = project.decide(*pair, True)
        assert project.resolution.to_ask == to_ask - 1
        with pytest.raises(InputError, match="counts already"):
            project.editing.redo(event.id, "ann")
        project.editing.undo(event.id, "ann")
        assert project.resolution.to_ask == to_ask
        with pytest.raises(InputError, match="undone already"):
            project.editing.undo(event.id, "ann")


def test_events_cannot_be_changed_unnoticed(tmp_path: Path) -> None:
    with made(tmp_path / "p", 3) as project:
        project.decide("r00", "r01", True)
        project.decide("r02", "r03", False)
        with project.store.writing() as connection:
            connection.exec_driver_sql("UPDATE events SET person = 'bob' WHERE id = 1")
    found = {finding.what: finding for finding in examine(tmp_path / "p")}
    assert not found["events"].good
    assert "event 1" in found["events"].detail


def test_preferences_are_kept_for_a_person_or_for_all(tmp_path: Path) -> None:
    with made(tmp_path / "p", 3) as project:
        project.editing.prefer("columns", ["name"], "Ada")
        project.editing.prefer("columns", ["city", "name"], "Ada", everyone=True)
        assert project.desk.preference("Ada", "columns") == ["name"]
        assert project.desk.preference("Ben", "columns") == ["city", "name"]
        project.editing.prefer("columns", None, "Ada")
    with Project.open(tmp_path / "p") as project:
        assert project.desk.preference("Ada", "columns") == ["city", "name"]
        with pytest.raises(InputError, match="too long"):
            project.editing.prefer("columns", ["x" * 60_000], "Ada")


def test_what_was_previewed_is_not_planned_again(tmp_path: Path) -> None:
    """Unless a vote, an edit or a comment came in between."""
    with made(tmp_path / "p", 3) as project:
        one, two = sorted(sorted(cluster)[0] for cluster in clusters(project))[:2]
        plan = project.editing.preview("join", [[one, two]])
        assert project.editing.preview("join", [[two, one]]) is plan
        seen: list[object] = []
        event = project.editing.edit("join", [[one, two]], "ann", agreed=seen.append)
        assert seen == [plan]
        assert seen[0] is plan
        undo = project.editing.preview_turn("undo", event.id)
        assert undo is not plan
        project.add_votes([Vote(one, two, "zoe", False)], "test")
        assert project.editing.preview_turn("undo", event.id) is not undo
