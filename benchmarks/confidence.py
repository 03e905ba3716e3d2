"""Does confidence tell which clusters are right? After 200 truthful answers, on candidates that we find ourselves.

    python benchmarks/confidence.py FOLDER [--answers 200] [--datasets restaurant product song abt_buy_models]

FOLDER has the datasets, each a folder with records.csv and gold.csv. Printed is the area under the curve: how often, of
a cluster that is exactly right and one that is not, the first has the higher confidence; beside it the same for size
(the smaller the better), which needs no model.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from askwise import Resolution, Table, Vote


def area(value: np.ndarray, right: np.ndarray) -> float:
    """How often something right has the higher value, of two of which one is right; ties count half."""
    ranks = np.array([(value < one).sum() + 0.5 * ((value == one).sum() + 1) for one in value])
    yes, no = int(right.sum()), int((~right).sum())
    return float((ranks[right].sum() - yes * (yes + 1) / 2) / (yes * no)) if yes and no else float("nan")


def measured(folder: Path, answers: int) -> str:
    """One line for a dataset."""
    with (folder / "gold.csv").open(encoding="utf-8", newline="") as file:
        entity = {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}
    table = Table.read(folder / "records.csv")
    resolution = Resolution(table)
    while resolution.asked < answers:
        questions = resolution.next_questions(min(20, answers - resolution.asked))
        if not questions:
            break
        said = [(one, entity[str(one.left)] == entity[str(one.right)]) for one in questions]
        resolution.add_votes([Vote(one.left, one.right, "honest", same) for one, same in said])
    sizes: dict[str, int] = defaultdict(int)
    for record in table.ids:
        sizes[entity[str(record)]] += 1
    clusters = list(resolution.clustering)
    right = np.array([_is_right(cluster, entity, sizes) for cluster in clusters])
    trust = np.array([one.right for one in resolution.confidences()])
    size = np.array([len(cluster) for cluster in clusters])
    parts = []
    for name, some in (("clusters of two and more", size > 1), ("all clusters", size > 0)):
        good = right[some]
        areas = area(trust[some], good), area(-size[some].astype(float), good)
        parts.append(f"{name}: {good.sum():,} of {good.size:,} right, area {areas[0]:.3f}, of size {areas[1]:.3f}")
    return f"{folder.name:<16} {resolution.asked} answers; " + "; ".join(parts)


def _is_right(cluster: frozenset[object], entity: dict[str, str], sizes: dict[str, int]) -> bool:
    found = {entity[str(record)] for record in cluster}
    return len(found) == 1 and sizes[found.pop()] == len(cluster)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--datasets", nargs="*", default=["restaurant", "product", "song", "abt_buy_models"])
    given = parser.parse_args()
    for name in given.datasets:
        print(measured(given.folder / name, given.answers), flush=True)


if __name__ == "__main__":
    main()
