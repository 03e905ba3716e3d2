"""The kernels on one bucket: from an Arrow table of pairs to an Arrow table of what was found.

A bucket holds whole components to be clustered, or whole clusters to be valued with all pairs between any two of them.
Records get new numbers inside it, in the same order, so that whatever depends on order is as in one large graph.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.candidate_pairs import ScoredPairs
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.kernels.constraints import Values
from askwise.measures.cluster_tree import REPORT, ClusterTree
from askwise.measures.reliability import weakest_separations
from askwise.records import Records
from askwise.spark.membership import membership_of
from askwise.strategies.valuing import Valuing

PAIR = "u long, v long, p double, asked boolean, extra int"
"""A pair with evidence: positions u < v among all records; `p` is 0 or 1 if a rule says so, and only then; `extra` is 0
for candidates, and for other pairs, of rules and then of votes, their number."""

MEMBER = "position long, component long, cluster long, size int, own double, connectivity double, held array<int>"
VALUED = f"{PAIR}, a long, b long, value double, chance double, change int"
FOUND = f"kind int, {VALUED}"
PAIR_FOUND, SEPARATION_FOUND = 0, 1
"""The two kinds of rows that valuing gives: a pair with its clusters a and b, or (u, v, value): the cluster u is that
far from v, the nearest."""


class _Part(NamedTuple):
    """The graph of a bucket, the positions of its records among all, and the order in which it took the pairs."""

    graph: UncertainGraph
    names: Int64s
    order: Int64s


def _part(
    u: Int64s, v: Int64s, p: Floats, asked: Bools, extra: Int32s, names: Int64s, values: Values | None = None
) -> _Part:
    """A graph that has the pairs in the order of the whole: candidates by their records, then those beside them."""
    order = np.lexsort((v, u, extra))
    left, right = (np.searchsorted(names, side[order]).astype(np.int32) for side in (u, v))
    listed = extra[order] == 0
    records = Records(range(names.size))
    pairs = ScoredPairs(records.ids, left[listed], right[listed], p[order][listed])
    graph = UncertainGraph(records, candidates=pairs, values=values)
    rows = graph.rows_of(left, right)
    graph.fix(rows, ((p[order] >= 1.0).astype(np.int8) - (p[order] <= 0.0)).astype(np.int8))
    graph.any_fixed = bool(graph.pair_fixed.any())
    said = asked[order]
    graph.mark_asked(left[said], right[said])
    graph.set_evidence(rows, p[order])
    return _Part(graph, names, order)


def clustered(table: pa.Table, method: str, seed: int, values: Values) -> pa.Table:
    """Cluster a bucket of components: each record's cluster, its size, and how well it holds together.

    `values` are those of all records of which a cluster has at most one.
    """
    u, v, p, asked, extra = _columns(table, "u", "v", "p", "asked", "extra")
    names = np.unique(np.concatenate((u, v)))
    graph, names, _ = _part(u, v, p, asked, extra, names, values[names] if values.shape[1] else None)
    partition = Partition(graph, method, seed)
    valuing = Valuing(graph, partition.membership, seed, names.astype(np.int32))
    valuing.revalue_at(np.unique(partition.label))
    connectivity = np.ones(names.size)
    label, size_of = partition.label, partition.size_of
    sight = _Named(graph, names)
    for root in np.flatnonzero((label == np.arange(label.size)) & (size_of > 1)).tolist():
        members = partition.members(root)
        log = ClusterTree(sight, names[members].astype(np.int32), seed, REPORT).log_connectivity
        connectivity[members] = 0.0 if log.assumed else 10.0**log
    return pa.table(
        {
            "position": names,
            "component": names[partition.component],
            "cluster": names[label],
            "size": size_of[label],
            "own": valuing.own,
            "connectivity": connectivity,
            "held": lists(partition.held[label]),
        }
    )


class _Named:
    """A graph in which records go by their positions among all, so that worlds are drawn as in one large graph."""

    def __init__(self, graph: UncertainGraph, names: Int64s) -> None:
        self._graph = graph
        self._names = names
        self.pair_p = graph.pair_p

    def inside(self, nodes: Int32s) -> tuple[Int32s, Int32s, Int32s]:
        """See `UncertainGraph.inside`."""
        return self._graph.inside(np.searchsorted(self._names, nodes).astype(np.int32))


def valued(table: pa.Table, seed: int) -> pa.Table:
    """Value a bucket of clusters: what each pair is worth, and the weakest separation that a cluster has here.

    The rows have, beside the pair, the cluster, its size and the `own` of both records. Between two clusters the one
    with the smaller root is the owner; its pairs inside are here too.
    """
    u, v, p, asked, extra = _columns(table, "u", "v", "p", "asked", "extra")
    a, b, size_a, size_b, own_u, own_v = _columns(table, "a", "b", "size_a", "size_b", "own_u", "own_v")
    names = np.unique(np.concatenate((u, v, a, b)))
    label = np.arange(names.size, dtype=np.int32)
    size_of, own = np.ones(names.size, np.int32), np.zeros(names.size)
    values = [_matrix(table, name) for name in ("held_a", "held_b")]
    held = np.full((names.size, values[0].shape[1]), -1, np.int32)
    for record, root, size, sum_, of_root in ((u, a, size_a, own_u, values[0]), (v, b, size_b, own_v, values[1])):
        at, of = np.searchsorted(names, record), np.searchsorted(names, root)
        label[at], size_of[of], own[at], held[of] = of, size, sum_, of_root
    graph, _, order = _part(u, v, p, asked, extra, names)
    owners = np.searchsorted(names, np.unique(np.minimum(a, b))).astype(np.int32)
    valuing = Valuing(graph, membership_of(label, size_of, held), seed, names.astype(np.int32))
    valuing.own[:] = own
    valuing.revalue_at(owners)
    value, chance, change, _ = (column[: graph.pair_count] for column in valuing.worth)
    separation, nearest = weakest_separations(graph, label, held)
    met = np.flatnonzero(nearest >= 0)
    roots = names[np.flatnonzero(label == np.arange(label.size))][met]
    separation, nearest = separation[met], nearest[met]
    rows, blank = u.size, met.size
    return pa.table(
        {
            "kind": np.repeat(np.array([PAIR_FOUND, SEPARATION_FOUND], np.int32), (rows, blank)),
            "u": np.concatenate((u[order], roots)),
            "v": np.concatenate((v[order], names[nearest])),
            "p": np.concatenate((p[order], np.zeros(blank))),
            "asked": np.concatenate((asked[order], np.zeros(blank, np.bool_))),
            "extra": np.concatenate((extra[order], np.zeros(blank, np.int32))),
            "a": np.concatenate((a[order], roots)),
            "b": np.concatenate((b[order], names[nearest])),
            "value": np.concatenate((value, separation)),
            "chance": np.concatenate((chance, np.zeros(blank))),
            "change": np.concatenate((change.astype(np.int32), np.zeros(blank, np.int32))),
        }
    )


def lists(values: Values) -> pa.Array:
    """Rows of values as a column of lists."""
    starts = np.arange(0, values.size + 1, values.shape[1]) if values.shape[1] else np.zeros(len(values) + 1)
    return pa.ListArray.from_arrays(pa.array(starts.astype(np.int32)), pa.array(values.ravel()))


def _matrix(table: pa.Table, name: str) -> Values:
    """What `lists` made a column of."""
    column = table.column(name).combine_chunks()
    flat = column.flatten().to_numpy().astype(np.int32)
    return flat.reshape(len(column), -1) if len(column) and flat.size else np.empty((len(column), 0), np.int32)


def _columns(table: pa.Table, *names: str) -> list[Any]:
    return [table.column(name).to_numpy() for name in names]
