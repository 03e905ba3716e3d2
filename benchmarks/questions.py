"""Questions to the target F1, and computation per batch: stand-ins, and real votes if a folder of datasets is given."""

import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from askwise import Resolution, pairwise_scores
from askwise.experiments.dataset import Dataset
from askwise.experiments.dataset_folder import read_folder
from askwise.experiments.standins import standin

RUNS = 10
MOST = 30_000
# What the paper publishes for PERC: questions to the target, and seconds per batch where it says so.
PUBLISHED = {
    "gymnastics": (800, None),
    "landmarks": (5900, 0.5),
    "allsports": (11_700, None),
    "cora": (7200, 1.5),
}


def one_run(data: Dataset, seed: int, shortcut: bool) -> tuple[int, float, int]:
    """Questions to the target F1, milliseconds of computation per batch, number of batches."""
    resolution = Resolution(data.gold, data.candidates, seed=seed, shortcut=shortcut)
    questions = resolution.by_chance(data.initial)
    spent, batches = 0.0, 0
    while questions:
        votes = data.crowd.ask(questions)
        start = perf_counter()
        resolution.add_votes(votes)
        spent += perf_counter() - start
        if pairwise_scores(resolution.clustering, data.gold).f1 >= data.target or resolution.asked >= MOST:
            break
        start = perf_counter()
        questions = resolution.next_questions(data.batch)
        spent += perf_counter() - start
        batches += 1
    return resolution.asked, 1e3 * spent / max(batches, 1), batches


def one_at_a_time(runs: int = 5) -> None:
    """The shortcut is for single questions: in a batch, some answer nearly always disagrees."""
    lines = []
    for shortcut in (False, True):
        results = [one_run(replace(standin("gymnastics", seed), batch=1), seed, shortcut) for seed in range(runs)]
        lines.append((np.mean([result[0] for result in results]), np.mean([result[1] for result in results])))
    (mean, cost), (short_mean, short_cost) = lines
    print(f"  standin:gymnastics, one question at a time: {mean:,.0f}, {1e3 * cost:.0f} microseconds a question")
    print(
        f"    with the paper's shortcut: {short_mean:,.0f} ({short_mean / mean - 1:+.1%}), "
        f"{1e3 * short_cost:.0f} microseconds a question ({short_cost / cost - 1:+.0%})"
    )


def main(folder: str | None = None) -> None:
    print(f"questions to the target F1, mean of {RUNS} runs (standard deviation); computation per batch")
    names = ["gymnastics", "landmarks"]
    real = [Path(folder) / name for name in ("allsports", "cora")] if folder else []
    datasets = [(name, [standin(name, seed) for seed in range(RUNS)]) for name in names]
    datasets += [(path.name, [read_folder(path)] * RUNS) for path in real]
    one_run(standin("gymnastics"), 0, False)
    for name, runs in datasets:
        one_run(runs[0], 0, False)
        lines = []
        for shortcut in (False, True):
            results = [one_run(data, seed, shortcut) for seed, data in enumerate(runs)]
            asked = [result[0] for result in results]
            cost = np.mean([result[1] for result in results])
            lines.append((np.mean(asked), np.std(asked), cost))
        (mean, spread, cost), (short_mean, _, short_cost) = lines
        published, seconds = PUBLISHED[name]
        paper = f"; paper {published:,}" + (f" and {1e3 * seconds:,.0f} ms" if seconds else "")
        print(f"  {runs[0].name} to F1 {runs[0].target}: {mean:,.0f} ({spread:,.0f}), {cost:.1f} ms per batch{paper}")
        print(
            f"    with the paper's shortcut: {short_mean:,.0f} ({short_mean / mean - 1:+.1%}), "
            f"{short_cost:.1f} ms per batch ({short_cost / cost - 1:+.0%})"
        )
    one_at_a_time()
    if not folder:
        print("  (give a folder with allsports and cora to measure on real votes too)")


if __name__ == "__main__":
    main(*sys.argv[1:2])
