"""Computation per batch of every system: to select its questions, and to take in the votes on them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from time import process_time

import numpy as np

from askwise import Question, Resolution, Vote
from askwise.arrays import Floats, Int64s
from askwise.experiments.dataset import Dataset
from askwise.experiments.dataset_names import open_dataset
from askwise.experiments.runs import _warm_up
from askwise.experiments.systems import SYSTEMS, System

STANDINS = ("standin:gymnastics", "standin:landmarks", "standin:cora")
DENSE = System("dense", "scc", "majority")
REPEATS = 3
POINTS = 6  # of a run, at which DENSE's rounds are measured
ROUNDS = 5  # at each of them


class Answers:
    """The crowd of a dataset, which gives every run the same votes on a pair."""

    def __init__(self, data: Dataset) -> None:
        self._crowd = data.crowd
        self._given: dict[frozenset[Hashable], list[Vote]] = {}

    def to(self, questions: Sequence[Question]) -> list[Vote]:
        """The votes on the questions."""
        votes = []
        for question in questions:
            pair = frozenset((question.left, question.right))
            if pair not in self._given:
                self._given[pair] = list(self._crowd.ask([question]))
            votes += self._given[pair]
        return votes


def started(data: Dataset, answers: Answers, system: System) -> Resolution:
    """A run after the initial questions, which are the same for every system."""
    _warm_up(system, data.candidates is not None)
    resolution = Resolution(data.gold, data.candidates, system.strategy, system.clustering, system.evidence)
    _take(resolution, answers, resolution.by_chance(data.initial))
    return resolution


def whole_run(data: Dataset, answers: Answers, system: System) -> Iterator[tuple[int, float]]:
    """Each batch's questions and seconds of CPU time, up to the dataset's budget or the system's end."""
    resolution = started(data, answers, system)
    while resolution.asked < data.budget:
        step = _step(resolution, answers, min(data.batch, data.budget - resolution.asked))
        if step[0] == 0:
            return
        yield step


def dense_rounds(data: Dataset, answers: Answers) -> Iterator[tuple[int, float]]:
    """Times of single rounds of DENSE, at points spread evenly over a run.

    From one point to the next it is given the votes on bDENSE's questions: to ask all of them itself takes too long.
    """
    ahead, dense = started(data, answers, SYSTEMS["bDENSE"]), started(data, answers, DENSE)
    for point in np.linspace(data.initial, data.budget, POINTS, endpoint=False):
        while ahead.asked < point and (questions := ahead.next_questions(data.batch)):
            _take(ahead, answers, questions)
            _take(dense, answers, questions)
        for _ in range(ROUNDS):
            yield _step(dense, answers, 1)


def _take(resolution: Resolution, answers: Answers, questions: Sequence[Question]) -> None:
    resolution.add_votes(answers.to(questions))
    resolution.set_aside(questions)


def _step(resolution: Resolution, answers: Answers, k: int) -> tuple[int, float]:
    """Select questions and take in the votes on them: how many there were, and the CPU time of both."""
    start = process_time()
    questions = resolution.next_questions(k)
    spent = process_time() - start
    votes = answers.to(questions)
    start = process_time()
    resolution.add_votes(votes)
    resolution.set_aside(questions)
    _ = resolution.clustering
    return len(questions), spent + process_time() - start


def measured(data: Dataset) -> dict[str, tuple[Int64s, Floats]]:
    """For every system, the questions of each batch, and its milliseconds: the shortest of some repeats."""
    answers = Answers(data)
    found: dict[str, tuple[Int64s, Floats]] = {}
    for _ in range(REPEATS):
        for name in (*SYSTEMS, "DENSE"):
            gc.collect()
            gc.freeze()  # else the collector would look at the kept votes again and again
            run = dense_rounds(data, answers) if name == "DENSE" else whole_run(data, answers, SYSTEMS[name])
            asked, seconds = zip(*run, strict=True)
            gc.unfreeze()
            spent = 1e3 * np.array(seconds)
            found[name] = np.array(asked), np.minimum(found[name][1], spent) if name in found else spent
    return found


def lines(data: Dataset) -> Iterator[list[str]]:
    """The table's two lines on a dataset."""
    found = measured(data)
    one_round = float(found.pop("DENSE")[1].mean())
    asked, _ = found["PERC"]
    last = (np.cumsum(asked) - asked)[asked == data.batch].max()
    full = {}
    whole = {}
    for name, (asked, spent) in found.items():
        of_full = spent[(asked == data.batch) & (np.cumsum(asked) - asked <= last)]
        if of_full.size:
            full[name] = float(of_full.mean()), of_full.size
        whole[name] = float(spent.sum() / asked.sum() * data.batch), spent.size
    for kind, times in (("full batches", full), ("whole run", whole)):
        own = times["PERC"][0]
        slowest, name = max((spent, name) for name, (spent, _) in times.items() if name != "PERC")
        dense = one_round * data.batch
        yield [
            f"{data.name}, {kind}",
            str(data.batch),
            *("{:.1f} ({:,})".format(*times[name]) if name in times else "-" for name in SYSTEMS),
            f"{one_round:.2f}",
            f"{dense:,.0f}",
            f"{slowest / own:.1f} ({name})",
            f"{max(slowest, dense) / own:,.0f}",
        ]


def main(folder: str | None = None) -> None:
    print(
        "computation per batch, milliseconds of CPU time: selecting its questions and taking in the votes on them\n"
        f"  runs to the dataset's budget or the system's end; each batch the shortest of {REPEATS} repeats\n"
        "  full batches: the mean over the batches that have as many questions as they may (how many in brackets),\n"
        "    none later, by the questions asked, than PERC's last: graphs grow, so that later ones cost more\n"
        "  whole run: its time over its questions, times the questions to a batch (all batches in brackets);\n"
        "    it differs where a system gives fewer questions than it may: PERC late in a run, PC-Pivot in most rounds\n"
        "  DENSE asks one question at a time, so as many questions as a batch has take it as many rounds: its time is\n"
        f"    that of a round (mean of {POINTS * ROUNDS}, spread over the run) times the questions to a batch\n"
        "  ratio: the slowest of the other systems to PERC, among those that ask in batches, and with DENSE"
    )
    real = [str(Path(folder) / name) for name in ("allsports", "cora")] if folder else []
    titles = ["dataset", "batch", *SYSTEMS, "DENSE a round", "DENSE", "ratio", "ratio with DENSE"]
    rows = [line for name in (*STANDINS, *real) for line in lines(open_dataset(name, 0))]
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    for row in (titles, ["-" * width for width in widths], *rows):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
    if not folder:
        print("  (give a folder with allsports and cora to measure on real votes too)")


if __name__ == "__main__":
    main(*sys.argv[1:2])
