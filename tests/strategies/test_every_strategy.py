"""What holds for every strategy: each candidate once, a function of the votes, whoever keeps the clusters."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from asking import WatchingCrowd
from paper import paper_resolution

from askwise import Resolution, SimulatedCrowd, Vote, resolve
from askwise.strategies import STRATEGIES


def five_entities(listed: bool) -> tuple[dict[int, int], list[tuple[int, int]] | None]:
    """25 records with their entities, and the candidates: every pair, or about half of them."""
    gold = {record: record % 5 for record in range(25)}
    return gold, [pair for pair in combinations(gold, 2) if sum(pair) % 2] if listed else None


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("listed", [False, True])
def test_every_strategy_asks_each_candidate_at_most_once(strategy: str, listed: bool) -> None:
    gold, candidates = five_entities(listed)
    crowd = WatchingCrowd(gold, 0.2, 3)
    resolution = resolve(gold, crowd, 1000, 9, candidates, strategy=strategy, initial=20)
    assert len(set(map(frozenset, crowd.seen))) == len(crowd.seen) == resolution.asked
    if candidates is not None:
        assert set(crowd.seen) <= set(candidates)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_is_in_the_docs(strategy: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / "systems.md").read_text(encoding="utf-8")
    (table,) = (part for part in text.split("\n\n") if part.startswith("| strategy | asks first |"))
    assert f"`{strategy}`" in table


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("listed", [False, True])
def test_every_strategy_is_a_function_of_the_votes(strategy: str, listed: bool) -> None:
    """However the votes came, the next questions are the same."""
    gold, candidates = five_entities(listed)
    crowd = SimulatedCrowd(gold, 0.2, 3)
    one = paper_resolution(gold, candidates, strategy=strategy, seed=2)
    votes: list[Vote] = []
    for _ in range(6):
        answers = crowd.ask(one.next_questions(8))
        votes += answers
        one.add_votes(answers)
    two = paper_resolution(gold, candidates, strategy=strategy, seed=2)
    for at in np.random.default_rng(1).permutation(len(votes)):
        two.add_votes([votes[at]])
    assert one.next_questions(10) == two.next_questions(10)
    assert one.clustering == two.clustering


@pytest.mark.parametrize(
    ("strategy", "method", "other", "shortcut"),
    [
        ("bdense", "scc", "closure", False),
        ("bdense", "scc", "scc", True),
        ("transitive", "closure", "scc", False),
        ("pc_pivot", "pivot", "scc", False),
    ],
)
def test_questions_are_the_same_whoever_keeps_the_clusters(
    strategy: str, method: str, other: str, shortcut: bool
) -> None:
    gold = {record: record % 4 for record in range(20)}
    runs = [
        Resolution(gold, None, strategy, method, "majority"),
        Resolution(gold, None, strategy, other, "majority", shortcut=shortcut),
    ]
    crowd = SimulatedCrowd(gold, 0.2, 3)
    for _ in range(15):
        one, two = (run.next_questions(10) for run in runs)
        assert [(question.left, question.right) for question in one] == [(item.left, item.right) for item in two]
        votes = list(crowd.ask(one[1:]))
        for run in runs:
            run.add_votes(votes)
            run.set_aside(one)
