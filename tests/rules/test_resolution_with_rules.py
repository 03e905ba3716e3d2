"""No votes break a rule, decisions give way to rules, and what is settled is not asked."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruled import PEOPLE, keeps
from sites import PAIRS, served
from sites import PEOPLE as SITE_PEOPLE

from askwise import Project, Resolution, Vote, reliability
from askwise.clustering import Partition
from askwise.errors import RuleError
from askwise.project.queue import miscounted
from askwise.project.values import ordered
from askwise.strategies import STRATEGIES
from askwise.web.snapshot import Snapshot


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_no_votes_break_a_rule(strategy: str) -> None:
    """Twenty workers say the opposite of every rule; and no strategy asks what rules say."""
    rules: list[tuple[Hashable, Hashable, bool]] = [
        ("a", "b", True),
        ("b", "c", False),
        ("d", "e", True),
        ("a", "e", False),
    ]
    evidence = "auto" if strategy in ("wise", "random") else "ratio"
    resolution = Resolution("abcdef", strategy=strategy, evidence=evidence, rules=rules)
    votes = [Vote(left, right, f"w{n}", not same) for left, right, same in rules for n in range(20)]
    votes += [Vote("a", other, f"w{n}", True) for other in "cdef" for n in range(20)]
    resolution.add_votes(votes)
    assert keeps(resolution, rules)
    assert resolution.clustering.labels["a"] == resolution.clustering.labels["f"]
    named = {frozenset(pair[:2]) for pair in rules}
    for _ in range(15):
        questions = resolution.next_questions(2)
        assert not named & {frozenset((question.left, question.right)) for question in questions}
        resolution.add_votes([Vote(one.left, one.right, "w", True) for one in questions])
        assert keeps(resolution, rules)


@given(st.data())
def test_votes_and_decisions_one_by_one_and_at_once(data: st.DataObject) -> None:
    """A partition that is kept up to date is that of clustering everything, with rules and decisions that change."""
    end = st.integers(0, 5)
    pair = st.tuples(end, end).filter(lambda two: two[0] < two[1])
    entity = data.draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
    rules = [(u, v, entity[u] == entity[v]) for u, v in data.draw(st.lists(pair, max_size=3))]
    resolution = Resolution(range(6), evidence="ratio", rules=rules)
    made: dict[tuple[int, int], bool | None] = {}
    for _ in range(data.draw(st.integers(1, 6))):
        u, v = data.draw(pair)
        if data.draw(st.booleans()):
            resolution.add_votes([Vote(u, v, data.draw(st.sampled_from("xyz")), data.draw(st.booleans()))])
        else:
            made[u, v] = data.draw(st.sampled_from([True, False, None]))
            resolution.decide([(u, v, made[u, v])])
        fresh = Partition(resolution.graph, "scc+moves", 0)
        assert (fresh.label == resolution.partition.label).all()
        all_made = {(u, v, same) for (u, v), same in made.items() if same is not None}
        decided = all_made - set(resolution.overruled)
        assert len(decided) + len(resolution.overruled) == len(all_made)
        assert keeps(resolution, [*rules, *decided])


def test_a_decision_outweighs_any_number_of_pairs() -> None:
    """Four sure pairs could outweigh it when it was a weight."""
    resolution = Resolution("abcdef", evidence="ratio")
    left, right = "abc", "def"
    votes = [Vote(u, v, n, True) for u, v in [*product(left, right), *combinations(left, 2)] for n in range(9)]
    resolution.add_votes(votes)
    assert len(resolution.clustering) == 1
    resolution.decide([("a", "f", False)])
    assert not keeps(resolution, [("a", "f", True)])
    resolution.decide([("a", "d", True), ("d", "f", True)])  # by a chain the opposite: the later two count
    assert keeps(resolution, [("a", "f", True)])
    assert resolution.overruled == [("a", "f", False)]
    resolution.decide([("d", "f", None)])
    assert resolution.overruled == []
    assert keeps(resolution, [("a", "f", False), ("a", "d", True)])


def test_gold_questions_hold_like_rules() -> None:
    resolution = Resolution("abc", evidence="ratio", gold=[("a", "b", False)])
    resolution.add_votes([Vote(u, v, n, True) for u, v in combinations("abc", 2) for n in range(9)])
    assert keeps(resolution, [("a", "b", False)])
    with pytest.raises(RuleError, match=r"'a' = 'b' \(gold question\), 'b' = 'c' .* but 'a' ≠ 'c' \(pairs\)"):
        Resolution("abc", rules=[("a", "c", False)], gold=[("a", "b", True), ("b", "c", True)])


def test_settled_candidates_are_not_asked() -> None:
    resolution = Resolution(PEOPLE, rules=["no-duplicates:shop", (1, 2, True)])
    asked = []
    while questions := resolution.next_questions(1):
        asked += [frozenset((one.left, one.right)) for one in questions]
        resolution.set_aside(questions)
    assert resolution.to_ask == 0
    assert {1, 2} not in asked
    assert {3, 4} not in asked
    assert resolution.asked == len(asked) > 0


def test_a_decision_that_a_rule_forbids_is_refused_with_the_rule(tmp_path: Path) -> None:
    page, form = "/pair?left=a1&right=a2", {"left": "a1", "right": "a2", "answer": "yes"}
    with served(tmp_path / "project") as site:
        owner = site.owner()
        before = Snapshot(site.project).version
        site.project.add_rules([("a1", "a2", False)])
        assert Snapshot(site.project).version != before
        status, _, body = owner.post("/pair/vote", page, **form)
        assert status == 422
        assert "A rule forbids this" in body
        assert site.project.desk.decision_on("a1", "a2") is None
        site.project.withdraw_rules([1])
        assert owner.post("/pair/vote", page, **form)[0] == 303
        assert "Your decision is saved." in owner.get(page)
        assert site.project.resolution.explain("a1", "a2").rules[0].rule == "decision"
        site.project.add_rules([("a1", "a2", False)])
        assert site.project.resolution.overruled == [("a1", "a2", True)], "a later rule counts before it"


def test_what_follows_from_rules_and_decisions_is_not_asked() -> None:
    """Also where every pair may be asked, and where it follows by way of other records."""
    rows = [{"unique_id": n, "source_dataset": "ab"[n % 2]} for n in range(8)]
    resolution = Resolution(rows, rules=["no-duplicates:a", (1, 3, True)])
    assert not resolution.graph.candidates.listed
    resolution.decide([(5, 7, True), (3, 5, False)])
    asked = []
    while questions := resolution.next_questions(3):
        assert questions == resolution.next_questions(3)
        asked += [frozenset((one.left, one.right)) for one in questions]
        resolution.set_aside(questions)
    settled = {frozenset(pair) for pair in combinations((0, 2, 4, 6), 2)}
    settled |= {frozenset(pair) for pair in [(1, 3), (5, 7), *product((1, 3), (5, 7))]}
    assert set(asked) == {frozenset(pair) for pair in combinations(range(8), 2)} - settled
    assert len(asked) == len(set(asked)) == resolution.asked, "what was decided was not asked"
    assert resolution.to_ask == 0


def test_clusters_that_a_rule_keeps_apart_are_certainly_apart() -> None:
    """However much speaks for the two; one by one and all at once, and in the reliability."""
    rows = [{"unique_id": n, "source_dataset": "aabb"[n]} for n in range(4)]
    votes = [Vote(u, v, n, n < 6) for u, v in [(0, 2), (1, 3), (0, 3)] for n in range(8)]
    plain = Resolution(rows, votes=votes, evidence="ratio")
    assert len(plain.clustering) == 1
    ruled = Resolution(rows, votes=votes, evidence="ratio", rules=["no-duplicates:a", "no-duplicates:b"])
    assert set(ruled.clustering) == {frozenset({0, 2}), frozenset({1, 3})}
    for found in (*ruled.confidences(), ruled.confidence(0), ruled.confidence(3)):
        assert (found.separation, found.nearest) == (1.0, None)
    assert ruled.reliability == pytest.approx(2 * np.log10(6 / 8))
    assert ruled.reliability == pytest.approx(reliability(ruled.graph, ruled.clustering))
    assert ruled.reliability.assumed == 0


def test_what_is_queued_is_not_asked_once_a_rule_or_a_decision_settles_it(tmp_path: Path, address: str | None) -> None:
    """Nor what a worker has left lying; but what a steward asks for is asked all the same."""
    with Project.new(tmp_path / "project", SITE_PEOPLE, PAIRS, store=address) as project:
        project.fill()
        assert ("a1", "a2") in project.store.waiting()
        assert {("c1", "c2"), ("b1", "b2")} < set(project.store.waiting())
        held = project.take("ann")
        assert held is not None
        seen = ordered(held.left, held.right)
        others = [pair for pair in [("a1", "a2"), ("b1", "b2"), ("c1", "c2")] if pair != seen][:2]
        project.add_rules([(*seen, True), (*others[0], False)])
        project.decide(*others[1], same=True)
        project.fill()
        assert {seen, *others}.isdisjoint(project.store.waiting())
        with project.store.reading() as connection:
            assert miscounted(connection) == 0
        assert project.answer(held.id, "ann", "yes").label, "who has it may answer it"
        asked = set()
        while (task := project.take("bob")) is not None:
            asked.add(ordered(task.left, task.right))
            project.answer(task.id, "bob", "no")
        assert asked
        assert {seen, *others}.isdisjoint(asked)
        project.ask_more([others[0]], 1)
        project.decide("b1", "c1", same=False)
        project.fill()
        assert others[0] in project.store.waiting(), "a steward wants to know"
        project.withdraw_rules([number for number, _ in project.rules()])
