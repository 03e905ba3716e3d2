"""Connectivity and all gains of a small block, exactly, by dynamic programming over subsets of its nodes.

C(S), the probability that S is connected inside itself, for v the lowest node of S and w the second lowest:

    C(S) = sum over T (w in T, v not in T) of C(T) * link(v, T) * cut(T, S - v - T) * C(S - T)

T is the part that hangs together with w once v is taken away: it is connected, v is linked to it, nothing else is, and
the rest is connected. Every term is positive, so nothing cancels and small probabilities keep their digits.
"""

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.kernels.compiled import compiled


@compiled
def _scaled_absence(size: int, left: Int32s, right: Int32s, p: Floats) -> Floats:
    """log P(no edge inside S) + scale * |S| for every S.

    A cut is absence(S + T) / (absence(S) * absence(T)): the scale drops out, and keeps the exponents in range.
    """
    full = 1 << size
    absence = np.zeros(full, np.float64)
    lowest_row = np.zeros((size, full), np.float64)
    for i in range(left.size):
        lowest_row[left[i], 1 << right[i]] += np.log1p(-p[i])
        lowest_row[right[i], 1 << left[i]] += np.log1p(-p[i])
    for node in range(size):
        row = lowest_row[node]
        for subset in range(1, full):
            bit = subset & -subset
            if subset != bit:
                row[subset] = row[bit] + row[subset ^ bit]
    for subset in range(1, full):
        node = 0
        while not subset >> node & 1:
            node += 1
        rest = subset ^ (1 << node)
        absence[subset] = absence[rest] + lowest_row[node, rest]
    scale = -absence[full - 1] / size
    for subset in range(1, full):
        members = 0
        rest = subset
        while rest:
            rest &= rest - 1
            members += 1
        absence[subset] += scale * members
    return absence


@compiled
def exact_block(size: int, left: Int32s, right: Int32s, p: Floats) -> tuple[float, Floats]:
    """P(connected), and for every two nodes P(exactly two components, the two apart); at most about 14 nodes."""
    full = 1 << size
    absence = _scaled_absence(size, left, right, p)
    inverse = np.exp(-absence)
    connected = np.zeros(full, np.float64)
    # For the lowest node v at hand: C(T) * link(v, T) / absence(T), and C(T + v) / absence(T).
    hanging = np.zeros(full, np.float64)
    resting = np.zeros(full, np.float64)
    unlinked = np.zeros(full, np.float64)
    for v in range(size - 1, -1, -1):
        connected[1 << v] = 1.0
        above = size - v - 1
        for i in range(left.size):
            if left[i] == v:
                unlinked[1 << right[i]] = np.log1p(-p[i])
        resting[0] = 1.0
        for index in range(1, 1 << above):
            rest = index << (v + 1)
            bit = rest & -rest
            if rest != bit:
                unlinked[rest] = unlinked[bit] + unlinked[rest ^ bit]
            hanging[rest] = connected[rest] * -np.expm1(unlinked[rest]) * inverse[rest]
            # All T inside `rest` that hold its lowest node.
            optional = rest ^ bit
            total = 0.0
            chosen = optional
            while True:
                total += hanging[chosen | bit] * resting[optional ^ chosen]
                if chosen == 0:
                    break
                chosen = (chosen - 1) & optional
            value = total / inverse[rest]
            connected[rest | 1 << v] = value
            resting[rest] = value * inverse[rest]
        for i in range(left.size):
            if left[i] == v:
                unlinked[1 << right[i]] = 0.0
    apart = np.zeros((size, size), np.float64)
    whole = full - 1
    inside = np.empty(size, np.int32)
    for side in range(1, whole, 2):
        other = whole ^ side
        value = connected[side] * connected[other] * inverse[side] * inverse[other] / inverse[whole]
        if value > 0.0:
            count = 0
            for node in range(size):
                if side >> node & 1:
                    inside[count] = node
                    count += 1
            for two in range(size):
                if not side >> two & 1:
                    for i in range(count):
                        apart[min(inside[i], two), max(inside[i], two)] += value
    for one in range(size):
        for two in range(one):
            apart[one, two] = apart[two, one]
    return float(connected[whole]), apart
