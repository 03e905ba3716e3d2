"""Files that the owner downloads."""

from __future__ import annotations

import csv
import io

from fastapi import Response
from starlette.exceptions import HTTPException

from askwise.project import Project

EXPORTS = [("Clusters", "Which record belongs to which entity, and how far to trust it", ["clusters.csv"])]


def exported(project: Project, name: str) -> Response:
    """The file with that name."""
    if name != "clusters.csv":
        raise HTTPException(404, "there is no such file")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["cluster_id", "unique_id", "confidence"])
    for row in project.clusters():
        writer.writerows([row.id, member, f"{row.confidence:.6f}"] for member in row.members)
    return Response(text.getvalue(), media_type="text/csv")
