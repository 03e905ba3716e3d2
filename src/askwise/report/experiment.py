"""The report of an experiment: the paper's tables and figures, from our runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.experiments.calibration import Promise
from askwise.experiments.clusterers import ClustererResult
from askwise.experiments.presets import BATCHES, COLD, MAIN, TABLE
from askwise.experiments.properties import Properties
from askwise.experiments.runs import Point
from askwise.experiments.standins import PUBLISHED
from askwise.experiments.summary import Runs, by_system, mean_curve, questions_to, seconds_per_batch, spread
from askwise.report.ablation import parts_table, stops_table
from askwise.report.calibration import CALIBRATION_CAPTION, calibration_figure, calibration_table, calibration_words
from askwise.report.page import Page, Spec, chart_of

LEVELS = (0.75, 0.8, 0.85, 0.9, 0.95)


def target_of(dataset: str) -> float:
    """The F1 to reach: the paper's, or 0.9."""
    figures = PUBLISHED.get(dataset.removeprefix("standin:").split(",")[0])
    return figures.target if figures else 0.9


def experiment_report(
    points: Sequence[Point],
    properties: Sequence[Properties],
    clusterers: Sequence[ClustererResult],
    promises: Sequence[Promise],
) -> str:
    """The whole page."""
    main, parts = by_system(points, MAIN), by_system(points, COLD) | by_system(points, TABLE)
    page = Page(
        "Askwise: the systems of the PERC paper compared" if main else "Askwise: systems compared from no question on"
    )
    count = max((len(runs) for runs in (*main.values(), *parts.values())), default=0)
    page.text(
        f"Mean over {count} runs, ± standard deviation. A question is a distinct pair asked, the initial random ones "
        "included. Every system gets the same votes on the same pair."
    )
    if main:
        _compare_systems(page, main, properties)
    batches = by_batch_size(points)
    if batches:
        page.heading("Varying batch sizes")
        page.chart(batch_figure(batches), "Questions to F1 0.95 on the Gymnastics stand-in")
    if clusterers:
        page.heading("Clusterers on the same graphs")
        page.table(*clusterer_table(clusterers), "Random 30% of the candidates asked; log-likelihood, higher is better")
    if parts:
        page.heading("From no question on")
        page.table(*parts_table(parts), "Questions until an F1 is first reached; best and mean F1")
        page.table(*stops_table(parts), "F1 by number of questions")
        page.chart(accuracy_figure(parts), "F1 against questions, mean and one standard deviation around it")
    if promises:
        page.heading("Do the intervals hold the truth?")
        page.text(calibration_words(promises, sum(map(len, parts.values()))))
        page.chart(calibration_figure(promises), CALIBRATION_CAPTION)
        page.table(*calibration_table(promises), "Intervals of 90%: the share that holds the truth")
    return page.html()


def _compare_systems(page: Page, main: Runs, properties: Sequence[Properties]) -> None:
    """The paper's tables and figures."""
    page.heading("Questions to the target F1 (Table 1)")
    page.table(*cost_table(main), "Questions until the target F1 is first reached, and what PERC saves")
    page.heading("Datasets (Table 2)")
    page.table(*property_table(properties), "Stand-ins have the published sizes and errors; votes are simulated")
    page.heading("Cost")
    page.chart(cost_figure(main), "Questions to reach an F1; a line ends where no run got further")
    page.heading("Accuracy")
    page.chart(accuracy_figure(main), "F1 against questions, mean and one standard deviation around it")
    page.heading("Efficiency")
    page.table(*time_table(main), "Milliseconds of computation per batch until the target F1, clustering included")
    page.chart(time_figure(main), "Computation per batch, logarithmic scale")


def _names(runs: Runs) -> tuple[list[str], list[str]]:
    datasets = list(dict.fromkeys(dataset for dataset, _ in runs))
    return datasets, list(dict.fromkeys(system for _, system in runs))


def cost_table(main: Runs) -> tuple[list[str], list[list[str]]]:
    """Table 1: questions to the target, best F1 where it was never reached, and PERC's reduction."""
    datasets, systems = _names(main)
    header = ["dataset", "F1", *systems, *(f"saved against {system}" for system in systems if system != "PERC")]
    rows = []
    for dataset in datasets:
        target = target_of(dataset)
        cells, means = [], {}
        for system in systems:
            runs = main.get((dataset, system), [])
            found = spread([questions_to(run, target) for run in runs])
            best = np.mean([max(point.f1 for point in run) for run in runs]) if runs else float("nan")
            means[system] = found.mean if found.count == found.of else float("nan")
            cells.append(f"{found}" if found.count else f"never (best {best:.2f})")
        own = means.get("PERC", float("nan"))
        savings = [1 - own / means[system] for system in systems if system != "PERC"]
        rows.append([dataset, f"{target}", *cells, *("-" if np.isnan(s) else f"{s:.0%}" for s in savings)])
    return header, rows


def property_table(properties: Sequence[Properties]) -> tuple[list[str], list[list[str]]]:
    """Table 2."""
    header = ["dataset", "records", "entities", "pairs", "votes per pair", "crowd error"]
    return header, [
        [p.dataset, f"{p.records:,}", f"{p.entities:,}", f"{p.pairs:,}", f"{p.votes:.1f}", f"{p.error:.2%}"]
        for p in properties
    ]


def time_table(main: Runs) -> tuple[list[str], list[list[str]]]:
    """Milliseconds per batch."""
    datasets, systems = _names(main)
    rows = []
    for dataset in datasets:
        cells = []
        for system in systems:
            found = spread(
                [1e3 * seconds_per_batch(run, target_of(dataset)) for run in main.get((dataset, system), [])]
            )
            cells.append(f"{found.mean:.1f} ± {found.deviation:.1f}")
        rows.append([dataset, *cells])
    return ["dataset", *systems], rows


def clusterer_table(results: Sequence[ClustererResult]) -> tuple[list[str], list[list[str]]]:
    """Log-likelihood, F1 and milliseconds of every clusterer on every dataset."""
    datasets = list(dict.fromkeys(result.dataset for result in results))
    header = ["clusterer", *(f"{dataset}: {what}" for dataset in datasets for what in ("log-likelihood", "F1", "ms"))]
    rows = []
    for name in dict.fromkeys(result.clusterer for result in results):
        cells = []
        for dataset in datasets:
            mine = [result for result in results if (result.clusterer, result.dataset) == (name, dataset)]
            cells += [
                f"{np.mean([result.log_likelihood for result in mine]):,.0f}",
                f"{np.mean([result.f1 for result in mine]):.3f}",
                f"{1e3 * np.mean([result.seconds for result in mine]):.1f}",
            ]
        rows.append([name, *cells])
    return header, rows


def by_batch_size(points: Sequence[Point]) -> dict[tuple[str, int], list[list[Point]]]:
    """The runs in which the batch size was varied, by system and size."""
    found: dict[tuple[str, int], list[list[Point]]] = {}
    sizes = sorted({point.batch for point in points if point.experiment == BATCHES})
    for size in sizes:
        of_size = by_system([point for point in points if point.batch == size], BATCHES)
        for (_, system), runs in of_size.items():
            found[system, size] = runs
    return found


_COLOUR = {"field": "system", "type": "nominal", "scale": {"scheme": "dark2"}}
_SHAPE = {"field": "system", "type": "nominal", "legend": None}
_FACET = {"field": "dataset", "type": "nominal", "columns": 2, "title": None}
_FREE = {"scale": {"x": "independent", "y": "independent"}}


def cost_figure(main: Runs) -> Spec:
    """Questions against the F1 to reach."""
    values: list[dict[str, object]] = []
    for (dataset, system), runs in main.items():
        for level in LEVELS:
            found = spread([questions_to(run, level) for run in runs])
            if found.count:
                values.append({"dataset": dataset, "system": system, "F1": level, "questions": found.mean})
    return chart_of(
        values,
        facet=_FACET,
        resolve=_FREE,
        spec={
            "width": 360,
            "height": 220,
            "mark": {"type": "line", "point": True, "tooltip": True},
            "encoding": {
                "x": {"field": "F1", "type": "quantitative", "scale": {"zero": False}},
                "y": {"field": "questions", "type": "quantitative"},
                "color": _COLOUR,
                "shape": _SHAPE,
            },
        },
    )


def accuracy_figure(main: Runs) -> Spec:
    """F1 against questions, with a band."""
    values: list[dict[str, object]] = []
    for (dataset, system), runs in main.items():
        for x, mean, deviation in zip(*mean_curve(runs), strict=True):
            values.append(
                {
                    "dataset": dataset,
                    "system": system,
                    "questions": round(float(x)),
                    "F1": round(float(mean), 4),
                    "low": round(float(max(0.0, mean - deviation)), 4),
                    "high": round(float(min(1.0, mean + deviation)), 4),
                }
            )
    x = {"field": "questions", "type": "quantitative"}
    return chart_of(
        values,
        facet=_FACET,
        resolve={"scale": {"x": "independent"}},
        spec={
            "width": 360,
            "height": 240,
            "layer": [
                {
                    "mark": {"type": "area", "opacity": 0.15},
                    "encoding": {
                        "x": x,
                        "y": {"field": "low", "type": "quantitative", "title": "F1"},
                        "y2": {"field": "high"},
                        "color": _COLOUR,
                    },
                },
                {
                    "mark": {"type": "line", "tooltip": True},
                    "encoding": {
                        "x": x,
                        "y": {"field": "F1", "type": "quantitative"},
                        "color": _COLOUR,
                        "strokeDash": _SHAPE,
                    },
                },
            ],
        },
    )


def time_figure(main: Runs) -> Spec:
    """Milliseconds per batch, logarithmic."""
    values: list[dict[str, object]] = []
    for (dataset, system), runs in main.items():
        found = spread([1e3 * seconds_per_batch(run, target_of(dataset)) for run in runs])
        values.append({"dataset": dataset, "system": system, "ms": max(found.mean, 1e-3)})
    return chart_of(
        values,
        facet=_FACET,
        spec={
            "width": 360,
            "height": 160,
            "mark": {"type": "point", "filled": True, "size": 90, "tooltip": True},
            "encoding": {
                "x": {"field": "ms", "type": "quantitative", "scale": {"type": "log"}, "title": "ms per batch"},
                "y": {"field": "system", "type": "nominal", "title": None},
                "color": {**_COLOUR, "legend": None},
            },
        },
    )


def batch_figure(batches: dict[tuple[str, int], list[list[Point]]]) -> Spec:
    """Questions against the batch size."""
    values: list[dict[str, object]] = []
    for (system, size), runs in batches.items():
        found = spread([questions_to(run, 0.95) for run in runs])
        if found.count:
            values.append({"system": system, "batch size": size, "questions": found.mean})
    return chart_of(
        values,
        width=420,
        height=240,
        mark={"type": "line", "point": True, "tooltip": True},
        encoding={
            "x": {"field": "batch size", "type": "quantitative"},
            "y": {"field": "questions", "type": "quantitative", "scale": {"zero": False}},
            "color": _COLOUR,
            "shape": _SHAPE,
        },
    )
