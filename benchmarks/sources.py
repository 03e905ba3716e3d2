"""Two tables, declared free of duplicates and not: F1 from a bare table, with truthful answers.

    python benchmarks/sources.py FOLDER...

A folder has records.csv (with source_dataset) and gold.csv. Candidates are our own.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

from askwise import Resolution, Table, Vote, candidates, pairwise_scores

ANSWERS = (0, 20, 50, 100, 200)
SEEDS = 5
BATCH = 10


def curve(table: Table, gold: dict[str, str], rules: list[str], links: str | None) -> list[list[float]]:
    """F1 after each of the numbers of answers, for each seed."""
    pairs = candidates(table, links=links, rules=rules)
    found = []
    for seed in range(SEEDS):
        resolution = Resolution(table, pairs, rules=rules, seed=seed)
        scores = []
        for answers in ANSWERS:
            while resolution.asked < answers:
                questions = resolution.next_questions(min(BATCH, answers - resolution.asked))
                votes = [Vote(one.left, one.right, "truth", gold[one.left] == gold[one.right]) for one in questions]  # type: ignore[index]
                resolution.add_votes(votes)
            scores.append(pairwise_scores(resolution.clustering, gold).f1)
        found.append(scores)
    return found


def main() -> None:
    """Measure every folder."""
    print("| table | sources | " + " | ".join(map(str, ANSWERS)) + " |")
    for folder in map(Path, sys.argv[1:]):
        table = Table.read(folder / "records.csv")
        with (folder / "gold.csv").open(encoding="utf-8") as file:
            gold = {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}
        free = [f"no-duplicates:{source}" for source in sorted(set(table.sources or ()))]
        for name, rules, links in (
            ("one table", [], None),
            ("linked only", [], "across"),
            ("no duplicates", free, None),
        ):
            scores = np.array(curve(table, gold, rules, links)).mean(axis=0)
            print(f"| {folder.name} | {name} | " + " | ".join(f"{score:.3f}" for score in scores) + " |", flush=True)


if __name__ == "__main__":
    main()
