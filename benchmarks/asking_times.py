"""What a batch costs `wise`, against `perc`: selecting its questions, and with it taking in the votes.

python benchmarks/asking_times.py [FOLDER of real datasets] [--repeats N]
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from batches import Answers

from askwise import Resolution
from askwise.arrays import Floats
from askwise.experiments.dataset import Dataset
from askwise.experiments.dataset_names import open_dataset
from askwise.experiments.runs import _warm_up, resolution_of
from askwise.experiments.systems import System
from askwise.resolving import unanswered

STANDINS = ("standin:gymnastics", "standin:landmarks", "standin:allsports", "standin:cora")
REAL = {"restaurant": 600, "product": 3_000, "cora": 5_000, "allsports": 1_600}
SETTINGS = {"default": ("scc+moves", "auto"), "the paper's": ("scc", "ratio")}
REAL_BATCH = 25


class Times(NamedTuple):
    """Of each batch of a run: its questions, and the milliseconds of CPU time to select them and to take in votes."""

    questions: Floats
    selecting: Floats
    votes: Floats

    def of_a_batch(self, size: int) -> tuple[float, float]:
        """Selecting, and with the votes: the run's time over its questions, times the questions to a batch."""
        share = size / self.questions.sum()
        return float(share * self.selecting.sum()), float(share * (self.selecting.sum() + self.votes.sum()))


def steps(data: Dataset, answers: Answers, system: System, batch: int, initial: int, budget: int) -> Iterator[Floats]:
    """Each batch of a run: its questions, the time to select them, the time to take in the votes."""
    resolution: Resolution = resolution_of(data, system, 0)
    questions = resolution.by_chance(initial) if initial else resolution.next_questions(batch)
    selecting = 0.0
    while questions:
        votes = answers.to(questions)
        start = process_time()
        resolution.add_votes(votes)
        resolution.set_aside(unanswered(questions, votes))
        _ = resolution.clustering
        if selecting:
            yield np.array([len(questions), 1e3 * selecting, 1e3 * (process_time() - start)])
        if resolution.asked >= budget:
            return
        start = process_time()
        questions = resolution.next_questions(min(batch, budget - resolution.asked))
        selecting = process_time() - start


def measured(data: Dataset, systems: dict[str, System], budget: int, repeats: int) -> dict[str, Times]:
    """The times of each system, of each batch the shortest of some repeats, in turn."""
    answers = Answers(data)
    cold = data.scored is not None
    batch, initial = (REAL_BATCH, 0) if cold else (data.batch, data.initial)
    found: dict[str, Floats] = {}
    for _ in range(repeats):
        for name, system in systems.items():
            _warm_up(system, data.candidates is not None)
            gc.collect()
            gc.freeze()  # else the collector would look at the kept votes again and again
            run = np.array(list(steps(data, answers, system, batch, initial, budget)))
            gc.unfreeze()
            found[name] = np.minimum(found[name], run) if name in found else run
    return {name: Times(*run.T) for name, run in found.items()}


def main() -> None:
    """A line for each dataset and setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    jobs = [(name, 0) for name in STANDINS]
    jobs += [(str(given.folder / name), budget) for name, budget in REAL.items()] if given.folder else []
    print("milliseconds of CPU time for a batch, over a whole run: selecting alone, and with taking in the votes")
    print("| dataset | evidence | batch | selecting: perc | wise | ratio | with votes: perc | wise | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for dataset, budget in jobs:
        data = open_dataset(dataset, 0)
        for setting, (clustering, evidence) in SETTINGS.items():
            if data.scored is not None and setting != "default":
                continue
            systems = {name: System(name, clustering, evidence, "scores") for name in ("perc", "wise")}
            found = measured(data, systems, budget or data.budget, given.repeats)
            batch = data.batch if data.scored is None else REAL_BATCH
            perc, wise = found["perc"].of_a_batch(batch), found["wise"].of_a_batch(batch)
            cells = (f"{perc[at]:.2f} | {wise[at]:.2f} | {wise[at] / perc[at]:.2f}" for at in (0, 1))
            print(f"| {data.name} | {setting} | {batch} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
