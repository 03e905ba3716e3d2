"""All stored votes at once: what each evidence model and clusterer makes of them, beside crowd-kit."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from askwise import UncertainGraph, Vote, cluster, pairwise_scores

NAMES = ("restaurant", "product", "cora", "allsports")
EVIDENCE = ("ratio", "smoothed", "workers", "auto")
CLUSTERINGS = ("scc+moves", "closure")

CROWD_KIT = {
    "majority": (0.845, 0.672, 0.466, 0.947),
    "Dawid-Skene": (0.845, 0.672, 0.466, 0.235),
    "GLAD": (0.845, 0.672, 0.466, 0.927),
}
"""F1 of crowd-kit's labels, then connected components, in the order of `NAMES`. Not computed here: measured once,
elsewhere, on the same votes."""


def on_dataset(folder: Path) -> dict[tuple[str, str], float]:
    """F1 of each evidence model with each clusterer."""
    with (folder / "gold.csv").open(newline="", encoding="utf-8-sig") as file:
        gold = {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}
    with (folder / "votes.csv").open(newline="", encoding="utf-8-sig") as file:
        label = {"1": True, "0": False, "": None}
        votes = [
            Vote(row["unique_id_l"], row["unique_id_r"], row["worker"], label[row["label"]])
            for row in csv.DictReader(file)
        ]
    found = {}
    for evidence in EVIDENCE:
        graph = UncertainGraph.from_votes(list(gold), votes, evidence=evidence)
        for clustering in CLUSTERINGS:
            found[evidence, clustering] = pairwise_scores(cluster(graph, clustering), gold).f1
    return found


def main(folder: str) -> None:
    print("pairwise F1 when all stored votes are used at once")
    print(f"  {'':<38}{''.join(name.ljust(12) for name in NAMES)}".rstrip())
    results = [on_dataset(Path(folder) / name) for name in NAMES]
    for evidence, clustering in results[0]:
        cells = "".join(f"{result[evidence, clustering]:.3f}".ljust(12) for result in results)
        print(f"  {f'{evidence}, {clustering}':<38}{cells}".rstrip())
    for name, figures in CROWD_KIT.items():
        cells = "".join(f"{figure:.3f}".ljust(12) for figure in figures)
        print(f"  {f'crowd-kit {name}, components *':<38}{cells}".rstrip())
    print("  * not computed here: measured elsewhere on the same votes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python benchmarks/all_votes.py FOLDER (a folder with {', '.join(NAMES)})")
    main(sys.argv[1])
