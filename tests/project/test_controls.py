"""Control questions: workers get pairs with known answers now and then, and the owner sees how they did."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner
from sites import served

from askwise import Project
from askwise.cli import commands
from askwise.project.queue import miscounted
from askwise.project.values import ordered
from askwise.project.worker_rows import WorkerRow, worker_rows

RECORDS = [{"unique_id": f"r{n:02}", "name": f"name {n // 2}"} for n in range(40)]
PAIRS = [
    {"unique_id_l": f"r{n:02}", "unique_id_r": f"r{m:02}", "score": 0.5}
    for n in range(40)
    for m in range(n + 1, min(n + 6, 40))
]
KNOWN = {(f"r{n:02}", f"r{n + 1:02}"): n % 2 == 0 for n in range(20)}


def known_answers(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "known.csv"
    rows = [f"{left},{right},gold,{int(same)}\n" for (left, right), same in KNOWN.items()]
    file.write_text("unique_id_l,unique_id_r,worker,label\n" + "".join(rows), encoding="utf-8")
    store = project.store.url.render_as_string(hide_password=False)
    done = CliRunner().invoke(
        commands, ["answer", str(project.folder), str(file), "--known"], env={"ASKWISE_STORE": store}
    )
    assert (done.exit_code, done.output.split(";")[0]) == (0, f"{len(KNOWN)} answers are known")
    assert project.store.counts().rows == 0, "nothing was voted"


def rows_of(project: Project) -> dict[str, WorkerRow]:
    project.refresh()
    return {row.name: row for row in worker_rows(project)}


def test_workers_get_control_questions(tmp_path: Path, address: str | None) -> None:
    random.seed(5)  # which questions are control questions
    with Project.new(tmp_path / "project", RECORDS, PAIRS, store=address) as project:
        known_answers(project, tmp_path)
        project.change_settings(controls=0.3, votes=2)
        given: dict[str, list[tuple[str, str]]] = {"good": [], "bad": []}
        for _ in range(60):
            for worker, pairs in given.items():
                task = project.take(worker)
                assert task is not None
                pair = ordered(task.left, task.right)
                assert pair not in pairs, "nobody gets a pair twice"
                pairs.append(pair)
                right = KNOWN.get(pair, pair[0][1:] == pair[1][1:])
                project.answer(task.id, worker, "yes" if right == (worker == "good") else "no")
        with project.store.reading() as connection:
            assert miscounted(connection) == 0
        rows = rows_of(project)
        for worker, wrong in (("good", 0), ("bad", 1)):
            seen = sum(pair in KNOWN for pair in given[worker])
            assert 10 <= seen <= len(KNOWN)
            assert (rows[worker].controls, rows[worker].controls_wrong) == (seen, wrong * seen)
        project.change_settings(controls=0.0)
        before = rows["good"].controls
        queued = {pair for pair in project.store.waiting() if pair in KNOWN}
        for _ in range(10):
            task = project.take("good")
            assert task is not None
            pair = ordered(task.left, task.right)
            assert pair not in KNOWN or pair in queued
            project.answer(task.id, "good", "unsure")
        assert rows_of(project)["good"].controls_wrong == 0
        assert before == rows["good"].controls


def test_agreement_over_time(tmp_path: Path) -> None:
    """A worker who begins well and then only clicks; what was taken back does not count."""
    with Project.new(tmp_path / "project", RECORDS, PAIRS) as project:
        project.change_settings(votes=3)
        for number in range(40):
            for worker in ("ann", "bob", "tired"):
                task = project.take(worker)
                assert task is not None
                same = ordered(task.left, task.right) in KNOWN
                if worker == "ann" and number % 10 == 0:
                    project.answer(task.id, worker, "no" if same else "yes")
                    task = project.undo(worker)
                    assert task is not None
                asleep = worker == "tired" and number >= 20
                project.answer(task.id, worker, "yes" if same != asleep else "no")
        rows = rows_of(project)
        tired = rows["tired"]
        assert tired.over_time == (1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0)
        assert tired.agreement == pytest.approx(0.5)
        assert rows["ann"].agreement == pytest.approx(1.0)
        project.exclude("tired")
        assert rows_of(project)["tired"].over_time == ()


def test_the_page_of_workers_shows_both(tmp_path: Path) -> None:
    with served(tmp_path / "project", RECORDS, PAIRS, controls=0.5) as site:
        project = site.project
        known_answers(project, tmp_path)
        for _ in range(30):
            for worker in ("ann", "bob"):
                task = project.take(worker)
                assert task is not None
                project.answer(task.id, worker, "no")
        project.refresh()
        page = site.owner().get("/workers")
        found = {row["name"]: row for row in site.program().call("GET", "/api/workers")[1]}
        ann = found["ann"]
        assert ann["controls"] > ann["controls_wrong"] > 0
        assert f"{ann['controls'] - ann['controls_wrong']} of {ann['controls']} right" in page
        assert 'aria-label="100%, 100%' in page
        assert ann["over_time"][:2] == [1.0, 1.0]
        assert site.owner().get("/workers?sort=-controls")
