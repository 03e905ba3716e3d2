"""Asking crowds: the runner, the ledger, files and the terminal."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from databases import Databases
from shared.made_things import made_project, records
from shared.mixed_crowds import mean_scores

from askwise.asking.pairs_to_ask import choose
from askwise.asking.runner import Rules, Run, Tally, context_of
from askwise.cli import commands
from askwise.crowds.protocol import Reply
from askwise.crowds.registry import CROWDS, module_of, open_crowd
from askwise.errors import InputError
from askwise.evidence import Vote
from askwise.panels.registry import PANELS
from askwise.project import Project
from askwise.project.ledger import Ledger
from askwise.resolving import Until


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with made_project(tmp_path / "p", 4, 3) as made:
        yield made


def test_the_ledger_counts_once_on_both_databases(databases: Databases, tmp_path: Path) -> None:
    rows = records(2, 2)
    with Project.new(tmp_path / "p", rows, store=databases.fresh()) as project:
        ledger, other = Ledger(project, "a"), Ledger(project, "b")
        pairs = [("e0r0", "e0r1"), ("e0r0", "e1r0")]
        one, two = ledger.send(pairs)
        assert ledger.send(pairs) == [], "no crowd gets a pair twice"
        assert len(other.send(pairs)) == 2, "another crowd may"
        ledger.call({one.id: "t1"})
        assert ledger.known_as("t1") is not None
        assert other.known_as("t1") is None
        assert ledger.receive([Reply(one.id, "w", True, cost=0.5)]) == 1
        assert ledger.receive([Reply(one.id, "w", False, cost=0.25)]) == 0, "only the first counts"
        reply = Reply(two.id, "w", True, request="r1", done=False)
        assert ledger.receive([reply, reply]) == 1
        assert ledger.receive([reply, Reply(two.id, "v", None, request="r2")]) == 1
        assert (ledger.spent(), other.spent()) == (0.75, 0.0)
        assert (ledger.votes(), other.votes()) == (3, 0)
        assert (ledger.out(), ledger.aside()) == ([], [])
        with pytest.raises(InputError, match="was not sent"):
            other.receive([Reply(one.id, "w", True)])
        with pytest.raises(InputError, match="worker"):
            other.receive([Reply(other.out()[0].id, "", True)])
        other.receive([Reply(other.out()[0].id, failed="it broke", cost=1.0)])
        assert [(row.note, row.cost) for row in other.aside()] == [("it broke", 1.0)]
        other.withdraw([row.id for row in other.out()])
        assert other.out() == []
        project.refresh()
        assert [(vote.worker, vote.label) for vote in project.store.votes()] == [("w", True), ("w", True), ("v", None)]


def test_doubtful_are_pairs_on_which_votes_and_graph_disagree(project: Project) -> None:
    votes = [Vote("e0r0", "e0r1", "m", True), Vote("e0r1", "e0r2", "m", True), Vote("e0r0", "e0r2", "m", False)]
    project.add_votes([*votes, *(Vote("e1r0", f"e{n}r0", w, False) for n in (2, 3) for w in "mno")], "test")
    project.refresh()
    found = choose(project, "doubtful", 10, ())
    assert found[0] == ("e0r0", "e0r2")
    assert not {("e1r0", "e2r0"), ("e1r0", "e3r0")} & set(found), "these have all the votes that are wanted"
    assert ("e0r0", "e0r2") not in choose(project, "doubtful", 10, {("e0r0", "e0r2")})
    asked = {(vote.left, vote.right) for vote in votes}
    assert not asked & set(choose(project, "new", 5, ()))
    project.add_votes([Vote("e0r0", "e1r1", "m", True)], "test")
    project.refresh()
    in_turns = choose(project, "any", 4, ())
    assert in_turns[::2] == choose(project, "doubtful", 2, ())
    assert in_turns[1::2] == choose(project, "new", 4, ())[:2]


def ask(project: Project, name: str, *options: str, rules: Rules) -> Tally:
    crowd = open_crowd(name, options, context_of(project))
    try:
        return Run(project, crowd, rules).run()
    finally:
        crowd.close()


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_there_and_back_by_files(project: Project, tmp_path: Path) -> None:
    questions, answers = tmp_path / "questions.csv", tmp_path / "answers.csv"
    options = (f"questions={questions}", f"answers={answers}")
    assert ask(project, "csv", *options, rules=Rules(questions=6, batch=6)).out == 6
    rows = rows_of(questions)
    assert len(rows) == 6
    assert rows[0].keys() >= {"order", "unique_id_l", "name_l", "name_r", "worker", "label"}
    for row in rows[:4]:
        row["worker"] = "anna"
        row["label"] = "1" if row["name_l"] == row["name_r"] else "0"
    with answers.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    tally = ask(project, "csv", *options, rules=Rules(questions=6))
    assert (tally.votes, tally.out) == (4, 2)
    assert len(rows_of(questions)) == 2, "only what is open"
    assert ask(project, "csv", *options, rules=Rules(questions=6)).votes == 0, "the same file counts once"
    tally = ask(project, "csv", *options, rules=Rules(questions=9))
    assert (tally.asked, tally.out) == (9, 5)
    for wrong in ("x,anna,1", "1,anna,perhaps"):
        answers.write_text(f"order,worker,label\n{wrong}\n")
        if wrong.startswith("1"):
            answers.write_text(f"order,worker,label\n{Ledger(project, 'csv').out()[0].id},anna,perhaps\n")
        with pytest.raises(InputError, match=r"answers\.csv line 2"):
            ask(project, "csv", *options, rules=Rules(questions=9))


def test_the_terminal(project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    project.change_settings(instructions="Look at the name.")
    monkeypatch.setattr(sys, "stdin", StringIO("y\nn\nz\nu\nq\n"))
    tally = ask(project, "terminal", "worker=anna", rules=Rules(questions=10))
    said = capsys.readouterr().out
    assert "Look at the name." in said
    assert "thing" in said
    votes = project.store.votes()
    assert [(vote.worker, vote.label) for vote in votes] == [("anna", True), ("anna", False), ("anna", None)]
    assert (votes[1].left, votes[1].right) == (votes[2].left, votes[2].right), "an undo is a further answer"
    assert tally.out == 1
    monkeypatch.setattr(sys, "stdin", StringIO("y\nq\n"))
    ask(project, "terminal", "worker=anna", rules=Rules(questions=10))
    assert len(project.store.votes()) == 4


def test_a_reliability_stops_it(project: Project, tmp_path: Path) -> None:
    options = (f"questions={tmp_path / 'q.csv'}",)
    tally = ask(project, "csv", *options, rules=Rules(reliability=-1e9))
    assert (tally.asked, tally.why) == (0, "the reliability is -1e+09 or more")
    project.change_settings(paused=True)
    assert ask(project, "csv", *options, rules=Rules()).why == "the project is paused"


def test_votes_of_the_crowd_stop_it(project: Project, tmp_path: Path) -> None:
    questions, answers = tmp_path / "q.csv", tmp_path / "a.csv"
    options = (f"questions={questions}", f"answers={answers}")
    project.add_votes([Vote("e0r0", "e0r1", "other", True)], "elsewhere")
    tally = ask(project, "csv", *options, rules=Rules(votes=3))
    assert (tally.out, tally.total) == (3, 3), "as many as can answer, and no more"
    answer_all(questions, answers, 2)
    tally = ask(project, "csv", *options, rules=Rules(votes=3))
    assert (tally.votes, tally.asked, tally.out) == (2, 3, 1)
    answer_all(questions, answers, 1)
    tally = ask(project, "csv", *options, rules=Rules(votes=3))
    assert (tally.votes, tally.asked, tally.why) == (1, 3, "the crowd gave 3 votes")


def answer_all(questions: Path, answers: Path, count: int) -> None:
    rows = [row | {"worker": "anna", "label": "1"} for row in rows_of(questions)[:count]]
    with answers.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_what_is_to_be_expected_stops_it(project: Project, tmp_path: Path) -> None:
    options = (f"questions={tmp_path / 'q.csv'}",)
    low = project.status().f1_low
    tally = ask(project, "csv", *options, rules=Rules(until=Until(f1=low)))
    assert tally.asked == 0
    assert tally.why == f"the expected f1 is {project.resolution.expected_scores().f1}"
    best = max(question.gain for question in project.next_questions(200))
    tally = ask(project, "csv", *options, rules=Rules(until=Until(gain=best)))
    assert (tally.asked, tally.why) == (0, f"nothing is left to ask that is worth more than {best:g}")
    assert ask(project, "csv", *options, rules=Rules(questions=2, until=Until(f1=1.0, gain=best / 2))).asked == 2
    with pytest.raises(InputError, match="only new questions have a gain"):
        Rules(among="doubtful", until=Until(gain=1.0))


def test_from_the_command_line(project: Project, tmp_path: Path) -> None:
    project.close()
    place, out = str(tmp_path / "p"), tmp_path / "q.csv"
    arguments = ["ask", place, "--crowd", "csv", f"questions={out}", "-n", "3"]
    done = CliRunner().invoke(commands, arguments)
    assert done.exit_code == 0, done.output
    assert "3 questions in all, 3 without an answer yet" in done.output
    assert len(rows_of(out)) == 3
    assert "expected F1" in done.output
    for rule in (("--f1", "0"), ("--gain", "1e9"), ("--votes", "3")):
        done = CliRunner().invoke(commands, [*arguments[:-2], *rule])
        assert "3 questions in all" in done.output, f"{rule} lets no more be asked"
    done = CliRunner().invoke(commands, ["ask", place, "--crowd", "mturk"])
    assert "label-studio" in str(done.exception)
    done = CliRunner().invoke(commands, ["ask", place, "--crowd", "csv"])
    assert "the option questions is missing" in str(done.exception)


def test_people_after_a_model_need_a_third_of_the_votes() -> None:
    """After each of the models: one whose errors are all its own, one that knows how sure it is, and says so or not."""
    alone, *after = mean_scores(4)
    for level in (0.9, 0.95):
        needed, *mixed_needed = (
            min(votes for votes, value in means.items() if value >= level) for means in (alone, *after)
        )
        assert [3 * votes < needed for votes in mixed_needed] == [True] * 3


def test_every_option_is_in_the_docs() -> None:
    docs = Path(__file__).parents[2] / "docs"
    text = "".join(path.read_text(encoding="utf-8") for path in [docs / "crowds.md", *sorted(docs.glob("ask_*.md"))])
    for name in (*CROWDS, *PANELS):
        assert f"`{name}`" in text
        chapter = text if name in ("terminal", "csv") else text[text.index(f"\n## {name}\n") :]
        for item in fields(module_of(name, {**CROWDS, **PANELS}).OPTIONS):
            assert re.search(rf"\b{item.name}\b", chapter), f"{name}: {item.name}"
