"""Files that the owner downloads."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from fastapi import Response
from starlette.exceptions import HTTPException

from askwise.project import Project
from askwise.project.exports import Columns, Wanted, cluster_columns, label_columns, vote_columns, write_columns
from askwise.report.project import project_report

EXPORTS = [
    (
        "Labels",
        "Every pair with votes, and how likely it is the same, as Splink's clerical labels",
        ["labels.csv", "labels.parquet"],
    ),
    ("Votes", "Every vote with worker, time and source; and what undid votes", ["votes.csv", "votes.parquet"]),
    ("Report", "One page that opens offline: what was asked, what it cost, clusters, workers, charts", ["report.html"]),
]
_TABLES: dict[str, Callable[[Project], Columns]] = {
    "labels": label_columns,
    "votes": vote_columns,
}
_CLUSTERS = ("clusters.csv", "clusters.parquet", "clusters.json")
_TYPES = {"csv": "text/csv", "json": "application/json", "parquet": "application/vnd.apache.parquet"}


def exported(
    project: Project,
    name: str,
    formulas: bool = False,
    wanted: Wanted | None = None,
    hidden: Collection[str] = (),
) -> Response:
    """The file with that name, as a download; see `write_columns` about formulas, `Wanted` about clusters."""
    if name not in _CLUSTERS and not any(name in names for _, _, names in EXPORTS):
        raise HTTPException(404, "there is no such file")
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    if name == "report.html":
        return Response(project_report(project), media_type="text/html", headers=headers)
    table, _, form = name.partition(".")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        columns = cluster_columns(project, wanted, hidden) if table == "clusters" else _TABLES[table](project)
        write_columns(columns, path, form, formulas=formulas)
        return Response(path.read_bytes(), media_type=_TYPES[form], headers=headers)
