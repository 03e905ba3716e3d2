"""Candidates: how many of the true pairs are among them, how many there are, and what a million records cost."""

from __future__ import annotations

import csv
import multiprocessing
import resource
import sys
from collections.abc import Hashable, Sequence
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from made_people import made_people
from made_products import made_products

from askwise import Resolution, ScoredPairs, Table, candidates

SIZES = (10_000, 100_000, 1_000_000)


def recall(pairs: ScoredPairs, entity: Sequence[Hashable]) -> float:
    """The share of the pairs of the same entity that are candidates."""
    numbers: dict[Hashable, int] = {}
    label = np.array([numbers.setdefault(name, len(numbers)) for name in entity])
    sizes = np.bincount(label)
    return float(np.count_nonzero(label[pairs.left] == label[pairs.right]) / (sizes * (sizes - 1) // 2).sum())


def on_folder(folder: Path) -> None:
    """Recall on a dataset with records.csv and gold.csv."""
    table = Table.read(folder / "records.csv")
    with (folder / "gold.csv").open(newline="", encoding="utf-8-sig") as file:
        gold = {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}
    entity = [gold[str(record)] for record in table.ids]
    sizes = np.unique(np.array(entity), return_counts=True)[1]
    true_pairs = int((sizes * (sizes - 1) // 2).sum())
    pairs = candidates(table)
    print(
        f"  {folder.name}: {len(table):,} records, {true_pairs / len(table):.2f} true pairs a record; "
        f"{len(pairs) / len(table):.1f} candidates a record, recall {recall(pairs, entity):.4f} "
        f"(estimated without gold: {Resolution(table, pairs).candidate_recall:.4f})"
    )


def on_groups(records: int) -> None:
    """Recall on made-up products, some of which are described a hundred times."""
    table, product = made_products(records)
    for neighbours in (30, None):
        pairs = candidates(table, neighbours)
        print(
            f"  {records:>9,} made-up products, {neighbours or 'by default'}: {len(pairs) / records:.1f} candidates "
            f"a record, recall {recall(pairs, product):.4f} "
            f"(estimated without gold: {Resolution(table, pairs).candidate_recall:.4f})"
        )


def on_made(records: int) -> None:
    """Time, memory and recall on generated people; in a process of its own, so that the peak is its own."""
    candidates(made_people(1000)[0])
    table, person = made_people(records)
    held = _peak()
    wall, cpu = perf_counter(), process_time()
    pairs = candidates(table)
    wall, cpu = perf_counter() - wall, process_time() - cpu
    peak = _peak()
    print(
        f"  {records:>9,} made-up people: {wall:.1f} s ({cpu:.1f} s of CPU time), process peak {peak:.2f} GB "
        f"(before: {held:.2f}); {len(pairs) / records:.1f} candidates a record, recall {recall(pairs, person):.4f}",
        flush=True,
    )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main(folder: str | None = None, *sizes: str) -> None:
    print("candidates by nearest neighbours, as by default")
    if folder:
        for path in sorted(Path(folder).iterdir()):
            if (path / "records.csv").exists():
                on_folder(path)
    on_groups(10_000)
    for records in map(int, sizes or SIZES):
        process = multiprocessing.get_context("spawn").Process(target=on_made, args=(records,))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(f"the measurement with {records:,} records failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
