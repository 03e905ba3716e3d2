"""All clusters at one moment, in arrays, for pages, programs and exports that must not wait for the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askwise.arrays import Bools, Int32s, Int64s, Words
from askwise.errors import InputError
from askwise.measures.confidence import Confidences
from askwise.project.values import ClusterRow
from askwise.records import Records
from askwise.resolution import Resolution

MANY = 2_000
"""If more clusters than this have changed, all are computed again."""


@dataclass(frozen=True)
class Board:
    """The clusters, in the order of their first records.

    Cluster i has the lasting id ids[i]. `place` gives the cluster of each record. `conflict` says whether a pair of the
    cluster is in conflict. If the board is not `exact`, unchanged clusters have their confidence from the board before.
    """

    state: tuple[int, ...]
    records: Records
    roots: Int32s
    place: Int32s
    first: Int64s
    ids: Int64s
    size: Int64s
    trust: Confidences
    conflict: Bools
    exact: bool

    def __len__(self) -> int:
        return self.ids.size

    @cached_property
    def _order(self) -> Int64s:
        """The records, grouped by cluster."""
        return np.argsort(self.place, kind="stable")

    @cached_property
    def _starts(self) -> Int64s:
        return np.concatenate(([0], np.cumsum(self.size)))

    @cached_property
    def _at(self) -> dict[int, int]:
        return {number: at for at, number in enumerate(self.ids.tolist())}

    @cached_property
    def prints(self) -> Words:
        """A fingerprint of each cluster: equal for clusters with the same records."""
        return np.add.reduceat(prints_of(self._order), self._starts[:-1])

    def members(self, at: int) -> Int64s:
        """The positions of the records of cluster `at`."""
        return self._order[self._starts[at] : self._starts[at + 1]]

    def names(self, at: int) -> tuple[str, ...]:
        """The records of cluster `at`."""
        ids = self.records.ids
        return tuple(str(ids[one]) for one in self.members(at).tolist())

    def row(self, at: int) -> ClusterRow:
        """Cluster `at` as a value, made on first use."""
        known = self._made.get(at)
        return self._made.setdefault(at, self._row(at)) if known is None else known

    @cached_property
    def _made(self) -> dict[int, ClusterRow]:
        return {}

    def _row(self, at: int) -> ClusterRow:
        trust, near = self.trust, int(self.trust.nearest[at])
        return ClusterRow(
            id=int(self.ids[at]),
            members=self.names(at),
            confidence=float(trust.right[at]),
            connectivity=float(trust.connectivity[at]),
            separation=float(trust.separation[at]),
            nearest=None if near < 0 else str(self.records.ids[near]),
        )

    @cached_property
    def largest(self) -> Int64s:
        """The places of all clusters, the largest first."""
        return np.lexsort((self.ids, -self.size))

    @cached_property
    def rows(self) -> list[ClusterRow]:
        """All clusters, the largest first."""
        return [self.row(at) for at in self.largest.tolist()]

    def find(self, number: int) -> int | None:
        """The place of the cluster with a lasting id, or None."""
        return self._at.get(number)

    def at(self, number: int) -> int:
        """The place of the cluster with a lasting id, or an error."""
        found = self.find(number)
        if found is None:
            raise InputError(f"there is no cluster {number} (any more)")
        return found

    def of(self, record: str) -> int:
        """The place of the cluster that a record is in."""
        return int(self.place[self.records.position(record)])


def prints_of(positions: Int64s) -> Words:
    """A random number for each record; their sum modulo 2^64 identifies a set of records."""
    found = (positions.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(found ^ (found >> np.uint64(31)), np.uint64)


def made_board(
    state: tuple[int, ...],
    resolution: Resolution,
    conflicts: Int32s,
    lasting: Callable[[Int32s], Int64s],
    before: Board | None = None,
) -> Board:
    """The present clusters. The caller holds the engine's lock.

    `conflicts` are rows of pairs, and `lasting` gives the cluster id of each record. With a board `before`, only
    clusters that have changed are computed, if they are not too many.
    """
    graph, roots = resolution.graph, resolution.clustering.roots
    first, place = np.unique(roots, return_inverse=True)
    ids = lasting(roots)[first]
    new = np.arange(first.size)
    if before is not None and before.roots.size == roots.size:
        new = np.flatnonzero(_changed(before.roots, roots)[first])
    exact = before is None or before.roots.size != roots.size or new.size > MANY
    if exact or before is None:
        trust = resolution.confidence_of(first.astype(np.int64))
    else:
        trust = _patched(before, first, new, resolution.confidence_of(first[new].astype(np.int64)))
    disputed = np.zeros(first.size, np.bool_)
    disputed[place[graph.pair_u[conflicts]]] = disputed[place[graph.pair_v[conflicts]]] = True
    size = np.bincount(place, minlength=first.size)
    return Board(
        state, graph.records, roots, place.astype(np.int32), first.astype(np.int64), ids, size, trust, disputed, exact
    )


def _changed(before: Int32s, now: Int32s) -> Bools:
    """For each record that is the first of its cluster now: whether that cluster has changed."""
    moved = before != now
    changed = np.zeros(now.size, np.bool_)
    changed[now[moved]] = changed[before[moved]] = True
    return changed


def _patched(before: Board, first: Int32s, new: Int64s, trust: Confidences) -> Confidences:
    """The values of the board before for unchanged clusters, and `trust` for the new ones."""
    old = before.place[first]
    kept = before.trust
    found = Confidences(kept.right[old], kept.connectivity[old], kept.separation[old], kept.nearest[old])
    found.right[new], found.connectivity[new], found.separation[new], found.nearest[new] = trust
    return found
