"""Why rules hold two records together or apart: a short chain of pairs, each with its rule."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.kernels.candidate_pairs import both_sides

if TYPE_CHECKING:
    from askwise.rules.applied import Constraints


class Step(NamedTuple):
    """Two records that a rule holds together or apart."""

    left: Hashable
    right: Hashable
    same: bool
    rule: str

    def __str__(self) -> str:
        return f"{self.left!r} {'=' if self.same else '≠'} {self.right!r} ({self.rule})"


class Contradiction(NamedTuple):
    """A chain of records that must be the same, and a rule that its ends are different."""

    chain: tuple[Step, ...]
    but: Step

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.chain))}, but {self.but}"


class Chains:
    """Finds chains of rules. The paths inside a group are kept, so that the next chain there costs little."""

    def __init__(self, constraints: Constraints) -> None:
        self._rules = constraints
        self._trees: dict[int, dict[int, tuple[int, str] | None]] = {}

    def contradiction(self, left: int, right: int, name: str) -> Contradiction:
        """What clashes where a rule, by its name, holds two records of one group apart."""
        return Contradiction(tuple(self._path(left, right)), self._step(left, right, False, name))

    def _step(self, left: int, right: int, same: bool, name: str) -> Step:
        ids = self._rules.records.ids
        return Step(ids[left], ids[right], same, name)

    def why(self, left: int, right: int) -> list[Step]:
        """The chain of rules that settles a pair, with one step of difference at most; empty if none does."""
        rules, group = self._rules, self._rules.group
        one, two = group[left], group[right]
        if one == two:
            return self._path(left, right)
        for here, there in ((rules.left, rules.right), (rules.right, rules.left)):
            named = np.flatnonzero(~rules.same & (group[here] == one) & (group[there] == two))
            if named.size:
                at = int(named[0])
                return self._over(left, int(here[at]), int(there[at]), right, rules.names[at])
        for name, codes, held in zip(rules.value_names, rules.values.T, rules.groups.held.T, strict=True):
            if held[one] >= 0 and held[two] >= 0 and held[one] != held[two]:
                u, v = (int(np.flatnonzero((group == end) & (codes >= 0))[0]) for end in (one, two))
                u, v = left if codes[left] >= 0 else u, right if codes[right] >= 0 else v
                return self._over(left, u, v, right, name)
        return []

    def between(self, one: Int32s, two: Int32s) -> list[Step]:
        """A chain of rules that keeps two sets of records apart; empty if there is none."""
        for left in one.tolist():
            apart = np.flatnonzero(self._rules.settled(np.full(two.size, left, np.int32), two) < 0)
            if apart.size:
                return self.why(left, int(two[apart[0]]))
        return []

    def _over(self, left: int, u: int, v: int, right: int, name: str) -> list[Step]:
        return [*self._path(left, u), self._step(u, v, False, name), *self._path(v, right)]

    def _path(self, left: int, right: int) -> list[Step]:
        """A short path from one record of a group to another over rules that hold them together."""
        before = self._tree(int(self._rules.group[left]))

        def upwards(node: int) -> list[tuple[int, str]]:
            way = [(node, "")]
            while (above := before[way[-1][0]]) is not None:
                way.append(above)
            return way

        up, down = upwards(left), upwards(right)
        while len(up) > 1 and len(down) > 1 and up[-2][0] == down[-2][0]:
            up.pop()
            down.pop()
        steps = [self._step(one, two, True, name) for (one, _), (two, name) in pairwise(up)]
        back = [self._step(two, one, True, name) for (one, _), (two, name) in pairwise(down)]
        return self._shortened(steps + back[::-1])

    def _shortened(self, steps: list[Step]) -> list[Step]:
        """Replace several steps of the same rule about equal values by one: these are all equal."""
        equal = {name for name, _ in self._rules.equal}
        found: list[Step] = []
        for step in steps:
            if found and step.rule in equal and step.rule == found[-1].rule:
                step = found.pop()._replace(right=step.right)
            found.append(step)
        return found

    def _tree(self, root: int) -> dict[int, tuple[int, str] | None]:
        """For each record of a group, the one before it on a shortest path from its first, and the rule."""
        if root not in self._trees:
            starts, other, row = self._ways
            before: dict[int, tuple[int, str] | None] = {root: None}
            waiting, seen = deque([root]), set()
            named = np.flatnonzero(self._rules.same)
            while waiting:
                node = waiting.popleft()
                for at in range(starts[node], starts[node + 1]):
                    if int(other[at]) not in before:
                        before[int(other[at])] = node, self._rules.names[named[row[at]]]
                        waiting.append(int(other[at]))
                for place, (name, codes) in enumerate(self._rules.equal):
                    if codes[node] < 0 or (place, codes[node]) in seen:
                        continue
                    seen.add((place, codes[node]))
                    order, begins = self._alike[place]
                    for alike in order[begins[codes[node]] : begins[codes[node] + 1]].tolist():
                        if alike not in before:
                            before[alike] = node, name
                            waiting.append(alike)
            self._trees[root] = before
        return self._trees[root]

    @cached_property
    def _alike(self) -> list[tuple[Int64s, Int64s]]:
        """For each rule about equal values, the records sorted by value, and where each value begins."""
        found = []
        for _, codes in self._rules.equal:
            order = np.argsort(codes, kind="stable")
            found.append((order, np.searchsorted(codes[order], np.arange(codes.max(initial=-1) + 2))))
        return found

    @cached_property
    def _ways(self) -> tuple[Int64s, Int32s, Int32s]:
        """The named pairs that must be together, in both directions."""
        rules = self._rules
        return both_sides(len(rules.records), rules.left[rules.same], rules.right[rules.same])
