"""Wide records and clusters in the terminal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from edited import clusters, made
from rich.console import Console

from askwise import Project
from askwise.cli import commands
from askwise.crowds.terminal import clean, cut_alike, show_pair

WIDE = [f"field {n:02}" for n in range(60)]


@pytest.mark.parametrize("long", [5, 60, 500])
@pytest.mark.parametrize("fields", [3, 25, 60])
def test_wide_records_fit_on_a_screen_and_what_differs_comes_first(fields: int, long: int) -> None:
    one: dict[str, object] = dict.fromkeys(WIDE[:fields], "x" * long)
    two = one | {WIDE[fields - 1]: "x" * (long - 1) + "y", WIDE[fields - 2]: None}
    one |= {"nothing": None, "none": ""}
    two |= {"nothing": "", "none": None}
    out = io.StringIO()
    console = Console(file=out, width=80, height=24, highlight=False)
    show_pair(console, "unique_id", "a1", "b2", one, two, heading="3 answers so far, 12 questions open")
    lines = out.getvalue().splitlines()
    assert len(lines) <= 22
    assert all(len(line) <= 80 for line in lines)
    assert "≠" in lines[4], lines
    assert WIDE[fields - 1] in lines[4]
    assert "y]" in out.getvalue(), "the difference itself is shown"
    assert "2 empty on both sides" in out.getvalue()
    assert "3 answers so far" in lines[0]
    out.truncate(0)
    assert show_pair(console, "unique_id", "a1", "b2", one, two, whole=True)
    assert all(name in out.getvalue() for name in WIDE[:fields])


def test_long_texts_are_cut_around_the_difference() -> None:
    left, right = "a" * 300 + "LEFT" + "b" * 50, "a" * 300 + "RIGHT" + "b" * 50
    one, two = cut_alike(left, right, 60)
    assert len(one) <= 60
    assert len(two) <= 60
    assert "LEFT" in one
    assert "RIGHT" in two
    assert cut_alike("short", "other", 60) == ("short", "other")


def test_a_line_end_is_a_sign() -> None:
    assert clean("12 Mill Lane\r\nOslo\n") == "12 Mill Lane↵Oslo↵"
    assert clean("a\x1bb\tc") == "a�b�c"


def review(folder: Path, *keys: str, **options: str) -> str:
    words = ["review", str(folder), "--person", "ann"]
    words += [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    done = CliRunner().invoke(commands, words, input="\n".join(keys) + "\n")
    assert done.exit_code == 0, done.output
    return done.output


def test_review_by_keys(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    made(folder, 3).close()
    said = review(folder, "a", "n", "p", "q", order="-size", least_size="2")
    assert "likely right" in said
    assert "1 step kept" in said
    with Project.open(folder) as project:
        events = project.store.events()
        assert [(event.person, event.kind) for event in events] == [("ann", "approve")]
        before = clusters(project)
        row = max(project.clusters(), key=lambda row: (len(row.members), -row.id))
        approved = {frozenset(group) for group in events[0].data["groups"]}
    said = review(folder, "s", "a", "y", "z", "r", "q", order="size", least_size="2")
    assert "now: " in said
    assert "then: " in said
    with Project.open(folder) as project:
        kinds = [event.kind for event in reversed(project.store.events())]
        assert kinds == ["approve", "split", "undo", "redo"]
        split = project.desk.edits[0]
        changed = {record for group in split.groups for record in group}
        assert {one for one in clusters(project) if not one & changed} == {one for one in before if not one & changed}
        assert clusters(project) != before
        assert all(not group & changed for group in approved)
        assert row.members
    said = review(folder, "j", "", "n", "j", "x", "c", "s", "?", "z", "q")
    assert "name a cluster" in said or "join with which" in said
    with Project.open(folder) as project:
        states = {event.kind for event in project.store.events()}
        assert "ask" in states
    assert "approved" in review(folder, approve_above="0.000001")
    with Project.open(folder) as project:
        assert project.store.events()[0].kind == "approve"
