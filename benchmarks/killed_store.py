"""Kill -9 a process whose threads take, answer, undo, edit and exclude, again and again, and see what is left.

    python benchmarks/killed_store.py [sqlite:///... or postgresql://... of an empty database] [--times 1000]

What was acknowledged goes to a pipe before anything else happens. After every kill each acknowledged answer must be
there as it was given, none twice, undos and exclusions too, no question may have more votes than wanted, and the rows
must have the digests of their content. `killed.py` does the same to a whole server.
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
    """What threads were told: rows of answers, and how many undos and exclusions of each worker."""

    votes: dict[int, list[object]] = field(default_factory=dict)
    others: Counter[tuple[str, str]] = field(default_factory=Counter)
    begun: Counter[tuple[str, str]] = field(default_factory=Counter)

    def take(self, line: str) -> None:
        what, worker, *rest = json.loads(line)
        if what == "begin":
            self.begun[rest[0], worker] += 1
        elif what == "vote":
            self.votes[rest[0]] = [worker, *rest[1:]]
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
        rows = _rows(address)
        _check(rows, known)
    counted = Counter(row.action for row in rows)
    others = ", ".join(f"{counted[what]:,} {what}s" for what in ("undo", "exclude", "include"))
    return f"{times} kills: {len(known.votes):,} answers, {others}; none lost, none twice, none over-asked"


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
        first = told.readline()  # it is at work
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for line in (first, *told):
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

    threads = [threading.Thread(target=work, args=(f"worker {n}", life * 100 + n)) for n in range(WORKERS)]
    threads.append(threading.Thread(target=own))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _rows(address: str) -> list[VoteRow]:
    store = Store(address)
    try:
        store.open("key")
        rows, last = store.votes(), store.about().digest
    finally:
        store.close()
    digest = ""
    for row in rows:
        digest = digests.following(digest, [getattr(row, name) for name in VoteRow.__slots__])
    assert digest == last, "rows are not as they were written"
    return rows


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
