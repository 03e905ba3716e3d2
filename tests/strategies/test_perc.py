"""PERC's choice against the paper's Algorithm 1, word for word, with exact reliabilities."""

import math
from itertools import combinations

import plain
import pytest
from asking import WatchingCrowd, voted
from hypothesis import given
from hypothesis import strategies as st
from paper import paper_resolution

from askwise import Question, Resolution, Vote, resolve
from askwise.measures import FLOOR

SHARES = st.integers(0, 5)


@st.composite
def answered(draw: st.DrawFn, most_pairs: int) -> tuple[int, dict[tuple[int, int], int]]:
    """Records, and for some pairs how many of five workers said YES."""
    records = draw(st.integers(2, 6))
    pairs = list(combinations(range(records), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=most_pairs))
    return records, {pair: draw(SHARES) for pair in chosen}


def asked_about(
    records: int, answers: dict[tuple[int, int], int], candidates: list[tuple[int, int]] | None = None
) -> Resolution:
    resolution = paper_resolution(range(records), candidates, seed=1)
    resolution.add_votes([vote for pair, yes in answers.items() for vote in voted(*pair, yes, 5)])
    return resolution


def literal_priorities(resolution: Resolution) -> dict[tuple[int, int], float]:
    """Every unasked pair's gain in reliability, by enumeration of all possible worlds."""
    edges = list(resolution.graph.edges)
    clusters = list(resolution.clustering)
    labels = resolution.clustering.labels
    asked = {(u, v) for u, v, _ in edges}
    before = plain.reliability(clusters, edges, FLOOR)  # type: ignore[arg-type]
    priorities = {}
    for u, v in combinations(range(len(labels)), 2):
        if (u, v) not in asked:
            certain = (u, v, 1.0 if labels[u] == labels[v] else 0.0)
            after = plain.reliability(clusters, [*edges, certain], FLOOR)  # type: ignore[arg-type, list-item]
            priorities[u, v] = after - before
    return priorities


def pair_of(question: Question) -> tuple[int, int]:
    return question.left, question.right  # type: ignore[return-value]


@given(answered(9))
def test_questions_are_those_of_algorithm_1(drawn: tuple[int, dict[tuple[int, int], int]]) -> None:
    resolution = asked_about(*drawn)
    priorities = literal_priorities(resolution)
    labels = resolution.clustering.labels
    questions = resolution.next_questions(100)
    for question in questions:
        assert question.gain == pytest.approx(priorities[pair_of(question)], abs=1e-8)
        inside = labels[question.left] == labels[question.right]
        assert question.kind == ("within" if inside else "between")
    gains = [question.gain for question in questions]
    assert gains == sorted(gains, reverse=True)
    # Every unasked pair inside a cluster, and one for every two clusters that still have an unasked pair.
    within = {pair for pair in priorities if labels[pair[0]] == labels[pair[1]]}
    between = {frozenset((labels[u], labels[v])) for u, v in priorities if labels[u] != labels[v]}
    assert {pair_of(question) for question in questions if question.kind == "within"} == within
    chosen = [frozenset((labels[q.left], labels[q.right])) for q in questions if q.kind == "between"]
    assert len(chosen) == len(set(chosen))
    assert set(chosen) == between
    # The best k have the k largest gains.
    for k in (1, 2, 3):
        assert [q.gain for q in resolution.next_questions(k)] == pytest.approx(gains[:k])


@given(answered(6), st.data())
def test_only_candidates_are_asked(drawn: tuple[int, dict[tuple[int, int], int]], data: st.DataObject) -> None:
    records, answers = drawn
    pairs = list(combinations(range(records), 2))
    candidates = data.draw(st.lists(st.sampled_from(pairs), unique=True))
    resolution = asked_about(records, answers, candidates)
    open_pairs = set(candidates) - set(answers)
    questions = resolution.next_questions(100)
    assert {pair_of(question) for question in questions} <= open_pairs
    assert bool(questions) == bool(open_pairs)
    assert resolution.to_ask == len(open_pairs)
    labels = resolution.clustering.labels
    clusters_to_ask = {frozenset((labels[u], labels[v])) for u, v in open_pairs if labels[u] != labels[v]}
    assert {frozenset((labels[q.left], labels[q.right])) for q in questions if q.kind == "between"} == clusters_to_ask
    assert {pair_of(q) for q in questions if q.kind == "within"} == {
        pair for pair in open_pairs if labels[pair[0]] == labels[pair[1]]
    }


@pytest.mark.parametrize("strategy", ["perc", "random"])
@pytest.mark.parametrize("listed", [False, True])
def test_everything_is_asked_once_and_then_nothing(strategy: str, listed: bool) -> None:
    gold = {record: record % 4 for record in range(12)}
    candidates = [pair for pair in combinations(gold, 2) if sum(pair) % 2] if listed else None
    crowd = WatchingCrowd(gold, 0.3, 1, seed=2)
    resolution = resolve(gold, crowd, 1000, 7, candidates, strategy=strategy)
    total = 36 if listed else 66
    assert len(crowd.seen) == len(set(map(frozenset, crowd.seen))) == resolution.asked == total
    assert resolution.to_ask == 0
    assert resolution.next_questions(5) == []


def test_unlinked_clusters_come_first_and_are_drawn_not_listed() -> None:
    resolution = paper_resolution(range(100_000), seed=4)
    questions = resolution.next_questions(1000)
    assert len({frozenset((q.left, q.right)) for q in questions}) == 1000
    assert {q.kind for q in questions} == {"between"}
    assert {q.gain for q in questions} == {-math.log10(FLOOR)}


def test_the_last_unlinked_clusters_are_found() -> None:
    """Forty clusters of which all but three pairs are linked: drawing hardly ever hits them, looking does."""
    pairs = list(combinations(range(40), 2))
    left_out = {(3, 17), (5, 6), (0, 39)}
    resolution = paper_resolution(range(40))
    resolution.add_votes([Vote(*pair, "w", False) for pair in pairs if pair not in left_out])
    assert {pair_of(question) for question in resolution.next_questions(10)} == left_out


def test_never_compared_clusters_beside_a_giant_one() -> None:
    """Nearly every pair of records is inside, or linked to, one large cluster: the others are still found."""
    giant, others = 20_000, 4_500
    resolution = paper_resolution(range(giant + others))
    resolution.add_votes([Vote(i, i + 1, "w", True) for i in range(giant - 1)])
    resolution.add_votes([Vote(0, giant + i, "w", False) for i in range(others)])
    questions = resolution.next_questions(50)
    assert len(questions) == 50
    assert {question.gain for question in questions} == {-math.log10(FLOOR)}
    assert all(giant <= question.left and giant <= question.right for question in questions)  # type: ignore[operator]


def test_a_weak_ring_comes_before_strong_separations() -> None:
    """A ring of 40 records, 6 of 10 YES each, and two records apart from it: the long chord is the best question."""
    ring = [vote for i in range(40) for vote in voted(i, (i + 1) % 40, 6)]
    apart = [vote for i, j in ((0, 40), (0, 41), (20, 40), (20, 41), (40, 41)) for vote in voted(i, j, 0)]
    resolution = paper_resolution(range(42))
    resolution.add_votes(ring + apart)
    (question,) = resolution.next_questions()
    assert question.kind == "within"
    assert question.gain == pytest.approx(0.87, abs=0.1)


def test_a_larger_batch_than_before_looks_further_into_the_clusters() -> None:
    chain = [Vote(i, i + 1, "w", True) for i in range(9)]
    resolution = paper_resolution(range(10))
    resolution.add_votes(chain)
    (best,) = resolution.next_questions(1)
    assert pair_of(best) == (0, 9)
    many = resolution.next_questions(100)
    assert many[0] == best
    assert len(many) == 45 - 9
