"""What each pair with evidence is worth as a question, kept up to date at the cost of what a change touches."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, grown
from askwise.graph import UncertainGraph
from askwise.kernels.partition import Membership
from askwise.kernels.question_values import Doubts, Touched, Worth, own_sums, own_sums_of, revalue
from askwise.parallel import Parts

_PER_PART = 8192
_NO_MARKS: Bools = np.empty(0, np.bool_)
_NO_ROWS: Int32s = np.empty(0, np.int32)


class Valuing:
    """Values the pairs of a graph, given its clusters; `names`, if any, are numbers of the records to break ties by.

    `worth` has the values, row by row, and `own` the summed log-odds of each record to the rest of its cluster. Both
    are up to date after `revalue`. If `every_pair` that may be asked has evidence, a pair stands for itself; if not, it
    stands for unasked ones about the same change.
    """

    def __init__(self, graph: UncertainGraph, clusters: Membership, seed: int, names: Int32s = _NO_ROWS) -> None:
        self._graph = graph
        self._clusters = clusters
        self._seed = np.uint64(seed)
        self._names = names
        self.every_pair = graph.candidates.listed and graph.pair_count >= graph.candidates.total
        rows = graph.pair_count
        self.worth = Worth(np.zeros(rows), np.zeros(rows), np.zeros(rows, np.int8), np.zeros(rows, np.bool_))
        self.own: Floats = np.zeros(len(graph))
        self._stale: Bools = clusters.label == np.arange(len(graph))
        self._touched = Touched(np.zeros(rows, np.bool_), _NO_MARKS, self._stale.copy())

    def update(self, rows: Int32s, moved: Int32s) -> None:
        """Mark the clusters that have new evidence on `rows`, or new members because records have `moved`."""
        label, size_of, graph = self._clusters.label, self._clusters.size_of, self._graph
        for marks in (self._stale, self._touched.other_members):
            marks[moved] = False
            marks[label[moved]] = True
        if not self.every_pair:
            self._touched = self._touched._replace(evidence=grown(self._touched.evidence, graph.pair_count, False))
            self._touched.evidence[rows] = True
        if rows.size > label.size:
            self._stale[label] = True
            return
        one, two = label[graph.pair_u[rows]], label[graph.pair_v[rows]]
        self._stale[np.where(size_of[one] <= size_of[two], one, two)] = True  # of two clusters, the smaller will do

    def revalue(self, clusters: int) -> Int32s | None:
        """Value the pairs at marked clusters; `clusters` is the number of all. Returns the rows, or None for all."""
        self._make_room()
        stale = np.flatnonzero(self._stale).astype(np.int32)
        if stale.size > clusters // 4:
            self.revalue_all()
            return None
        return self.revalue_at(stale) if stale.size else _NO_ROWS

    def revalue_at(self, roots: Int32s) -> Int32s:
        """Value the pairs at some clusters, and return their rows. `own` must be known of the other clusters."""
        graph, clusters, around = self._graph, self._clusters, self._graph.adjacency
        own_sums_of(roots, clusters, around, graph.pair_weight, self.own)
        size = len(graph)
        looked_from: Bools = np.zeros(size, np.bool_)
        looked_from[roots] = True
        doubts, touched = self._doubts(), self._take_touched()
        rows = revalue(roots, looked_from, clusters, around, doubts, touched, self.worth, np.zeros(size))
        self._stale[roots] = self._touched.other_members[roots] = False
        return rows

    def revalue_all(self) -> None:
        """Value the pairs at all clusters, on all cores."""
        graph, clusters, around = self._graph, self._clusters, self._graph.adjacency
        size = len(graph)
        own_sums(graph.pair_count, clusters.label, around, graph.pair_weight, self.own)
        roots = np.flatnonzero(clusters.label == np.arange(size)).astype(np.int32)
        doubts, touched = self._doubts(), self._take_touched()

        def some(first: int, last: int) -> None:
            revalue(roots[first:last], _NO_MARKS, clusters, around, doubts, touched, self.worth, np.zeros(size))

        Parts().all("questions", roots.size, max(_PER_PART, roots.size // 16), some)
        self._stale[:] = self._touched.other_members[:] = False

    def _make_room(self) -> None:
        count = self._graph.pair_count
        value, chance, change, spent = self.worth
        if count > value.size:
            self.worth = Worth(
                grown(value, count, 0.0), grown(chance, count, 0.0), grown(change, count, 0), grown(spent, count, False)
            )

    def _doubts(self) -> Doubts:
        graph = self._graph
        return Doubts(graph.pair_weight, graph.pair_open, self.own, self._names, self._seed, self.every_pair)

    def _take_touched(self) -> Touched:
        """What has changed since the last `revalue`, if that is known. Clears the marks of evidence.

        Evidence inside a cluster says how far its two records belong there, and so what it takes to move them.
        """
        evidence, _, other_members = self._touched
        if self.every_pair:
            return Touched(_NO_MARKS, _NO_MARKS, other_members)
        label, graph = self._clusters.label, self._graph
        rows = np.flatnonzero(evidence)
        u, v = graph.pair_u[rows], graph.pair_v[rows]
        records = other_members[label]
        inside = label[u] == label[v]
        records[u[inside]] = records[v[inside]] = True
        marks = np.zeros(max(graph.pair_count, 1), np.bool_)
        marks[rows] = True
        evidence[rows] = False
        return Touched(marks, records, other_members)
