"""The store by itself, on SQLite and on PostgreSQL."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import pytest
from databases import Databases
from sqlalchemy import Connection, inspect, text
from stored import PAIRS, imported, pair_of

from askwise.errors import InputError, StoreError, TaskError
from askwise.project.invites import Invites
from askwise.project.migrations import MIGRATIONS, migrate
from askwise.project.store import Store
from askwise.project.values import Point


@pytest.fixture
def store(databases: Databases) -> Iterator[Store]:
    made = Store(databases.fresh())
    made.create("key", "a project")
    yield made
    made.close()


def test_a_question_from_hand_to_hand(store: Store) -> None:
    store.change_settings({"votes": 2, "lease_seconds": 60})
    assert store.take("ann", now=0) is None
    assert store.fill(PAIRS[:1]) == 1
    first, second = store.take("ann", now=0), store.take("bob", now=0)
    assert first is not None
    assert second is not None
    assert pair_of(first) == pair_of(second) == PAIRS[0]
    assert store.take("cleo", now=0) is None  # two votes are wanted, two workers have it
    assert store.take("ann", now=30) == replace(first, until=90)  # asked again: the same, with new time
    third = store.take("cleo", now=80)  # bob let it expire
    assert third is not None
    row = store.answer(first.id, "ann", True, "page", seconds=2.5, now=81)
    assert (row.id, row.label, row.left, row.right, row.source, row.seconds) == (1, True, *PAIRS[0], "page", 2.5)
    assert json.loads(row.shown or "") == {"swapped": first.swapped}
    with pytest.raises(TaskError, match="ran out of time"):
        store.answer(second.id, "bob", False, "page", now=82)
    store.answer(third.id, "cleo", None, "page", now=82)
    assert [store.take(worker, now=500) for worker in ("ann", "bob", "cleo", "dan")] == [None] * 4
    assert [row.label for row in store.votes()] == [True, None]


def test_an_expired_task_stays_the_workers_own_if_no_one_took_it(store: Store) -> None:
    store.change_settings({"votes": 1, "lease_seconds": 60})
    store.fill(PAIRS[:2])
    task = store.take("ann", now=0)
    assert task is not None
    assert store.answer(task.id, "ann", True, "page", now=1000).label is True
    other = store.take("ann", now=1000)
    assert other is not None
    again = store.take("ann", now=2000)
    assert again is not None
    assert again.id == other.id


def test_the_next_question_beside_the_present_one(store: Store) -> None:
    store.fill(PAIRS)
    present = store.take("ann")
    assert present is not None
    coming = store.take("ann", [present.id])
    assert coming is not None
    assert coming.id != present.id
    assert [task.id for task in store.tasks_of("ann")] == [present.id, coming.id]
    store.answer(present.id, "ann", True, "page")
    assert [task.id for task in store.tasks_of("ann")] == [coming.id]
    back = store.undo("ann", "page")
    assert back is not None
    assert pair_of(back) == pair_of(present)
    assert [task.id for task in store.tasks_of("ann")] == [back.id, coming.id]


def test_answers_count_once(store: Store) -> None:
    store.fill(PAIRS)
    task = store.take("ann")
    assert task is not None
    first = store.answer(task.id, "ann", True, "page", request="r1")
    assert store.answer(task.id, "ann", True, "page", request="r1") == first
    assert store.answer(task.id, "ann", True, "page", request="another") == first
    assert store.answer(task.id, "ann", True, "page") == first
    with pytest.raises(TaskError, match="another answer"):
        store.answer(task.id, "ann", False, "page")
    with pytest.raises(TaskError, match="another answer"):  # nothing is dropped silently
        store.answer(task.id, "ann", False, "page", request="r1")
    with pytest.raises(TaskError, match="no task"):
        store.answer(task.id, "bob", True, "page", request="r1")  # another worker's request of the same name
    with pytest.raises(TaskError, match="no task 99"):
        store.answer(99, "ann", True, "page")
    assert len(store.votes()) == 1


def test_undo_is_a_new_row(store: Store) -> None:
    store.fill(PAIRS)
    assert store.undo("ann", "page") is None
    done = []
    for label in (True, False):
        task = store.take("ann")
        assert task is not None
        store.answer(task.id, "ann", label, "page")
        done.append(task)
    back = store.undo("ann", "page", request="u1")
    assert back is not None
    assert store.undo("ann", "page", request="u1") == back
    assert pair_of(back) == pair_of(done[1])
    further = store.undo("ann", "page")
    assert further is not None
    assert pair_of(further) == pair_of(done[0])
    assert store.undo("ann", "page") is None
    with pytest.raises(TaskError, match="taken back"):
        store.answer(done[0].id, "ann", True, "page")
    assert [(row.action, row.label) for row in store.votes()] == [
        ("vote", True),
        ("vote", False),
        ("undo", None),
        ("undo", None),
    ]
    assert store.counts().votes == store.workers()[0].votes == 0


def test_votes_from_elsewhere_count_in_the_queue(store: Store) -> None:
    store.change_settings({"votes": 1})
    store.fill(PAIRS[:2])
    task = store.take("ann")
    assert task is not None
    rows = [imported(*pair_of(task), "ann", True), imported(*PAIRS[1], "model", False)]
    assert store.add_votes(rows, "", "batch 1") == 2
    assert store.add_votes(rows, "", "batch 1") == 2  # once
    assert store.add_votes([], "") == 0
    assert len(store.votes()) == 2
    assert store.answer(task.id, "ann", True, "page").id == 1  # it has that answer already
    assert store.take("bob") is None


def test_budget_and_pause(store: Store) -> None:
    store.change_settings({"votes": 1, "budget": 2})
    store.fill(PAIRS)
    one, two = store.take("ann"), store.take("bob")
    assert one is not None
    assert two is not None
    assert store.take("cleo") is None
    store.answer(one.id, "ann", True, "page")
    assert store.take("ann") is None
    store.change_settings({"budget": 3})
    assert store.take("ann") is not None
    store.change_settings({"paused": True})
    assert store.take("bob") is None
    assert store.answer(two.id, "bob", True, "page").label is True  # what was begun may be finished


def test_excluded_workers(store: Store) -> None:
    store.change_settings({"votes": 1})
    store.fill(PAIRS[:1])
    task = store.take("ann")
    assert task is not None
    store.answer(task.id, "ann", True, "page")
    assert store.take("bob") is None
    assert store.set_excluded("ann", True, "owner")
    assert not store.set_excluded("ann", True, "owner")
    assert store.take("ann") is None
    assert store.undo("ann", "page") is None
    with pytest.raises(TaskError, match="excluded"):
        store.answer(task.id, "ann", True, "page")
    other = store.take("bob")  # the question wants another vote
    assert other is not None
    store.answer(other.id, "bob", False, "page")
    assert store.set_excluded("ann", False, "owner")
    assert [row.action for row in store.votes()] == ["vote", "exclude", "vote", "include"]
    assert [(worker.name, worker.excluded, worker.votes) for worker in store.workers()] == [
        ("ann", False, 1),
        ("bob", False, 1),
    ]


def test_more_votes_on_a_pair(store: Store) -> None:
    store.change_settings({"votes": 1})
    store.fill(PAIRS[:3])
    for _ in range(3):
        task = store.take("ann")
        assert task is not None
        store.answer(task.id, "ann", True, "page")
    store.fill(PAIRS[3:])
    store.ask_more([PAIRS[1], ("x", "y")], 2)
    for worker in ("bob", "cleo"):
        for wanted in (PAIRS[1], ("x", "y")):
            task = store.take(worker)
            assert task is not None
            assert pair_of(task) == wanted
            store.answer(task.id, worker, False, "page")
    task = store.take("dan")
    assert task is not None
    assert pair_of(task) == PAIRS[3]


def test_filling_replaces_what_nobody_has_seen(store: Store) -> None:
    store.fill(PAIRS[:3])
    task = store.take("ann")
    assert task is not None
    assert store.queued() == (2, [pair_of(task)])
    assert store.fill(PAIRS[:1] + PAIRS[4:]) == 2
    store.answer(task.id, "ann", True, "page")
    found = []
    while (task := store.take("ann")) is not None:
        store.answer(task.id, "ann", True, "page")
        found.append(pair_of(task))
    assert found == PAIRS[4:]


def test_invites(store: Store) -> None:
    invites = Invites(store)
    one, two = invites.add("digest 1", "ann", now=1.0), invites.add("digest 2", note="for the panel")
    assert invites.of("digest 1") == one
    assert invites.all() == [one, two]
    assert invites.revoke(one.id, now=2.0)
    assert not invites.revoke(one.id)
    assert invites.of("digest 1") is None
    assert [invite.revoked for invite in invites.all()] == [2.0, None]
    with pytest.raises(StoreError):
        invites.add("digest 2")


def test_history_has_a_point_once(store: Store) -> None:
    points = [Point(5, 1.0, 2, 3, 4, -1.5, 6), Point(7, 2.0, 3, 4, 4, -1.0, 5, 0.9, 0.8, 0.95)]
    for point in points * 2:
        store.add_point(point)
    assert store.history() == points


def test_threads_share_the_questions(store: Store) -> None:
    store.change_settings({"votes": 3})
    pairs = [(f"a{number:03}", f"b{number:03}") for number in range(60)]
    store.fill(pairs)

    def work(worker: str) -> list[tuple[str, str]]:
        had = []
        while (task := store.take(worker)) is not None:
            store.answer(task.id, worker, True, "page", request=f"r{task.id}")
            had.append(pair_of(task))
        return had

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, [f"w{number}" for number in range(8)]))
    assert all(len(set(had)) == len(had) for had in found)
    assert Counter(pair for had in found for pair in had) == dict.fromkeys(pairs, 3)
    assert [row.id for row in store.votes()] == list(range(1, 181))


def test_a_failure_hits_only_its_cause(store: Store) -> None:
    store.fill(PAIRS)
    tasks = {worker: store.take(worker) for worker in ("ann", "bob", "cleo")}

    def work(worker: str) -> object:
        task = tasks[worker]
        assert task is not None
        try:
            return store.answer(task.id, worker, True, "page\0" if worker == "bob" else "page").worker
        except StoreError as error:
            return error

    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(work, tasks))
    assert results[0] == "ann"
    assert results[2] == "cleo"
    assert len(store.votes()) == 3 - isinstance(results[1], StoreError)  # SQLite keeps a NUL, PostgreSQL does not


def test_closed(databases: Databases) -> None:
    store = Store(databases.fresh())
    store.create("key", "name")
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.take("ann")


def test_whose_store(databases: Databases) -> None:
    url = databases.fresh()
    store = Store(url)
    with pytest.raises(StoreError, match=r"empty|missing"):
        store.open("key")
    store.create("key", "name")
    with pytest.raises(InputError, match="holds a project already"):
        store.create("other", "name")
    store.open("key")
    with pytest.raises(StoreError, match="another project"):
        store.open("other")
    store.close()


def test_addresses() -> None:
    for bad, match in (("nonsense", "cannot be read"), ("mysql://host/db", "not known")):
        with pytest.raises(InputError, match=match):
            Store(bad)
    unreachable = Store("postgresql://nobody:secret@127.0.0.1:1/none")
    with pytest.raises(StoreError, match="the store failed") as failed:
        unreachable.open("key")
    assert "secret" not in str(failed.value)
    assert "secret" not in unreachable.address
    unreachable.close()


def test_migrations(databases: Databases) -> None:
    store = Store(databases.fresh())
    store.create("key", "name")

    def second(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE workers ADD COLUMN note TEXT"))

    def failing(connection: Connection) -> None:
        second(connection)
        connection.execute(text("ALTER TABLE nothing ADD COLUMN note TEXT"))

    def run(connection: Connection, *steps: object) -> int:
        return migrate(connection, [*MIGRATIONS, *steps])  # type: ignore[list-item]

    with pytest.raises(Exception, match="nothing"), store.writing() as connection:
        run(connection, failing)
    for before in (len(MIGRATIONS), len(MIGRATIONS) + 1):
        with store.writing() as connection:
            assert run(connection, second) == before
    with store.writing() as connection:
        assert "note" in {column["name"] for column in inspect(connection).get_columns("workers")}
    with pytest.raises(StoreError, match="newer"):
        store.open("key")
    store.close()


def test_a_store_of_version_2_keeps_its_history(databases: Databases) -> None:
    store = Store(databases.fresh())
    project = "1, 2, 'key', 'name', 1, 5, 0, 0, '{}'"
    with store.writing() as connection:
        migrate(connection, MIGRATIONS[:2])
        connection.execute(text(f"INSERT INTO project VALUES ({project})"))
        connection.execute(text("INSERT INTO history VALUES (5, 1.0, 2, 3, 4, -1.5, 6)"))
    store.open("key")
    assert store.check("key") == len(MIGRATIONS)
    store.add_point(new := Point(7, 2.0, 3, 4, 4, -1.0, 5, 0.9, 0.8, 0.95))
    assert store.history() == [Point(5, 1.0, 2, 3, 4, -1.5, 6, None, None, None), new]
    store.close()


def test_an_order_that_was_given_up(store: Store) -> None:
    """As when a server gives up its requests because it has to stop: others are carried out all the same."""
    store.fill(PAIRS)
    busy, free = Event(), Event()

    def wait(_: object) -> None:
        busy.set()
        assert free.wait(20)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(store.change, wait)
        assert busy.wait(20)
        given_up, other = store.take_soon("ann"), store.take_soon("bob")
        assert given_up.cancel()
        free.set()
        assert other.result(20) is not None
    assert store.tasks_of("ann") == []
