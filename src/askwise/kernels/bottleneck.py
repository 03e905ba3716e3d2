"""MinMax's path scores for all pairs, from the edges in order, without looking at a single path.

Take the edges from the heaviest to the lightest. Two records are positively joined at weight w if edges of at least w
join them; they are negatively joined at w if a negative edge of at least w lies between the groups (or inside the
group) that they are in then. So each score of each pair is set once: when the groups of the two first merge, or first
have a negative edge between them.
"""

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.kernels.compiled import compiled, inlined


@inlined
def _fill(one: int, two: int, weight: float, first: Int32s, after: Int32s, scores: Floats) -> None:
    """Give every pair between two groups this score, unless it has one."""
    u = first[one]
    while u >= 0:
        v = first[two]
        while v >= 0:
            if scores[u, v] == 0.0:
                scores[u, v] = weight
                scores[v, u] = weight
            v = after[v]
        u = after[u]


@compiled
def path_scores(size: int, order: Int32s, left: Int32s, right: Int32s, p: Floats) -> tuple[Floats, Floats]:
    """pScore and nScore of every two of `size` records, 0 where there is no such path.

    `order` lists the edges from the heaviest to the lightest (weight p or 1 - p); edges with p = 1/2 are neither.
    Costs about size squared, and the number of edges.
    """
    positive = np.zeros((size, size), np.float64)
    negative = np.zeros((size, size), np.float64)
    group = np.arange(size).astype(np.int32)
    first = np.arange(size).astype(np.int32)
    last = np.arange(size).astype(np.int32)
    after = np.full(size, -1, np.int32)
    apart = np.zeros((size, size), np.bool_)
    alive = np.ones(size, np.bool_)
    for edge in order:
        a = group[left[edge]]
        b = group[right[edge]]
        if p[edge] < 0.5:
            if not apart[a, b]:
                apart[a, b] = True
                apart[b, a] = True
                _fill(a, b, 1.0 - p[edge], first, after, negative)
            continue
        if p[edge] == 0.5 or a == b:
            continue
        _fill(a, b, p[edge], first, after, positive)
        # What one of the two is told apart from, the other is now too, at this weight.
        for other in range(size):
            if alive[other] and other != a and other != b and apart[a, other] != apart[b, other]:
                _fill(b if apart[a, other] else a, other, p[edge], first, after, negative)
                apart[a, other] = True
                apart[other, a] = True
        if apart[a, a] or apart[b, b] or apart[a, b]:
            _fill(a, a, p[edge], first, after, negative)
            _fill(a, b, p[edge], first, after, negative)
            _fill(b, b, p[edge], first, after, negative)
            apart[a, a] = True
        alive[b] = False
        node = first[b]
        while node >= 0:
            group[node] = a
            node = after[node]
        after[last[a]] = first[b]
        last[a] = last[b]
        first[b] = -1
    return positive, negative
