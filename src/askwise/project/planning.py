"""What an edit would change: it is tried on the engine, and undone before anyone sees it.

An edit changes only the clusters that it names. If the evidence would change another cluster too (a group that lost a
record may now attract its neighbour), the edit keeps that cluster as it is, by further decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.errors import InputError
from askwise.project.edits import Decision, decisions_of
from askwise.resolution import Resolution

_ROUNDS = 20
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Plan:
    """An edit before it is made: its groups with the rest of their clusters, and what it changes.

    `before` are the clusters that change, and `after` what they become. `elsewhere` are clusters that the edit does not
    name but changes all the same. `overruled` counts earlier decisions that no longer hold.
    """

    kind: str
    groups: tuple[tuple[str, ...], ...]
    kept: tuple[Decision, ...]
    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]
    elsewhere: tuple[tuple[str, ...], ...]
    overruled: int

    @property
    def changes(self) -> bool:
        """Whether any cluster changes."""
        return set(self.before) != set(self.after)


def plan(resolution: Resolution, decided: Sequence[Decision], kind: str, groups: Sequence[Sequence[str]]) -> Plan:
    """Try an edit on top of the existing decisions. The caller holds the engine's lock.

    A join and a lock name a record of each cluster. A move names the records, and one of the cluster that they go to.
    What the groups leave out of a cluster becomes a group of its own. A decision about a pair decides nothing else.
    """
    trial = _Trial(resolution, decided)
    if kind != "decide":
        groups = trial.completed(trial.meant(kind, groups))
    with trial.undone():
        return trial.plan(kind, groups, keep=kind != "decide")


def preview_of(resolution: Resolution, decided: Sequence[Decision], target: Sequence[Decision], kind: str) -> Plan:
    """What would change with other decisions, for undo and redo."""
    trial = _Trial(resolution, decided)
    with trial.undone():
        resolution.set_decisions(target)
        return trial.result(kind, (), (), trial.before)


class _Trial:
    def __init__(self, resolution: Resolution, decided: Sequence[Decision]) -> None:
        self._resolution = resolution
        self._records = resolution.graph.records
        self._decided = list(decided)
        self._overruled = len(resolution.overruled) if decided else 0
        self.before: Int32s = resolution.clustering.roots.copy()

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Undo whatever is tried."""
        try:
            yield
        finally:
            self._resolution.set_decisions(self._decided)

    def meant(self, kind: str, groups: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
        """The groups, with all records of the clusters that a join, a lock or a move names."""
        if kind == "split":
            return groups
        places = [[self._records.position(record) for record in group] for group in groups]
        if kind == "move":
            moved, to = places
            there = [at for at in self._members(self.before, int(self.before[to[0]])) if at not in moved]
            return [self._names(sorted({*there, *moved}))]
        roots = sorted({int(self.before[at]) for group in places for at in group})
        whole = [self._members(self.before, root) for root in roots]
        if kind == "join":
            return [self._names(sorted(at for members in whole for at in members))]
        return [self._names(members) for members in whole]

    def completed(self, groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
        """The groups, and the rest of each cluster that they come from."""
        named = {self._records.position(record) for group in groups for record in group}
        found = [tuple(group) for group in groups]
        for root in sorted({int(self.before[at]) for at in named}):
            rest = [at for at in self._members(self.before, root) if at not in named]
            if rest:
                found.append(self._names(rest))
        return tuple(found)

    def plan(self, kind: str, groups: Sequence[Sequence[str]], keep: bool) -> Plan:
        """Make the edit, and compare."""
        said = decisions_of(groups, kind)
        expected = self.before.copy()
        for group in groups:
            places = [self._records.position(record) for record in group]
            expected[places] = min(places)
        kept = self._neighbours(groups) if kind == "lock" else []
        for _ in range(_ROUNDS):
            self._decide([*said, *kept])
            self._refuse_rules([*said, *kept])
            more = [one for one in self._repairs(expected) if one not in kept] if keep else []
            if not more:
                break
            kept += more
        return self.result(kind, groups, kept, expected)

    def _decide(self, new: list[Decision]) -> None:
        pairs = {frozenset(one[:2]) for one in new}
        self._resolution.set_decisions([one for one in self._decided if frozenset(one[:2]) not in pairs] + new)

    def _refuse_rules(self, said: list[Decision]) -> None:
        overruled = {frozenset(one[:2]) for one in self._resolution.overruled}
        for left, right, _ in said:
            if frozenset((left, right)) in overruled:
                why = ", ".join(map(str, self._resolution.explain(left, right).rules))
                raise InputError(f"a rule forbids this: {why[:_LONGEST]}; withdraw the rule first")

    def _neighbours(self, groups: Sequence[Sequence[str]]) -> list[Decision]:
        """Pairs that keep every record out that a locked cluster was compared with."""
        graph, found = self._resolution.graph, []
        for group in groups:
            places = np.array(sorted(self._records.position(record) for record in group), np.int32)
            rows = graph.pairs_at(places)
            rows = rows[~np.isnan(graph.pair_weight[rows])]
            ends = np.unique(np.concatenate((graph.pair_u[rows], graph.pair_v[rows])))
            outside = np.setdiff1d(ends, places).tolist()
            found += [(group[0], str(self._records.ids[at]), False) for at in outside]
        return found

    def _repairs(self, expected: Int32s) -> list[Decision]:
        """Pairs that must not come together, or must not part, so that clusters stay as expected."""
        now = self._resolution.clustering.roots
        wrong = np.flatnonzero(now != expected)
        found: list[Decision] = []
        ids = self._records.ids
        for root in np.unique(now[wrong]).tolist():
            members = np.array(self._members(now, root))
            _, first = np.unique(expected[members], return_index=True)
            found += [(str(ids[one]), str(ids[two]), False) for one, two in combinations(members[first].tolist(), 2)]
        for root in np.unique(expected[wrong]).tolist():
            members = np.array(self._members(expected, root))
            if np.unique(now[members]).size > 1:
                found += [(str(ids[one]), str(ids[two]), True) for one, two in pairwise(members.tolist())]
        return found

    def result(
        self, kind: str, groups: Sequence[Sequence[str]], kept: Sequence[Decision], expected: Int32s | Int64s
    ) -> Plan:
        """What has changed."""
        now = self._resolution.clustering.roots
        changed = np.flatnonzero(now != self.before)
        before = self._clusters(self.before, np.unique(self.before[changed]))
        after = self._clusters(now, np.unique(now[changed]))
        touched = sorted({at for one in (*before, *after) for at in map(self._records.position, one)})
        before = self._clusters(self.before, np.unique(self.before[touched]))
        after = self._clusters(now, np.unique(now[touched]))
        surprise = np.flatnonzero(now != expected)
        elsewhere = self._clusters(now, np.unique(now[surprise])) if groups else ()
        overruled = len(self._resolution.overruled) - self._overruled
        ordered = tuple(tuple(group) for group in groups)
        return Plan(kind, ordered, tuple(kept), before, after, elsewhere, max(0, overruled))

    def _members(self, roots: Int32s, root: int) -> list[int]:
        return [int(at) for at in np.flatnonzero(roots == root)]

    def _names(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(str(self._records.ids[at]) for at in places)

    def _clusters(self, roots: Int32s, which: Int32s) -> tuple[tuple[str, ...], ...]:
        return tuple(self._names(self._members(roots, int(root))) for root in which)
