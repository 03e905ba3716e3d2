"""What the pairs around a pair say of it: the third records that both of its records are like, and its rivals."""

import numpy as np

from askwise.arrays import Int32s, Int64s, Singles
from askwise.kernels.compiled import compiled


@compiled
def best_two(starts: Int64s, likely: Singles) -> tuple[Singles, Singles]:
    """For each record, how likely its likeliest partner is, and the next."""
    first, second = np.zeros(starts.size - 1, np.float32), np.zeros(starts.size - 1, np.float32)
    for u in range(first.size):
        for at in range(starts[u], starts[u + 1]):
            if likely[at] > first[u]:
                second[u] = first[u]
                first[u] = likely[at]
            elif likely[at] > second[u]:
                second[u] = likely[at]
    return first, second


@compiled
def common_neighbours(
    begin: int,
    end: int,
    starts: Int64s,
    other: Int32s,
    row: Int32s,
    likely: Singles,
    first: Singles,
    second: Singles,
    found: Singles,
) -> None:
    """Look at the neighbours of the pairs at the records from `begin` to `end`, each at that end which has more pairs.

    The partners of record u are `other[starts[u]:starts[u + 1]]`, as likely as `likely` says there; `row` is where a
    pair's results go in `found`: the likeliest third record that both are like, by the weaker of the two likenesses;
    the share of their third partners, each counted as likely as it is, that is common to both; and the likeliest
    partner of either but for the other. The shorter of the two lists is gone through.
    """
    near = np.zeros(starts.size - 1, np.float32)
    for u in range(begin, end):
        mine = starts[u + 1] - starts[u]
        whole = 0.0
        for at in range(starts[u], starts[u + 1]):
            near[other[at]] = likely[at]
            whole += likely[at]
        for at in range(starts[u], starts[u + 1]):
            v = other[at]
            theirs = starts[v + 1] - starts[v]
            if theirs > mine or (theirs == mine and v > u):
                continue
            best, both, whole_there = 0.0, 0.0, 0.0
            for there in range(starts[v], starts[v + 1]):
                whole_there += likely[there]
                if other[there] != u:
                    shared = min(likely[there], near[other[there]])
                    both += shared
                    best = max(best, shared)
            either = whole + whole_there - 2.0 * likely[at] - both
            of_u = second[u] if first[u] == likely[at] else first[u]
            of_v = second[v] if first[v] == likely[at] else first[v]
            found[row[at], 0] = best
            found[row[at], 1] = (1.0 + both) / (1.0 + either)
            found[row[at], 2] = max(of_u, of_v)
        for at in range(starts[u], starts[u + 1]):
            near[other[at]] = 0.0
