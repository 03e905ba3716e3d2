"""Made-up people from CSV to a first clustering: Askwise beside Splink 5 on DuckDB, one after the other.

    python benchmarks/rivals_at_scale.py ENVIRONMENTS RECORDS...

Splink gets an environment of its own under the folder ENVIRONMENTS, and six blocking rules and seven comparisons chosen
by hand (rival_splink_people.py); Askwise gets nothing but the file. Each runs in a process of its own.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from made_people import made_people
from rivals import environment

from askwise import Resolution, Table, pairwise_scores
from askwise.kinds import column_texts

OURS = "--cluster"


def cluster(source: str, out: str) -> None:
    """Our own part: from the file to a file of clusters."""
    resolution = Resolution(Table.read(source))
    with Path(out).open("w", encoding="utf-8") as file:
        for record, root in zip(resolution.graph.records.ids, resolution.clustering.roots.tolist(), strict=True):
            file.write(f"{record},{root}\n")


def measure(name: str, command: list[str], out: Path, person: list[int]) -> None:
    """Run it; print time, CPU time, peak memory, and how good its clusters are."""
    begin = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = perf_counter() - begin
    if status:
        sys.exit(f"{name} failed")
    with out.open(newline="", encoding="utf-8") as file:
        found = {int(record): cluster for record, cluster in csv.reader(file)}
    scores = pairwise_scores(found, dict(enumerate(person)))
    print(
        f"| {len(person):,} | {name} | {wall:.0f} s | {used.ru_utime + used.ru_stime:.0f} s "
        f"| {used.ru_maxrss / 1e6:.1f} GB | {scores.f1:.3f} | {scores.precision:.3f} | {scores.recall:.3f} |",
        flush=True,
    )


def main() -> None:
    """Measure every size."""
    if sys.argv[1] == OURS:
        cluster(*sys.argv[2:])
        return
    python = environment(Path(sys.argv[1]), "splink")
    here = Path(__file__)
    print("| people | tool | time | CPU time | peak | F1 | precision | recall |\n" + "| --- " * 8 + "|")
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "people.csv", Path(folder) / "clusters.csv"
        for records in [1_000, *map(int, sys.argv[2:])]:  # a thousand first, which compiles what is not compiled yet
            table, person = made_people(records)
            _write(table, source)
            ours = [sys.executable, str(here), OURS, str(source), str(out)]
            measure("askwise", ours, out, person)
            splink = [str(python), str(here.with_name("rival_splink_people.py")), str(source), str(out)]
            measure("splink", splink, out, person)


def _write(table: Table, path: Path) -> None:
    columns = [column_texts(table.kinds[name], table.columns[name]) for name in table.fields]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["unique_id", *table.fields])
        writer.writerows(zip(table.ids, *columns, strict=True))


if __name__ == "__main__":
    main()
