"""What questions are worth: how costly it is to put two records together that are apart, or apart if together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

MOST = 6.0
"""No pair counts more than this, as log-odds, in what a change would cost."""

NEXT = 1e-3
"""What a question is worth beside a better one about the same two clusters."""

TEACHES = 0.1
"""What the doubt about a pair itself counts, squared, beside what the change is worth that it is about: an answer there
teaches how the evidence is to be read."""

_TIES = 1e-15

Notes = NDArray[np.int32]  # with five rows; see `_note_pairs`


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
    """What has changed since the last review: evidence by row, records, and roots of clusters with other members.

    If `evidence` is empty, everything counts as changed.
    """

    evidence: Bools
    records: Bools
    other_members: Bools


@inlined
def likely(cost: float) -> float:
    """How likely a change is right, given its cost in log-likelihood."""
    return float(1.0 / (1.0 + np.exp(cost)))


@inlined
def _weight(row: int, pair_weight: Floats) -> float:
    """What a pair counts: at most `MOST`, unless it is fixed; then no sum outweighs it."""
    weight = pair_weight[row]
    if np.isnan(weight):
        return 0.0
    return float(weight) if np.isinf(weight) else min(max(weight, -MOST), MOST)


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
    """Set what a pair is worth: a `share` of the squared chance and of what it teaches; hardly any two tie."""
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
    for row in rows:  # written whether it is good or not: no processor could foresee which are
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
def review(
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
    pairs = np.empty((5, 64), np.int32)
    sums = np.empty(64, np.float64)
    latest = np.full(128, -1, np.int32)
    for here in roots:
        room = _half_count(here, clusters.following_member, around)
        if room > sums.size:
            while sums.size < room:
                sums = np.empty(2 * sums.size, np.float64)
            pairs = np.empty((5, sums.size), np.int32)
            latest = np.full(2 * sums.size, -1, np.int32)
        count = _note_pairs(here, looked_from, clusters, around, doubts.own, pairs, sums, latest)
        if total + count > found.size:
            larger = np.empty(2 * (total + count), np.int32)
            larger[:total] = found[:total]
            found = larger
        total = _value_noted(
            here, count, pairs, sums, latest, clusters, around, doubts, touched, worth, scratch, found, total
        )
    return found[:total].copy()


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
    here: int,
    looked_from: Bools,
    clusters: Membership,
    around: Adjacency,
    own: Floats,
    pairs: Notes,
    sums: Floats,
    latest: Int32s,
) -> int:
    """Note the pairs inside a cluster, and those with clusters that do not note them themselves; returns the number.

    Noted are the record here and the other one, the row, the pair with the same cluster that was noted before, and the
    cluster's place in `latest`, a hash map (empty places are -1) to the last pair noted with it; and, in `sums`, `own`
    of the other record. So what is far away in memory is fetched here, where nothing waits for it.
    """
    label = clusters.label
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
        u = clusters.following_member[u]
    return count


@inlined
def _any_touched(end: int, pairs: Notes, touched: Touched) -> bool:
    """Whether one of the pairs noted with a cluster is touched; `end` is the last of them."""
    at = end
    while at >= 0:
        if touched.evidence[pairs[2, at]] or touched.records[pairs[0, at]] or touched.records[pairs[1, at]]:
            return True
        at = pairs[3, at]
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
    pairs: Notes,
    sums: Floats,
    latest: Int32s,
    clusters: Membership,
    around: Adjacency,
    doubts: Doubts,
    touched: Touched,
    worth: Worth,
    from_here: Floats,
    found: Int32s,
    total: int,
) -> int:
    """Value the pairs that `_note_pairs` noted, and add their rows to `found`; returns how many that has now.

    Of the pairs with one cluster, all but the best are worth nearly nothing if `every_pair` has evidence. `from_here`
    is scratch over the records, all 0, and left so.
    """
    for end in range(count):
        place = pairs[4, end]
        if latest[place] != end:
            continue
        latest[place] = -1
        if touched.evidence.size and not _any_touched(end, pairs, touched):
            continue
        there = clusters.label[pairs[1, end]]
        several = pairs[3, end] >= 0
        apart = not agree(here, clusters.held, there, clusters.held)
        other_members = touched.other_members[here] or touched.other_members[there]
        between = 0.0
        at = end
        while at >= 0:
            weight = _weight(pairs[2, at], doubts.weight)
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
                    of_one += _weight(pairs[2, after], doubts.weight)
                    after = pairs[3, after]
            if here == there:
                cost, kind = _leaving(doubts.own[u], sums[at])
            else:
                left, right = doubts.own[u] - of_one, sums[at] - (from_here[v] if several else between)
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
            at = pairs[3, at]
        at = end
        while several and at >= 0:
            if doubts.every_pair and pairs[2, at] != best:
                worth.value[pairs[2, at]] *= NEXT
            from_here[pairs[1, at]] = 0.0
            at = pairs[3, at]
    return total
