"""Clusterers on the same graphs: likelihood, F1 and time of each, with and without local search."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

from askwise.clustering import CLUSTERERS, LOCAL_SEARCHES, cluster, log_likelihood
from askwise.experiments.dataset_names import open_dataset
from askwise.gold_scores import pairwise_scores
from askwise.resolution import Resolution

ASKED_SHARE = 0.3


@dataclass(frozen=True)
class ClustererResult:
    """The result of one clusterer on one graph."""

    dataset: str
    clusterer: str
    run: int
    edges: int
    log_likelihood: float
    f1: float
    seconds: float


def compare_clusterers(dataset: str, run: int) -> list[ClustererResult]:
    """All clusterers on the graph of a random 30% of the candidates, votes as shares of YES."""
    data = open_dataset(dataset, run)
    drawing = Resolution(data.gold, data.candidates, strategy="random", seed=run)
    questions = drawing.by_chance(max(1, int(ASKED_SHARE * drawing.to_ask)))
    drawing.add_votes(data.crowd.ask(questions))
    graph = drawing.graph
    results = []
    for method in CLUSTERERS:
        for search in ("", *LOCAL_SEARCHES):
            full = f"{method}+{search}" if search else method
            start = process_time()
            found = cluster(graph, full, seed=run)
            spent = process_time() - start
            f1 = pairwise_scores(found, data.gold).f1
            results.append(
                ClustererResult(data.name, full, run, graph.edge_count, log_likelihood(graph, found), f1, spent)
            )
    return results
