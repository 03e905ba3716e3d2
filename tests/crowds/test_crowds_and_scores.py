"""The simulated and the replaying crowd; precision, recall, F1."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Question, ReplayCrowd, SimulatedCrowd, UncertainGraph, Vote, cluster, pairwise_scores
from askwise.errors import PartitionError

GOLD = {record: record % 10 for record in range(60)}


def all_questions() -> list[Question]:
    return [Question(left, right, 0.0, "between") for left, right in combinations(GOLD, 2)]


def wrong(vote: Vote) -> bool:
    return vote.label != (GOLD[vote.left] == GOLD[vote.right])  # type: ignore[index]


@pytest.mark.parametrize("error", [0.0, 0.05, 0.2777])
def test_simulated_errors_have_the_stated_mean(error: float) -> None:
    votes = SimulatedCrowd(GOLD, error, 5, seed=1).ask(all_questions())
    assert len(votes) == 5 * 1770
    assert np.mean([wrong(vote) for vote in votes]) == pytest.approx(error, abs=0.02)


def test_pairs_and_workers_differ() -> None:
    votes = SimulatedCrowd(GOLD, 0.2, 50, seed=1).ask(all_questions())
    by_pair = np.array([wrong(vote) for vote in votes]).reshape(-1, 50).mean(axis=1)
    # Beta(2, 8) has a standard deviation of 0.12; binomial noise alone would give 0.057.
    assert by_pair.std() > 0.1
    workers: dict[object, list[bool]] = {}
    for vote in votes:
        workers.setdefault(vote.worker, []).append(wrong(vote))
    rates = [np.mean(errors) for errors in workers.values()]
    assert len(rates) == 50
    assert min(rates) < 0.13
    assert max(rates) > 0.25


def test_answers_depend_on_the_pair_not_on_when_it_is_asked() -> None:
    questions = all_questions()[:50]
    one = SimulatedCrowd(GOLD, 0.3, 3, seed=4).ask(questions)
    two = SimulatedCrowd(GOLD, 0.3, 3, seed=4).ask(questions[::-1])
    assert set(one) == set(two)
    assert set(one) != set(SimulatedCrowd(GOLD, 0.3, 3, seed=5).ask(questions))


def test_asked_again_others_answer() -> None:
    crowd = SimulatedCrowd(GOLD, 0.3, 3, workers=6)
    first, second = crowd.answers(1, 2), crowd.answers(2, 1)
    assert len({vote.worker for vote in first + second}) == 6


def test_replay_gives_the_stored_votes() -> None:
    stored = [Vote("a", "b", "w1", True), Vote("b", "a", "w2", False), Vote("a", "c", "w1", None)]
    crowd = ReplayCrowd(stored)
    assert crowd.ask([Question("b", "a", 0.0, "within"), Question("b", "c", 0.0, "within")]) == stored[:2]
    assert crowd.pairs == [("a", "b"), ("a", "c")]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_scores_count_pairs(rows: list[tuple[int, int]]) -> None:
    found = {record: row[0] for record, row in enumerate(rows)}
    gold = {record: row[1] for record, row in enumerate(rows)}
    pairs = list(combinations(range(len(rows)), 2))
    claimed = {pair for pair in pairs if found[pair[0]] == found[pair[1]]}
    true = {pair for pair in pairs if gold[pair[0]] == gold[pair[1]]}
    scores = pairwise_scores(found, gold)
    assert scores.precision == (len(claimed & true) / len(claimed) if claimed else 1.0)
    assert scores.recall == (len(claimed & true) / len(true) if true else 1.0)
    if claimed or true:
        assert scores.f1 == pytest.approx(2 * len(claimed & true) / (len(claimed) + len(true)))


def test_scores_take_clusterings_sets_and_mappings() -> None:
    found = cluster(UncertainGraph("ABC", [("A", "B", 0.9)]))
    assert pairwise_scores(found, [{"A", "B", "C"}]) == (1.0, 1 / 3, 0.5)
    assert pairwise_scores([["A", "B"], ["C"], ["D"]], found) == (1.0, 1.0, 1.0)


def test_scores_over_records_without_gold_ignore_them() -> None:
    assert pairwise_scores([["A", "B", "X"]], [["A", "B"]]).precision == 1.0


@pytest.mark.parametrize(
    ("found", "gold", "words"),
    [([["A"]], [["A", "B"]], "'B' is in the gold"), ([["A"], ["A"]], [], "more than one")],
)
def test_scores_of_what_does_not_fit(found: list[list[str]], gold: list[list[str]], words: str) -> None:
    with pytest.raises(PartitionError, match=words):
        pairwise_scores(found, gold)
