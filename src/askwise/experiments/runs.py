"""One run of one system on one dataset, and many of them in parallel; finished runs are kept on disk."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from multiprocessing import active_children, get_context
from pathlib import Path
from time import process_time
from typing import NamedTuple
from urllib.parse import quote

from askwise.crowds import SimulatedCrowd
from askwise.errors import AskwiseError, InputError
from askwise.experiments.calibration import Promise, Watch
from askwise.experiments.dataset import Dataset
from askwise.experiments.dataset_names import open_dataset
from askwise.experiments.results import read_rows, write_rows
from askwise.experiments.systems import System, named_system
from askwise.gold_scores import pairwise_scores
from askwise.resolution import Resolution
from askwise.resolving import resolve, unanswered


@dataclass(frozen=True)
class Plan:
    """A run to do. `batch` 0 is the dataset's own batch size, `target` 0 means to the end of the budget, `budget` 0 is
    the dataset's own. A cold run asks nothing at random first, and begins with a point at 0 questions. If it is
    watched, it records expected scores on its way.
    """

    experiment: str
    dataset: str
    system: str
    run: int
    batch: int = 0
    target: float = 0.0
    budget: int = 0
    cold: bool = False
    watched: bool = True

    @property
    def file_name(self) -> str:
        """The file of its result."""
        plain = "".join(letter if letter.isalnum() or letter in "-=" else "_" for letter in self.dataset)
        return f"{self.experiment}-{plain}-{quote(self.system, safe='')}-{self.batch}-{self.run}.csv"

    @property
    def promises_name(self) -> str:
        """The file of its expected scores."""
        return f"{self.file_name.removesuffix('.csv')}.intervals.csv"


@dataclass(frozen=True)
class Point:
    """The state after a batch. `seconds` is the computation for it, without waiting for answers."""

    experiment: str
    dataset: str
    system: str
    run: int
    batch: int
    questions: int
    precision: float
    recall: float
    f1: float
    seconds: float


class Results(NamedTuple):
    """The points of one run or many, and, for cold runs, the expected scores on the way."""

    points: list[Point]
    promises: list[Promise]


def do_run(plan: Plan) -> Results:
    """Ask the initial questions at random, then batch by batch, until the budget, the target or the strategy's end."""
    data = open_dataset(plan.dataset, plan.run)
    system = named_system(plan.system)
    _warm_up(system, data.candidates is not None)
    resolution = resolution_of(data, system, plan.run)
    batch, budget = plan.batch or data.batch, min(plan.budget or data.budget, data.budget)
    points: list[Point] = []
    watch = Watch(min(budget, resolution.to_ask), plan.experiment, data.name, plan.system, plan.run)
    if plan.cold:
        scores = pairwise_scores(resolution.clustering, data.gold)
        points.append(Point(plan.experiment, data.name, plan.system, plan.run, batch, 0, *scores, 0.0))
    initial = 0 if plan.cold else data.initial
    questions = resolution.by_chance(initial) if initial else resolution.next_questions(batch)
    spent = 0.0
    while questions:
        votes = list(data.crowd.ask(questions))
        before = resolution.asked
        start = process_time()
        resolution.add_votes(votes)
        resolution.set_aside(unanswered(questions, votes))
        clustering = resolution.clustering
        spent += process_time() - start
        if resolution.asked == before:
            raise AskwiseError(
                f"{plan.system} on {plan.dataset}, run {plan.run}: it asks nothing new, and would never end"
            )
        scores = pairwise_scores(clustering, data.gold)
        points.append(
            Point(plan.experiment, data.name, plan.system, plan.run, batch, resolution.asked, *scores, round(spent, 6))
        )
        if plan.cold and plan.watched:
            watch.look(resolution, scores)
        if resolution.asked >= budget or (plan.target and scores.f1 >= plan.target):
            break
        start = process_time()
        questions = resolution.next_questions(min(batch, budget - resolution.asked))
        spent = process_time() - start
    return Results(points, watch.promises)


def resolution_of(data: Dataset, system: System, seed: int) -> Resolution:
    """A resolution of the dataset by the system, with the data that the system uses."""
    seen = data.candidates if system.sees == "votes" or data.scored is None else data.scored
    records = data.table if system.sees == "fields" and data.table is not None else list(data.gold)
    return Resolution(
        records,
        seen,
        system.strategy,
        system.clustering,
        system.evidence,
        seed=seed,
        rules=data.rules,
        machine=data.machine if system.sees == "fields" else None,
    )


@cache
def _warm_up(system: System, listed: bool) -> None:
    """Compile what a system needs, once in a process, so that no batch is charged for it."""
    gold = {record: record % 3 for record in range(24)}
    candidates = list(combinations(gold, 2)) if listed else None
    resolve(
        gold,
        SimulatedCrowd(gold, 0.2, 3),
        200,
        20,
        candidates,
        initial=40,
        strategy=system.strategy,
        clustering=system.clustering,
        evidence=system.evidence,
    )


def do_runs(plans: Iterable[Plan], folder: Path, jobs: int, progress: Callable[[Plan], object]) -> Results:
    """Do all runs that are not in `folder` yet, `jobs` at a time; finished ones stay there after an interruption."""
    plans = list(plans)
    folder.mkdir(parents=True, exist_ok=True)
    missing = [plan for plan in plans if not (folder / plan.file_name).exists()]
    _check_names(plans)
    for plan in plans:
        named_system(plan.system)
        if plan not in missing:
            progress(plan)
    with ProcessPoolExecutor(jobs, get_context("spawn"), _leave_interrupts) as pool:
        waiting = {pool.submit(_run_to_file, plan, folder): plan for plan in missing}
        try:
            for done in as_completed(waiting):
                done.result()
                progress(waiting[done])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in active_children():
                child.terminate()
            raise
    points = [point for plan in plans for point in read_rows(folder / plan.file_name, Point)]
    kept = [folder / plan.promises_name for plan in plans]  # runs of earlier versions have none
    return Results(points, [promise for path in kept if path.exists() for promise in read_rows(path, Promise)])


def _check_names(plans: list[Plan]) -> None:
    """Raise an error for names that cannot be read or told apart, before the work starts."""
    called: dict[str, str] = {}
    files: dict[str, Plan] = {}
    for plan in plans:
        if plan.dataset not in called.values():
            name = open_dataset(plan.dataset, 0).name
            if name in called:
                raise InputError(
                    f"{called[name]} and {plan.dataset} are both called {name!r}; rename one of the folders"
                )
            called[name] = plan.dataset
        if files.setdefault(plan.file_name, plan) != plan:
            raise InputError(f"{plan} would be kept in the same file as {files[plan.file_name]}; rename one of them")


def _leave_interrupts() -> None:
    """In a worker process: leave interrupts to the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_to_file(plan: Plan, folder: Path) -> None:
    """Write a run's result atomically; it is finished once its points are there."""
    points, promises = do_run(plan)
    part = folder / f"{plan.file_name}.part{os.getpid()}"
    if promises:
        write_rows(part, Promise, promises)
        part.replace(folder / plan.promises_name)
    write_rows(part, Point, points)
    part.replace(folder / plan.file_name)
