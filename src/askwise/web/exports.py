"""Files that the owner downloads."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from fastapi import Response
from starlette.exceptions import HTTPException

from askwise.project import Project
from askwise.project.exports import Columns, cluster_columns, label_columns, vote_columns, write_columns
from askwise.report.project import project_report

EXPORTS = [
    (
        "Clusters",
        "Every record with the lasting id of its cluster and how far to trust it",
        ["clusters.csv", "clusters.parquet", "clusters.json"],
    ),
    (
        "Labels",
        "Every pair with votes and the chance that it is the same, as Splink's clerical labels",
        ["labels.csv", "labels.parquet"],
    ),
    ("Votes", "Every vote with worker, time and source; also what took votes back", ["votes.csv", "votes.parquet"]),
    ("Report", "One page that opens offline: what was asked, what it cost, clusters, workers, charts", ["report.html"]),
]
_TABLES: dict[str, Callable[[Project], Columns]] = {
    "clusters": cluster_columns,
    "labels": label_columns,
    "votes": vote_columns,
}
_TYPES = {"csv": "text/csv", "json": "application/json", "parquet": "application/vnd.apache.parquet"}


def exported(project: Project, name: str, formulas: bool = False) -> Response:
    """The file with that name, as a download; see `write_columns` about formulas."""
    if not any(name in names for _, _, names in EXPORTS):
        raise HTTPException(404, "there is no such file")
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    if name == "report.html":
        return Response(project_report(project), media_type="text/html", headers=headers)
    table, _, form = name.partition(".")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_columns(_TABLES[table](project), path, form, formulas=formulas)
        return Response(path.read_bytes(), media_type=_TYPES[form], headers=headers)
