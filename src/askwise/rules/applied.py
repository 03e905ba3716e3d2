"""Rules applied to records: which must be together, and which must be apart.

Records that must be together form groups. Two groups must be apart if a pair says so, or if they have different values
of something that an entity has one of: a country, or its record in the source crm. So a rule by field takes one number
for each record, however many pairs it is about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from askwise.arrays import Bools, Int8s, Int32s, Int64s, disagreeing, found_in
from askwise.checks import listed
from askwise.errors import PairError, RecordError, RuleError
from askwise.kernels.constraints import Values, held_by
from askwise.kernels.partition import positive_parts
from askwise.kinds import column_texts
from askwise.records import Records
from askwise.rules.chains import Chains, Contradiction
from askwise.rules.rule import DIFFERS, EQUAL, NO_DUPLICATES, Rule, as_rules
from askwise.tables import Table

_MOST_NAMED = 3


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


@dataclass(frozen=True, eq=False)
class Constraints:
    """Rules applied to some records; make them with `Constraints.of`. They may contradict each other.

    `values` has a row for each record and a column for each rule about something that an entity has one of, by the
    names `value_names`. `equal` has the values of rules about equal values, by name. `left`, `right` and `same` are the
    pairs that rules name, by the rules `names`.
    """

    records: Records
    value_names: tuple[str, ...]
    values: Values
    equal: tuple[tuple[str, Int32s], ...]
    left: Int32s
    right: Int32s
    same: Bools
    names: tuple[str, ...]

    @classmethod
    def of(cls, records: Records, rules: Iterable[Any] = (), table: Table | None = None) -> Constraints:
        """Apply rules to records; `table` has their fields."""
        rules = as_rules(rules)
        codes = [(rule, _codes(rule, table)) for rule in rules if rule.kind in (DIFFERS, EQUAL, NO_DUPLICATES)]
        by_value = [(rule.name, column) for rule, column in codes if rule.kind != EQUAL]
        columns = [column for _, column in by_value]
        pairs = [_ends(records, rule, at) for rule in rules for at in range(len(rule.pairs))]
        ends = np.array(pairs, np.int32).reshape(len(pairs), 3)
        return cls(
            records,
            tuple(name for name, _ in by_value),
            np.column_stack(columns) if columns else np.empty((len(records), 0), np.int32),
            tuple((rule.name, column) for rule, column in codes if rule.kind == EQUAL),
            ends[:, 0].copy(),
            ends[:, 1].copy(),
            ends[:, 2] > 0,
            tuple(rule.name for rule in rules for _ in rule.pairs),
        )

    def with_pairs(self, left: Int32s, right: Int32s, same: Bools, name: str) -> Constraints:
        """A copy with more pairs of positions, by a rule of that name."""
        return replace(
            self,
            left=np.concatenate((self.left, left)),
            right=np.concatenate((self.right, right)),
            same=np.concatenate((self.same, same)),
            names=(*self.names, *[name] * left.size),
        )

    def __bool__(self) -> bool:
        return bool(self.left.size or self.value_names or self.equal)

    @cached_property
    def chained(self) -> tuple[Int32s, Int32s]:
        """Pairs that join all records with equal values, each with the next that has the same."""
        lefts, rights = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        for _, codes in self.equal:
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
        return positive_parts(len(self.records), left, right, np.ones(left.size))

    @cached_property
    def groups(self) -> Groups:
        """The effect of the rules on pairs, in arrays."""
        held = np.full(self.values.shape, -1, np.int32)
        held_by(self.group, np.arange(len(self.records), dtype=np.int32), self.values, held)
        groups = Groups(self.group, np.empty(0, np.int64), self.values, held)
        ends = (self.group[side[~self.same]] for side in (self.left, self.right))
        return replace(groups, apart=np.unique(groups.keys(*ends)))

    def settled(self, left: Int32s, right: Int32s) -> Int8s:
        """The effect of the rules on pairs of positions: 1 the same, -1 different, 0 none."""
        return self.groups.settled(left, right)

    @cached_property
    def chains(self) -> Chains:
        """Why rules settle a pair."""
        return Chains(self)

    def contradictions(self) -> list[Contradiction]:
        """Every pair that must be different and yet the same, and every group with different values, with its chain."""
        return [self.chains.contradiction(*clash) for clash in self._clashes()]

    def _clashes(self) -> list[tuple[int, int, str]]:
        """Two records of one group that a rule, by its name, holds apart."""
        group, found = self.group, []
        for at in np.flatnonzero(~self.same & (group[self.left] == group[self.right])).tolist():
            found.append((int(self.left[at]), int(self.right[at]), self.names[at]))
        for name, codes in zip(self.value_names, self.values.T, strict=True):
            known = np.flatnonzero(codes >= 0).astype(np.int32)
            known = known[np.lexsort((codes[known], group[known]))]
            other = group[known[1:]] == group[known[:-1]]
            other &= codes[known[1:]] != codes[known[:-1]]
            for at in np.flatnonzero(other).tolist():
                found.append((int(known[at]), int(known[at + 1]), name))
        return found

    def check(self) -> None:
        """Raise an error that names the chain of records if rules contradict each other."""
        found = self._clashes()
        if found:
            named = "; ".join(str(self.chains.contradiction(*clash)) for clash in found[:_MOST_NAMED])
            more = f"; and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
            raise RuleError(f"rules contradict each other: {named}{more}. Withdraw or correct one of each chain.")


def _ends(records: Records, rule: Rule, at: int) -> tuple[int, int, bool]:
    left, right, same = rule.pairs[at]
    try:
        return (*records.pair(left, right), same)
    except (RecordError, PairError) as error:
        raise type(error)(f"{rule.name}, pair {at + 1}: {error}") from None


def _codes(rule: Rule, table: Table | None) -> Int32s:
    """A number for each value of the records, -1 for missing values."""
    if table is None:
        raise RuleError(f"the rule {rule.name} is about a field, but the records have none")
    if rule.kind == NO_DUPLICATES:
        sources = table.sources
        if sources is None:
            raise RuleError(
                f"the rule {rule.name} is about a source, but the table does not say where records are from"
            )
        listed("source", rule.field, sorted(set(sources)))
        own = np.array([source == rule.field for source in sources], np.bool_)
        return np.where(own, np.arange(own.size), -1).astype(np.int32)
    name = listed("column", rule.field, table.fields)
    texts = column_texts(table.kinds[name], table.columns[name])
    number: dict[str, int] = {}
    codes = [-1 if text is None else number.setdefault(_plain(text), len(number)) for text in texts]
    return np.array(codes, np.int32)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
