"""What it would take to put the two records of a pair on the other side: together if apart, apart if together."""

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, Int64s
from askwise.kernels.adjacency import opposite
from askwise.kernels.agglomerate import TIE_SCALE
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.mixing import pair_hash

JOIN, MOVE_LEFT, MOVE_RIGHT, LEAVE_LEFT, LEAVE_RIGHT = 0, 1, 2, 3, 4
"""Which change of the clustering is the nearest: the two clusters become one, one of the two records goes over to the
other's cluster, or one of the two leaves the cluster that both are in."""

MOST = 6.0
"""No pair counts more than this, as log-odds, in what a change would cost."""

NEXT = 1e-3
"""What a question is worth beside a better one about the same two clusters."""

_TIES = 1e-15


@inlined
def likely(cost: float) -> float:
    """How likely a change is right that costs so much in log-likelihood."""
    return float(1.0 / (1.0 + np.exp(cost)))


@inlined
def _weight(row: int, pair_weight: Floats) -> float:
    weight = pair_weight[row]
    return 0.0 if np.isnan(weight) else min(max(weight, -MOST), MOST)


@inlined
def _settled(cost: float) -> float:
    """A cost is never less than nothing, and the same whichever way it was summed up."""
    return float(max(np.rint(cost * TIE_SCALE) / TIE_SCALE, 0.0))


@compiled
def review(
    members: Int32s,
    starts: Int64s,
    label: Int32s,
    size_of: Int32s,
    head: Int32s,
    following: Int32s,
    pair_u: Int32s,
    pair_v: Int32s,
    pair_weight: Floats,
    pair_open: Floats,
    every_pair: bool,
    seed: np.uint64,
    names: Int32s,
    own: Floats,
    value: Floats,
    chance: Floats,
    change: Int8s,
    sums: tuple[Floats, Floats, Floats],
    best: Int32s,
    new: tuple[Bools, Bools],
    spent: Bools,
    scratch: tuple[Bools, Bools, Bools],
) -> Int32s:
    """Value the pairs at some clusters, given by their members (those of cluster i begin at starts[i]).

    `chance` is how likely the nearest change is right that would put the two records on the other side, and `value` its
    square: the change has to be right, and the answer to say so. With `every_pair`, all pairs that may be asked have
    evidence of their own; a pair is worth as much of it as it is still open, and of the pairs between the same two
    clusters all but the best nearly nothing. Without, the pairs with evidence stand for unasked ones beside them, and
    the value grows with the root of the number of pairs that the change is about.

    `names` are what chance goes by in ties, a number for each record.

    `own[u]` is the summed log-odds of u to the rest of its cluster; it is brought up to date here. `sums` are three
    arrays over the records, all 0, and left so; `best` is another, all -1; `scratch` are three more, all False.

    `new` says which clusters have other members than before, and which rows other evidence: without `every_pair`, only
    what depends on these is valued again. Both are taken back. `spent` is a note at a row, which is taken back, too,
    where the change that the row stands for is another. Returns the rows that were valued, each once.
    """
    to_cluster, from_here, of_one = sums
    other_members, other_evidence = new
    done, touched, linked = scratch
    first = np.zeros(members.size + 1, np.int64)  # where the pairs at each member begin
    for i in range(members.size):
        count = first[i]
        half = head[members[i]]
        while half >= 0:
            count += 1
            half = following[half]
        first[i + 1] = count
    row_at, other = np.empty(first[-1], np.int32), np.empty(first[-1], np.int32)
    cluster, weight = np.empty(first[-1], np.int32), np.empty(first[-1])
    for i in range(members.size):
        u, at = members[i], first[i]
        own[u] = 0.0
        half = head[u]
        while half >= 0:
            row = half >> 1
            v = opposite(half, pair_u, pair_v)
            row_at[at], other[at], cluster[at], weight[at] = row, v, label[v], _weight(row, pair_weight)
            if label[v] == label[u]:
                own[u] += weight[at]
                touched[u] |= other_evidence[row]
            at += 1
            half = following[half]
    rows, todo = np.empty(first[-1], np.int32), np.empty(first[-1], np.int64)
    count = 0
    for i in range(starts.size - 1):
        here = label[members[starts[i]]]
        begin, end = first[starts[i]], first[starts[i + 1]]
        for at in range(begin, end):
            there = cluster[at]
            if there != here:
                to_cluster[there] += weight[at]
                from_here[other[at]] += weight[at]
                linked[there] |= other_evidence[row_at[at]]
        for j in range(starts[i], starts[i + 1]):
            u = members[j]
            some = 0
            for at in range(first[j], first[j + 1]):
                v, there = other[at], cluster[at]
                if done[there] or (there == here and v < u):
                    continue
                others = other_members[here] or other_members[there]
                if every_pair or others or linked[there] or touched[u] or touched[v]:
                    todo[some] = at
                    some += 1
            if some == 0:
                continue
            for at in range(first[j], first[j + 1]):
                of_one[cluster[at]] += weight[at]
            for at in todo[:some]:
                row, v, there = row_at[at], other[at], cluster[at]
                if there == here:
                    left, right = _settled(own[u]), _settled(own[v])
                    cost = min(left, right)
                    kind = LEAVE_LEFT if left <= right else LEAVE_RIGHT
                    about = size_of[here] - 1.0
                else:
                    left, right = _settled(own[u] - of_one[there]), _settled(own[v] - from_here[v])
                    if v < u:
                        left, right = right, left
                    cost = _settled(-to_cluster[there])
                    kind = JOIN
                    about = float(size_of[here]) * size_of[there]
                    if min(left, right) < cost:
                        cost = min(left, right)
                        kind = MOVE_LEFT if left <= right else MOVE_RIGHT
                        about = size_of[here] + size_of[there] - 1.0
                if other_members[here] or other_members[there] or change[row] != kind:
                    spent[row] = False
                change[row] = kind
                chance[row] = likely(cost)
                if np.isnan(pair_weight[row]):
                    value[row] = 0.0
                else:
                    value[row] = chance[row] ** 2 * (pair_open[row] if every_pair else np.sqrt(about))
                    liking = pair_hash(seed, names[pair_u[row]], names[pair_v[row]])
                    value[row] *= 1.0 + _TIES * (liking >> np.uint64(40))
                rows[count] = row
                count += 1
                if every_pair and (best[there] < 0 or value[row] > value[best[there]]):
                    best[there] = row
            for at in range(first[j], first[j + 1]):
                of_one[cluster[at]] = 0.0
        if every_pair:
            for j in range(starts[i], starts[i + 1]):
                for at in range(first[j], first[j + 1]):
                    chief = best[cluster[at]]
                    if chief >= 0 and chief != row_at[at] and (cluster[at] != here or members[j] < other[at]):
                        value[row_at[at]] *= NEXT
        for at in range(begin, end):
            there = cluster[at]
            to_cluster[there], from_here[other[at]] = 0.0, 0.0
            best[there], linked[there] = -1, False
        done[here] = True
    for u in members:
        done[label[u]] = False
        other_members[label[u]] = False
        touched[u] = False
    for row in row_at:
        other_evidence[row] = False
    return rows[:count]
