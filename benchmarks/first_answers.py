"""Whether answers help from the first one on: F1 along the questions that the default strategy asks, ten at a time.

python benchmarks/first_answers.py FOLDER [--seeds N] [--processes N]

FOLDER has the datasets restaurant, product, cora, allsports, abt_buy_models, amazon_google, song and affiliation. Where
a dataset has votes, its own crowd answers; a pair without votes is answered at the crowd's true rates. Elsewhere
answers are drawn at the rates of wrong NO and wrong YES that the line names.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes share the work

import numpy as np
from made_tables import Made, made_table
from trust import Job, f1, job_of, ordered

from askwise import Question, Resolution, Vote, candidates

LOOKS = (10, 20, 30, 40, 60, 80, 100, 150, 200)
BATCH = 10


class Course(NamedTuple):
    """What is asked about, how many votes a question gets, and how often answers are wrong (None: the stored votes)."""

    data: str | Made
    kind: str
    votes: int
    wrong: tuple[float, float] | None

    @property
    def name(self) -> str:
        """Its name in the table."""
        about = self.data.name if isinstance(self.data, Made) else f"{self.data} {self.kind}"
        who = (
            "its crowd"
            if self.wrong is None
            else "truthful"
            if self.wrong == (0, 0)
            else "{:g}/{:g} wrong".format(*self.wrong)
        )
        return f"{about}, {self.votes} x {who}"


COURSES = (
    Course("allsports", "scores", 3, None),
    Course("restaurant", "own", 3, None),
    Course("restaurant", "own", 1, None),
    Course("restaurant", "scores", 3, None),
    Course("product", "own", 3, None),
    Course("product", "own", 1, None),
    Course("product", "scores", 3, None),
    Course("cora", "own", 3, None),
    *(Course(name, "own", 1, (0, 0)) for name in ("restaurant", "product", "abt_buy_models", "amazon_google")),
    Course("affiliation", "own", 1, (0, 0)),
    Course("abt_buy_models", "own", 1, (0.2, 0.2)),
    Course("affiliation", "own", 3, (0.2, 0.2)),
    Course("song", "own", 1, (0.1, 0.1)),
    Course("song", "own", 3, (0.3, 0.05)),
    Course(Made("people", 1_000, 0.1, 2), "own", 1, (0.2, 0.2)),
    Course(Made("people", 1_000, 0.5, 20), "own", 3, (0.4, 0.05)),
    Course(Made("goods", 1_000, 0.5, 2), "own", 3, (0.2, 0.2)),
    Course(Made("variants", 1_000, 0.5, 2), "own", 1, (0.1, 0.1)),
)


@cache
def job(folder: Path, course: Course) -> Job:
    """What a course starts from."""
    if isinstance(course.data, Made):
        table, entity = made_table(course.data)
        return Job(table, candidates(table), [], entity)
    return job_of(folder / course.data, course.kind)


def rates(job: Job) -> tuple[float, float]:
    """How often the crowd says YES, on pairs that are the same and on pairs that are different."""
    said: dict[bool, list[bool]] = {True: [], False: []}
    for vote in job.votes:
        said[job.gold[vote.left] == job.gold[vote.right]].append(vote.label is True)
    return float(np.mean(said[True])), float(np.mean(said[False]))


class Crowd:
    """Answers questions with stored votes as far as there are some, and at the rates given elsewhere."""

    def __init__(self, job: Job, course: Course, seed: int) -> None:
        self._gold, self._votes = job.gold, course.votes
        self._chance = np.random.default_rng(seed + 100)
        stored = course.wrong is None
        self._rates = rates(job) if course.wrong is None else (1.0 - course.wrong[0], course.wrong[1])
        self._stored: dict[Any, list[Vote]] = defaultdict(list)
        for vote in ordered(job.votes, "votes", seed) if stored else ():
            self._stored[frozenset((vote.left, vote.right))].append(vote)

    def answers(self, questions: Iterable[Question]) -> list[Vote]:
        """The votes on some questions."""
        found: list[Vote] = []
        for question in questions:
            left, right = question.left, question.right
            stored = self._stored.get(frozenset((left, right)), [])[: self._votes]
            rate = self._rates[0 if self._gold[left] == self._gold[right] else 1]
            found += stored or [
                Vote(left, right, f"drawn {number}", bool(self._chance.random() < rate))
                for number in range(self._votes)
            ]
        return found


def curve(task: tuple[Path, Course, int]) -> list[float]:
    """F1 without answers and at each look."""
    folder, course, seed = task
    start = job(folder, course)
    crowd = Crowd(start, course, seed)
    resolution = Resolution(start.records, start.pairs, seed=seed)
    found, asked = [f1(resolution, start)], 0
    while asked < LOOKS[-1]:
        questions = resolution.next_questions(BATCH)
        resolution.add_votes(crowd.answers(questions))
        asked += BATCH
        if asked in LOOKS:
            found.append(f1(resolution, start))
    return found


def main() -> None:
    """A line for each course: the mean curve, its mean, and the furthest that it falls below its best so far."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    tasks = [(given.folder, course, seed) for course in COURSES for seed in range(given.seeds)]
    with ProcessPoolExecutor(given.processes) as pool:
        curves = np.array(list(pool.map(curve, tasks))).reshape(len(COURSES), given.seeds, -1).mean(axis=1)
    falls = (np.maximum.accumulate(curves, axis=1) - curves).max(axis=1)
    print("| table, votes | 0 | " + " | ".join(map(str, LOOKS)) + " | mean | fall |")
    print("| --- |" + " --- |" * (len(LOOKS) + 3))
    for course, values, fall in zip(COURSES, curves, falls, strict=True):
        shown = " | ".join(f"{value:.3f}".lstrip("0") for value in (*values, values.mean(), fall))
        print(f"| {course.name} | {shown} |")
    print(f"mean {curves.mean():.3f}, mean fall {falls.mean():.3f}, largest {falls.max():.3f}; {given.seeds} seeds")


if __name__ == "__main__":
    main()
