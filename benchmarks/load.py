"""How many votes a server takes: 1, 10, 50 and 200 workers at once, each a real HTTP client on loopback.

    python benchmarks/load.py [--seconds 10] [--store postgresql://...]

A worker fetches a question and posts the vote, again and again; a time is that of both requests together. SQLite is
measured always, PostgreSQL beside it if an address is given (every table in that database is dropped). Then all of it
again while the owner has four pages open.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from served import audit, invite, kept, serving, watching, work

from askwise.project import Project

WORKERS = (1, 10, 50, 200)
WANTED = 3
PAGES = ("/progress", "/clusters", "/conflicts", "/workers")
_RECORDS, _NEIGHBOURS = 20_000, 10


def make_project(folder: Path, store: str | None = None, records: int = _RECORDS) -> None:
    """Records with two fields, and ten candidates for each."""
    rows = [{"unique_id": f"r{n:06}", "name": f"name {n // 3}", "city": f"city {n % 50}"} for n in range(records)]
    left = np.repeat(np.arange(records - _NEIGHBOURS), _NEIGHBOURS)
    right = left + np.tile(np.arange(1, _NEIGHBOURS + 1), records - _NEIGHBOURS)
    score = np.random.default_rng(0).random(left.size)
    pairs = {
        "unique_id_l": [rows[at]["unique_id"] for at in left],
        "unique_id_r": [rows[at]["unique_id"] for at in right],
    }
    with Project.new(folder, rows, {**pairs, "score": score}, store=store) as project:
        project.change_settings(votes=WANTED, batch=2000)


def measure(kind: str, store: str | None, duration: float, counts: Sequence[int], pages: Sequence[str] = ()) -> None:
    for workers in counts:
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent) / "project"
            if store is not None:
                empty_database(store)
            make_project(folder, store)
            with serving(folder) as server:
                tokens = invite(server, workers)
                work(server, tokens, 1.0)  # what is compiled or loaded at first use
                before = len(kept(server))
                cpu = server.cpu_seconds()
                with watching(server, pages):
                    load = work(server, tokens, duration)
                cpu = (server.cpu_seconds() - cpu) / max(1, len(load.acknowledged))
                rows = kept(server)
            found = audit(rows, load.acknowledged, WANTED)
            p50, p99 = (1e3 * float(np.percentile(load.seconds, q)) for q in (50, 99))
            rate = len(load.acknowledged) / load.elapsed
            extra = "" if len(rows) - before == len(load.acknowledged) else f", {len(rows) - before} in the store"
            print(
                f"{kind:<10} {workers:>4} workers  {rate:7.1f} votes/s  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms  "
                f"{1e3 * cpu:4.1f} ms of CPU  over-asked {found.over_asked}  lost {found.lost}  twice {found.twice}"
                f"  {dict(load.other) or ''}{extra}",
                flush=True,
            )


def empty_database(store: str) -> None:
    from sqlalchemy import create_engine, text

    engine = create_engine(store.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--workers", type=int, nargs="*", default=WORKERS)
    parser.add_argument("--store", help="a PostgreSQL database that may be emptied")
    given = parser.parse_args()
    for pages in ((), PAGES):
        print(f"the owner has {len(pages)} pages open")
        measure("SQLite", None, given.seconds, given.workers, pages)
        if given.store:
            measure("PostgreSQL", given.store, given.seconds, given.workers, pages)


if __name__ == "__main__":
    main()
