"""Rules: what holds in every clustering, whatever the evidence says.

Rules by field hold for all records: `equal:isbn` (the same if both have one and they are equal), `differs:country`
(different if both have one and they differ), `no-duplicates:crm` (no two records of the source crm are the same). Rules
by pair name two records that are the same, or different. Values are compared trimmed and regardless of case.

All of this becomes two things. Records that must be together form groups. Two groups must be apart if a pair says so,
or if they have different values of something that an entity has one of: a country, or its record in the source crm. So
a rule by field takes one number for each record, however many pairs it is about.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askwise.arrays import Bools, Int8s, Int32s, Int64s, disagreeing, found_in
from askwise.checks import collection, listed
from askwise.errors import PairError, RecordError, RuleError
from askwise.kernels.candidate_pairs import both_sides
from askwise.kernels.constraints import Values, held_by
from askwise.kernels.partition import positive_parts
from askwise.kinds import column_texts, present
from askwise.labels import label_of
from askwise.pair_tables import LEFT, RIGHT
from askwise.records import Records
from askwise.sources import open_source
from askwise.tables import Table

EQUAL, DIFFERS, NO_DUPLICATES, PAIRS = "equal", "differs", "no-duplicates", "pairs"
_FORMS = (
    f"{EQUAL}:FIELD, {DIFFERS}:FIELD, {NO_DUPLICATES}:SOURCE, a file of pairs, or a pair (left, right, same or not)"
)
_LABEL = "label"
_MOST_NAMED = 3

Pair = tuple[Hashable, Hashable, bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: it holds in every clustering, whatever the votes say.

    Parameters
    ----------
    kind : str
        "differs", "equal", "no-duplicates" or "pairs".
    field : str
        The field, or the source, or for pairs a name.
    pairs : tuple
        Tuples (left, right, same), for the kind "pairs".

    Examples
    --------
    >>> from askwise import Rule
    >>> Rule("differs", "country").name
    'differs:country'
    """

    kind: str
    field: str = ""
    pairs: tuple[Pair, ...] = ()

    @property
    def name(self) -> str:
        """What explanations call the rule."""
        if self.kind != PAIRS:
            return f"{self.kind}:{self.field}"
        return self.field or "pairs"


def read_rules(source: Any, name: str | None = None) -> Rule:
    """Read pairs that are known to be the same or different.

    Parameters
    ----------
    source
        Anything that `Table.read` takes, with the columns `unique_id_l`, `unique_id_r` and `label` (1 or 0, or words
        such as same and different).
    name : str, optional
        What explanations call the rule; by default the name of the file.

    Returns
    -------
    Rule

    Raises
    ------
    InputError
        If a row lacks an id or a label.

    Examples
    --------
    >>> from askwise import read_rules
    >>> read_rules([{"unique_id_l": "a", "unique_id_r": "b", "label": 0}]).pairs
    (('a', 'b', False),)
    """
    opened = open_source(source)
    for column in (LEFT, RIGHT, _LABEL):
        opened.need(column, f"Rules need {LEFT}, {RIGHT} and {_LABEL} (1: the same, 0: different).")
    pairs = []
    for at, (left, right, said) in enumerate(zip(*opened.load([LEFT, RIGHT, _LABEL]), strict=True)):
        answer = label_of(opened, at, said)
        if answer is None:
            raise RuleError(f"{opened.row(at)}: a rule must say whether the two are the same (1) or not (0)")
        if present(left) is None or present(right) is None:
            raise RuleError(f"{opened.row(at)}: {LEFT} or {RIGHT} is missing")
        pairs.append((present(left), present(right), answer))
    if name is None:
        name = Path(source).name if isinstance(source, str | PathLike) else ""
    return Rule(PAIRS, name, tuple(pairs))


def as_rules(rules: Iterable[Any]) -> list[Rule]:
    """Parse rules: texts, paths of files with pairs, pairs, or `Rule` objects."""
    found: list[Rule] = []
    pairs: list[Pair] = []
    for item in collection("rules", rules):
        if isinstance(item, Rule):
            found.append(item)
        elif isinstance(item, str) and item.partition(":")[0] in (EQUAL, DIFFERS, NO_DUPLICATES):
            kind, _, field = item.partition(":")
            if not field:
                raise RuleError(f"the rule {item!r} names no field; rules are: {_FORMS}")
            found.append(Rule(kind, field))
        elif isinstance(item, PathLike) or (isinstance(item, str) and Path(item).suffix):
            found.append(read_rules(item))
        elif isinstance(item, tuple | list) and len(item) == 3 and isinstance(item[2], bool):
            pairs.append((item[0], item[1], item[2]))
        else:
            raise RuleError(f"{item!r} is not a rule; rules are: {_FORMS}")
    return [*found, Rule(PAIRS, "", tuple(pairs))] if pairs else found


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


@dataclass(frozen=True)
class Groups:
    """The effect of rules on pairs, in arrays.

    Each record's group; pairs of groups that must be apart, as sorted numbers; and the values of which a cluster has
    one, of records and (at their names) of groups.
    """

    group: Int32s
    apart: Int64s
    values: Values
    held: Values

    def keys(self, one: Int32s, two: Int32s) -> Int64s:
        """A number for each two groups."""
        return np.minimum(one, two) * np.int64(self.group.size) + np.maximum(one, two)

    def settled(self, left: Int32s, right: Int32s) -> Int8s:
        """The effect of the rules on pairs of positions: 1 the same, -1 different, 0 none."""
        one, two = self.group[left], self.group[right]
        apart: Bools = found_in(self.apart, self.keys(one, two))[1]
        if self.values.shape[1]:
            apart |= disagreeing(self.held[one], self.held[two])
        return np.where(one == two, 1, -apart.astype(np.int8)).astype(np.int8)


class Constraints:
    """Rules applied to some records; `table` has their fields. They may contradict each other.

    `values` has a row for each record and a column for each rule about something that an entity has one of. `group` is
    the smallest record that each must be with. `left`, `right` and `same` are the pairs that rules name; `chained` are
    pairs that stand for equal values.
    """

    def __init__(self, records: Records, rules: Iterable[Any] = (), table: Table | None = None) -> None:
        self._records, self._table = records, table
        self._rules = as_rules(rules)
        self._by_value = [rule for rule in self._rules if rule.kind in (DIFFERS, NO_DUPLICATES)]
        self._equal = [rule for rule in self._rules if rule.kind == EQUAL]
        codes = [self._codes(rule) for rule in self._by_value]
        self.values: Values = np.column_stack(codes) if codes else np.empty((len(records), 0), np.int32)
        self._equal_codes = [self._codes(rule) for rule in self._equal]
        pairs = [self._ends(rule, at) for rule in self._rules for at in range(len(rule.pairs))]
        ends = np.array(pairs, np.int32).reshape(len(pairs), 3)
        self.left, self.right, self.same = ends[:, 0].copy(), ends[:, 1].copy(), ends[:, 2] > 0
        self._names = [rule.name for rule in self._rules for _ in rule.pairs]

    def with_pairs(self, left: Int32s, right: Int32s, same: Bools, name: str) -> Constraints:
        """A copy with more pairs of positions, by a rule of that name."""
        more = Constraints.__new__(Constraints)
        more._records, more._table, more._rules = self._records, self._table, self._rules
        more._by_value, more._equal, more._equal_codes = self._by_value, self._equal, self._equal_codes
        more.values = self.values
        more.left = np.concatenate((self.left, left))
        more.right = np.concatenate((self.right, right))
        more.same = np.concatenate((self.same, same))
        more._names = self._names + [name] * left.size
        return more

    def __bool__(self) -> bool:
        return bool(self.left.size or self._by_value or self._equal)

    def _ends(self, rule: Rule, at: int) -> tuple[int, int, bool]:
        left, right, same = rule.pairs[at]
        try:
            return (*self._records.pair(left, right), same)
        except (RecordError, PairError) as error:
            raise type(error)(f"{rule.name}, pair {at + 1}: {error}") from None

    def _codes(self, rule: Rule) -> Int32s:
        """A number for each value of the records, -1 for missing values."""
        if self._table is None:
            raise RuleError(f"the rule {rule.name} is about a field, but the records have none")
        if rule.kind == NO_DUPLICATES:
            sources = self._table.sources
            if sources is None:
                raise RuleError(
                    f"the rule {rule.name} is about a source, but the table does not say where records are from"
                )
            listed("source", rule.field, sorted(set(sources)))
            own = np.array([source == rule.field for source in sources], np.bool_)
            return np.where(own, np.arange(own.size), -1).astype(np.int32)
        name = listed("column", rule.field, self._table.fields)
        texts = column_texts(self._table.kinds[name], self._table.columns[name])
        number: dict[str, int] = {}
        codes = [-1 if text is None else number.setdefault(_plain(text), len(number)) for text in texts]
        return np.array(codes, np.int32)

    @cached_property
    def chained(self) -> tuple[Int32s, Int32s]:
        """Pairs that join all records with equal values, each with the next that has the same."""
        lefts, rights = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        for codes in self._equal_codes:
            order = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0) :].astype(np.int32)
            again = codes[order[1:]] == codes[order[:-1]]
            lefts.append(order[:-1][again])
            rights.append(order[1:][again])
        return np.concatenate(lefts), np.concatenate(rights)

    @cached_property
    def group(self) -> Int32s:
        """For each record, the smallest record that it must be with."""
        left = np.concatenate((self.left[self.same], self.chained[0]))
        right = np.concatenate((self.right[self.same], self.chained[1]))
        return positive_parts(len(self._records), left, right, np.ones(left.size))

    @cached_property
    def groups(self) -> Groups:
        """The effect of the rules on pairs, in arrays."""
        held = np.full(self.values.shape, -1, np.int32)
        held_by(self.group, np.arange(len(self._records), dtype=np.int32), self.values, held)
        groups = Groups(self.group, np.empty(0, np.int64), self.values, held)
        ends = (self.group[side[~self.same]] for side in (self.left, self.right))
        return replace(groups, apart=np.unique(groups.keys(*ends)))

    def settled(self, left: Int32s, right: Int32s) -> Int8s:
        """The effect of the rules on pairs of positions: 1 the same, -1 different, 0 none."""
        return self.groups.settled(left, right)

    # Where rules contradict each other.

    def contradictions(self) -> list[Contradiction]:
        """Every pair that must be different and yet the same, and every group with different values, with its chain."""
        return [self._contradiction(*clash) for clash in self._clashes()]

    def _clashes(self) -> list[tuple[int, int, str]]:
        """Two records of one group that a rule, by its name, holds apart."""
        group, found = self.group, []
        for at in np.flatnonzero(~self.same & (group[self.left] == group[self.right])).tolist():
            found.append((int(self.left[at]), int(self.right[at]), self._names[at]))
        for rule, codes in zip(self._by_value, self.values.T, strict=True):
            known = np.flatnonzero(codes >= 0).astype(np.int32)
            known = known[np.lexsort((codes[known], group[known]))]
            other = group[known[1:]] == group[known[:-1]]
            other &= codes[known[1:]] != codes[known[:-1]]
            for at in np.flatnonzero(other).tolist():
                found.append((int(known[at]), int(known[at + 1]), rule.name))
        return found

    def check(self) -> None:
        """Raise an error that names the chain of records if rules contradict each other."""
        found = self._clashes()
        if found:
            named = "; ".join(str(self._contradiction(*clash)) for clash in found[:_MOST_NAMED])
            more = f"; and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
            raise RuleError(f"rules contradict each other: {named}{more}. Withdraw or correct one of each chain.")

    def _contradiction(self, left: int, right: int, name: str) -> Contradiction:
        return Contradiction(tuple(self._path(left, right)), self._step(left, right, False, name))

    def _step(self, left: int, right: int, same: bool, name: str) -> Step:
        ids = self._records.ids
        return Step(ids[left], ids[right], same, name)

    # Why two records are together, or apart.

    def why(self, left: int, right: int) -> list[Step]:
        """The chain of rules that settles a pair, with one step of difference at most; empty if none does."""
        if self.group[left] == self.group[right]:
            return self._path(left, right)
        one, two = self.group[left], self.group[right]
        ends = (self.left, self.right), (self.right, self.left)
        for here, there in ends:
            named = np.flatnonzero(~self.same & (self.group[here] == one) & (self.group[there] == two))
            if named.size:
                at = int(named[0])
                return self._over(left, int(here[at]), int(there[at]), right, self._names[at])
        for rule, codes, held in zip(self._by_value, self.values.T, self.groups.held.T, strict=True):
            if held[one] >= 0 and held[two] >= 0 and held[one] != held[two]:
                u, v = (int(np.flatnonzero((self.group == end) & (codes >= 0))[0]) for end in (one, two))
                u, v = left if codes[left] >= 0 else u, right if codes[right] >= 0 else v
                return self._over(left, u, v, right, rule.name)
        return []

    def between(self, one: Int32s, two: Int32s) -> list[Step]:
        """A chain of rules that keeps two sets of records apart; empty if there is none."""
        for left in one.tolist():
            apart = np.flatnonzero(self.settled(np.full(two.size, left, np.int32), two) < 0)
            if apart.size:
                return self.why(left, int(two[apart[0]]))
        return []

    def _over(self, left: int, u: int, v: int, right: int, name: str) -> list[Step]:
        return [*self._path(left, u), self._step(u, v, False, name), *self._path(v, right)]

    def _path(self, left: int, right: int) -> list[Step]:
        """A short path from one record of a group to another over rules that hold them together."""
        before = self._tree(int(self.group[left]))

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
        equal = {rule.name for rule in self._equal}
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
            named = np.flatnonzero(self.same)
            while waiting:
                node = waiting.popleft()
                for at in range(starts[node], starts[node + 1]):
                    if int(other[at]) not in before:
                        before[int(other[at])] = node, self._names[named[row[at]]]
                        waiting.append(int(other[at]))
                for place, (rule, codes) in enumerate(zip(self._equal, self._equal_codes, strict=True)):
                    if codes[node] < 0 or (place, codes[node]) in seen:
                        continue
                    seen.add((place, codes[node]))
                    order, begins = self._alike[place]
                    for alike in order[begins[codes[node]] : begins[codes[node] + 1]].tolist():
                        if alike not in before:
                            before[alike] = node, rule.name
                            waiting.append(alike)
            self._trees[root] = before
        return self._trees[root]

    @cached_property
    def _alike(self) -> list[tuple[Int64s, Int64s]]:
        """For each rule about equal values, the records sorted by value, and where each value begins."""
        found = []
        for codes in self._equal_codes:
            order = np.argsort(codes, kind="stable")
            found.append((order, np.searchsorted(codes[order], np.arange(codes.max(initial=-1) + 2))))
        return found

    @cached_property
    def _trees(self) -> dict[int, dict[int, tuple[int, str] | None]]:
        return {}

    @cached_property
    def _ways(self) -> tuple[Int64s, Int32s, Int32s]:
        """The named pairs that must be together, in both directions."""
        return both_sides(len(self._records), self.left[self.same], self.right[self.same])

    # Decisions: further pairs, one after the other, of which a later one counts more.

    def standing(self, left: Int32s, right: Int32s, same: Bools) -> Bools:
        """Which of some decisions, one after the other, count where rules and later ones contradict them.

        A decision can be contradicted only where decisions and rules that hold records together join two that
        something keeps apart. All others count.
        """
        one, two = self.group[left], self.group[right]
        part = positive_parts(len(self._records), one[same], two[same], np.ones(int(same.sum())))
        doubtful = np.zeros(len(self._records), np.bool_)
        doubtful[part[one[~same & (part[one] == part[two])]]] = True
        first, second = (end.astype(np.int32) for end in np.divmod(self.groups.apart, np.int64(len(self._records))))
        doubtful[part[first[part[first] == part[second]]]] = True
        joined = np.unique(np.concatenate((one[same], two[same])))
        for codes in self.groups.held[joined].T:
            known, where = codes[codes >= 0], part[joined[codes >= 0]]
            order = np.lexsort((known, where))
            known, where = known[order], where[order]
            doubtful[where[1:][(where[1:] == where[:-1]) & (known[1:] != known[:-1])]] = True
        counts = np.ones(left.size, np.bool_)
        some = np.flatnonzero(doubtful[part[one]] & (part[one] == part[two]))
        columns = (column[some].tolist() for column in (left, right, same))
        counts[some] = self._in_turn(list(zip(*columns, strict=True)))
        return counts

    def _in_turn(self, decisions: Sequence[tuple[int, int, bool]]) -> list[bool]:
        """Which of some decisions (left, right, same) count, given rules and later decisions."""
        root: dict[int, int] = {}
        apart: dict[int, set[int]] = {}
        values: dict[int, Values] = {}

        def find(node: int) -> int:
            way = [int(self.group[node])]
            while root.get(way[-1], way[-1]) != way[-1]:
                way.append(root[way[-1]])
            root.update(dict.fromkeys(way, way[-1]))
            return way[-1]

        def held(name: int) -> Values:
            return np.asarray(values.get(name, self.groups.held[name]), np.int32)

        touched = {int(self.group[end]) for left, right, _ in decisions for end in (left, right)}
        for key in self.groups.apart.tolist():
            one, two = divmod(key, len(self._records))
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


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
