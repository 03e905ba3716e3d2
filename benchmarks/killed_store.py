"""Kill -9 a process whose threads take, answer, undo, exclude, edit and undo edits, again and again.

    python benchmarks/killed_store.py [sqlite:///... or postgresql://... of an empty database] [--times 1000]

What was acknowledged goes to a pipe before anything else happens. After every kill each acknowledged answer and each
edit must be there as it was given, none twice, undos and exclusions too. No question may have more votes than wanted,
no edit may be undone twice, and all rows must have the digests of their content. `killed.py` kills a whole server.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from askwise.errors import TaskError
from askwise.project import digests
from askwise.project.desk import Desk
from askwise.project.edits import REDO, UNDO
from askwise.project.events import Event, check_events
from askwise.project.store import Store
from askwise.project.values import VoteRow

WANTED, WORKERS, PAIRS, LEASE = 2, 6, 400, 3600
_LABELS = (True, False, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", nargs="?")
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        print(killed(given.store or f"sqlite:///{Path(place) / 'votes.sqlite'}", given.times, given.seed))


@dataclass
class Acknowledged:
    """What threads were told: rows of answers, events, and how many undos and exclusions of each worker."""

    votes: dict[int, list[object]] = field(default_factory=dict)
    events: dict[int, list[object]] = field(default_factory=dict)
    others: Counter[tuple[str, str]] = field(default_factory=Counter)
    begun: Counter[tuple[str, str]] = field(default_factory=Counter)

    def take(self, line: str) -> None:
        what, worker, *rest = json.loads(line)
        if what == "begin":
            self.begun[rest[0], worker] += 1
        elif what == "vote":
            self.votes[rest[0]] = [worker, *rest[1:]]
        elif what == "event":
            self.events[rest[0]] = [worker, *rest[1:]]
        else:
            self.others[what, worker] += 1


def killed(address: str, times: int, seed: int) -> str:
    """Kill `times` processes, and check the store after each of them."""
    chance = random.Random(seed)
    store = Store(address)
    store.create("key", "killed")
    store.change_settings({"votes": WANTED, "lease_seconds": LEASE})
    store.close()
    known = Acknowledged()
    for number in range(times):
        _one_life(address, chance.uniform(0.02, 0.12), number, known)
        rows, events = _written(address)
        _check(rows, known)
        _check_events(events, known)
    counted = Counter(row.action for row in rows)
    others = ", ".join(f"{counted[what]:,} {what}s" for what in ("undo", "exclude", "include"))
    edited = Counter(event.kind for event in events)
    edits = f"{edited['decide']:,} edits, {edited[UNDO]:,} undone, {edited[REDO]:,} redone"
    return f"{times} kills: {len(known.votes):,} answers, {others}; {edits}; none lost, none twice, none over-asked"


def _one_life(address: str, seconds: float, number: int, known: Acknowledged) -> None:
    """Let a process work for some time and kill it; what it had acknowledged is read from the pipe afterwards."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _live(address, writing, number)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as told:
        first = [told.readline()]
        while not first[-1].startswith('["vote"'):  # it is at work
            assert first[-1], "the process ended by itself"
            first.append(told.readline())
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for line in (*first, *told):
            if line.endswith("\n"):
                known.take(line)


def _live(address: str, pipe: int, life: int) -> None:
    store = Store(address)
    store.open("key")
    pairs = [(f"a{n:04}", f"b{n:04}") for n in range(life * 40, life * 40 + PAIRS)]
    store.fill(pairs)

    def tell(*what: object) -> None:
        os.write(pipe, (json.dumps(what) + "\n").encode())  # short enough to be whole

    def work(worker: str, seed: int) -> None:
        chance = random.Random(seed)
        while True:
            task = store.take(worker)
            if task is None:
                store.set_excluded(worker, False, "owner")
                continue
            label, request = chance.choice(_LABELS), f"{worker} {task.id}"
            try:
                row = store.answer(task.id, worker, label, "page", request=request)
                again = store.answer(task.id, worker, label, "page", request=request)  # as after a lost line
            except TaskError:
                continue  # excluded meanwhile
            assert again == row
            tell("vote", worker, row.id, row.left, row.right, row.label)
            if chance.random() < 0.3:
                tell("begin", worker, "undo")
                if store.undo(worker, "page") is not None:  # the question is theirs again: they answer otherwise
                    tell("undo", worker)

    def own() -> None:
        chance = random.Random(-life)
        while True:
            worker = f"worker {chance.randrange(2)}"
            for excluded, what in ((True, "exclude"), (False, "include")):
                tell("begin", worker, what)
                if store.set_excluded(worker, excluded, "owner"):
                    tell(what, worker)
                time.sleep(0.01)

    def edit(person: str, seed: int) -> None:
        chance, desk = random.Random(seed), Desk(store)
        while True:
            kind, data = _next_edit(desk, chance)
            tell("begin", person, kind)
            event = store.add_event(person, kind, data, after=desk.last)  # None: the other steward was quicker
            if event is not None:
                tell("event", person, event.id, kind, data)
            desk.follow()

    threads = [threading.Thread(target=work, args=(f"worker {n}", life * 100 + n)) for n in range(WORKERS)]
    threads += [threading.Thread(target=edit, args=(f"steward {n}", life * 100 - n)) for n in range(2)]
    threads.append(threading.Thread(target=own))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _next_edit(desk: Desk, chance: random.Random) -> tuple[str, dict[str, object]]:
    """Take an edit back, bring one back, or make another."""
    for kind, number in ((UNDO, desk.undoable()), (REDO, desk.redoable())):
        if number is not None and chance.random() < 0.4:
            return kind, {"edit": number}
    left, right = (f"{side}{chance.randrange(1000):04}" for side in "ab")
    return "decide", {"groups": [[left, right]] if chance.random() < 0.5 else [[left], [right]]}


def _written(address: str) -> tuple[list[VoteRow], list[Event]]:
    store = Store(address)
    try:
        store.open("key")
        rows, last = store.votes(), store.about().digest
        events = store.events(limit=2**31)[::-1]
        with store.reading() as connection:
            assert check_events(connection) == len(events)
    finally:
        store.close()
    digest = ""
    for row in rows:
        digest = digests.following(digest, [getattr(row, name) for name in VoteRow.__slots__])
    assert digest == last, "rows are not as they were written"
    return rows, events


def _check(rows: list[VoteRow], known: Acknowledged) -> None:
    assert [row.id for row in rows] == list(range(1, len(rows) + 1))
    by_id = {row.id: row for row in rows}
    for number, said in known.votes.items():
        row = by_id[number]
        assert [row.worker, row.left, row.right, row.label] == said, f"row {number} is lost"
    there: Counter[tuple[str, str]] = Counter((row.action, row.worker) for row in rows)
    for (what, worker), count in known.others.items():
        assert there[what, worker] >= count, f"{what} of {worker} is lost"
    for (what, worker), count in known.begun.items():
        if what == "undo":
            assert there[what, worker] <= count, f"{what} of {worker} is there twice"
    _check_pairs(rows)


def _check_events(events: list[Event], known: Acknowledged) -> None:
    """Acknowledged edits are there, none was written twice, and an edit is undone only while it counts."""
    by_id = {event.id: event for event in events}
    for number, said in known.events.items():
        event = by_id[number]
        assert [event.person, event.kind, event.data] == said, f"event {number} is lost"
    for (kind, person), count in Counter((event.kind, event.person) for event in events).items():
        assert count <= known.begun[kind, person], f"{kind} of {person} is there twice"
    undone: set[int] = set()
    for event in events:
        if event.kind in (UNDO, REDO):
            number = event.data["edit"]
            assert by_id[number].kind == "decide"
            assert (number in undone) == (event.kind == REDO), f"event {event.id}: {event.kind} of {number} twice"
            undone ^= {number}


def _check_pairs(rows: list[VoteRow]) -> None:
    """A worker's answer stands once, and no question is answered more often than wanted."""
    shaken = {row.worker for row in rows if row.action == "exclude"}
    standing: dict[tuple[str | None, str | None], set[str]] = defaultdict(set)
    for row in rows:
        here = standing[row.left, row.right]
        if row.action == "vote":
            assert row.worker not in here, f"row {row.id}: {row.worker} has answered twice"
            here.add(row.worker)
            calm = here - shaken  # most workers; an inclusion may bring back votes that others have made up for
            assert len(calm) <= WANTED, f"row {row.id}: asked too often"
        elif row.action == "undo":
            assert row.worker in here, f"row {row.id}: nothing to undo"
            here.remove(row.worker)


if __name__ == "__main__":
    main()
