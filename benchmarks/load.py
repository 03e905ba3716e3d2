"""How many votes a server takes: 1, 10, 50 and 200 workers at once, each a real HTTP client on loopback.

    python benchmarks/load.py [--seconds 10] [--workers 1 10 50 200] [--label-studio]    # beside Label Studio, in turn
    python benchmarks/load.py --pages [--turns 3] [--workers 50]                         # with the owner's pages open

A worker fetches a question and posts the vote, again and again; a time is that of both requests together. Votes are in
SQLite and in a PostgreSQL server of its own with fsync on; Label Studio has a server for each, too.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import httpx2
import numpy as np
from shared.label_studio import Annotator, LabelStudio, label_studio
from shared.load_project import TASKS, WANTED, empty_database, make_project
from shared.postgresql import PostgreSQL, postgresql
from shared.served import Load, audit, invite, kept, serving, watching, work

WORKERS = (1, 10, 50, 200)
PAGES = ("/progress", "/clusters", "/conflicts", "/workers")


@dataclass(frozen=True)
class Measured:
    """What a line says: votes a second, the median and the slowest times in ms, and what went wrong."""

    kind: str
    workers: int
    rate: float
    p50: float
    p99: float
    more: str

    def __str__(self) -> str:
        times = f"p50 {self.p50:8.1f} ms  p99 {self.p99:8.1f} ms"
        return f"{self.kind:<26} {self.workers:>4} workers  {self.rate:7.1f} votes/s  {times}  {self.more}"


def measured(kind: str, workers: int, load: Load, more: str) -> Measured:
    """The line of a load; it is printed at once."""
    p50, p99 = (1e3 * float(np.percentile(load.seconds or [np.nan], q)) for q in (50, 99))
    rate = len(load.acknowledged) / load.elapsed
    line = Measured(kind, workers, rate, p50, p99, f"{more}  {dict(load.other) or ''}".rstrip())
    print(line, flush=True)
    return line


def measure(kind: str, store: str | None, seconds: float, workers: int, pages: Sequence[str] = ()) -> Measured:
    """Votes that `askwise serve` takes in a new project, while the owner has some pages open."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "project"
        if store is not None:
            empty_database(store)
        make_project(folder, store)
        with serving(folder) as server:
            tokens = invite(server, workers)
            with watching(server, pages):
                work(server, tokens, 3.0)  # what is compiled, loaded or computed at first use
            before = len(kept(server))
            cpu = server.cpu_seconds()
            with watching(server, pages):
                load = work(server, tokens, seconds)
            cpu = (server.cpu_seconds() - cpu) / max(1, len(load.acknowledged))
            rows = kept(server)
    found = audit(rows, load.acknowledged, WANTED)
    extra = "" if len(rows) - before == len(load.acknowledged) else f"  {len(rows) - before} in the store"
    wrong = f"over-asked {found.over_asked}  lost {found.lost}  twice {found.twice}{extra}"
    shown = f" with {len(pages)} pages" if pages else ""
    return measured(f"Askwise, {kind}{shown}", workers, load, f"{1e3 * cpu:4.1f} ms of CPU  {wrong}")


def beside(seconds: float, counts: Sequence[int], database: PostgreSQL) -> None:
    """Askwise and Label Studio in turn, on both databases; the ratio of each two lines."""
    with label_studio() as one, label_studio(database.another("label_studio")) as other:
        peers = {"SQLite": one, "PostgreSQL": other}
        crowds: dict[str, list[Annotator]] = {kind: [] for kind in peers}
        for workers in counts:
            for kind, peer in peers.items():
                crowds[kind] += [peer.annotator(f"worker{n}") for n in range(len(crowds[kind]), workers)]
                ours = measure(kind, database.address if kind == "PostgreSQL" else None, seconds, workers)
                theirs = annotated(f"Label Studio, {kind}", peer, crowds[kind][:workers], seconds)
                times = ours.rate / max(theirs.rate, 1e-9)
                print(f"{kind}, {workers} workers: {times:.0f} times the votes", flush=True)


def annotated(kind: str, peer: LabelStudio, crowd: Sequence[Annotator], seconds: float) -> Measured:
    """Votes that Label Studio takes in a new project of 2,000 tasks, as many as Askwise chooses at a time."""
    table = {"name": "name 1", "city": "city 1"}
    project = peer.project(f"load {len(crowd)}", WANTED, [{"left": table, "right": table}] * TASKS)
    crowd[0].next(project)  # what is loaded at first use
    load = annotate(project, crowd, seconds)
    counts = Counter(task for _, task, _, _ in load.acknowledged)
    over_asked = sum(count > WANTED for count in counts.values())
    return measured(kind, len(crowd), load, f"over-asked {over_asked}")


def annotate(project: int, crowd: Sequence[Annotator], seconds: float) -> Load:
    """All annotators at once: fetch a task, post the annotation, repeat."""
    load, lock = Load(), Lock()
    begin = time.perf_counter()

    def work(annotator: Annotator) -> None:
        while (now := time.perf_counter()) < begin + seconds:
            try:
                task = annotator.next(project)
                number = None if task is None else annotator.annotate(task["id"], "No")
            except httpx2.HTTPError as error:
                number, what = None, type(error).__name__
            else:
                what = "no task"
            with lock:
                if number is None or task is None:
                    load.other[what] += 1
                else:
                    load.seconds.append(time.perf_counter() - now)
                    load.acknowledged.append((number, str(task["id"]), "", str(annotator.number)))

    with ThreadPoolExecutor(len(crowd)) as pool:
        list(pool.map(work, crowd))
    load.elapsed = time.perf_counter() - begin
    return load


def with_pages(seconds: float, workers: int, turns: int, database: PostgreSQL) -> None:
    """With and without the owner's pages, in turn; the medians of both."""
    for kind, store in (("SQLite", None), ("PostgreSQL", database.address)):
        lines = [[measure(kind, store, seconds, workers, pages) for pages in ((), PAGES)] for _ in range(turns)]
        without, shown = (float(np.median([line[at].rate for line in lines])) for at in (0, 1))
        print(f"{kind}: {shown / without:.2f} of the votes a second with {len(PAGES)} pages open", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--workers", type=int, nargs="*", default=WORKERS)
    parser.add_argument("--label-studio", action="store_true", help="beside Label Studio")
    parser.add_argument("--pages", action="store_true", help="with the owner's pages open, too")
    parser.add_argument("--turns", type=int, default=3, help="with --pages: how often each is measured")
    given = parser.parse_args()
    with postgresql(fsync=True) as database:
        if given.label_studio:
            beside(given.seconds, given.workers, database)
            return
        for workers in given.workers:
            if given.pages:
                with_pages(given.seconds, workers, given.turns, database)
            else:
                measure("SQLite", None, given.seconds, workers)
                measure("PostgreSQL", database.address, given.seconds, workers)


if __name__ == "__main__":
    main()
