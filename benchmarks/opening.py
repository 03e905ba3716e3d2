"""How long it takes to open a project: records with fields, ten pairs a record, a vote for every ten records.

python benchmarks/opening.py [records] [folder]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from made_people import made_people

from askwise import ScoredPairs, Vote
from askwise.project import Project

PAIRS_EACH, VOTES_EACH, WORKERS = 10, 0.1, 20


def make(folder: Path, records: int) -> None:
    """A project with made-up people: all true pairs, and pairs drawn at random."""
    table, persons = made_people(records)
    chance = np.random.default_rng(0)
    person = np.array(persons)
    order = np.argsort(person, kind="stable")
    near = np.stack((order[:-1], order[1:]))[:, person[order[:-1]] == person[order[1:]]]
    drawn = chance.integers(0, records, (2, int(1.05 * PAIRS_EACH * records)))
    left, right = np.sort(np.concatenate((near, drawn), axis=1), axis=0)
    keys = np.unique(left[left != right] * records + right[left != right])
    if keys.size > PAIRS_EACH * records:
        keys = np.sort(chance.choice(keys, PAIRS_EACH * records, replace=False))
    left, right = (side.astype(np.int32) for side in np.divmod(keys, records))
    same = person[left] == person[right]
    score = np.clip(chance.normal(np.where(same, 0.8, 0.3), 0.15), 0.0, 1.0)
    pairs = ScoredPairs(table.ids, left, right, score)
    asked = chance.choice(left.size, int(VOTES_EACH * records), replace=False)
    asked = np.concatenate((asked[: asked.size // 2], chance.choice(np.flatnonzero(same), asked.size // 2)))
    votes = [
        Vote(
            table.ids[left[at]], table.ids[right[at]], f"worker {number % WORKERS}", bool(same[at] ^ (number % 10 == 0))
        )
        for number, at in enumerate(asked.tolist())
    ]
    with Project.new(folder, table, pairs) as project:
        begin = time.perf_counter()
        project.add_votes(votes, "benchmark")
        print(f"{len(votes):,} votes added in {time.perf_counter() - begin:.1f} s")


def opened(folder: str) -> None:
    """Open the project, and say what that took."""
    marks: list[tuple[str, float]] = []
    begin, work = time.perf_counter(), time.process_time()

    def note(what: str, done: int, total: int) -> None:
        if not marks or marks[-1][0] != what:
            marks.append((what, time.perf_counter() - begin))

    with Project.open(folder, progress=note) as project:
        seconds, work = time.perf_counter() - begin, time.process_time() - work
        candidates = project.resolution.graph.candidates.total
        votes = project.resolution.votes.count
        print(f"opening {len(project.table):,} records, {candidates:,} pairs, {votes:,} votes: {seconds:.1f} s")
        print(f"{work:.1f} s of CPU time (bound: 30)")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory {peak:.1f} GB; began with " + ", ".join(f"{what} at {at:.1f} s" for what, at in marks))


def main(records: int = 1_000_000, folder: str = "") -> None:
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(folder or scratch) / "project"
        if not made.exists():
            make(made, records)
        subprocess.run([sys.executable, __file__, "open", str(made)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["open"]:
        opened(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, *sys.argv[2:3])
