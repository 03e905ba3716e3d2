"""A whole experiment: the runs, the comparison of clusterers, the results on disk and the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from askwise.experiments.calibration import Promise
from askwise.experiments.clusterers import ClustererResult, compare_clusterers
from askwise.experiments.presets import MAIN
from askwise.experiments.properties import measure
from askwise.experiments.results import write_rows
from askwise.experiments.runs import Plan, Point, do_runs
from askwise.report.experiment import experiment_report
from askwise.report.page import write_page

_CLUSTERER_RUNS = 3


def run_experiment(
    plans: Sequence[Plan], out: Path, jobs: int, form: str, progress: Callable[[str, int], object]
) -> list[Path]:
    """Do the runs, and write results, intervals, clusterers and report to the folder `out`; returns what was written.

    `progress` gets a message, and how many runs have finished.
    """
    points, promises = do_runs(plans, out / "runs", jobs, lambda plan: progress(f"{plan.system} on {plan.dataset}", 1))
    datasets = list(dict.fromkeys(plan.dataset for plan in plans if plan.experiment == MAIN))
    runs = 1 + max((plan.run for plan in plans), default=0)
    clusterers: list[ClustererResult] = []
    for dataset in datasets:
        progress(f"comparing clusterers on {dataset}", 0)
        for run in range(min(runs, _CLUSTERER_RUNS)):
            clusterers += compare_clusterers(dataset, run)
    progress("writing the report", 0)
    results = out / "results.csv"
    write_rows(results, Point, points)
    intervals = out / "intervals.csv"
    write_rows(intervals, Promise, promises)
    table = out / "clusterers.csv"
    write_rows(table, ClustererResult, clusterers)
    page = out / "report.html"
    write_page(page, experiment_report(points, [measure(dataset) for dataset in datasets], clusterers, promises))
    if form == "parquet":
        results, intervals, table = (_as_parquet(path) for path in (results, intervals, table))
    return [results, intervals, table, page]


def _as_parquet(path: Path) -> Path:
    """A table as Parquet instead of CSV."""
    import duckdb

    parquet = path.with_suffix(".parquet")
    duckdb.read_csv(str(path)).write_parquet(str(parquet))
    path.unlink()
    return parquet
