"""Asking: what large batches cost, what asking again saves, and whether intervals hold what they promise.

python benchmarks/wise_asking.py [FOLDER of real datasets] [--runs N] [--plot FILE.svg] [--only batches|again|intervals]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from askwise import ReplayCrowd, Resolution, pairwise_scores
from askwise.arrays import Floats
from askwise.charts import line_chart
from askwise.crowds import Crowd
from askwise.experiments.calibration import LEVELS, Promise, Shares, Watch, mean_shares, shares
from askwise.experiments.dataset_names import PREFIX, open_dataset
from askwise.experiments.runs import resolution_of
from askwise.experiments.systems import System
from askwise.gold_scores import Scores
from askwise.resolving import drawn_and_chosen, unanswered

Sees = Literal["votes", "scores", "fields"]
AT_ONCE, MOST_VOTES = 5, 7
"""Votes to a question: at once, or at the most one at a time (fewer if a real dataset has fewer)."""

AUDIT = 1 / 8
GOALS = (0.7, 0.8, 0.82, 0.84, 0.9, 0.95, 0.97, 0.98, 0.99)
STANDINS = {
    "standin:gymnastics": 6_000,
    "standin:landmarks": 30_000,
    "standin:cora": 60_000,
    "standin:allsports": 110_000,
}
REAL = {"restaurant": 600, "product": 2_500, "cora": 2_500, "allsports": 1_600}
VOTES = {"restaurant": 1_500, "product": 5_000, "cora": 15_000, "allsports": 6_000}


def rounds(resolution: Resolution, crowd: Crowd, batch: int, initial: int, audit: float = 0.0) -> Iterator[int]:
    """Ask batch after batch; yields how many votes came in each."""
    due = 0.0
    questions = resolution.by_chance(initial) if initial else resolution.next_questions(batch)
    while questions:
        votes = list(crowd.ask(questions))
        resolution.add_votes(votes)
        resolution.set_aside(unanswered(questions, votes))
        yield len(votes)
        due += audit * batch
        drawn, chosen = drawn_and_chosen(resolution, int(due), batch)
        due -= int(due)
        questions = drawn + chosen


def questions_to(name: str, seed: int, batch: int, f1: float) -> float:
    """Questions that `wise` needs to an F1, in batches of a size."""
    data = open_dataset(name, seed)
    resolution = Resolution(list(data.gold), data.candidates, "wise", "scc", "ratio", seed=seed)
    for _ in rounds(resolution, data.crowd, batch, data.initial):
        if pairwise_scores(resolution.clustering, data.gold).f1 >= f1:
            return resolution.asked
        if resolution.asked >= data.budget:
            break
    return float("nan")


def curve(name: str, seed: int, again: bool, budget: int, sees: Sees = "scores") -> list[tuple[int, float]]:
    """Votes and F1, with scores if there are any: all votes of a question at once, or one where one more tells most."""
    made_up = name.startswith(PREFIX)
    data = open_dataset(f"{name},votes=1" if made_up and again else name, seed)
    crowd = data.crowd
    if isinstance(crowd, ReplayCrowd) and again:
        crowd = ReplayCrowd(crowd.votes, at_once=1)
    resolution = Resolution(
        data.table if sees == "fields" else list(data.gold),
        data.candidates if data.scored is None else data.scored,
        "wise",
        seed=seed,
        most_votes=MOST_VOTES if again else 1,
    )
    batch = (data.batch if made_up else 25) * (AT_ONCE if again else 1)
    found, votes = [(0, pairwise_scores(resolution.clustering, data.gold).f1)], 0
    for more in rounds(resolution, crowd, batch, data.initial if made_up else 0):
        votes += more
        found.append((votes, pairwise_scores(resolution.clustering, data.gold).f1))
        if votes >= budget:
            break
    return found


def mean_curve(runs: list[list[tuple[int, float]]]) -> tuple[Floats, Floats]:
    """Numbers of votes, up to where the shortest of the runs ended, and the mean F1 there."""
    grid = np.linspace(0, min(run[-1][0] for run in runs), 200)
    each = [np.interp(grid, [at for at, _ in run], [score for _, score in run]) for run in runs]
    return grid, np.asarray(np.mean(each, axis=0), np.float64)


def votes_to(runs: list[list[tuple[int, float]]], f1: float) -> float:
    """After how many votes the mean F1 of the runs reaches an F1; NaN if never."""
    grid, mean = mean_curve(runs)
    reached = np.flatnonzero(mean >= f1)
    return float(grid[reached[0]]) if reached.size else float("nan")


def promised(name: str, seed: int, sees: Sees, audit: float, budget: int) -> list[Promise]:
    """What is expected along a run, as experiments note it, but here with an audit if there is to be one."""
    data = open_dataset(name, seed)
    resolution = resolution_of(data, System("wise", "scc+moves", "auto", sees), seed)
    made_up = name.startswith(PREFIX)
    watch = Watch(budget, f"audit {audit:.3f}", data.name, sees, seed)
    batch = data.batch if made_up else 25
    for _ in rounds(resolution, data.crowd, batch, data.initial if made_up else 0, audit):
        watch.look(resolution, pairwise_scores(resolution.clustering, data.gold))
        if resolution.asked >= budget:
            break
    return watch.promises


def large_batches(runs: int) -> None:
    """Batches of 20 and of 320 on the AllSports stand-in."""
    small, large = (
        [questions_to("standin:allsports", seed, batch, 0.9) for seed in range(runs)] for batch in (20, 320)
    )
    print(f"questions to F1 0.9, AllSports stand-in, {runs} runs: batches of 20 {np.mean(small):,.0f}, ", end="")
    print(f"of 320 {np.mean(large):,.0f}, ratio {np.mean(large) / np.mean(small):.2f}")


def asking_again(folder: Path | None, runs: int) -> None:
    """Votes to an F1: all of a question's at once, against one at a time."""
    names = dict(STANDINS) | ({str(folder / "cora"): 25_000} if folder else {})
    print(f"votes to an F1, mean of {runs} runs: all at once, one at a time (up to {MOST_VOTES}), ratio")
    for name, budget in names.items():
        at_once, again = ([curve(name, seed, kind, budget) for seed in range(runs)] for kind in (False, True))
        for f1 in GOALS:
            one, other = votes_to(at_once, f1), votes_to(again, f1)
            print(
                f"  {Path(name).name} to {f1}: {one:,.0f}, {other:,.0f}, {other / one if one else 1.0:.2f}", flush=True
            )
        print(f"  {Path(name).name}: {_best_and_fall(at_once)}; {_best_and_fall(again)}", flush=True)


def _best_and_fall(runs: list[list[tuple[int, float]]]) -> str:
    """The best of the mean F1, when that is, how far it falls from its best on the way, and where it ends."""
    grid, mean = mean_curve(runs)
    best = int(np.argmax(mean))
    return f"best {mean[best]:.3f} after {grid[best]:,.0f}, fall {_fall(mean):.3f}, in the end {mean[-1]:.3f}"


def _fall(mean: Floats) -> float:
    """How far F1 falls from its best on the way."""
    return float((np.maximum.accumulate(mean) - mean).max())


def real_votes(folder: Path, runs: int) -> None:
    """Asking again on real datasets: F1 along the way, and how far it falls from its best."""
    jobs: list[tuple[str, Sees]] = [(name, "scores") for name in VOTES]
    jobs += [(name, "fields") for name in VOTES if name != "allsports"]
    print(
        f"mean F1 up to a number of votes, fall from best, {runs} runs: all at once; one at a time (up to {MOST_VOTES})"
    )
    for name, sees in jobs:
        said = []
        for again in (False, True):
            found = [curve(str(folder / name), seed, again, VOTES[name], sees) for seed in range(runs)]
            grid, mean = mean_curve(found)
            said.append(f"{mean.mean():.3f}, fall {_fall(mean):.3f}")
        print(f"  {name}, {sees}, {grid[-1]:,.0f} votes: {'; '.join(said)}", flush=True)


def coverage(folder: Path | None, runs: int, plot: Path | None) -> None:
    """How often intervals hold the truth, with an audit and without."""
    jobs: list[tuple[str, Sees, int]] = [
        ("standin:gymnastics", "votes", 1_500),
        ("standin:landmarks", "votes", 6_000),
        ("standin:allsports", "votes", 12_000),
    ]
    if folder is not None:
        jobs += [(str(folder / name), "scores", budget) for name, budget in REAL.items()]
        jobs += [(str(folder / name), "fields", budget) for name, budget in REAL.items() if name != "allsports"]
    lines: dict[str, tuple[list[float], list[float]]] = {"what is promised": ([0.0, 100.0], [0.0, 1.0])}
    for audit in (0.0, AUDIT):
        found: list[Shares] = []
        print(f"intervals of 90% that hold the truth, {runs} runs, audit {audit:.3f}: precision, recall, F1")
        for name, sees, budget in jobs:
            found.append(shares(one for seed in range(runs) for one in promised(name, seed, sees, audit, budget)))
            print(f"  {Path(name).name}, {sees}: {_at_90(found[-1])}", flush=True)
        mean = mean_shares(found)
        print(f"  mean of {len(jobs)}: {_at_90(mean)}")
        lines[f"F1, {'with an audit' if audit else 'no audit'}"] = (
            [100 * level for level in LEVELS],
            [mean["f1", level] for level in LEVELS],
        )
    if plot is not None:
        title = "How often intervals of the expected F1 hold the truth"
        plot.write_text(line_chart(title, "promised, percent", lines), encoding="utf-8")


def _at_90(found: Shares) -> str:
    return " ".join(f"{found[score, 0.9]:.2f}" for score in Scores._fields)


def main() -> None:
    """All three, or those that were named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--only", choices=["batches", "again", "intervals"])
    given = parser.parse_args()
    if given.only in (None, "batches"):
        large_batches(given.runs)
    if given.only in (None, "again"):
        asking_again(given.folder, given.runs)
        if given.folder is not None:
            real_votes(given.folder, given.runs)
    if given.only in (None, "intervals"):
        coverage(given.folder, given.runs, given.plot)


if __name__ == "__main__":
    main()
