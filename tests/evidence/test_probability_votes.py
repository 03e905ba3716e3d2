"""Votes that are probabilities: what they mean to the engine, and that they last."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from databases import Databases
from hypothesis import given
from hypothesis import strategies as st
from projects import reopened, state
from sites import served
from sqlalchemy import text

from askwise import Project, Resolution, Vote
from askwise.errors import LabelError, TaskError
from askwise.evidence.ratio import UNANIMOUS
from askwise.project.exports import FORMATS, crowd_kit_columns, vote_columns, write_columns
from askwise.project.migrations import MIGRATIONS, migrate
from askwise.project.pair_rows import conflicts, tally_text
from askwise.project.store import Store
from askwise.project.votes_from_tools import read_archive
from askwise.project.worker_rows import worker_rows

LABELS = st.one_of(st.booleans(), st.none(), st.floats(0, 1))


@given(st.lists(LABELS, max_size=8))
def test_the_share_of_yes_counts_parts(labels: list[bool | float | None]) -> None:
    resolution = Resolution("AB", evidence="ratio")
    resolution.add_votes([Vote("A", "B", f"w{at}", label) for at, label in enumerate(labels)])
    known = [Fraction(round(64 * label), 64) for label in labels if label is not None]
    found = resolution.graph.p("A", "B")
    if not known:
        assert found is None
    else:
        share = float(sum(known) / len(known))
        assert found == min(max(share, UNANIMOUS), 1 - UNANIMOUS)


@pytest.mark.parametrize("evidence", ["ratio", "majority", "smoothed", "workers", "scores", "auto"])
def test_a_half_says_next_to_nothing_and_more_says_more(evidence: str) -> None:
    def p(*labels: bool | float) -> float:
        resolution = Resolution("AB", evidence=evidence)
        resolution.add_votes([Vote("A", "B", f"w{at}", label) for at, label in enumerate(labels)])
        return resolution.graph.p("A", "B") or 0.0

    assert p(True, False) == pytest.approx(0.5, abs=0.15), "people miss more than they make up"
    tells_apart = evidence in ("workers", "auto")  # a YES and a NO are of two workers who differ
    assert p(0.5, 0.5) == (pytest.approx(p(True, False), abs=0.03) if tells_apart else p(True, False))
    steps = [p(label) for label in (0.0, 0.2, 0.45, 0.55, 0.8, 1.0)]
    assert steps == sorted(steps)
    assert (p(False), p(True)) == (steps[0], steps[-1])


def test_an_unknown_judge_counts_as_one() -> None:
    """A judge whose samples are all unsure has no say; of the others it is the mean."""
    resolution = Resolution("AB", evidence="ratio")
    resolution.add_votes([Vote("A", "B", ("model", at), None) for at in range(3)])
    assert resolution.graph.p("A", "B") is None
    resolution.add_votes([Vote("A", "B", ("model", 0), 0.9), Vote("A", "B", ("model", 1), 0.6)])
    assert resolution.graph.p("A", "B") == pytest.approx(0.75, abs=1 / 64)
    (model,) = resolution.worker_quality()
    assert model.votes == 1


def test_evidence_that_learns_believes_the_sure_more() -> None:
    """A model whose doubt tells: its mistakes are those of which it is not sure."""
    chance = np.random.default_rng(4)
    gold = {record: record // 4 for record in range(60)}
    pairs = [(u, v) for u in gold for v in gold if u < v and (v - u) % 15 < 6]
    leans = {(u, v): chance.normal(2.0 if gold[u] == gold[v] else -2.0, 1.5) for u, v in pairs}
    told = Resolution(gold, pairs)
    told.add_votes([Vote(*pair, "model", float(1 / (1 + math.exp(-lean)))) for pair, lean in leans.items()])
    sure, doubtful = max(pairs, key=leans.__getitem__), min(pairs, key=lambda pair: abs(leans[pair]))
    assert abs((told.graph.p(*doubtful) or 0.0) - 0.5) < abs((told.graph.p(*sure) or 0.0) - 0.5)
    (model,) = told.worker_quality()
    assert 0.0 < model.false_yes < 0.5
    assert 0.0 < model.false_no < 0.5


def test_a_probability_lasts(project: Project, address: str | None) -> None:
    pair = "c000", "c001"
    task = project.take("model")
    assert task is not None
    row = project.answer(task.id, "model", "no", probability=0.3)
    assert (row.label, row.probability, row.said) == (False, 0.3, 0.3)
    with pytest.raises(TaskError, match="another answer"):
        project.answer(task.id, "model", "no", probability=0.2)
    assert project.answer(task.id, "model", "no", probability=0.3) == row
    project.add_votes([Vote(*pair, "model", 0.85), Vote(*pair, "ann", True), Vote(*pair, "bob", None)], "file")
    project.add_votes([Vote(*pair, "cleo", 0.25)], "file")
    project.refresh()
    rows = project.votes_on(*pair)
    assert [(vote.label, vote.probability) for vote in rows] == [
        (True, 0.85),
        (True, None),
        (None, None),
        (False, 0.25),
    ]
    log = project.resolution.votes
    at = project.resolution.graph.find_rows(*project.resolution.graph.records.pairs([pair]))
    assert log.tally(at)[0] == (round(0.85 * 64) + 64 + 16) / 64
    total, divided = conflicts(project, 0, 10)
    assert (total, divided[0].tally) == (1, "2.1 yes, 0.9 no")
    assert {row.name: row.agreement for row in worker_rows(project)}["ann"] == 1.0
    for change in (project.exclude, project.include):
        change("model")
        project.refresh()
        with reopened(project, address) as again:
            assert state(again) == state(project)
    for wrong in (1.2, -0.1, math.nan, 0.6):
        with pytest.raises(LabelError, match="probability"):
            project.answer(task.id, "model", "no", probability=wrong)
    with pytest.raises(LabelError, match="unsure"):
        project.answer(task.id, "model", "unsure", probability=0.5)


def test_tallies_in_words() -> None:
    assert tally_text(3.0, 1.0) == "3 yes, 1 no"
    assert tally_text(1.90625, 0.09375) == "1.9 yes, 0.1 no"


@pytest.mark.parametrize("form", FORMATS)
def test_votes_out_and_in_again(project: Project, tmp_path: Path, form: str) -> None:
    labels = {("c000", "c001"): 0.85, ("c000", "c002"): True, ("c001", "c002"): 0.125, ("c002", "c003"): None}
    given_ = [Vote(*pair, "model", label) for pair, label in labels.items()]
    project.add_votes(given_, "file")
    columns = vote_columns(project)
    assert columns["label"] == [1, 1, 0, None]
    assert columns["probability"] == [0.85, None, 0.125, None]
    assert crowd_kit_columns(project)["label"] == [1, 1, 0]
    write_columns(columns, tmp_path / f"votes.{form}", form)
    assert read_archive(tmp_path / f"votes.{form}", project) == given_


@pytest.mark.parametrize(
    ("label", "probability", "wrong"),
    [
        ("1", "0.2", "0.2 contradicts the label yes"),
        ("0", "0.7", "0.7 contradicts the label no"),
        ("", "0.7", "0.7 contradicts the label unsure"),
        ("1", "1.7", "'1.7' is not a number from 0 to 1"),
        ("1", "nan", "'nan' is not a number from 0 to 1"),
        ("1", "high", "'high' is not a number from 0 to 1"),
    ],
)
def test_probabilities_that_cannot_be(
    project: Project, tmp_path: Path, label: str, probability: str, wrong: str
) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(
        f"unique_id_l,unique_id_r,worker,label,probability\nc000,c001,w,0,0.5\nc000,c002,w,{label},{probability}\n"
    )
    with pytest.raises(LabelError, match=rf"votes\.csv line 3: .*{wrong}"):
        read_archive(file, project)


def test_a_store_of_version_3_keeps_its_votes(databases: Databases) -> None:
    store = Store(databases.fresh())
    with store.writing() as connection:
        migrate(connection, MIGRATIONS[:3])
        connection.execute(text("INSERT INTO project VALUES (1, 3, 'key', 'name', 1, 1, 0, 0, '{}')"))
        connection.execute(
            text(
                'INSERT INTO votes (id, time, action, worker, "left", "right", label, source) '
                "VALUES (1, 1.0, 'vote', 'ann', 'a', 'b', true, 'file')"
            )
        )
    store.open("key")
    assert store.check("key") == len(MIGRATIONS)
    (row,) = store.votes()
    assert (row.label, row.probability, row.said) == (True, None, True)
    store.close()


def test_programs_give_probabilities(tmp_path: Path) -> None:
    with served(tmp_path / "project") as site:
        program = site.program()
        task = program.call("POST", "/api/tasks", {"worker": "model"})[1]
        path = f"/api/tasks/{task['id']}/answer"
        for wrong in (0.4, 1.1, "0.9"):
            assert program.call("POST", path, {"worker": "model", "answer": "yes", "probability": wrong})[0] == 422
        status, vote = program.call("POST", path, {"worker": "model", "answer": "yes", "probability": 0.9})
        assert (status, vote["label"], vote["probability"]) == (200, True, 0.9)
        given_ = {"left": "a1", "right": "a3", "worker": "other", "label": False}
        bad = {"votes": [{**given_, "probability": 0.75}]}
        status, problem = program.call("POST", "/api/votes", bad)
        assert (status, "0.75 contradicts the label no" in problem["detail"]) == (422, True)
        assert program.call("POST", "/api/votes", {"votes": [{**given_, "probability": 0.25}, given_]})[0] == 200
        rows = program.call("GET", "/api/votes")[1]
        assert [row["probability"] for row in rows] == [0.9, 0.25, None]
