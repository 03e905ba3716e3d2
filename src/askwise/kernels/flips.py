"""What it would take to put the two records of a pair on the other side: together if apart, apart if together."""

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Floats, Int8s, Int32s
from askwise.kernels.adjacency import Adjacency, far_end, first_half, next_half, pair_of
from askwise.kernels.agglomerate import TIE_SCALE
from askwise.kernels.compiled import compiled, inlined, wide
from askwise.kernels.constraints import Values, agree
from askwise.kernels.intmap import FREE, find, find_or_put
from askwise.kernels.mixing import pair_hash

JOIN, MOVE_LEFT, MOVE_RIGHT, LEAVE_LEFT, LEAVE_RIGHT = 0, 1, 2, 3, 4
"""Which change of the clustering is the nearest: the two clusters become one, one of the two records goes over to the
other's cluster, or one of the two leaves the cluster that both are in."""

MOST = 6.0
"""No pair counts more than this, as log-odds, in what a change would cost."""

NEXT = 1e-3
"""What a question is worth beside a better one about the same two clusters."""

TEACHES = 0.1
"""What the doubt about a pair itself counts, squared, beside what the change is worth that it is about: an answer there
teaches how the evidence is to be read."""

_TIES = 1e-15

Pairs = NDArray[np.int32]  # with four rows


@inlined
def likely(cost: float) -> float:
    """How likely a change is right that costs so much in log-likelihood."""
    return float(1.0 / (1.0 + np.exp(cost)))


@inlined
def _weight(row: int, pair_weight: Floats) -> float:
    """What a pair counts: no more than `MOST`, unless it is fixed; then no sum outweighs it."""
    weight = pair_weight[row]
    if np.isnan(weight):
        return 0.0
    return float(weight) if np.isinf(weight) else min(max(weight, -MOST), MOST)


@inlined
def _settled(cost: float) -> float:
    """A cost is never less than nothing, and the same whichever way it was summed up."""
    return float(max(np.rint(cost * TIE_SCALE) / TIE_SCALE, 0.0))


@inlined
def _leaving(left: float, right: float) -> tuple[float, int]:
    """What it costs that one of two records leaves their cluster, and which; `left` and `right` are their own sums."""
    left, right = _settled(left), _settled(right)
    return min(left, right), LEAVE_LEFT if left <= right else LEAVE_RIGHT


@inlined
def _joining(between: float, left: float, right: float) -> tuple[float, int]:
    """What it costs to put two records together, and how, where `between` is all that speaks for joining the clusters.

    `left` and `right` are what holds each record where it is, less what draws it to the other's cluster.
    """
    left, right = _settled(left), _settled(right)
    cost = _settled(-between)
    if min(left, right) < cost:
        return min(left, right), MOVE_LEFT if left <= right else MOVE_RIGHT
    return cost, JOIN


@inlined
def _value(
    row: int,
    cost: float,
    kind: int,
    share: float,
    around: Adjacency,
    pair_weight: Floats,
    seed: np.uint64,
    names: Int32s,
    value: Floats,
    chance: Floats,
    change: Int8s,
) -> None:
    """Set what a pair is worth: a `share` of the chance squared and of what it teaches; hardly any two tie."""
    change[row] = kind
    chance[row] = likely(cost)
    if np.isnan(pair_weight[row]):
        value[row] = 0.0
    else:
        left, right = around.pair_u[row], around.pair_v[row]
        if names.size:
            left, right = names[left], names[right]
        liking = pair_hash(seed, left, right)
        worth = chance[row] ** 2 + TEACHES * likely(abs(pair_weight[row])) ** 2
        value[row] = worth * share * (1.0 + _TIES * (liking >> np.uint64(40)))


@compiled
def review(
    rows: Int32s,
    changed: Int32s,
    label: Int32s,
    size_of: Int32s,
    held: Values,
    around: Adjacency,
    pair_weight: Floats,
    pair_open: Floats,
    every_pair: bool,
    seed: np.uint64,
    names: Int32s,
    own: Floats,
    value: Floats,
    chance: Floats,
    change: Int8s,
    other_members: Bools,
    spent: Bools,
    drawn: Floats,
) -> Int32s:
    """Value all pairs between those two clusters (or inside the one) that have one of the pairs `changed`.

    `chance` is how likely the nearest change is right that would put the two records on the other side, and `value` its
    square, for the change has to be right, and the answer to say so; to this comes what the pair's answer teaches. With
    `every_pair`, all pairs that may be asked have evidence of their own; a pair is worth as much of both as it is still
    open, and of the pairs between the same two clusters all but the best nearly nothing. Without, the pairs with
    evidence stand for unasked ones beside them, and the value grows with the root of the number of pairs that the
    change is about.

    `names` are what chance goes by in ties, a number for each record; if there are none, that is its position.

    Two clusters that differ in what they have of `held` cannot be joined.

    `rows` are those that may have to be valued. `own[u]`, the summed log-odds of u to the rest of its cluster, must be
    up to date. `drawn` is scratch over the records, all 0, and left so. `spent` is a note at a row, which is taken back
    where the change that the row stands for is another, or its clusters have `other_members`. Returns the rows that
    were valued, each once.
    """
    capacity = 16
    while capacity < max(2 * changed.size + 2, min(16 * changed.size, rows.size)):  # most rows are not in it
        capacity *= 2
    keys, numbers = np.full(capacity, FREE, np.int64), np.empty(capacity, np.int32)
    groups = 0
    for row in changed:
        if find_or_put(keys, numbers, _two_clusters(row, label, around), groups) == groups:
            groups += 1
    latest, before = np.full(groups, -1, np.int32), np.empty(rows.size, np.int32)
    for at in range(rows.size):
        group = find(keys, numbers, _two_clusters(rows[at], label, around))
        if group >= 0:
            before[at] = latest[group]
            latest[group] = at
    found = np.empty(rows.size, np.int32)
    count = 0
    for last in latest:
        one, two = label[around.pair_u[rows[last]]], label[around.pair_v[rows[last]]]
        between = 0.0
        apart = not agree(one, held, two, held)
        i = last
        while i >= 0 and one != two:
            weight = _weight(rows[i], pair_weight)
            between += weight
            drawn[around.pair_u[rows[i]]] += weight
            drawn[around.pair_v[rows[i]]] += weight
            i = before[i]
        best = rows[last]
        i = last
        while i >= 0:
            row = rows[i]
            u, v = around.pair_u[row], around.pair_v[row]
            if one == two:
                cost, kind = _leaving(own[u], own[v])
                about = size_of[one] - 1.0
            else:
                speaks_for = -np.inf if apart else between
                cost, kind = _joining(speaks_for, own[u] - drawn[u], own[v] - drawn[v])
                about = size_of[one] * float(size_of[two]) if kind == JOIN else size_of[one] + size_of[two] - 1.0
            if other_members[one] or other_members[two] or change[row] != kind:
                spent[row] = False
            share = pair_open[row] if every_pair else np.sqrt(about)
            _value(row, cost, kind, share, around, pair_weight, seed, names, value, chance, change)
            if value[row] > value[best]:
                best = row
            found[count] = row
            count += 1
            i = before[i]
        i = last
        while i >= 0:
            row = rows[i]
            if every_pair and row != best:
                value[row] *= NEXT
            drawn[around.pair_u[row]] = drawn[around.pair_v[row]] = 0.0
            i = before[i]
    return found[:count]


@compiled
def worth_at_least(least: float, rows: Int32s, value: Floats) -> Int32s:
    """Those of some rows that are worth so much."""
    found = np.empty(rows.size, np.int32)
    count = 0
    for row in rows:  # written whether it is good or not: no processor could foresee which are
        found[count] = row
        count += value[row] >= least
    return found[:count]


@inlined
def _two_clusters(row: int, label: Int32s, around: Adjacency) -> int:
    """A number for the two clusters of a pair."""
    one, two = label[around.pair_u[row]], label[around.pair_v[row]]
    return int(min(one, two) * np.int64(label.size) + max(one, two))


@compiled
def own_sums_of(members: Int32s, label: Int32s, around: Adjacency, pair_weight: Floats, own: Floats) -> None:
    """For some records the summed log-odds to the rest of their clusters, into `own`."""
    for u in members:
        own[u] = 0.0
        half = first_half(u, around)
        while half >= 0:
            if label[far_end(half, around)] == label[u]:
                own[u] += _weight(pair_of(half, around), pair_weight)
            half = next_half(half, u, around)


@compiled
def own_sums(count: int, label: Int32s, around: Adjacency, pair_weight: Floats, own: Floats) -> None:
    """For every record the summed log-odds to the rest of its cluster, into `own`.

    The last pair comes first, as among half-edges: so the sums are those of `own_sums_of` to the last bit.
    """
    own[:] = 0.0
    for row in range(count - 1, -1, -1):
        u, v = around.pair_u[row], around.pair_v[row]
        if label[u] == label[v]:
            weight = _weight(row, pair_weight)
            own[u] += weight
            own[v] += weight


@compiled
def review_all(
    first: int,
    last: int,
    label: Int32s,
    following_member: Int32s,
    held: Values,
    around: Adjacency,
    pair_weight: Floats,
    pair_open: Floats,
    seed: np.uint64,
    names: Int32s,
    own: Floats,
    value: Floats,
    chance: Floats,
    change: Int8s,
) -> None:
    """The same as `review` with `every_pair`, for the clusters that are named by the records from `first` to `last`.

    Two clusters are looked at from the one with the smaller name only, so each pair is valued once, and threads can
    share the names. `own` must be known of all records.
    """
    from_here = np.zeros(label.size, np.float64)
    pairs = np.empty((5, 64), np.int32)
    sums = np.empty(64, np.float64)
    latest = np.full(128, -1, np.int32)
    for here in range(first, last):
        if label[here] != here:
            continue
        room = _half_count(here, following_member, around)
        if room > sums.size:
            while sums.size < room:
                sums = np.empty(2 * sums.size, np.float64)
            pairs = np.empty((5, sums.size), np.int32)
            latest = np.full(2 * sums.size, -1, np.int32)
        count = _look_from(here, label, following_member, around, own, pairs, sums, latest)
        _value_from(
            here,
            count,
            pairs,
            sums,
            label,
            held,
            around,
            pair_weight,
            pair_open,
            seed,
            names,
            own,
            value,
            chance,
            change,
            latest,
            from_here,
        )


@inlined
def _half_count(here: int, following_member: Int32s, around: Adjacency) -> int:
    """How many half-edges a cluster has."""
    count = 0
    u = here
    while u >= 0:
        count += around.starts[u + 1] - around.starts[u]
        half = around.head[u]
        while half >= 0:
            count += 1
            half = around.following[half - around.other.size]
        u = following_member[u]
    return int(count)


@inlined
def _look_from(
    here: int,
    label: Int32s,
    following_member: Int32s,
    around: Adjacency,
    own: Floats,
    pairs: Pairs,
    sums: Floats,
    latest: Int32s,
) -> int:
    """Note the pairs inside a cluster and those with clusters of larger names; returns how many they are.

    Noted are the record here and the other one, the row, the pair with the same cluster that was noted before, and the
    cluster's place in `latest`, a hash map (empty places are -1) to the last pair noted with it; and, in `sums`, `own`
    of the other record. So what is far away in memory is fetched here, where nothing waits for it.
    """
    count = 0
    u = here
    while u >= 0:
        half = first_half(u, around)
        while half >= 0:
            v = far_end(half, around)
            if v > here:  # smaller records are in clusters with smaller names
                there = label[v]
                if there > here or (there == here and v > u):
                    place = (wide(there) * 0x9E3779B1 >> 8) & (latest.size - 1)
                    while latest[place] >= 0 and label[pairs[1, latest[place]]] != there:
                        place = (place + 1) & (latest.size - 1)
                    pairs[0, count] = u
                    pairs[1, count] = v
                    pairs[2, count] = pair_of(half, around)
                    pairs[3, count] = latest[place]
                    pairs[4, count] = place
                    sums[count] = own[v]
                    latest[place] = count
                    count += 1
            half = next_half(half, u, around)
        u = following_member[u]
    return count


@inlined
def _value_from(
    here: int,
    count: int,
    pairs: Pairs,
    sums: Floats,
    label: Int32s,
    held: Values,
    around: Adjacency,
    pair_weight: Floats,
    pair_open: Floats,
    seed: np.uint64,
    names: Int32s,
    own: Floats,
    value: Floats,
    chance: Floats,
    change: Int8s,
    latest: Int32s,
    from_here: Floats,
) -> None:
    """Value the pairs that `_look_from` noted. `from_here` is scratch over the records, all 0, and left so."""
    for end in range(count):
        place = pairs[4, end]
        if latest[place] != end:
            continue
        latest[place] = -1
        inside = label[pairs[1, end]] == here
        several = pairs[3, end] >= 0
        apart = not agree(here, held, label[pairs[1, end]], held)
        between = 0.0
        at = end
        while at >= 0:
            weight = _weight(pairs[2, at], pair_weight)
            between += weight
            if several:
                from_here[pairs[1, at]] += weight
            at = pairs[3, at]
        best = pairs[2, end]
        at = after = end
        of_one = 0.0
        while at >= 0:
            u, v, row = pairs[0, at], pairs[1, at], pairs[2, at]
            if at == after:  # the first of u's pairs: what all of them say
                of_one = 0.0
                while after >= 0 and pairs[0, after] == u:
                    of_one += _weight(pairs[2, after], pair_weight)
                    after = pairs[3, after]
            if inside:
                cost, kind = _leaving(own[u], sums[at])
            else:
                left, right = own[u] - of_one, sums[at] - (from_here[v] if several else between)
                if u > v:
                    left, right = right, left
                cost, kind = _joining(-np.inf if apart else between, left, right)
            _value(row, cost, kind, pair_open[row], around, pair_weight, seed, names, value, chance, change)
            if value[row] > value[best]:
                best = row
            at = pairs[3, at]
        at = end
        while several and at >= 0:
            if pairs[2, at] != best:
                value[pairs[2, at]] *= NEXT
            from_here[pairs[1, at]] = 0.0
            at = pairs[3, at]
