"""The report of a project: questions, cost, clusters and their confidence, workers."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from askwise.differences import shown
from askwise.project import ClusterRow, Point, Project, Status
from askwise.project.pair_rows import conflicts, tally_texts
from askwise.project.worker_rows import WorkerRow, worker_rows
from askwise.report.page import Page, Spec, chart_of

_MOST_CLUSTERS = 200
_MOST_CONFLICTS = 50
_WIDTH, _HEIGHT = 460, 220


def project_report(project: Project) -> str:
    """The page, self-contained."""
    status, history, clusters = project.status(), project.history(), project.clusters()
    page = Page(f"{status.name}: report")
    page.text(f"As of {datetime.now(UTC).astimezone():%d %B %Y, %H:%M}, by Askwise.")
    page.heading("Questions and cost")
    page.table(["", ""], _figures(project, status), "The project in figures")
    if len(history) > 1:
        page.chart(_over_time(history), "Votes and questions over time")
        page.chart(
            _against_votes(history, "reliability"), "Reliability against votes (base-10 logarithm, 0 is certain)"
        )
        page.chart(_against_votes(history, "clusters"), "Clusters against votes")
    expected = [point for point in history if point.f1 is not None]
    if len(expected) > 1:
        page.chart(
            _expected(expected),
            "Expected F1 against votes, an estimate; the band is where it lies with a probability of 90%",
        )
    page.heading("Clusters")
    page.chart(_sizes(clusters), "Clusters by number of records")
    page.chart(_confidences(clusters), "How far to trust them: clusters of two records and more, by confidence")
    page.table(*_cluster_table(project, clusters), _cluster_caption(clusters))
    page.heading("Workers")
    page.table(*_worker_table(worker_rows(project)), "Error rates are estimates")
    total, divided = conflicts(project, 0, _MOST_CONFLICTS)
    if divided:
        page.heading("Conflicts")
        rows = [[row.left, row.right, *tally_texts(row.yes, row.no), f"{row.p:.2f}"] for row in divided]
        page.table(
            ["one", "other", "yes", "no", "chance"],
            rows,
            f"The most divided of {total:,} pairs on which workers disagree",
        )
    return page.html()


def _figures(project: Project, status: Status) -> list[list[str]]:
    settings = project.settings
    budget = "" if status.budget is None else f" of {status.budget:,} in the budget"
    assumed = f", {status.assumed:,} terms assumed" if status.assumed else ""
    return [
        ["records", f"{status.records:,}"],
        ["candidates", f"{status.candidates:,}"],
        ["questions asked", f"{status.asked:,}"],
        ["candidates never asked", f"{status.to_ask:,}"],
        ["votes", f"{status.votes:,}{budget}"],
        ["votes wanted for each question", f"{settings.votes}"],
        ["workers", f"{status.workers:,}"],
        ["cost", f"{status.cost:,.2f} {status.currency}".strip()],
        ["clusters", f"{status.clusters:,}"],
        ["reliability (base-10 logarithm)", f"{round(status.reliability, 1) or 0.0:,.1f}{assumed}"],
        ["expected F1, without known answers", f"{status.f1:.2f} ({status.f1_low:.2f} to {status.f1_high:.2f})"],
        ["expected precision", f"{status.precision_low:.2f} to {status.precision_high:.2f}"],
        ["expected recall", f"{status.recall_low:.2f} to {status.recall_high:.2f}"],
    ]


def _spec(values: list[dict[str, object]], mark: str, **encoding: object) -> Spec:
    look = {"type": mark, "tooltip": True}
    return chart_of(values, width=_WIDTH, height=_HEIGHT, mark=look, encoding=encoding)


def _over_time(history: list[Point]) -> Spec:
    values: list[dict[str, object]] = [
        {"time": 1000 * point.time, "what": what, "number": getattr(point, what)}
        for point in history
        for what in ("votes", "questions")
    ]
    return _spec(
        values,
        "line",
        x={"field": "time", "type": "temporal", "title": None},
        y={"field": "number", "type": "quantitative", "title": None},
        color={"field": "what", "type": "nominal", "title": None, "scale": {"scheme": "dark2"}},
        strokeDash={"field": "what", "type": "nominal", "title": None},
    )


def _against_votes(history: list[Point], what: str) -> Spec:
    values: list[dict[str, object]] = [{"votes": point.votes, what: getattr(point, what)} for point in history]
    return _spec(
        values,
        "line",
        x={"field": "votes", "type": "quantitative"},
        y={"field": what, "type": "quantitative", "scale": {"zero": False}},
    )


def _expected(history: list[Point]) -> Spec:
    """Expected F1 as a line with its interval as a band."""
    names = ("votes", "f1", "f1_low", "f1_high")
    spec = _spec(
        [{name: getattr(point, name) for name in names} for point in history],
        "line",
        x={"field": "votes", "type": "quantitative"},
        y={"field": "f1", "type": "quantitative", "title": "Expected F1", "scale": {"zero": False}},
    )
    mark, encoding = spec.pop("mark"), spec.pop("encoding")
    band = encoding | {"y": encoding["y"] | {"field": "f1_low"}, "y2": {"field": "f1_high"}}
    layers = [{"mark": {"type": "area", "opacity": 0.2}, "encoding": band}, {"mark": mark, "encoding": encoding}]
    return spec | {"layer": layers}


def _sizes(clusters: list[ClusterRow]) -> Spec:
    counted = Counter(len(row.members) for row in clusters)
    values: list[dict[str, object]] = [{"records": size, "clusters": count} for size, count in sorted(counted.items())]
    return _spec(
        values,
        "bar",
        x={"field": "records", "type": "ordinal", "title": "records in a cluster", "axis": {"labelAngle": 0}},
        y={"field": "clusters", "type": "quantitative"},
    )


def _confidences(clusters: list[ClusterRow]) -> Spec:
    values: list[dict[str, object]] = [{"confidence": row.confidence} for row in clusters if len(row.members) > 1]
    return _spec(
        values,
        "bar",
        x={"field": "confidence", "type": "quantitative", "bin": {"step": 0.1, "extent": [0, 1]}},
        y={"aggregate": "count", "type": "quantitative", "title": "clusters"},
    )


def _cluster_table(project: Project, clusters: list[ClusterRow]) -> tuple[list[str], list[list[object]]]:
    chosen = sorted(_joined(clusters), key=lambda row: (row.confidence, row.id))[:_MOST_CLUSTERS]
    rows: list[list[object]] = [
        [
            row.id,
            len(row.members),
            f"{row.confidence:.3f}",
            "; ".join(_brief(project, member) for member in row.members[:4]),
        ]
        for row in chosen
    ]
    return ["cluster", "records", "confidence", "its records"], rows


def _joined(clusters: list[ClusterRow]) -> list[ClusterRow]:
    return [row for row in clusters if len(row.members) > 1]


def _cluster_caption(clusters: list[ClusterRow]) -> str:
    joined = len(_joined(clusters))
    which = "All" if joined <= _MOST_CLUSTERS else f"The {_MOST_CLUSTERS} least certain"
    return f"{which} of {joined:,} clusters with two records and more; {len(clusters) - joined:,} records are alone"


def _brief(project: Project, record: str) -> str:
    text = ", ".join(filter(None, map(shown, project.record(record).values()))) or record
    return text if len(text) <= 60 else text[:59] + "…"


def _worker_table(workers: list[WorkerRow]) -> tuple[list[str], list[list[object]]]:
    def share(value: float | None) -> str:
        return "" if value is None else f"{value:.0%}"

    rows: list[list[object]] = [
        [
            worker.name + (" (excluded)" if worker.excluded else ""),
            f"{worker.votes:,}",
            "" if worker.seconds is None else f"{worker.seconds:.1f}",
            share(worker.agreement),
            share(worker.false_yes),
            share(worker.false_no),
        ]
        for worker in workers
    ]
    return ["worker", "votes", "seconds a vote", "agrees", "wrong yes", "wrong no"], rows
