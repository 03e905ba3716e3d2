"""Writes what was measured at 10K, 100K and 1M records into docs/benchmarks.md, with charts."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import vl_convert
from merging import Merging
from scale import Scale

DOCS = Path(__file__).parent.parent / "docs"
BEGIN, END = "<!-- make bench writes from here -->", "<!-- to here -->"
_CHARTS = (
    ("load", "seconds of CPU time to load and cluster, per million candidates", 1e6),
    ("vote", "microseconds a vote, between fits", 1e6),
    ("select", "milliseconds to select 1,000 questions after 1,000 votes", 1e3),
    ("gigabytes", "peak memory, GB", 1.0),
)


def write(scales: Sequence[Scale], mergings: Sequence[Merging]) -> None:
    """Replace the part of docs/benchmarks.md between the two marks, and the charts."""
    page = DOCS / "benchmarks.md"
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text("\n".join((before + BEGIN, "", *_lines(scales, mergings), "", END + after)))
    (DOCS / "images" / "growth.svg").write_text(_growth_chart(scales))
    (DOCS / "images" / "merging.svg").write_text(_merging_chart(mergings))


def _lines(scales: Sequence[Scale], mergings: Sequence[Merging]) -> Iterable[str]:
    load = os.getloadavg()[1]
    cores = f"{os.cpu_count()} cores ({platform.machine()})"
    yield f"{date.today()}, {cores}, Python {platform.python_version()}. Load of the machine in the last five minutes"
    yield f"of the run, other jobs included: {load:.1f}. Votes, selections and fits are CPU time."
    yield ""
    yield "| strategy | records | candidates | load and cluster, s | CPU s a million candidates | µs a vote | factor |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for one, before in _with_before(scales):
        cells = f"| {one.strategy} | {one.records:,} | {one.candidates:,} | {one.load:.1f} | "
        cells += f"{1e6 * one.load_cpu / one.candidates:.2f} | {1e6 * one.vote:.1f} | {one.vote / before.vote:.2f} |"
        yield cells
    yield ""
    yield (
        "| strategy | records | ms a selection | factor | fits | s a fit | by the clock | "
        "µs a vote with fits | and selections | export, s | GB |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for one, before in _with_before(scales):
        cells = f"| {one.strategy} | {one.records:,} | {1e3 * one.select:.1f} | {one.select / before.select:.2f} | "
        cells += f"{one.fits} | {one.fit:.2f} | {one.fit_wall:.2f} | {1e6 * one.amortised:.0f} | "
        cells += f"{1e6 * one.overall:.0f} | {one.export:.1f} | {one.gigabytes:.2f} |"
        yield cells
    yield ""
    yield "![Cost by the number of records](images/growth.svg)"
    yield ""
    yield "SCC and local search alone, seconds; below, the sum of the weights that are cut (the lower, the better):"
    yield ""
    columns = ["records", "pairs", "heap and dicts", "SCC", "ratio", "CPU s", "on one core", "GB"]
    columns += ["+ one-move", "+ moves", "+ Kernighan-Lin"]
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    for merging in mergings:
        seconds, cuts = zip(*merging.searches.values(), strict=True)
        yield (
            f"| {merging.records:,} | {merging.pairs:,} | {merging.plain:.2f} | {merging.seconds:.3f} | "
            f"{merging.plain / merging.seconds:.0f} | {merging.cpu:.3f} | {merging.one_core:.3f} | "
            f"{merging.gigabytes:.2f} | {' | '.join(f'+{second:.3f}' for second in seconds)} |"
        )
        same = "the same clusters" if merging.same else "OTHER CLUSTERS"
        yield (
            f"| | | {merging.plain_cut:,.0f} | {merging.cut:,.0f} | {same} | | | | "
            f"{' | '.join(f'{cut:,.0f}' for cut in cuts)} |"
        )
    yield ""
    yield "![SCC against heap and dicts](images/merging.svg)"


def _with_before(scales: Sequence[Scale]) -> Iterable[tuple[Scale, Scale]]:
    """Every job, and the next smaller one by the same strategy, or itself."""
    for at, one in enumerate(scales):
        yield one, scales[at - 1] if at and scales[at - 1].strategy == one.strategy else one


def _growth_chart(scales: Sequence[Scale]) -> str:
    values = [
        {"strategy": one.strategy, "records": one.records, "what": title, "value": scale * _value(one, name)}
        for name, title, scale in _CHARTS
        for one in scales
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "facet": {
            "field": "what",
            "type": "nominal",
            "title": None,
            "sort": [title for _, title, _ in _CHARTS],
            "header": {"labelLimit": 400},
        },
        "columns": 2,
        "spec": {
            "width": 330,
            "height": 160,
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": {"field": "records", "type": "quantitative", "scale": {"type": "log"}, "axis": {"tickCount": 3}},
                "y": {"field": "value", "type": "quantitative", "title": None, "scale": {"zero": True}},
                "color": {"field": "strategy", "type": "nominal"},
                "strokeDash": {"field": "strategy", "type": "nominal"},
            },
        },
        "resolve": {"scale": {"y": "independent"}},
    }
    return str(vl_convert.vegalite_to_svg(spec))


def _value(one: Scale, name: str) -> float:
    return one.load_cpu / one.candidates if name == "load" else float(getattr(one, name))


def _merging_chart(mergings: Sequence[Merging]) -> str:
    values = [
        {"version": name, "records": one.records, "seconds": seconds}
        for one in mergings
        for name, seconds in (("heap and dicts", one.plain), ("ours", one.seconds))
    ]
    axis = {"type": "log"}
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "width": 500,
        "height": 220,
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "records", "type": "quantitative", "scale": axis, "axis": {"tickCount": 3}},
            "y": {"field": "seconds", "type": "quantitative", "scale": axis, "title": "seconds"},
            "color": {"field": "version", "type": "nominal"},
            "strokeDash": {"field": "version", "type": "nominal"},
        },
    }
    return str(vl_convert.vegalite_to_svg(spec))


if __name__ == "__main__":
    import merging
    import scale

    write(scale.main(), merging.main())
