"""What questions are worth: how costly it is to put two records together that are apart, or apart if together."""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s
from askwise.kernels.adjacency import Adjacency, far_end, first_half, next_half, pair_of
from askwise.kernels.agglomerate import TIE_SCALE
from askwise.kernels.compiled import compiled, inlined, wide
from askwise.kernels.constraints import agree
from askwise.kernels.mixing import pair_hash
from askwise.kernels.partition import Membership

JOIN, MOVE_LEFT, MOVE_RIGHT, LEAVE_LEFT, LEAVE_RIGHT = 0, 1, 2, 3, 4
"""Which change of the clustering is the nearest: the two clusters become one, one of the two records goes over to the
other's cluster, or one of the two leaves the cluster that both are in."""

MOST_LOG_ODDS = 6.0
"""No pair counts more than this, as log-odds, in what a change would cost."""

NEXT = 1e-3
"""What a question is worth beside a better one about the same two clusters."""

TEACHES = 0.1
"""The weight of the pair's own doubt, squared, in its value: an answer there teaches how far to trust the evidence."""

_TIES = 1e-15


class Worth(NamedTuple):
    """What each pair is worth as a question, row by row.

    `chance` is how likely the nearest change is right that would put the two records on the other side, and `change`
    which that is. `spent` is True where no unasked pair about the change is left.
    """

    value: Floats
    chance: Floats
    change: Int8s
    spent: Bools


class Doubts(NamedTuple):
    """What values are computed from: each pair's log-odds, how far it is open, and each record's `own` sum.

    `own` is the summed log-odds of a record to the rest of its cluster. `names` are the numbers of the records by which
    ties are broken; if it is empty, these are their positions. If `every_pair` that may be asked has evidence, a pair
    stands for itself; if not, it stands for unasked ones about the same change.
    """

    weight: Floats
    open: Floats
    own: Floats
    names: Int32s
    seed: np.uint64
    every_pair: bool


class Touched(NamedTuple):
    """What has changed since the last `revalue`: evidence by row, records, and roots of clusters with other members.

    If `evidence` is empty, everything counts as changed.
    """

    evidence: Bools
    records: Bools
    other_members: Bools


class Noted(NamedTuple):
    """The pairs at a cluster, in the order in which they were found, and scratch.

    Of each pair: the record `here` and the one `there`, its `row`, the pair with the same cluster that was noted
    `before` it (-1: none), that cluster's `place` in `latest`, and `own` of the record there. `latest` is a hash map
    from clusters to the last pair noted with them, -1 where a place is empty. `sums` has a place for each
    record, all 0.
    """

    here: Int32s
    there: Int32s
    row: Int32s
    before: Int32s
    place: Int32s
    own: Floats
    latest: Int32s
    sums: Floats


@inlined
def likely(cost: float) -> float:
    """How likely a change is right, given its cost in log-likelihood."""
    return float(1.0 / (1.0 + np.exp(cost)))


@inlined
def _weight(row: int, pair_weight: Floats) -> float:
    """What a pair counts: at most `MOST_LOG_ODDS`, unless it is fixed; then no sum outweighs it."""
    weight = pair_weight[row]
    if np.isnan(weight):
        return 0.0
    return float(weight) if np.isinf(weight) else min(max(weight, -MOST_LOG_ODDS), MOST_LOG_ODDS)


@inlined
def _settled(cost: float) -> float:
    """A cost that is never negative, rounded so that the order of summation does not matter."""
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
def _value(row: int, cost: float, kind: int, share: float, around: Adjacency, doubts: Doubts, worth: Worth) -> None:
    """Set what a pair is worth: `share` * (chance² + `TEACHES` * doubt²), and a little by hash so that hardly any tie.

    The doubt is the probability that the pair's own evidence is on the wrong side.
    """
    worth.change[row] = kind
    worth.chance[row] = likely(cost)
    if np.isnan(doubts.weight[row]):
        worth.value[row] = 0.0
    else:
        left, right = around.pair_u[row], around.pair_v[row]
        if doubts.names.size:
            left, right = doubts.names[left], doubts.names[right]
        liking = pair_hash(doubts.seed, left, right)
        value = worth.chance[row] ** 2 + TEACHES * likely(abs(doubts.weight[row])) ** 2
        worth.value[row] = value * share * (1.0 + _TIES * (liking >> np.uint64(40)))


@compiled
def worth_at_least(least: float, rows: Int32s, value: Floats) -> Int32s:
    """Those of some rows whose value is at least `least`."""
    found = np.empty(rows.size, np.int32)
    count = 0
    for row in rows:  # written whether it is good or not: a branch here would be mispredicted
        found[count] = row
        count += value[row] >= least
    return found[:count]


@compiled
def own_sums_of(roots: Int32s, clusters: Membership, around: Adjacency, pair_weight: Floats, own: Floats) -> None:
    """For the members of some clusters, the summed log-odds to the rest of the cluster, into `own`."""
    for root in roots:
        u = root
        while u >= 0:
            own[u] = 0.0
            half = first_half(u, around)
            while half >= 0:
                if clusters.label[far_end(half, around)] == root:
                    own[u] += _weight(pair_of(half, around), pair_weight)
                half = next_half(half, u, around)
            u = clusters.following_member[u]


@compiled
def own_sums(count: int, label: Int32s, around: Adjacency, pair_weight: Floats, own: Floats) -> None:
    """For every record the summed log-odds to the rest of its cluster, into `own`.

    The last pair comes first, as among half-edges: so the sums equal those of `own_sums_of` to the last bit.
    """
    own[:] = 0.0
    for row in range(count - 1, -1, -1):
        u, v = around.pair_u[row], around.pair_v[row]
        if label[u] == label[v]:
            weight = _weight(row, pair_weight)
            own[u] += weight
            own[v] += weight


@compiled
def revalue(
    roots: Int32s,
    looked_from: Bools,
    clusters: Membership,
    around: Adjacency,
    doubts: Doubts,
    touched: Touched,
    worth: Worth,
    scratch: Floats,
) -> Int32s:
    """Value the pairs at the clusters `roots`, those inside each and those with other clusters.

    A pair between two clusters that are both looked from is valued from the one with the smaller root, so that threads
    can share the roots. `looked_from` marks the roots of all that are; if it is empty, all clusters are. Two clusters
    (or one) without any `touched` pair are passed over. `spent` is taken back where the change is another, or a cluster
    has other members. `doubts.own` must be up to date. `scratch` has a place for each record, all 0, and is left so.

    Returns the rows that were valued, each once.
    """
    found = np.empty(64, np.int32)
    total = 0
    noted = _room_for(64, scratch)
    for here in roots:
        room = _half_count(here, clusters.following_member, around)
        if room > noted.row.size:
            capacity = noted.row.size
            while capacity < room:
                capacity *= 2
            noted = _room_for(capacity, scratch)
        count = _note_pairs(here, looked_from, clusters, around, doubts.own, noted)
        if total + count > found.size:
            larger = np.empty(2 * (total + count), np.int32)
            larger[:total] = found[:total]
            found = larger
        total += _value_noted(here, count, noted, clusters, around, doubts, touched, worth, found[total:])
    return found[:total].copy()


@compiled
def _room_for(pairs: int, sums: Floats) -> Noted:
    """Room to note some pairs."""
    ends = np.empty((5, pairs), np.int32)
    latest = np.full(2 * pairs, -1, np.int32)
    return Noted(ends[0], ends[1], ends[2], ends[3], ends[4], np.empty(pairs), latest, sums)


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
def _note_pairs(
    here: int, looked_from: Bools, clusters: Membership, around: Adjacency, own: Floats, noted: Noted
) -> int:
    """Note the pairs inside a cluster, and those with clusters that do not note them themselves; returns the number.

    So what is far away in memory is fetched here, where nothing waits for it.
    """
    label, latest = clusters.label, noted.latest
    count = 0
    u = here
    while u >= 0:
        half = first_half(u, around)
        while half >= 0:
            v = far_end(half, around)
            if v > here or looked_from.size > 0:  # smaller records are in clusters with smaller roots
                there = label[v]
                from_there = there < here and (looked_from.size == 0 or looked_from[there])
                if not from_there and (there != here or v > u):
                    place = (wide(there) * 0x9E3779B1 >> 8) & (latest.size - 1)
                    while latest[place] >= 0 and label[noted.there[latest[place]]] != there:
                        place = (place + 1) & (latest.size - 1)
                    noted.here[count] = u
                    noted.there[count] = v
                    noted.row[count] = pair_of(half, around)
                    noted.before[count] = latest[place]
                    noted.place[count] = place
                    noted.own[count] = own[v]
                    latest[place] = count
                    count += 1
            half = next_half(half, u, around)
        u = clusters.following_member[u]
    return count


@inlined
def _any_touched(end: int, noted: Noted, touched: Touched) -> bool:
    """Whether one of the pairs noted with a cluster is touched; `end` is the last of them."""
    at = end
    while at >= 0:
        if touched.evidence[noted.row[at]] or touched.records[noted.here[at]] or touched.records[noted.there[at]]:
            return True
        at = noted.before[at]
    return False


@inlined
def _share(row: int, kind: int, here: int, there: int, size_of: Int32s, doubts: Doubts) -> float:
    """What to multiply a value by: how far the pair is open, or the root of the number of pairs that it stands for."""
    if doubts.every_pair:
        return float(doubts.open[row])
    if kind == JOIN:
        return float(np.sqrt(size_of[here] * float(size_of[there])))
    return float(np.sqrt(size_of[here] + (0.0 if here == there else size_of[there]) - 1.0))


@inlined
def _value_noted(
    here: int,
    count: int,
    noted: Noted,
    clusters: Membership,
    around: Adjacency,
    doubts: Doubts,
    touched: Touched,
    worth: Worth,
    found: Int32s,
) -> int:
    """Value the pairs that `_note_pairs` noted, and put their rows into `found`; returns how many these are.

    Of the pairs with one cluster, all but the best are worth nearly nothing if `every_pair` has evidence.
    """
    total = 0
    from_here = noted.sums
    for end in range(count):
        place = noted.place[end]
        if noted.latest[place] != end:
            continue
        noted.latest[place] = -1
        if touched.evidence.size and not _any_touched(end, noted, touched):
            continue
        there = clusters.label[noted.there[end]]
        several = noted.before[end] >= 0
        apart = not agree(here, clusters.held, there, clusters.held)
        other_members = touched.other_members[here] or touched.other_members[there]
        between = 0.0
        at = end
        while at >= 0:
            weight = _weight(noted.row[at], doubts.weight)
            between += weight
            if several:
                from_here[noted.there[at]] += weight
            at = noted.before[at]
        best = noted.row[end]
        at = after = end
        of_one = 0.0
        while at >= 0:
            u, v, row = noted.here[at], noted.there[at], noted.row[at]
            if at == after:  # the first of u's pairs: what all of them say
                of_one = 0.0
                while after >= 0 and noted.here[after] == u:
                    of_one += _weight(noted.row[after], doubts.weight)
                    after = noted.before[after]
            if here == there:
                cost, kind = _leaving(doubts.own[u], noted.own[at])
            else:
                left, right = doubts.own[u] - of_one, noted.own[at] - (from_here[v] if several else between)
                if u > v:
                    left, right = right, left
                cost, kind = _joining(-np.inf if apart else between, left, right)
            if other_members or worth.change[row] != kind:
                worth.spent[row] = False
            _value(row, cost, kind, _share(row, kind, here, there, clusters.size_of, doubts), around, doubts, worth)
            if worth.value[row] > worth.value[best]:
                best = row
            found[total] = row
            total += 1
            at = noted.before[at]
        at = end
        while several and at >= 0:
            if doubts.every_pair and noted.row[at] != best:
                worth.value[noted.row[at]] *= NEXT
            from_here[noted.there[at]] = 0.0
            at = noted.before[at]
    return total
