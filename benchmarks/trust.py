"""Whether the evidence can be trusted: never worse than simpler models, robust, local; docs/model.md has the model.

python benchmarks/trust.py FOLDER [--seeds N] [--only grid|robust|intervals|heard|local|size] [--processes N]

FOLDER has the datasets restaurant, product, cora, allsports, birds_sorting and abt_buy_models, each a folder of CSV
files. Every point starts from what a user has: a table, a list of pairs, or scores; and votes in some order.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes share the work

import numpy as np

import askwise.evidence.constants
from askwise import ReplayCrowd, Resolution, Table, UncertainGraph, Vote, candidates, cluster, pairwise_scores
from askwise.arrays import Floats
from askwise.evidence.constants import CONSTANTS, Constants, Crowd
from askwise.evidence.learned import Learned
from askwise.evidence.regression import logistic
from askwise.kernels.rates import log_chance

INTERVAL_SHARES = (0.05, 0.2, 0.4, 1.0)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 1.0)
ORDERS = ("pairs", "votes", "workers")
INPUTS = {
    "restaurant": ("own", "fields", "scores", "list"),
    "product": ("own", "fields", "scores", "list"),
    "cora": ("own", "fields", "scores", "list"),
    "allsports": ("scores", "list"),
}
CLEAN = [
    (30 if size == 5 else 40, size, error, votes)
    for size in (2, 5, 10)
    for error in (0.1, 0.2, 0.3)
    for votes in (1, 3, 5)
]
WITHIN = 0.03
REFERENCES = ("smoothed", "ratio", "plain", "start")


@dataclass(frozen=True)
class Job:
    """One kind of input: records (a table or ids), the pairs that may be asked, all votes, and the truth."""

    records: Any
    pairs: Any
    votes: list[Vote]
    gold: dict[Any, Any]

    def resolution(self, votes: list[Vote], evidence: str = "auto") -> Resolution:
        """The job with some of its votes."""
        return Resolution(self.records, self.pairs, evidence=evidence, votes=votes)


def f1(resolution: Resolution, job: Job) -> float:
    """F1 of what a job has come to."""
    return pairwise_scores(resolution.clustering, job.gold).f1


@cache
def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file; none if it is not there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def job_of(folder: Path, kind: str, worker: str = "") -> Job:
    """A dataset as a table with our own candidates, or its voted pairs with fields, with scores or as a bare list."""
    gold = {row["unique_id"]: row["cluster_id"] for row in rows_of(folder / "gold.csv")}
    votes = [
        Vote(row["unique_id_l"], row["unique_id_r"], row["worker"], row["label"] == "1")
        for row in rows_of(folder / "votes.csv")
        if row["label"] and worker in ("", row["worker"])
    ]
    voted = sorted({tuple(sorted((str(vote.left), str(vote.right)))) for vote in votes})
    records: Any = Table.read(folder / "records.csv") if kind in ("own", "fields") else list(gold)
    pairs: Any = voted
    if kind == "own":
        pairs = candidates(records)
    if kind == "scores":
        score = {
            tuple(sorted((row["unique_id_l"], row["unique_id_r"]))): float(row["similarity"])
            for row in rows_of(folder / "pairs.csv")
        }
        pairs = [(*pair, score[pair]) for pair in voted if pair in score]
    return Job(records, pairs, votes, gold)


def ordered(votes: list[Vote], order: str, seed: int) -> list[Vote]:
    """Votes pair by pair, one by one, or worker by worker, each in a random order."""
    chance = np.random.default_rng(seed)
    if order == "votes":
        return [votes[at] for at in chance.permutation(len(votes))]
    pair_rank: dict[Any, float] = defaultdict(chance.random)
    worker_rank: dict[Any, float] = defaultdict(chance.random)
    pairs = [pair_rank[frozenset((vote.left, vote.right))] for vote in votes]
    if order == "pairs":
        return [votes[at] for at in np.lexsort((chance.random(len(votes)), np.array(pairs)))]
    workers = [worker_rank[vote.worker] for vote in votes]
    return [votes[at] for at in np.lexsort((np.array(pairs), np.array(workers)))]


def clean_job(setting: tuple[int, int, float, int], seed: int, spammer: str = "") -> Job:
    """All pairs asked, independent votes; the first worker may say YES always, NO always, or the opposite."""
    records, size, error, count = setting
    chance = np.random.default_rng((seed, records, size, round(100 * error), count))
    entity = chance.permutation(records) // size
    votes = []
    for u in range(records):
        for v in range(u + 1, records):
            same = bool(entity[u] == entity[v])
            for worker in range(count):
                said = same != (chance.random() < error)
                if spammer and worker == 0:
                    said = {"yes": True, "no": False, "opposite": not said}[spammer]
                votes.append(Vote(u, v, worker, said))
    return Job(range(records), None, votes, dict(enumerate(entity.tolist())))


@cache
def bird_tasks(folder: Path, size: int) -> list[list[Vote]]:
    """The votes that each task with a set of that size implies."""
    tasks: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(folder / "groups.csv"):
        if int(row["size"]) == size:
            tasks[row["task"]].append(row)
    return [
        [
            Vote(one["unique_id"], two["unique_id"], one["worker"], one["group"] == two["group"])
            for at, one in enumerate(members)
            for two in members[at + 1 :]
        ]
        for members in tasks.values()
    ]


def bird_job(folder: Path, size: int, share: float, seed: int) -> Job:
    """A share of the tasks in which people sorted pictures."""
    gold = {row["unique_id"]: row["cluster_id"] for row in rows_of(folder / "gold.csv")}
    tasks = bird_tasks(folder, size)
    some = np.random.default_rng(seed).permutation(len(tasks))[: round(share * len(tasks))]
    return Job(list(gold), None, [vote for at in some for vote in tasks[at]], gold)


def plain(resolution: Resolution, job: Job) -> float:
    """F1 of the plain model: fixed rates, a ridge regression on what votes make likely; six constants."""
    graph, log = resolution.graph, resolution.votes
    evidence = resolution.evidence
    rows = np.arange(graph.pair_count, dtype=np.int32)
    yes, no = log.tally(rows)
    said = log_chance(yes, no, 0.7, 4.0) - log_chance(yes, no, 0.08, 8.0)
    weight = said.copy()
    if isinstance(evidence, Learned) and evidence.machine is not None:
        machine = evidence.machine
        columns = np.zeros((rows.size, machine.traits.shape[1] + 2))
        columns[:, 0], columns[:, 1] = 1.0, -3.0
        columns[: len(machine), 1], columns[: len(machine), 2:] = machine.lean, machine.traits
        b = _plain_regression(columns[yes + no > 0], said[yes + no > 0])
        weight += np.clip(columns @ b, -4.0, 4.0)
    else:
        weight[yes + no == 0] = np.nan
    pairs = np.flatnonzero(~np.isnan(weight))
    ids = graph.records.ids
    p = logistic(np.clip(weight[pairs], -12.0, 12.0))
    left, right = graph.pair_u[pairs], graph.pair_v[pairs]
    edges = [(ids[u], ids[v], q) for u, v, q in zip(left.tolist(), right.tolist(), p.tolist(), strict=True)]
    found = cluster(UncertainGraph(graph.records, edges), method="scc+moves")
    return pairwise_scores(found, job.gold).f1


def _plain_regression(columns: Any, said: Floats) -> Floats:
    centre = np.array([-2.0, 1.0, *[0.0] * (columns.shape[1] - 2)])
    firm, b = np.array([0.5, 2.0, *[3.0] * (columns.shape[1] - 2)]), centre.copy()
    if not said.size:
        return b
    for _ in range(8):
        label = logistic(said + columns @ b)
        for _ in range(10):
            p = logistic(columns @ b)
            curve = (columns * (p * (1.0 - p) + 1e-6)[:, None]).T @ columns + np.diag(firm)
            b = b + np.clip(np.linalg.solve(curve, columns.T @ (label - p) - firm * (b - centre)), -1.0, 1.0)
    return b


Point = tuple[str, tuple[Any, ...], int]
"""A group of points, which point of it, and a seed."""


def points(seeds: int) -> Iterator[Point]:
    """The grid on which the default is never to be worse than simpler models."""
    for seed in range(seeds):
        for setting in CLEAN:
            yield "clean", setting, seed
        for size in (2, 3, 4):
            for share in (0.25, 0.5, 1.0):
                yield "birds", (size, share), seed
        for name, kinds in INPUTS.items():
            for kind in kinds:
                for share in SHARES:
                    for order in ORDERS:
                        yield f"{name} {kind}", (share, order), seed
    for worker in ("gpt-4o", "gpt-4o-mini", ""):
        yield "abt_buy_models own", (worker or "both",), 0


def job_at(folder: Path, point: Point) -> tuple[Job, list[Vote]]:
    """The job of a point, and its votes."""
    group, about, seed = point
    if group == "clean":
        job = clean_job(about, seed)
        return job, job.votes
    if group == "birds":
        job = bird_job(folder / "birds_sorting", about[0], about[1], seed)
        return job, ordered(job.votes, "votes", seed)
    name, kind = group.split()
    if name == "abt_buy_models":
        job = job_of(folder / name, kind, "" if about[0] == "both" else about[0])
        return job, ordered(job.votes, "votes", seed)
    job = job_of(folder / name, kind)
    votes = ordered(job.votes, about[1], seed)
    return job, votes[: round(about[0] * len(votes))]


def measured(folder: Path, point: Point) -> dict[str, float]:
    """F1 of the default and of what it is compared with."""
    job, votes = job_at(folder, point)
    default = job.resolution(votes)
    found = {"default": f1(default, job), "plain": plain(default, job)}
    for evidence in ("smoothed", "ratio"):
        found[evidence] = f1(job.resolution(votes, evidence), job)
    found["start"] = 0.0 if point[0] in ("clean", "birds") else start(folder, point[0])
    return found


@cache
def start(folder: Path, group: str) -> float:
    """F1 without votes; without a machine every record is alone."""
    name, kind = group.split()
    job = job_of(folder / name, kind)
    return f1(job.resolution([]), job)


def only_default(folder: Path, point: Point) -> float:
    """F1 of the default."""
    job, votes = job_at(folder, point)
    return f1(job.resolution(votes), job)


def _measured(task: tuple[Path, Point]) -> dict[str, float]:
    return measured(*task)


def grid(folder: Path, seeds: int, processes: int) -> None:
    """A and B: every point, and the means of groups."""
    wanted = list(points(seeds))
    by_point: dict[tuple[str, tuple[Any, ...]], list[dict[str, float]]] = defaultdict(list)
    with ProcessPoolExecutor(processes) as pool:
        tasks = [(folder, point) for point in wanted]
        for point, found in zip(wanted, pool.map(_measured, tasks, chunksize=8), strict=True):
            by_point[point[0], point[1]].append(found)
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    worse = []
    for (group, about), runs in by_point.items():
        mean = {name: float(np.mean([one[name] for one in runs])) for name in ("default", *REFERENCES)}
        groups[group].append(mean)
        best = max(REFERENCES, key=lambda name: mean[name])
        if mean["default"] < mean[best] - WITHIN:
            worse.append(f"  {group} {about}: default {mean['default']:.3f}, {best} {mean[best]:.3f}")
        if group in ("birds", "abt_buy_models own") or about[0] == 1.0:
            print(f"  {group} {about}: " + ", ".join(f"{name} {value:.3f}" for name, value in mean.items()))
    print(f"A. {len(by_point)} points, {seeds} seeds; more than {WITHIN} below the best reference: {len(worse)}")
    print("\n".join(worse))
    print("means of groups: default, " + ", ".join(REFERENCES))
    for group, means in groups.items():
        mean = {name: float(np.mean([one[name] for one in means])) for name in ("default", *REFERENCES)}
        below = [name for name in REFERENCES if mean[name] > mean["default"] + 0.0005]
        print(f"  {group}: " + ", ".join(f"{value:.3f}" for value in mean.values()) + f"  below {below or 'none'}")


def variants() -> Iterator[tuple[str, float, Constants]]:
    """Every number of the model halved and doubled; of a rate, its odds are."""
    for field in fields(Constants):
        for factor in (0.5, 2.0):
            value = getattr(CONSTANTS, field.name)
            if field.name == "crowds":
                for at, crowd in enumerate(value):
                    for side, rate in enumerate(crowd):
                        odds = factor * rate / (1.0 - rate)
                        other = Crowd(*(odds / (1.0 + odds) if one == side else crowd[one] for one in (0, 1)))
                        changed = (*value[:at], other, *value[at + 1 :])
                        yield (
                            f"crowd {crowd[0]:g}/{crowd[1]:g}, rate {rate:g}",
                            factor,
                            replace(CONSTANTS, crowds=changed),
                        )
            elif field.name == "alike":
                for at, one in enumerate(value):
                    changed = (*value[:at], factor * one, *value[at + 1 :])
                    yield f"alike {one:g}", factor, replace(CONSTANTS, alike=changed)
            else:
                yield f"{field.name} {value:g}", factor, replace(CONSTANTS, **{field.name: factor * value})


def _mean_with(task: tuple[Path, list[Point], Constants]) -> float:
    """The mean over groups of points, with other constants."""
    folder, some, constants = task
    _use(constants)
    by_group: dict[str, list[float]] = defaultdict(list)
    for point in some:
        by_group[point[0]].append(only_default(folder, point))
    return float(np.mean([np.mean(values) for values in by_group.values()]))


def robust(folder: Path, seeds: int, processes: int) -> None:
    """D: each constant halved and doubled, and a worker of five who does not answer the question."""
    reduced = [
        point
        for point in points(seeds)
        if point[0] in ("clean", "birds")
        or (len(point[1]) == 2 and point[1][0] in (0.05, 0.4) and point[1][1] == "votes")
    ]
    others = list(variants())
    with ProcessPoolExecutor(processes) as pool:
        tasks = [(folder, reduced, constants) for constants in (CONSTANTS, *(other[2] for other in others))]
        usual, *means = pool.map(_mean_with, tasks)
    print(f"D. mean over {len(reduced)} points of the grid (groups alike): {usual:.4f}")
    for (name, factor, _), mean in zip(others, means, strict=True):
        print(f"  {name} times {factor:g}: {mean - usual:+.4f}")
    settings = [
        (records, size, error, 5) for records, size in ((40, 2), (30, 5), (40, 10)) for error in (0.1, 0.2, 0.3)
    ]
    for spammer in ("", "yes", "no", "opposite"):
        jobs = [clean_job(setting, seed, spammer) for setting in settings for seed in range(seeds)]
        found = np.mean([f1(job.resolution(job.votes), job) for job in jobs])
        print(f"  five workers, the first says {spammer or 'what the others do'}: {found:.3f}", flush=True)
    four = [clean_job((*setting[:3], 4), seed) for setting in settings for seed in range(seeds)]
    print(f"  four workers alone: {np.mean([f1(job.resolution(job.votes), job) for job in four]):.3f}")


def _use(constants: Constants) -> None:
    """Go by other constants, in every module that reads them."""
    for name, module in list(sys.modules.items()):
        if name.startswith("askwise.evidence") and hasattr(module, "CONSTANTS"):
            setattr(module, "CONSTANTS", constants)  # noqa: B010
    assert askwise.evidence.constants.CONSTANTS is constants


def heard(folder: Path) -> None:
    """F: two records with five or more NO and no YES, in one cluster by their own evidence and that of the machine."""
    for name, kind in (("cora", "own"), ("product", "own"), ("restaurant", "own"), ("allsports", "scores")):
        job = job_of(folder / name, kind)
        resolution = job.resolution(ordered(job.votes, "votes", 0))
        graph, label = resolution.graph, resolution.clustering.labels
        rows = resolution.votes.voted()
        yes, no = resolution.votes.tally(rows)
        ids = graph.records.ids
        against = rows[(yes == 0) & (no >= 5)]
        ends = [(ids[u], ids[v]) for u, v in zip(graph.pair_u[against], graph.pair_v[against], strict=True)]
        together = [at for at, (u, v) in enumerate(ends) if label[u] == label[v]]
        believed = int(np.count_nonzero(graph.pair_weight[against[together]] > 0.0))
        print(
            f"F. {name} {kind}: {against.size} pairs with five or more NO and no YES, {len(together)} in one cluster; "
            f"of these {believed} with p > 1/2 of their own"
        )


def local(folder: Path) -> None:
    """G: a correct split of a cluster of 23 into 15 and 8, after 0, 100 and 300 votes."""
    made = np.random.default_rng(0)
    sizes = [15, 8, *made.integers(1, 6, 180).tolist()]
    gold = {f"r{at}": entity for at, entity in enumerate(np.repeat(np.arange(len(sizes)), sizes).tolist())}
    ids = list(gold)
    pairs = []
    for u in range(len(ids)):
        for v in range(u + 1, len(ids)):
            a, b = gold[ids[u]], gold[ids[v]]
            alike = a == b or {a, b} == {0, 1}
            if alike or made.random() < 0.005:
                pairs.append((ids[u], ids[v], float(np.clip(made.normal(0.8 if alike else 0.25, 0.1), 0.02, 0.98))))
    for count in (0, 100, 300):
        resolution = Resolution(ids, pairs)
        for question in resolution.by_chance(count) if count else ():
            left, right = question.left, question.right
            if {gold[left], gold[right]} != {0, 1}:  # type: ignore[index]
                resolution.add_votes([Vote(left, right, "w", gold[left] == gold[right])])  # type: ignore[index]
        before, old = pairwise_scores(resolution.clustering, gold).f1, set(resolution.clustering)
        both = next(group for group in old if {"r0", "r20"} <= group)
        resolution.decide([(one, two, False) for one in both for two in both if gold[one] == 0 and gold[two] == 1])  # type: ignore[index]
        new = set(resolution.clustering)
        others = len([group for group in old - new if group != both])
        after = pairwise_scores(resolution.clustering, gold).f1
        print(
            f"G. {count} votes: cluster of {len(both)} split; F1 {before:.3f} to {after:.3f}; {others} others changed"
        )


AUDIT = 8
"""With an audit, one pair for this many that were asked is drawn, and answered by the same crowd."""


class Look(NamedTuple):
    """At one score: the 90% interval, and the truth."""

    low: float
    value: float
    high: float
    truth: float

    @property
    def held(self) -> bool:
        """Whether the truth lies in the interval, rounding apart."""
        return self.low - 1e-9 <= self.truth <= self.high + 1e-9


class Looked(NamedTuple):
    """What was found at a point: precision, recall and F1, without an audit and with one; how clusters are ranked.

    `ranked` is the area under the curve by which confidence tells clusters (of two and more) that are exactly right,
    and `by_size` the same for small clusters before large ones; NaN where all are right, or none.
    """

    plain: list[Look]
    audited: list[Look]
    ranked: float
    by_size: float


def interval_points(seeds: int) -> Iterator[Point]:
    """Where intervals are looked at."""
    for seed in range(seeds):
        for records, size, error, votes in CLEAN:
            yield f"clean, entities of {size}", (records, size, error, votes), seed
        for share in INTERVAL_SHARES:
            for size in (2, 3, 4):
                yield "birds", (size, share), seed
            for name, kinds in INPUTS.items():
                for kind in kinds:
                    yield f"{name} {kind}", (share, "votes"), seed


def looked(folder: Path, point: Point) -> Looked:
    """What a job expects of itself, and the truth."""
    group, about, seed = point
    job, votes = job_at(folder, ("clean" if group.startswith("clean") else group, about, seed))
    resolution = job.resolution(votes)
    plain = _looks(resolution, job)
    entities = _entities(job)
    right = [
        (one.right, -len(members), members in entities)
        for one, members in zip(resolution.confidences(), resolution.clustering, strict=True)
        if len(members) > 1
    ]
    exact = np.array([one[2] for one in right], np.bool_)
    ranked = area(np.array([one[0] for one in right]), exact)
    by_size = area(np.array([float(one[1]) for one in right]), exact)
    crowd = ReplayCrowd(job.votes)
    resolution.add_votes(crowd.ask(resolution.audit(max(resolution.asked // AUDIT, 1))))
    return Looked(plain, _looks(resolution, job), ranked, by_size)


def _entities(job: Job) -> set[frozenset[Any]]:
    members: dict[Any, set[Any]] = defaultdict(set)
    for record, entity in job.gold.items():
        members[entity].add(record)
    return {frozenset(some) for some in members.values()}


def _looks(resolution: Resolution, job: Job) -> list[Look]:
    truth = pairwise_scores(resolution.clustering, job.gold)
    expected = resolution.expected_scores()
    return [Look(one.low, one.value, one.high, true) for one, true in zip(expected[:3], truth, strict=True)]


def area(value: Floats, right: Any) -> float:
    """The area under the curve: how often something right has the higher value, of two of which one is right."""
    yes, no = value[right], value[~right]
    if not (yes.size and no.size):
        return float("nan")
    return float(np.mean((yes[:, None] > no) + 0.5 * (yes[:, None] == no)))


def _looked(task: tuple[Path, Point]) -> Looked:
    return looked(*task)


def intervals(folder: Path, seeds: int, processes: int) -> None:
    """E: how often intervals of 90% hold precision, recall and F1, and how wide that of F1 is."""
    wanted = list(interval_points(seeds))
    found: dict[str, list[Looked]] = defaultdict(list)
    with ProcessPoolExecutor(processes) as pool:
        tasks = [(folder, point) for point in wanted]
        for point, one in zip(wanted, pool.map(_looked, tasks, chunksize=4), strict=True):
            found[point[0]].append(one)
            name = point[0].split(" ")[0].strip(",")
            if name != point[0]:
                found[f"{name}, all"].append(one)
    print("E. 90% intervals: held precision, recall, F1 (mean width of F1); the same with an audit;")
    print("   mean area under the curve of confidence (of size) for clusters that are exactly right")
    for name in sorted(found):
        some = found[name]
        areas = [_mean([one.ranked for one in some]), _mean([one.by_size for one in some])]
        sides = (_held([one.plain for one in some]), _held([one.audited for one in some]))
        print(f"  {name}, {len(some)} looks: " + "; ".join(sides) + f"; {areas[0]:.2f} ({areas[1]:.2f})")


def _mean(values: list[float]) -> float:
    """The mean of those that there are."""
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else float("nan")


def _held(looks: list[list[Look]]) -> str:
    shares = [float(np.mean([one[at].held for one in looks])) for at in range(3)]
    width = float(np.mean([one[2].high - one[2].low for one in looks]))
    return " ".join(f"{share:.2f}" for share in shares) + f" ({width:.2f})"


def main() -> None:
    """All parts, or one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=["grid", "robust", "intervals", "heard", "local", "size"])
    given = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "grid": lambda: grid(given.folder, given.seeds, given.processes),
        "robust": lambda: robust(given.folder, given.seeds, given.processes),
        "intervals": lambda: intervals(given.folder, given.seeds, given.processes),
        "heard": lambda: heard(given.folder),
        "local": lambda: local(given.folder),
        "size": lambda: print(f"I. {len(list(variants())) // 2} constants"),
    }
    for name, part in parts.items():
        if given.only in (None, name):
            part()


if __name__ == "__main__":
    main()
