"""Contradictions are found, with their chains; decisions give way to later ones."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Table
from askwise.errors import RuleError
from askwise.records import Records
from askwise.rules import Constraints, Contradiction
from askwise.rules.decisions import standing

PairRule = tuple[int, int, bool]
Columns = list[list[int | None]]
RuleSet = tuple[int, list[PairRule], Columns, Columns]


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Random rules on a few records, most of which contradict each other: pairs, and fields for both kinds of rules."""
    size = draw(st.integers(2, 9))
    end = st.integers(0, size - 1)
    pairs = draw(st.lists(st.tuples(end, end, st.booleans()).filter(lambda pair: pair[0] != pair[1]), max_size=8))
    column = st.lists(st.sampled_from([None, None, 1, 2, 3]), min_size=size, max_size=size)
    return size, pairs, draw(st.lists(column, max_size=2)), draw(st.lists(column, max_size=2))


def constraints_of(drawn: RuleSet) -> Constraints:
    size, pairs, equal, differs = drawn
    fields = {f"e{at}": column for at, column in enumerate(equal)} | {
        f"d{at}": column for at, column in enumerate(differs)
    }
    table = Table.read({"unique_id": list(range(size)), **fields})
    by_field = [f"{'equal' if name[0] == 'e' else 'differs'}:{name}" for name in fields]
    return Constraints.of(Records(range(size)), [*by_field, *pairs], table)


def plain_rules(
    drawn: RuleSet,
) -> tuple[set[tuple[int, int, str]], set[tuple[int, int, str]]]:
    """Every two records that a rule holds together, and that a rule holds apart, each with the rule."""
    size, pairs, equal, differs = drawn
    together = {(u, v, "pairs") for u, v, same in pairs if same}
    apart = {(u, v, "pairs") for u, v, same in pairs if not same}
    for u, v in combinations(range(size), 2):
        for at, column in enumerate(equal):
            if column[u] is not None and column[u] == column[v]:
                together.add((u, v, f"equal:e{at}"))
        for at, column in enumerate(differs):
            if column[u] is not None and column[v] is not None and column[u] != column[v]:
                apart.add((u, v, f"differs:d{at}"))
    return together, apart


def plain_groups(size: int, together: Iterable[tuple[int, int, str]]) -> list[int]:
    group = list(range(size))
    for u, v, _ in together:
        group = [group[u] if name == group[v] else name for name in group]
    return group


def check_chain(found: Contradiction, together: set[tuple[int, int, str]], apart: set[tuple[int, int, str]]) -> None:
    """A chain goes from one record to the next by rules that are there, and its ends are those that differ."""
    both = together | {(v, u, name) for u, v, name in together}
    steps = found.chain
    assert all((step.left, step.right, step.rule) in both and step.same for step in steps)
    assert all(one.right == two.left for one, two in pairwise(steps))
    assert (steps[0].left, steps[-1].right) == (found.but.left, found.but.right)
    assert not found.but.same
    ends = found.but.left, found.but.right
    assert {(*ends, found.but.rule), (*ends[::-1], found.but.rule)} & apart


@given(rule_sets())
def test_every_contradiction_is_found_with_its_chain(
    drawn: RuleSet,
) -> None:
    constraints = constraints_of(drawn)
    together, apart = plain_rules(drawn)
    group = plain_groups(drawn[0], together)
    wrong = {(group[u], name) for u, v, name in apart if group[u] == group[v]}
    found = constraints.contradictions()
    assert {(group[int(str(one.but.left))], one.but.rule) for one in found} == wrong
    named = [pair for pair in drawn[1] if not pair[2] and group[pair[0]] == group[pair[1]]]
    assert sum(one.but.rule == "pairs" for one in found) == len(named)
    for one in found:
        check_chain(one, together, apart)
    if wrong:
        with pytest.raises(RuleError, match=r"contradict each other: .* but .* ≠ "):
            constraints.check()
        return
    constraints.check()
    for u, v in combinations(range(drawn[0]), 2):
        differ = any({group[one], group[two]} == {group[u], group[v]} for one, two, _ in apart)
        expected = 1 if group[u] == group[v] else -1 if differ else 0
        assert constraints.settled(np.array([u], np.int32), np.array([v], np.int32)).tolist() == [expected]
        why = constraints.chains.why(u, v)
        assert bool(why) == bool(expected)
        if why:
            assert sum(not step.same for step in why) == (expected < 0)
            assert (why[0].left, why[-1].right) == (u, v)
            for step in why:
                assert {(step.left, step.right, step.rule), (step.right, step.left, step.rule)} & (
                    together if step.same else apart
                )


def test_hundreds_of_random_rules_on_many_records() -> None:
    """Long chains: each contradiction has one, and every step of it is a rule."""
    chance = np.random.default_rng(4)
    ends = chance.integers(0, 200, (600, 2))
    said = chance.random(600) < 0.4
    pairs = [(int(u), int(v), bool(same)) for (u, v), same in zip(ends, said, strict=True) if u != v]
    found = Constraints.of(Records(range(200)), pairs).contradictions()
    together, apart = ({(u, v, "pairs") for u, v, same in pairs if same is kind} for kind in (True, False))
    group = plain_groups(200, together)
    assert len(found) == sum(group[u] == group[v] for u, v, same in pairs if not same) > 100
    assert max(len(one.chain) for one in found) > 3
    for one in found:
        check_chain(one, together, apart | {(v, u, name) for u, v, name in apart})


@given(rule_sets(), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.booleans()), max_size=8))
def test_later_decisions_count_before_earlier_ones(drawn: RuleSet, decisions: list[PairRule]) -> None:
    size = drawn[0]
    decisions = [one for one in decisions if one[0] != one[1] and max(one[:2]) < size]
    constraints = constraints_of(drawn)
    if constraints.contradictions():
        return
    together, apart = plain_rules(drawn)
    expected = []
    for u, v, same in reversed(decisions):  # one after the other, tried with all that counts so far
        (together if same else apart).add((u, v, "decision"))
        group = plain_groups(size, together)
        expected.append(not any(group[one] == group[two] for one, two, _ in apart))
        if not expected[-1]:
            (together if same else apart).discard((u, v, "decision"))
    ends = np.array(decisions, np.int32).reshape(len(decisions), 3).T
    assert standing(constraints.groups, ends[0], ends[1], ends[2] > 0).tolist() == expected[::-1]
