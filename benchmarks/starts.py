"""Before the first vote, and soon after it: our matcher, the plain cosine and Splink's EM on the same candidates."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from splink_scores import CUT, SETUPS, splink_result

from askwise import Resolution, Table, UncertainGraph, cluster, pairwise_scores
from askwise.arrays import Floats
from askwise.candidate_pairs import Candidate
from askwise.evidence.regression import logistic
from askwise.experiments.dataset import Dataset
from askwise.experiments.dataset_folder import read_folder
from askwise.matching.similarity import whole_similarities
from askwise.parallel import Parts

NAMES = ("restaurant", "cora", "product")
QUESTIONS = (50, 100, 200)
EVEN, STEEPNESS = 0.5, 12.0  # of the plain cosine as log-odds
SEEDS = 3
BATCH = 10
WIDTH = 38
CLUSTERING = "scc+moves"

Pairs = Sequence[tuple[Hashable, Hashable]]


def f1_of_edges(data: Dataset, pairs: Pairs, p: Floats, clustering: str) -> float:
    """F1 of clustering the pairs by their probabilities, no vote seen."""
    edges = [(left, right, value) for (left, right), value in zip(pairs, p.tolist(), strict=True)]
    return pairwise_scores(cluster(UncertainGraph(list(data.gold), edges), clustering), data.gold).f1


def whole_cosines(table: Table, pairs: Pairs) -> Floats:
    """The cosine of whole records, that our matcher begins with."""
    position = {record: at for at, record in enumerate(table.ids)}
    ends = np.array([(position[left], position[right]) for left, right in pairs], np.int32)
    left, right = ends[:, 0].copy(), ends[:, 1].copy()
    return whole_similarities(table, left, right, Parts(None, None))[0].value.astype(np.float64)


def with_questions(data: Dataset, records: Any, candidates: Sequence[Candidate]) -> list[list[float]]:
    """F1 before any question and after each number of `QUESTIONS`: a row for each seed."""
    rows = []
    for seed in range(SEEDS):
        resolution = Resolution(records, candidates, "perc", CLUSTERING, "auto", seed=seed)
        row = [pairwise_scores(resolution.clustering, data.gold).f1]
        for wanted in QUESTIONS:
            while resolution.asked < wanted:
                questions = resolution.next_questions(min(BATCH, wanted - resolution.asked))
                if not questions:
                    break
                resolution.add_votes(data.crowd.ask(questions))
                resolution.set_aside(questions)
            row.append(pairwise_scores(resolution.clustering, data.gold).f1)
        rows.append(row)
    return rows


def line(name: str, rows: list[list[float]]) -> None:
    """The means over seeds; where seeds differ, the smallest and the largest too."""
    cells = []
    for column in zip(*rows, strict=True):
        spread = f" ({min(column):.3f}-{max(column):.3f})" if max(column) - min(column) > 5e-4 else ""
        cells.append(f"{np.mean(column):.3f}{spread}".ljust(21))
    print(f"  {name:<{WIDTH}}{''.join(cells)}".rstrip(), flush=True)


def on_dataset(folder: Path) -> None:
    """All starts on one dataset."""
    data = read_folder(folder)
    table = data.table
    # Scores of pairs.csv stay unseen: the candidates are the pairs with votes, and nothing more.
    pairs: Pairs = [(item[0], item[1]) for item in data.candidates or ()]
    if table is None or not pairs:
        sys.exit(f"{folder} needs a records.csv, and votes on some pairs but not on all")
    gold = data.gold
    matches = sum(gold[left] == gold[right] for left, right in pairs)
    print(f"{folder.name}: {len(gold):,} records, {len(pairs):,} candidates, {matches:,} of them matches")
    print(f"  {'':<{WIDTH}}{''.join(f'{number} questions'.ljust(21) for number in (0, *QUESTIONS))}".rstrip())
    cosine = whole_cosines(table, pairs)
    line(f"cosine > {EVEN}, closure", [[f1_of_edges(data, pairs, np.where(cosine > EVEN, 0.99, 0.01), "closure")]])
    line("cosine as log-odds, SCC", [[f1_of_edges(data, pairs, logistic(STEEPNESS * (cosine - EVEN)), CLUSTERING)]])
    line("our matcher", with_questions(data, table, pairs))
    for setup in SETUPS:
        with_splink(data, table, pairs, setup)


def with_splink(data: Dataset, table: Table, pairs: Pairs, setup: str) -> None:
    """Splink alone, and its score as a user's."""
    found = splink_result(table, pairs, setup)
    known = {frozenset(pair): value for pair, value in found.probability.items()}
    covered = [pair for pair in pairs if frozenset(pair) in known]
    p = np.array([known[frozenset(pair)] for pair in covered])
    scored: list[Candidate] = [(left, right, value) for (left, right), value in zip(covered, p.tolist(), strict=True)]
    print(
        f"  Splink, texts by {setup}: covers {len(covered) / len(pairs):.0%}, trained within {found.keys[0]} and "
        f"{found.keys[1]}, lambda {found.matching:.2g}"
    )
    line(f"  at {CUT}, its connected components", [[pairwise_scores(found.clusters, data.gold).f1]])
    line("  its probability, SCC", [[f1_of_edges(data, covered, p, CLUSTERING)]])
    line("  its score, no fields", with_questions(data, list(data.gold), scored))
    line("  its score with the fields", with_questions(data, table, scored))


def main(folder: str) -> None:
    print(f"pairwise F1 on the pairs with votes; questions by perc, {BATCH} at a time, {SEEDS} seeds: mean (range)")
    for name in NAMES:
        on_dataset(Path(folder) / name)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/starts.py FOLDER (a folder with restaurant, cora and product)")
    main(sys.argv[1])
