"""The clusters as pages and programs see them: computed again when they have changed, but not all the time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

from askwise.project import ClusterRow, Project

_FRESH = 1.0  # seconds
_SHARE = 10.0  # how many times longer than it took to compute them, clusters may be shown


@dataclass(frozen=True)
class Clusters:
    """All clusters at one moment."""

    rows: list[ClusterRow] = field(repr=False)
    state: object
    good_until: float

    @cached_property
    def by_id(self) -> dict[int, ClusterRow]:
        """Clusters by their lasting ids."""
        return {row.id: row for row in self.rows}

    @cached_property
    def of_record(self) -> dict[str, ClusterRow]:
        """The cluster that each record is in."""
        return {member: row for row in self.rows for member in row.members}


class Snapshot:
    """Keeps the clusters for as long as they are right, and a little longer if they take long to compute."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = Lock()
        self._clusters: Clusters | None = None

    def clusters(self) -> Clusters:
        """The clusters, at most some seconds old: a tenth of the time at most goes into computing them."""
        with self._lock:
            known = self._clusters
            if known is not None and (time.monotonic() < known.good_until or known.state == self._state()):
                return known
            begin, state = time.monotonic(), self._state()
            rows = self._project.clusters()
            end = time.monotonic()
            self._clusters = Clusters(rows, state, end + max(_FRESH, _SHARE * (end - begin)))
            return self._clusters

    def forget(self) -> None:
        """The owner has changed something, and wants to see it."""
        with self._lock:
            self._clusters = None

    def _state(self) -> object:
        resolution = self._project.resolution
        return id(resolution), resolution.votes.count
