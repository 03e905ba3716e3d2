"""Resolves the example with noisy workers, and compares with what other tools usually do."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from askwise.charts import line_chart
from askwise.crowds import SimulatedCrowd
from askwise.demo.customers import Example
from askwise.gold_scores import Scores, pairwise_scores
from askwise.resolution import Resolution
from askwise.resolving import resolve

BUDGET = 600
BATCH = 20
ERROR = 0.12
VOTES = 5


@dataclass(frozen=True)
class System:
    """One way to resolve the example."""

    name: str
    strategy: str
    clustering: str
    evidence: str = "ratio"


SYSTEMS = (
    System("Askwise", "wise", "scc+moves", "auto"),
    System("the paper's PERC", "perc", "scc"),
    System("random", "random", "scc"),
    System("majority + closure", "random", "closure"),
)
"""The first is ours: it looks at the records' fields too."""


@dataclass
class Run:
    """The result of a system: F1 against questions, and its end."""

    system: System
    questions: list[int]
    f1: list[float]
    resolution: Resolution
    scores: Scores

    def questions_to(self, f1: float) -> int | None:
        """After how many questions F1 was reached for good, or None."""
        reached = None
        for count, value in zip(self.questions, self.f1, strict=True):
            reached = (reached or count) if value >= f1 else None
        return reached


def run_system(
    system: System, data: Example, seed: int, watch: Callable[[Resolution, float], None] | None = None
) -> Run:
    """Resolve the example; `watch` gets the state and the F1 after every batch."""
    questions: list[int] = []
    f1: list[float] = []

    def note(resolution: Resolution) -> None:
        questions.append(resolution.asked)
        f1.append(pairwise_scores(resolution.clustering, data.gold).f1)
        if watch is not None:
            watch(resolution, f1[-1])

    resolution = resolve(
        data.table,
        SimulatedCrowd(data.gold, error=ERROR, votes=VOTES, seed=seed),
        BUDGET,
        BATCH,
        data.candidates,
        strategy=system.strategy,
        clustering=system.clustering,
        evidence=system.evidence,
        seed=seed,
        progress=note,
    )
    return Run(system, questions, f1, resolution, pairwise_scores(resolution.clustering, data.gold))


def warm_up(data: Example) -> None:
    """Compile everything that the demo needs, before a progress bar starts."""
    crowd = SimulatedCrowd(data.gold, error=ERROR, votes=VOTES)
    resolution = resolve(data.table, crowd, 60, BATCH, data.candidates)
    resolution.confidence(next(iter(data.fields)))


def write_clusters(path: Path, data: Example, resolution: Resolution) -> None:
    """The clusters as CSV: cluster, how well it holds together, record, fields."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        columns = list(next(iter(data.fields.values())))
        writer.writerow(["cluster_id", "connectivity", "unique_id", *columns])
        for number, cluster in enumerate(resolution.clustering):
            members = sorted(map(str, cluster))
            connectivity = resolution.confidence(members[0]).connectivity
            for record in members:
                writer.writerow([number, f"{connectivity:.4f}", record, *data.fields[record].values()])


def write_chart(path: Path, runs: list[Run]) -> None:
    """F1 against questions, as SVG."""
    series = {run.system.name: (run.questions, run.f1) for run in runs}
    path.write_text(line_chart("How good the clusters are (pairwise F1)", "questions asked", series), encoding="utf-8")
