"""Askwise beside dedupe 3 and Splink 5: F1 from a bare table after 0, 20, 50, 100 and 200 truthful answers.

    python benchmarks/rivals.py ENVIRONMENTS RESULTS.csv FOLDER... [--tools dedupe,splink] [--seeds 0,1,2] [--sources]

Each rival gets an environment of its own under the folder ENVIRONMENTS, made if it is not there. Each FOLDER has
records.csv and gold.csv. Every tool has the columns without source_dataset, asks in its own way (Splink does not ask:
the pairs that it is least sure of are reviewed), and is answered from gold. With --sources, every tool is told that
each source is free of duplicates. A rival has a second row: the best F1 of several thresholds, chosen on gold.

A run adds its rows to RESULTS.csv when it ends, and a run that is there is not repeated. Each is stopped after PATIENCE
seconds of CPU time; what it printed until then counts. At the end comes the table of all that RESULTS.csv has.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import venv
from collections import defaultdict
from collections.abc import Hashable
from pathlib import Path
from statistics import mean

from askwise import Resolution, Table, Vote, candidates, pairwise_scores

ANSWERS = (0, 20, 50, 100, 200)
RIVALS = {"dedupe": ["dedupe>=3,<4", "zope.index<8", "BTrees<6.2"], "splink": ["splink>=5,<6"]}
TOOLS = ("askwise", *RIVALS)
PATIENCE = 900
"""Seconds of CPU time that a tool has for one run."""

BATCH = 10
OURS = "--ours"
COLUMNS = ("table", "sources", "tool", "seed", "answers", "f1", "precision", "recall", "best", "seconds", "failed")
Row = dict[str, str]
Run = tuple[str, str, str, str]
"""Table, whether its sources are declared, tool, seed."""


def environment(place: Path, name: str) -> Path:
    """The Python of a rival's environment."""
    python = place / name / "bin" / "python"
    if not python.exists():
        venv.create(place / name, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *RIVALS[name]], check=True)
    return python


def ours(folder: Path, seed: int, sources: bool) -> None:
    """Our own part: prints what the scripts of the rivals print."""
    gold = truth(folder)
    table = Table.read(folder / "records.csv")
    rules = [f"no-duplicates:{source}" for source in sorted(set(table.sources or ()))] if sources else []
    resolution = Resolution(table, candidates(table, rules=rules), rules=rules, seed=seed)
    for answers in ANSWERS:
        while resolution.asked < answers:
            questions = resolution.next_questions(min(BATCH, answers - resolution.asked))
            resolution.add_votes([Vote(q.left, q.right, "truth", gold[q.left] == gold[q.right]) for q in questions])
        print(json.dumps({"answers": answers, "clusters": list(map(list, resolution.clustering))}), flush=True)


def truth(folder: Path) -> dict[Hashable, str]:
    """The entity of each record."""
    with (folder / "gold.csv").open(newline="", encoding="utf-8-sig") as file:
        return {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}


def measure(python: Path | str, run: Run, folder: Path) -> list[Row]:
    """A row for each number of answers that the tool can use; a tool may fail, and is stopped if it takes too long."""
    _, sources, tool, seed = run
    script = [str(Path(__file__).with_name(f"rival_{tool}.py"))] if tool in RIVALS else [__file__, OURS]
    command = [str(python), *script, str(folder), seed, sources or "no", *map(str, ANSWERS)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONHASHSEED": seed},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.0f}"
    errors = [line for line in told.stderr.splitlines() if "Error" in line] or [f"stopped after {seconds} s"]
    why = errors[-1] if told.returncode else ""
    gold = truth(folder)
    rows = []
    for line in told.stdout.splitlines():
        said = json.loads(line)
        row = dict(zip(COLUMNS, (*run, str(said["answers"])), strict=False)) | {"seconds": seconds}
        if "failed" in said:
            row["failed"] = said["failed"]
        else:
            scores = pairwise_scores(said["clusters"], gold)
            row |= {name: f"{getattr(scores, name):.4f}" for name in ("f1", "precision", "recall")}
            others = (pairwise_scores(clusters, gold).f1 for clusters in said.get("others", ()))
            row["best"] = f"{max(scores.f1, *others, 0.0):.4f}"
        rows.append(row)
    if why:
        rows.append(dict(zip(COLUMNS, run, strict=False)) | {"seconds": seconds, "failed": why})
    return rows


def read(results: Path) -> list[Row]:
    """The rows so far."""
    if not results.exists():
        return []
    with results.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def report(rows: list[Row]) -> None:
    """Mean F1 over the seeds that got so far, and how many seeds if not all did; then what failed."""
    found: dict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        for score in ("f1", "best")[: 1 + (row["tool"] in RIVALS)]:
            found[row["table"], row["sources"], row["tool"], score].append(row)
    print("| table | tool | " + " | ".join(map(str, ANSWERS)) + " | seeds | CPU, s |\n" + "| --- " * 9 + "|")
    for (table, sources, tool, score), group in sorted(found.items(), key=lambda one: one[0][:2]):
        seeds = {row["seed"]: int(row["seconds"]) for row in group}
        cells = []
        for answers in ANSWERS:
            scores = [float(row[score]) for row in group if row["answers"] == str(answers) and row[score]]
            few = f" ({len(scores)})" * (0 < len(scores) < len(seeds))
            cells.append((f"{mean(scores):.3f}" if scores else "-") + few)
        cells += [str(len(seeds)), f"{mean(seeds.values()):.0f}"]
        name = f"{table}{', ' * bool(sources)}{sources} | {tool}{', best threshold' * (score == 'best')}"
        print(f"| {name} | " + " | ".join(cells) + " |")
    for row in rows:
        if row["failed"]:
            print(*(row[name] for name in ("table", "sources", "tool", "seed", "answers", "failed")))


def main() -> None:
    """Measure what is not there yet, seed after seed."""
    if sys.argv[1] == OURS:
        ours(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "sources")
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("environments", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--sources", action="store_const", const="sources", default="")
    given = parser.parse_args()
    tools = given.tools.split(",")
    pythons = {tool: environment(given.environments, tool) if tool in RIVALS else sys.executable for tool in tools}
    for seed in given.seeds.split(","):
        for folder in given.folders:
            for tool in tools:
                run = folder.name, given.sources, tool, seed
                rows = read(given.results)
                if run in {(row["table"], row["sources"], row["tool"], row["seed"]) for row in rows}:
                    continue
                rows = measure(pythons[tool], run, folder)
                new = not given.results.exists()
                with given.results.open("a", newline="", encoding="utf-8") as file:
                    writer = csv.DictWriter(file, COLUMNS)
                    if new:
                        writer.writeheader()
                    writer.writerows(rows)
                print(*run, *(row.get("f1") or row["failed"] for row in rows), file=sys.stderr, flush=True)
    report(read(given.results))


if __name__ == "__main__":
    main()
