"""Made-up requests to every address of a served project, in every role: no answer may be an error of the server.

    python benchmarks/fuzzed.py [--hours 4] [--seed 0] [--examples 20] [--store postgresql://...]

schemathesis makes good and bad requests from the description of the interface, and from the routes of the pages. Half
of the ids, names and secrets in them are replaced by real ones, so that requests get past the first check. Every round
serves a new project; a round depends on its seed alone. Every table in the database of --store is dropped.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from shared.fuzzing import MODES, ROLES, Found, Visitor, descriptions, fuzz, links
from shared.load_project import empty_database, make_project
from shared.served import serving

from askwise.project import Project


def rounds(hours: float, first: int, examples: int, store: str | None) -> Iterator[tuple[int, Found]]:
    """Projects one after the other until the time is up; what was found in each."""
    end = time.monotonic() + 3600 * hours
    for seed in count(first):
        for role in ROLES:
            if time.monotonic() > end:
                return
            yield seed, _round(role, seed, examples, store)


def _round(role: str, seed: int, examples: int, store: str | None) -> Found:
    found = Found()
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "project"
        if store is not None:
            empty_database(store)
        make_project(folder, store, records=60)
        with Project.open(folder) as project:
            described, secrets = descriptions(project), links(project)
        with serving(folder) as server:
            for mode in MODES:
                for number, description in enumerate(described):
                    robot = f"robot {mode.value} {number}"  # earlier requests may have given a robot another role
                    visitor = Visitor(role, server.port, [f"r{n:06}" for n in range(8)], secrets, robot)
                    more = fuzz(visitor, description, mode, examples, seed)
                    found.requests += more.requests
                    found.statuses += more.statuses
                    found.wrong |= more.wrong
            if server.process.poll() is not None:
                found.wrong["server"] = f"it ended: {server.process.returncode}"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", type=int, default=20, help="for each operation, role and kind in a round")
    parser.add_argument("--store", help="a PostgreSQL database that may be emptied")
    given = parser.parse_args()
    total = Found()
    for seed, found in rounds(given.hours, given.seed, given.examples, given.store):
        total.requests += found.requests
        total.statuses += found.statuses
        for label, wrong in found.wrong.items():
            if label not in total.wrong:
                total.wrong[label] = wrong
                print(f"WRONG (seed {seed}) {label}\n{wrong}", flush=True)
        print(f"seed {seed}: {total.requests:,} requests, {len(total.wrong)} wrong", flush=True)
    print(f"{total.requests:,} requests; {dict(sorted(total.statuses.items()))}; {len(total.wrong)} wrong")


if __name__ == "__main__":
    main()
