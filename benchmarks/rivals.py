"""Askwise beside dedupe 3 and Splink 5: F1 from a bare table after 0, 20, 50, 100 and 200 truthful answers.

    python benchmarks/rivals.py ENVIRONMENTS FOLDER...

Each rival gets an environment of its own under the folder ENVIRONMENTS, made if it is not there. Each FOLDER
has records.csv and gold.csv. Every tool has the columns without source_dataset, asks in its own way (Splink does not
ask: the pairs that it is least sure of are reviewed), and is answered from gold.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import venv
from collections.abc import Hashable
from pathlib import Path
from time import perf_counter

from askwise import Resolution, Table, Vote, candidates, pairwise_scores

ANSWERS = (0, 20, 50, 100, 200)
RIVALS = {"dedupe": ["dedupe>=3,<4", "zope.index<8", "BTrees<6.2"], "splink": ["splink>=5,<6"]}
PATIENCE = 900
"""Seconds that a rival has for one table."""

BATCH = 10


def environment(place: Path, name: str) -> Path:
    """The Python of a rival's environment."""
    python = place / name / "bin" / "python"
    if not python.exists():
        venv.create(place / name, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *RIVALS[name]], check=True)
    return python


def ours(folder: Path, gold: dict[Hashable, str]) -> dict[int, float]:
    """F1 after each number of answers; the columns as they are, one source."""
    table = Table.read(folder / "records.csv")
    resolution = Resolution(table, candidates(table))
    found: dict[int, float] = {}
    for answers in ANSWERS:
        while resolution.asked < answers:
            questions = resolution.next_questions(min(BATCH, answers - resolution.asked))
            resolution.add_votes([Vote(q.left, q.right, "truth", gold[q.left] == gold[q.right]) for q in questions])
        found[answers] = pairwise_scores(resolution.clustering, gold).f1
    return found


def rival(python: Path, name: str, folder: Path, gold: dict[Hashable, str]) -> dict[int, float]:
    """F1 after each number of answers that the rival can use; it may fail, and is stopped if it takes too long."""
    script = Path(__file__).with_name(f"rival_{name}.py")
    command = [str(python), str(script), str(folder), *map(str, ANSWERS)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        out, why = said.stdout, said.stderr.strip().splitlines()[-1:] if said.returncode else []
    except subprocess.TimeoutExpired as error:
        out, why = (error.stdout or b"").decode(), [f"stopped after {PATIENCE} s"]
    found: dict[int, float] = {}
    for line in out.splitlines():
        told = json.loads(line)
        if "failed" in told:
            why = [f"after {told['answers']} answers: {told['failed']}"]
        else:
            found[told["answers"]] = pairwise_scores(told["clusters"], gold).f1
    for reason in why:
        print(f"  {name} on {folder.name}: {reason[:200]}", file=sys.stderr)
    return found


def main() -> None:
    """Measure every folder."""
    place, folders = Path(sys.argv[1]), [Path(folder) for folder in sys.argv[2:]]
    pythons = {name: environment(place, name) for name in RIVALS}
    print("| table | tool | " + " | ".join(map(str, ANSWERS)) + " | seconds |\n" + "| --- " * (len(ANSWERS) + 3) + "|")
    for folder in folders:
        with (folder / "gold.csv").open(newline="", encoding="utf-8-sig") as file:
            gold: dict[Hashable, str] = {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}
        for name in ("askwise", *RIVALS):
            begin = perf_counter()
            scores = ours(folder, gold) if name == "askwise" else rival(pythons[name], name, folder, gold)
            cells = [f"{scores[count]:.3f}" if count in scores else "-" for count in ANSWERS]
            print(f"| {folder.name} | {name} | " + " | ".join(cells) + f" | {perf_counter() - begin:.0f} |", flush=True)


if __name__ == "__main__":
    main()
