"""The store as a state machine: takes, answers, undos and leases that run out, in any order."""

from collections import Counter
from functools import partial
from typing import cast

from databases import Databases
from hypothesis import settings, strategies
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select
from stored import PAIRS, imported, pair_of

from askwise.errors import TaskError
from askwise.project import schema
from askwise.project.store import Store
from askwise.project.values import Task, VoteRow


class Shared(RuleBasedStateMachine):
    """Workers who take, answer, take back, and let time pass; a model beside the store says what must hold."""

    def __init__(self, databases: Databases) -> None:
        super().__init__()
        self.store = Store(databases.fresh())
        self.store.create("key", "name")
        self.store.change_settings({"votes": 2, "lease_seconds": 10})
        self.now = 0.0
        self.tasks: dict[int, Task] = {}  # all that were ever given
        self.unanswered: set[int] = set()
        self.rows: list[VoteRow] = []

    def teardown(self) -> None:
        self.store.close()

    workers = strategies.sampled_from(["ann", "bob", "cleo"])
    labels = strategies.sampled_from([True, False, None])

    @initialize()
    def begin(self) -> None:
        self.store.fill(PAIRS[:3])

    @rule(chosen=strategies.lists(strategies.sampled_from(PAIRS), max_size=6))
    def fill(self, chosen: list[tuple[str, str]]) -> None:
        self.store.fill(chosen)

    @rule(worker=workers, ahead=strategies.booleans())
    def take(self, worker: str, ahead: bool) -> None:
        beside = [task.id for task in self.store.tasks_of(worker)] if ahead else []
        self.given(self.store.take(worker, beside, now=self.now), worker)

    def given(self, task: Task | None, worker: str) -> None:
        if task is None:
            return
        assert task.worker == worker
        assert task.until == self.now + 10
        if task.id in self.tasks:
            assert task.id in self.unanswered
        elif not self.taken_back(worker, pair_of(task)):  # the same pair twice only by an undo
            had = [old for old in self.tasks.values() if (old.worker, pair_of(old)) == (worker, pair_of(task))]
            assert not had
            wanted, votes, held = self.question(pair_of(task))
            assert votes + held <= wanted
        self.tasks[task.id] = task
        self.unanswered.add(task.id)

    def taken_back(self, worker: str, pair: tuple[str, str]) -> bool:
        mine = [row for row in self.store.votes_on(*pair) if row.worker == worker]
        return bool(mine) and mine[-1].action == "undo"

    def question(self, pair: tuple[str, str]) -> tuple[int, int, int]:
        with self.store.reading() as connection:
            table = schema.questions
            row = connection.execute(select(table).where(table.c.left == pair[0], table.c.right == pair[1])).one()
        return row.wanted, row.votes, row.wanted - row.votes - row.room

    @precondition(lambda self: self.tasks)
    @rule(data=strategies.data(), label=labels)
    def answer(self, data: strategies.DataObject, label: bool | None) -> None:
        task = self.tasks[data.draw(strategies.sampled_from(sorted(self.tasks)))]
        before = len(self.store.votes())
        try:
            row = self.store.answer(task.id, task.worker, label, "page", now=self.now)
        except TaskError:
            assert len(self.store.votes()) == before
            return
        assert (row.worker, (row.left, row.right), row.label) == (task.worker, pair_of(task), label)
        self.unanswered.discard(task.id)

    @rule(worker=workers)
    def undo(self, worker: str) -> None:
        self.given(self.store.undo(worker, "page", now=self.now), worker)

    @rule(seconds=strategies.sampled_from([1.0, 5.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(worker=workers, pair=strategies.sampled_from(PAIRS), label=labels)
    def add(self, worker: str, pair: tuple[str, str], label: bool | None) -> None:
        self.store.add_votes([imported(*pair, worker, label, self.now)], "")
        self.unanswered -= {task.id for task in self.tasks.values() if (task.worker, pair_of(task)) == (worker, pair)}

    @rule(worker=workers, excluded=strategies.booleans())
    def exclude(self, worker: str, excluded: bool) -> None:
        self.store.set_excluded(worker, excluded, "owner", now=self.now)

    @rule(wanted=strategies.integers(1, 3))
    def want(self, wanted: int) -> None:
        self.store.change_settings({"votes": wanted})

    @invariant()
    def all_is_counted(self) -> None:
        self.rows_are_only_added()
        self.questions_are_counted()

    def rows_are_only_added(self) -> None:
        rows = self.store.votes()
        assert rows[: len(self.rows)] == self.rows
        assert [row.id for row in rows] == list(range(1, len(rows) + 1))
        self.rows = rows

    def questions_are_counted(self) -> None:
        excluded = {worker.name for worker in self.store.workers() if worker.excluded}
        standing: dict[tuple[str, tuple[str, str]], VoteRow] = {}
        for row in self.rows:
            if row.left is not None and row.right is not None:
                standing[row.worker, (row.left, row.right)] = row
        votes = Counter(
            pair for (worker, pair), row in standing.items() if row.action == "vote" and worker not in excluded
        )
        with self.store.reading() as connection:
            found = connection.execute(select(schema.questions)).all()
            held = Counter(
                connection.scalars(select(schema.tasks.c.question).where(schema.tasks.c.state == schema.OPEN))
            )
        for question in found:
            assert question.votes == votes[question.left, question.right]
            assert question.room == question.wanted - question.votes - held[question.id]


def test_the_store_as_a_machine(databases: Databases) -> None:
    examples = 40 if databases.kind == "sqlite" else 15
    machine = cast(type[RuleBasedStateMachine], partial(Shared, databases))
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=30))
