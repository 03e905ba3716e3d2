"""Pairs that are settled by rules, gold questions and decisions: they are fixed in the graph, and not asked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from askwise.arrays import Bools, Int32s
from askwise.checks import collection
from askwise.errors import InputError
from askwise.evidence import VoteLog
from askwise.graph import UncertainGraph
from askwise.rules import DECISION, Constraints
from askwise.rules.decisions import standing


class Settled:
    """Settles pairs of a graph by rules. If candidates are `rated`, they have rows, which are fixed too.

    `rules` are those that hold now: the given ones, gold questions, and decisions as far as these count. `decisions`
    has all decisions by row, in order.
    """

    def __init__(self, graph: UncertainGraph, rules: Constraints, votes: VoteLog, *, rated: bool) -> None:
        self._graph, self._votes = graph, votes
        self._rules = self.rules = rules
        self.decisions: dict[int, bool] = {}
        self._counting: dict[int, bool] = {}
        self._closed: set[int] = set()  # rows that are not asked only because they are decided
        self._fix_rules(rated)

    def _fix_rules(self, rated: bool) -> None:
        """Fix the pairs that rules name, and never ask what they settle."""
        graph, rules = self._graph, self.rules
        if not rules:
            return
        chained = graph.rows_of(*rules.chained)
        named = graph.rows_of(rules.left, rules.right)
        graph.fix(chained, 1)
        graph.fix(named, np.where(rules.same, 1, -1).astype(np.int8))
        graph.close(np.concatenate((chained, named)))
        candidates = graph.candidates
        said = rules.settled(candidates.left, candidates.right)
        settled = np.flatnonzero(said).astype(np.int32)
        if rated:
            graph.fix(settled, said[settled])
            graph.close(settled)
        else:
            graph.close_candidates(settled)

    def fix_gold(self, answers: dict[int, bool]) -> None:
        """Let the answers to gold questions hold like rules."""
        if answers:
            graph, rows = self._graph, np.array(list(answers), np.int32)
            same = np.array(list(answers.values()), np.bool_)
            self._rules = self.rules = self._rules.with_pairs(
                graph.pair_u[rows], graph.pair_v[rows], same, "gold question"
            )
            self._rules.check()
            graph.fix(rows, np.array([1 if same else -1 for same in answers.values()], np.int8))

    def redecide(self, decisions: dict[int, bool], said: set[int]) -> Int32s:
        """Replace the decisions; `said` are the rows with new answers. Returns the rows whose evidence may change."""
        graph, before = self._graph, self._counting
        if not said and list(decisions) == list(self.decisions):
            return np.empty(0, np.int32)
        self.decisions = decisions
        rows, counts = self._counted()
        self._counting = now = {row: decisions[row] for row in rows[counts].tolist()}
        same = np.array(list(now.values()), np.bool_)
        self.rules = self._rules.with_pairs(graph.pair_u[rows[counts]], graph.pair_v[rows[counts]], same, DECISION)
        self._close_decided(np.array(sorted(said), np.int32))
        rows = np.unique([*said, *(row for row in {*before, *now} if before.get(row) != now.get(row))]).astype(np.int32)
        if rows.size:
            fixed = self._rules.settled(graph.pair_u[rows], graph.pair_v[rows])
            said_now = [0 if (one := now.get(row)) is None else 1 if one else -1 for row in rows.tolist()]
            graph.fix(rows, np.where(fixed == 0, said_now, fixed).astype(np.int8))
        return rows

    def overruled(self) -> list[int]:
        """The rows of the decisions that do not count."""
        rows, counts = self._counted()
        return list(map(int, rows[~counts]))

    def _counted(self) -> tuple[Int32s, Bools]:
        """The rows of all decisions, in order, and which of these count."""
        rows = np.array(list(self.decisions), np.int32)
        same = np.array(list(self.decisions.values()), np.bool_)
        return rows, standing(self._rules.groups, self._graph.pair_u[rows], self._graph.pair_v[rows], same)

    def _close_decided(self, rows: Int32s) -> None:
        """Never ask decided pairs; let pairs that no longer are be asked, unless they were asked before."""
        graph = self._graph
        decided = np.array([row in self.decisions for row in rows.tolist()], np.bool_)
        new = rows[decided & ~graph.pair_asked[rows]]
        graph.close(new)
        self._closed.update(new.tolist())
        graph.set_open(rows[decided], 0.0)
        back = np.array([row for row in rows[~decided].tolist() if row in self._closed], np.int32)
        self._closed.difference_update(back.tolist())
        graph.unclose(back, np.isin(back, self._votes.voted()))


def rows_said(
    graph: UncertainGraph,
    what: str,
    form: str,
    pairs: Iterable[tuple[Hashable, Hashable, Any]],
    possible: tuple[bool | None, ...],
) -> dict[int, Any]:
    """The rows of pairs with their answers, each of which must be one of the `possible`."""
    items = list(collection(what, pairs))
    for item in items:
        if not (isinstance(item, tuple | list) and len(item) == 3 and any(item[2] is one for one in possible)):
            raise InputError(f"{item!r} is not {form}")
    said: dict[int, Any] = {}
    if items:
        left, right = graph.records.pairs([(one, two) for one, two, _ in items])
        rows = graph.rows_of(left, right)
        for row, item in zip(rows.tolist(), items, strict=True):
            said.pop(row, None)  # the last counts, and comes last
            said[row] = item[2]
    return said
