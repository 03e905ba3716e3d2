"""Which decisions count: a later one goes before an earlier one, and rules go before all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.arrays import Bools, Int32s, disagreeing
from askwise.kernels.constraints import Values
from askwise.kernels.partition import positive_parts
from askwise.rules.applied import Groups


def standing(groups: Groups, left: Int32s, right: Int32s, same: Bools) -> Bools:
    """Which of some decisions, one after the other, count where rules and later ones contradict them.

    A decision can be contradicted only where decisions and rules that hold records together join two that
    something keeps apart. All others count.
    """
    one, two = groups.group[left], groups.group[right]
    part = positive_parts(groups.group.size, one[same], two[same], np.ones(int(same.sum())))
    doubtful = np.zeros(groups.group.size, np.bool_)
    doubtful[part[one[~same & (part[one] == part[two])]]] = True
    first, second = (end.astype(np.int32) for end in np.divmod(groups.apart, np.int64(groups.group.size)))
    doubtful[part[first[part[first] == part[second]]]] = True
    joined = np.unique(np.concatenate((one[same], two[same])))
    for codes in groups.held[joined].T:
        known, where = codes[codes >= 0], part[joined[codes >= 0]]
        order = np.lexsort((known, where))
        known, where = known[order], where[order]
        doubtful[where[1:][(where[1:] == where[:-1]) & (known[1:] != known[:-1])]] = True
    counts = np.ones(left.size, np.bool_)
    some = np.flatnonzero(doubtful[part[one]] & (part[one] == part[two]))
    columns = (column[some].tolist() for column in (left, right, same))
    counts[some] = _in_turn(groups, list(zip(*columns, strict=True)))
    return counts


def _in_turn(groups: Groups, decisions: Sequence[tuple[int, int, bool]]) -> list[bool]:
    """Which of some decisions (left, right, same) count, given rules and later decisions."""
    root: dict[int, int] = {}
    apart: dict[int, set[int]] = {}
    values: dict[int, Values] = {}

    def find(node: int) -> int:
        way = [int(groups.group[node])]
        while root.get(way[-1], way[-1]) != way[-1]:
            way.append(root[way[-1]])
        root.update(dict.fromkeys(way, way[-1]))
        return way[-1]

    def held(name: int) -> Values:
        return np.asarray(values.get(name, groups.held[name]), np.int32)

    touched = {int(groups.group[end]) for left, right, _ in decisions for end in (left, right)}
    for key in groups.apart.tolist():
        one, two = divmod(key, groups.group.size)
        if one in touched or two in touched:
            apart.setdefault(one, set()).add(two)
            apart.setdefault(two, set()).add(one)
    counts = []
    for left, right, same in reversed(decisions):
        one, two = find(left), find(right)
        differ = two in apart.get(one, ()) or bool(disagreeing(held(one)[None], held(two)[None])[0])
        counts.append(not differ if same else one != two)
        if not counts[-1] or one == two:
            continue
        if not same:
            apart.setdefault(one, set()).add(two)
            apart.setdefault(two, set()).add(one)
            continue
        if len(apart.get(one, ())) > len(apart.get(two, ())):
            one, two = two, one
        root[one] = two
        values[two] = np.maximum(held(one), held(two))
        for other in apart.pop(one, set()):
            apart[other].discard(one)
            apart[other].add(two)
            apart.setdefault(two, set()).add(other)
    return counts[::-1]
