"""Projects that last: whoever works on them, and whatever ends them, the state is that of inputs and votes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from projects import PEOPLE, reopened, state, vote_for

from askwise import Project, Resolution, Vote
from askwise.errors import InputError, RecordError, TaskError
from askwise.project.background_engine import Background
from askwise.project.doctor import examine
from askwise.project.folder import read_pairs


def test_state_after_a_restart_equals_a_rebuild(project: Project, address: str | None) -> None:
    for round, worker in enumerate(("ann", "bob", "cleo", "bob")):
        vote_for(project, worker, 40, round)
        project.undo(worker)
        project.refresh()
    project.exclude("bob")
    vote_for(project, "ann", 5)
    project.refresh()
    with reopened(project, address) as again:
        assert state(again) == state(project)
    project.include("bob")
    vote_for(project, "bob", 5)
    project.refresh()
    with reopened(project, address) as again:
        assert state(again) == state(project)
        rows = again.store.votes()
    last: dict[tuple[object, ...], Vote] = {}
    votes = []
    for row in rows:
        if row.action in ("vote", "undo"):
            last[row.worker, row.left, row.right] = Vote(row.left, row.right, row.worker, row.label)
    votes = list(last.values())
    plain = Resolution(project.table.ids, evidence="ratio", votes=votes)
    assert (plain.votes.yes.sum(), plain.votes.no.sum()) == (
        project.resolution.votes.yes.sum(),
        project.resolution.votes.no.sum(),
    )


def test_the_owner_has_the_last_word(project: Project, address: str | None) -> None:
    """What the owner says on the pages is certain, after a restart too; a worker "owner" of a file only votes."""
    pair = "c000", "c001"
    project.add_votes([Vote(*pair, f"w{number}", True) for number in range(12)], "file")
    project.add_votes([Vote(*pair, "owner", False)], "file")
    project.refresh()
    together = project.resolution.graph.p(*pair)
    assert together is not None
    assert together > 0.9
    decided = project.decide(*pair, False)
    labels = project.resolution.clustering.labels
    assert labels["c000"] != labels["c001"]
    with reopened(project, address) as again:
        assert state(again) == state(project)
    project.editing.undo(decided.id, "owner")
    taken_back = project.resolution.graph.p(*pair)
    assert taken_back is not None
    assert taken_back > 0.9


def counted(project: Project) -> float:
    """How many votes the engine counts."""
    log = project.resolution.votes
    return float(np.add(*log.tally(log.voted())).sum())


def test_an_excluded_worker_counts_for_nothing(project: Project) -> None:
    vote_for(project, "ann", 30)
    vote_for(project, "bob", 30)
    project.refresh()
    tally = counted(project)
    assert project.exclude("bob")
    assert not project.exclude("bob")
    assert project.take("bob") is None
    project.add_votes([Vote("c000", "c001", "bob", True)], "file")
    project.refresh()
    mine = sum(row.label is not None for row in project.votes_of("ann"))
    assert counted(project) == mine < tally
    with pytest.raises(InputError, match="no worker 'nobody'"):
        project.exclude("nobody")


def test_an_inclusion_makes_everything_as_it_was(project: Project, address: str | None) -> None:
    """To the last bit, although the evidence learns from the votes and from how many there are."""
    for number in range(40):  # so many that the fits of before and after fall on other votes
        vote_for(project, f"worker {number % 4}", 5, seed=number)
    project.refresh()
    expected = state(project)
    with reopened(project, address) as fresh:
        assert state(fresh) == expected
    for worker in ("worker 1", "worker 2"):
        project.exclude(worker)
        project.refresh()
        assert state(project) != expected
    with reopened(project, address) as fresh:
        assert state(fresh) == state(project)
    for worker in ("worker 1", "worker 2"):
        project.include(worker)
        project.refresh()
    assert state(project) == expected
    with reopened(project, address) as fresh:
        assert state(fresh) == expected


def test_votes_that_come_between_exclusion_and_inclusion(project: Project) -> None:
    vote_for(project, "ann", 20)
    project.exclude("ann")
    vote_for(project, "bob", 20, seed=1)
    project.add_votes([Vote("c000", "c001", "ann", True)], "file")
    project.refresh()
    project.include("ann")
    project.refresh()
    votes = [Vote(row.left, row.right, row.worker, row.label) for row in project.store.votes() if row.left is not None]
    pairs = read_pairs(project.folder, project.table.ids, project.about.score)
    plain = Resolution(project.table, pairs, votes=votes)
    assert project.resolution.clustering.roots.tolist() == plain.clustering.roots.tolist()
    assert project.resolution.graph.pair_p.tolist() == plain.graph.pair_p.tolist()


def test_votes_are_counted_alike_everywhere(project: Project) -> None:
    for worker in ("ann", "bob"):
        vote_for(project, worker, 5)
        project.undo(worker)
    project.exclude("bob")
    project.include("bob")
    project.refresh()
    assert project.status().votes == project.history()[-1].votes == sum(one.votes for one in project.workers()) == 8


def test_the_scores_to_expect_are_kept_over_time(project: Project, address: str | None) -> None:
    vote_for(project, "ann", 20)
    project.refresh()
    status, expected = project.status(), project.resolution.expected_scores()
    assert (status.precision, status.recall) == (expected.precision.value, expected.recall.value)
    assert (status.f1, status.f1_low, status.f1_high) == expected.f1
    point = project.history()[-1]
    assert (point.f1, point.f1_low, point.f1_high) == expected.f1
    with reopened(project, address) as again:
        assert again.status() == status


def test_a_share_of_the_questions_is_drawn_by_chance(project: Project, address: str | None) -> None:
    project.change_settings(votes=1, batch=20, audit=0.2)
    assert project.fill() == 20, "it holds from the next question on"

    def audited(one: Project) -> list[tuple[object, ...]]:
        one.refresh()
        return list(one.resolution.audited)

    with reopened(project, address) as other:
        for seed in range(6):
            vote_for(project, "ann", 10, seed)
            vote_for(other, "bob", 10, seed)
        drawn = audited(project)
        assert audited(other) == drawn, "what one draws, the other knows"
        assert other.resolution.expected_scores() == project.resolution.expected_scores()
    assert 0.1 * project.resolution.asked < len(drawn) <= 0.2 * (project.resolution.asked + 20)
    asked = {(row.left, row.right) for row in project.store.votes()}
    done = [pair for *pair, _ in drawn if tuple(sorted(map(str, pair))) in asked]
    assert len(done) > len(drawn) / 2, "they are asked like others"
    status = project.status()
    project.change_settings(audit=0.0)
    with reopened(project, address) as again:
        assert audited(again) == drawn
        assert state(again) == state(project)
        found = again.status()
        assert (found.precision, found.recall, found.f1_low) == (status.precision, status.recall, status.f1_low)
        vote_for(again, "ann", 30)
        again.fill()
        assert audited(again) == drawn, "no more are drawn"


def test_two_that_draw_at_the_same_time(project: Project, address: str | None) -> None:
    settings = project.change_settings(batch=20, audit=0.2)
    with reopened(project, address) as other:
        for one, batch in ((project, 40), (other, 60)):
            one.engine.audit.pairs(replace(settings, batch=batch), set())
        drawn = project.resolution.audited
        assert other.resolution.audited == drawn, "the other was late, and takes what was drawn"
        other.engine.audit.pairs(replace(settings, batch=60), set())
        project.refresh()
        assert project.resolution.audited == other.resolution.audited
        assert len(project.resolution.audited) > len(drawn) > 0


def test_workers_are_served_while_the_engine_follows(project: Project) -> None:
    project.change_settings(votes=2, batch=20)
    project.start()

    def work(worker: str) -> list[tuple[str, str]]:
        had = []
        for _ in range(25):
            task = project.take(worker)
            if task is not None:
                project.answer(task.id, worker, "no", request=f"r{task.id}")
                had.append((min(task.left, task.right), max(task.left, task.right)))
        return had

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(work, [f"w{number}" for number in range(6)]))
    asked = Counter(pair for had in found for pair in had)
    assert max(asked.values()) <= 2
    assert all(len(set(had)) == len(had) for had in found)
    project.refresh()
    assert project.status().votes == sum(asked.values()) == len(project.store.votes())
    assert project.history()[-1].vote <= len(project.store.votes())


def test_a_few_answers_renew_the_questions_that_wait(project: Project) -> None:
    project.change_settings(votes=1, batch=100)
    project.store.fill([])
    project.fill()
    for answers in range(5):
        assert project.fill() == 0, answers
        vote_for(project, "ann", 1)
        project.refresh()
    assert project.fill() > 90
    task = project.take("bob")
    assert task is not None
    best = project.next_questions(1)[0]
    assert {task.left, task.right} == {best.left, best.right}


def _serve(folder: Path, address: str | None, worker: str, count: int) -> None:
    """A process of its own that answers questions."""
    with Project.open(folder, store=address) as project:
        for _ in range(count):
            task = project.take(worker)
            if task is not None:
                project.answer(task.id, worker, "no")


def test_several_processes(project: Project, address: str | None) -> None:
    project.change_settings(votes=2, batch=10)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_serve, args=(project.folder, address, f"w{number}", 30)) for number in range(3)]
    for process in workers:
        process.start()
    for process in workers:
        process.join(60)
        assert process.exitcode == 0
    rows = project.store.votes()
    assert [row.id for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) == 90
    assert max(Counter((row.left, row.right) for row in rows).values()) <= 2
    assert project.refresh() == 90
    with reopened(project, address) as again:
        assert state(again) == state(project)


_ANSWERING = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from askwise import Project

project = Project.open(sys.argv[1], store=sys.argv[2] or None)
project.start()

def work(worker):
    while True:
        task = project.take(worker)
        if task is not None:
            row = project.answer(task.id, worker, "no", request=f"{worker} {task.id}")
            os.write(1, f"{row.id} {row.worker} {task.id}\\n".encode())

with ThreadPoolExecutor(5) as pool:
    list(pool.map(work, [f"w{number}" for number in range(5)]))
"""


def test_killed_in_the_middle(project: Project, address: str | None) -> None:
    project.change_settings(votes=3, lease_seconds=600)
    acknowledged: dict[int, tuple[str, int]] = {}
    for wanted in (20, 60, 40):
        process = subprocess.Popen(
            [sys.executable, "-c", _ANSWERING, str(project.folder), address or ""], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(wanted):
            said = process.stdout.readline().split()
            acknowledged[int(said[0])] = (said[1], int(said[2]))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    rows = {row.id: row for row in project.store.votes()}
    assert sorted(rows) == list(range(1, len(rows) + 1))
    for number, expected in acknowledged.items():
        assert (rows[number].worker, rows[number].task) == expected
    tasks = Counter(row.task for row in rows.values())
    assert max(tasks.values()) == 1
    held = project.store.tasks_of("w0")
    task = project.take("w0")  # what was in the worker's hands when the process died is still there
    assert task is not None
    assert not held or task.id == held[0].id
    project.refresh()
    with reopened(project, address) as again:
        assert state(again) == state(project)
    assert all(finding.good for finding in examine(project.folder)) or address is not None


def test_settings(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE) as project:
        changed = project.change_settings(votes=1, image_fields=["name"], instructions="Same person?", budget=10)
        assert project.settings == changed
        assert changed.image_fields == ("name",)
        for bad in (
            {"votes": 0},
            {"votes": True},
            {"votes": 1.5},
            {"lease_seconds": 10**9},
            {"paused": 1},
            {"budget": -1},
            {"price": float("nan")},
            {"audit": 1.0},
            {"audit": "a tenth"},
            {"currency": "x" * 11},
            {"instructions": 3},
            {"image_fields": ["none"]},
            {"nonsense": 1},
        ):
            with pytest.raises(InputError, match=next(iter(bad)) if "image_fields" not in bad else "no field"):
                project.change_settings(**bad)
        assert project.settings == changed


def test_what_comes_in_is_checked(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE) as project:
        task = project.take("ann")
        assert task is not None
        for worker in ("", " ", "a\nb", "x" * 201, None, 5, "a\0"):
            with pytest.raises(InputError, match="worker"):
                project.take(worker)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="'maybe'"):
            project.answer(task.id, "ann", "maybe")  # type: ignore[arg-type]
        for number in ("1", 0, 2**70):
            with pytest.raises(InputError, match="task"):
                project.answer(number, "ann", "yes")  # type: ignore[arg-type]
        for given in ({"seconds": -1.0}, {"seconds": float("nan")}, {"request": ""}, {"shown": "x" * 30_000}):
            with pytest.raises(InputError):
                project.answer(task.id, "ann", "yes", **given)
        with pytest.raises(TaskError):
            project.answer(task.id, "bob", "yes")
        assert project.store.votes() == []
        with pytest.raises(RecordError, match="'9'"):
            project.add_votes([Vote("1", "2", "ann", True), Vote("1", "9", "ann", True)], "file")
        assert project.store.votes() == []
        assert project.add_votes([Vote(1, 2, "bob", True)], "file", request="r") == 1
        assert project.add_votes([Vote(1, 2, "bob", True)], "file", request="r") == 1
        assert [row.worker for row in project.votes_on("2", "1")] == ["bob"]
        assert project.ask_more([("2", "1")], 2) == 1


def test_an_engine_that_cannot_follow_says_so_and_tries_again(tmp_path: Path) -> None:
    def waited(done: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + 30
        while not done() and time.monotonic() < deadline:
            time.sleep(0.05)
        return done()

    with Project.new(tmp_path / "p", PEOPLE) as project:
        records = tmp_path / "p" / "records.parquet"
        kept = records.read_bytes()
        nonsense = b"nonsense"
        project.store.change_inputs(project.folder, 1, lambda place: (place / records.name).write_bytes(nonsense))
        project.start()
        assert waited(lambda: project.failure is not None)
        assert "records.parquet" in str(project.failure)
        task = project.take("ann")  # workers do not notice
        assert task is not None
        project.answer(task.id, "ann", "yes")
        records.write_bytes(kept)
        assert waited(lambda: project.failure is None)
        assert waited(lambda: project.resolution.asked == 1)


def test_scores_are_computed_while_someone_holds_the_engine(project: Project) -> None:
    """As when an owner excludes a worker while the scores are computed in the background."""
    vote_for(project, "ann", 3)
    beside = threading.Thread(target=project.summaries.measure, daemon=True)

    def hold() -> None:
        with project.lock:
            beside.start()
            beside.join(0.3)
            project.refresh()
            project.status()

    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    holder.join(30)
    beside.join(30)
    assert not holder.is_alive()
    assert not beside.is_alive()


def test_workers_do_not_wait_for_the_summaries_of_the_owner(project: Project) -> None:
    project.change_settings(batch=4, votes=1)
    chosen, _ = project.store.queued()
    with project.summaries.measuring:  # as while the scores of a large project are computed
        project.start()
        for _ in range(chosen + 9):
            task = project.take("ann")
            assert task is not None
            project.answer(task.id, "ann", "no")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nothing_waits_for_an_engine_whose_thread_has_ended() -> None:
    begin, called = threading.Event(), threading.Event()

    def work() -> bool:
        begin.wait(30)
        raise SystemExit  # no error that the engine survives

    ending = Background(work, "ending")
    assert ending.after_round(called.set)
    begin.set()
    assert called.wait(30), "as a program that waits for a question"
    assert not ending.after_round(called.clear)
    ending.stop()
