"""Golden records: one record for each cluster, field by field by a rule or by hand, with the origin of each value.

The rules are a preference of the project, and a value set by hand is an event, so the log has both. A value set by hand
belongs to the record that it was given for, and goes with that record's cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.differences import shown
from askwise.errors import InputError
from askwise.project.checks import LONGEST_TEXT
from askwise.project.cluster_table import Board
from askwise.project.desk import HandValue
from askwise.project.project import Project
from askwise.tables import Table

COMMON, LONGEST, NEWEST, TRUSTED = "most common", "longest", "newest", "trusted"
RULES = (COMMON, LONGEST, NEWEST, TRUSTED)
BY_HAND = "by hand"
PREFERENCE = "golden"


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How a field gets its value. `by` is the date or number column of "newest", `order` the sources of "trusted"."""

    rule: str = COMMON
    by: str = ""
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenValue:
    """A value, the rule that chose it, and the records that have it; if set by hand, who set it and when.

    `others` are the other values in the cluster.
    """

    value: str
    rule: str
    records: tuple[str, ...]
    others: tuple[str, ...]
    person: str | None = None
    time: float | None = None


Golden = dict[str, GoldenValue]
"""A golden record: its fields."""


def field_rules(given: Any, table: Table) -> dict[str, FieldRule]:
    """Parse rules from a program, a page or the database; a bad one is an error that names it."""
    if not isinstance(given, Mapping):
        raise InputError("rules must say for each field which rule it has")
    found = {}
    for name, said in given.items():
        if name not in table.fields:
            raise InputError(f"there is no field {str(name)[:40]!r}; choose from: {', '.join(table.fields) or 'none'}")
        said = {"rule": said} if isinstance(said, str) else said
        if not isinstance(said, Mapping) or not set(said) <= {"rule", "by", "order"}:
            raise InputError(f"the rule of {name!r} has a name, and optionally by and order")
        rule, by, order = said.get("rule", COMMON), said.get("by", ""), said.get("order", ())
        if rule not in RULES:
            raise InputError(f"there is no rule {str(rule)[:40]!r} for {name!r}; choose from: {', '.join(RULES)}")
        if rule == NEWEST and table.kinds.get(str(by)) not in ("date", "number"):
            raise InputError(f"{name!r} by the newest record needs a column with dates or numbers (by), not {by!r}")
        if rule == TRUSTED:
            _check_sources(name, order, table)
        found[str(name)] = FieldRule(rule, str(by) if rule == NEWEST else "", tuple(order) if rule == TRUSTED else ())
    return found


def _check_sources(name: str, order: object, table: Table) -> None:
    known = sorted(set(table.sources or ()))
    if isinstance(order, str) or not isinstance(order, Collection) or not order:
        raise InputError(f"{name!r} from the most trusted source needs the sources in order, the most trusted first")
    for source in order:
        if source not in known:
            raise InputError(f"there is no source {str(source)[:40]!r}; choose from: {', '.join(known) or 'none'}")


class GoldenRecords:
    """The golden records of a project, by its present rules or by others to try."""

    def __init__(self, project: Project, rules: Mapping[str, FieldRule] | None = None) -> None:
        self._project = project
        self._table = project.table
        kept = field_rules(_kept(project), self._table) if rules is None else rules
        self.rules = {name: kept.get(name, FieldRule()) for name in self._table.shown}
        self._texts: dict[str, list[str]] = {}
        self._source = self._table.sources

    def of(self, members: Sequence[str], hidden: Collection[str] = ()) -> Golden:
        """The golden record of a cluster, without the `hidden` fields."""
        position = self._project.board().records.position
        places = sorted(position(member) for member in members)
        given = self._project.desk.hand_values()
        return {name: self._value(name, places, given) for name in self.rules if name not in hidden}

    def of_all(self, board: Board, clusters: Sequence[int]) -> dict[str, list[str]]:
        """The values alone for many clusters of a board, by field, for export."""
        given = self._project.desk.hand_values()
        members = [board.members(at).tolist() for at in clusters]
        return {name: [self._value(name, places, given).value for places in members] for name in self.rules}

    def _text(self, name: str) -> list[str]:
        if name not in self._texts:
            values = self._table.columns[name]
            listed = values.astype(object).tolist() if self._table.kinds[name] == "date" else values.tolist()
            self._texts[name] = [shown(value) for value in listed]
        return self._texts[name]

    def _value(self, name: str, places: Sequence[int], given: Mapping[tuple[str, str], HandValue]) -> GoldenValue:
        texts, ids = self._text(name), self._table.ids
        filled = [at for at in places if texts[at]]
        by_hand = [given[key] for at in places if (key := (str(ids[at]), name)) in given] if given else []
        values = list(dict.fromkeys(texts[at] for at in filled))
        if by_hand:
            last = max(by_hand, key=lambda one: one.event)
            others = tuple(value for value in values if value != last.value)
            return GoldenValue(last.value, BY_HAND, (), others, last.person, last.time)
        rule = self.rules[name]
        if not filled:
            return GoldenValue("", rule.rule, (), ())
        value = self._chosen(rule, filled, texts)
        records = tuple(str(ids[at]) for at in filled if texts[at] == value)
        return GoldenValue(value, rule.rule, records, tuple(one for one in values if one != value))

    def _chosen(self, rule: FieldRule, filled: list[int], texts: list[str]) -> str:
        """The value by a rule; ties go to the most common value, then to the first."""
        if rule.rule == LONGEST:
            most = max(len(texts[at]) for at in filled)
            filled = [at for at in filled if len(texts[at]) == most]
        elif rule.rule == NEWEST:
            filled = _newest(filled, self._table.columns[rule.by])
        elif rule.rule == TRUSTED and self._source is not None:
            rank = {source: place for place, source in enumerate(rule.order)}
            best = min(rank.get(self._source[at], len(rank)) for at in filled)
            filled = [at for at in filled if rank.get(self._source[at], len(rank)) == best]
        count: dict[str, int] = {}
        for at in filled:
            count[texts[at]] = count.get(texts[at], 0) + 1
        return max(count, key=lambda text: count[text])


def _newest(filled: list[int], dates: Any) -> list[int]:
    """The records with the latest date; all, if none has one."""
    found = dates[filled]
    missing = np.isnat(found) if found.dtype.kind == "M" else np.isnan(found)
    if missing.all():
        return filled
    latest = found[~missing].max()
    return [at for at, date, gone in zip(filled, found, missing, strict=True) if not gone and date == latest]


def _kept(project: Project) -> Any:
    """The project's rules, without those whose column or source no longer exists."""
    kept, found = project.desk.preference("", PREFERENCE) or {}, {}
    for name, rule in kept.items():
        try:
            field_rules({name: rule}, project.table)
        except InputError:
            continue
        found[name] = rule
    return found


def set_rules(project: Project, given: Any, person: str) -> dict[str, FieldRule]:
    """Set the rules for everyone; fields without one take the most common value."""
    rules = field_rules(given, project.table)
    kept = {name: {"rule": one.rule, "by": one.by, "order": list(one.order)} for name, one in rules.items()}
    project.editing.prefer(PREFERENCE, kept, person, everyone=True)
    return rules


def set_value(project: Project, record: str, field: str, value: str | None, person: str) -> None:
    """Set a field of the golden record of a record's cluster by hand; None removes the value."""
    board = project.board()
    members = board.names(board.of(record))
    if field not in project.table.fields:
        raise InputError(f"there is no field {field[:40]!r}; choose from: {', '.join(project.table.fields) or 'none'}")
    if value is not None and (len(value) > LONGEST_TEXT or "\0" in value):
        raise InputError(f"a value has at most {LONGEST_TEXT:,} characters")
    given = project.desk.hand_values()
    named = [one for one in members if (one, field) in given] if value is None else [record]
    if not named:
        raise InputError(f"no value of {field!r} was given by hand for this cluster")
    project.editing.set_values(named, field, value, person)
