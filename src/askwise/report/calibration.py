"""Whether the intervals of expected scores hold the truth as often as they should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from askwise.experiments.calibration import LEVELS, Promise, Shares, mean_shares, shares
from askwise.gold_scores import Scores
from askwise.report.page import Spec, chart_of

LEVEL = 0.9
"""The level of the table and of the words; it is what `expected_scores` takes by itself."""

_SHOWN = dict(zip(Scores._fields, ("precision", "recall", "F1"), strict=True))
_ALL = "mean of the datasets"

CALIBRATION_CAPTION = (
    "How often intervals hold the truth, against their level, with all systems of a dataset; "
    f"black: {_ALL}; dashed: as promised"
)


def calibration_words(promises: Sequence[Promise], runs: int) -> str:
    """What was done, what the figure shows, and what it says of F1; `runs` is the number of runs."""
    noted = len({(promise.dataset, promise.system, promise.run) for promise in promises})
    which = f"{noted:,} runs" if noted == runs else f"{noted:,} of the {runs:,} runs (older ones did not note it)"
    found = {dataset: some["f1", LEVEL] for dataset, some in _by(promises, lambda one: one.dataset).items()}
    mean, worst = sum(found.values()) / len(found), min(found, key=found.__getitem__)
    least = f" ({_ALL}), least often on {worst}, in {found[worst]:.0%}" if len(found) > 1 else ""
    return (
        f"At some twenty points of {which}, the expected precision, recall and F1 (from the votes, without known "
        "answers, without an audit) were noted with their intervals, and compared with the truth. On the dashed line, "
        "intervals hold the truth as often as they promise; below it they promise too much, above it they are wider "
        f"than they need be. Here, intervals of {LEVEL:.0%} hold the true F1 in {mean:.0%} of the cases{least}. "
        "Points of one run resemble each other, so a share from few runs is itself uncertain."
    )


def calibration_table(promises: Sequence[Promise]) -> tuple[list[str], list[list[str]]]:
    """How often intervals of 90% hold the truth: each dataset with all systems and with each, and the mean."""
    rows = []
    datasets = _by(promises, lambda one: one.dataset)
    for dataset, every in datasets.items():
        of_dataset = [one for one in promises if one.dataset == dataset]
        systems = _by(of_dataset, lambda one: one.system)
        rows += [[dataset, "all", *_cells(every)]] if len(systems) > 1 else []
        rows += [[dataset, system, *_cells(some)] for system, some in systems.items()]
    rows += [[_ALL, "all", *_cells(mean_shares(datasets.values()))]] if len(datasets) > 1 else []
    return ["dataset", "system", *_SHOWN.values()], rows


def calibration_figure(promises: Sequence[Promise]) -> Spec:
    """The share of intervals that hold the truth against their level: a line for each dataset, and the mean."""
    lines = _by(promises, lambda one: one.dataset)
    mean = {_ALL: mean_shares(lines.values())} if len(lines) > 1 else {}
    values: list[dict[str, object]] = [
        {"dataset": name, "score": _SHOWN[score], "promised": level, "held": round(found[score, level], 4)}
        for name, found in (lines | mean).items()
        for score in _SHOWN
        for level in LEVELS
    ]
    from_, to = LEVELS[0], LEVELS[-1]
    diagonal: list[dict[str, object]] = [
        {"score": shown, "promised": level, "held": level} for shown in _SHOWN.values() for level in (from_, to)
    ]
    x, y = _percent("promised", from_), _percent("held", 0.0)
    named = {"field": "dataset", "type": "nominal", "sort": None}
    legend = {"title": None, "orient": "bottom", "columns": 3, "labelLimit": 300}
    of_dataset, of_mean = f"datum.dataset && datum.dataset !== '{_ALL}'", f"datum.dataset === '{_ALL}'"
    return chart_of(
        values + diagonal,
        facet={"field": "score", "type": "nominal", "title": None, "sort": list(_SHOWN.values()), "columns": 3},
        spec={
            "width": 270,
            "height": 270,
            "encoding": {"x": x, "y": y},
            "layer": [
                _line("!isValid(datum.dataset)", {"color": "#777", "strokeDash": [5, 4]}),
                _line(of_dataset, {"point": True, "tooltip": True})
                | {
                    "encoding": {
                        "color": {**named, "scale": {"scheme": "dark2"}, "legend": legend},
                        "shape": {**named, "legend": None},
                    }
                },
                _line(of_mean, {"color": "#111", "strokeWidth": 3.5, "tooltip": True}),
            ],
        },
    )


def _by(promises: Sequence[Promise], key: Callable[[Promise], str]) -> dict[str, Shares]:
    """The shares of each group, in the order in which they come."""
    groups: dict[str, list[Promise]] = {}
    for promise in promises:
        groups.setdefault(key(promise), []).append(promise)
    return {name: shares(some) for name, some in groups.items()}


def _cells(found: Shares) -> list[str]:
    return [f"{found[score, LEVEL]:.2f}" for score in _SHOWN]


def _percent(field: str, least: float) -> dict[str, Any]:
    scale, axis = {"domain": [least, 1.0]}, {"format": ".0%", "tickCount": 5}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _line(only: str, look: dict[str, Any]) -> dict[str, Any]:
    return {"transform": [{"filter": only}], "mark": {"type": "line", **look}}
