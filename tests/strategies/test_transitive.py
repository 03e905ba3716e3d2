"""TC, the transitive closure: it asks what cannot be inferred, the likeliest first."""

from itertools import combinations

import plain
import pytest
from asking import letters_of, voted
from hypothesis import given
from paper import paper_resolution


def inferable(nodes: int, edges: list[plain.Edge], u: int, v: int) -> bool:
    groups = plain.parts(range(nodes), [(a, b) for a, b, p in edges if p > 0.5])
    one, two = (next(group for group in groups if node in group) for node in (u, v))
    return one == two or any((a in one and b in two) or (a in two and b in one) for a, b, _ in edges)


@pytest.mark.parametrize("listed", [False, True])
@given(drawn=plain.drawn_graphs(8, 14, plain.TENTHS))
def test_transitive_asks_what_cannot_be_inferred(listed: bool, drawn: plain.Drawn) -> None:
    nodes, edges = drawn
    candidates = [pair for pair in combinations(range(nodes), 2) if sum(pair) % 3] if listed else None
    resolution = paper_resolution(range(nodes), candidates, strategy="transitive", clustering="closure")
    resolution.add_votes([vote for u, v, p in edges for vote in voted(u, v, round(10 * p))])
    allowed = candidates if candidates is not None else list(combinations(range(nodes), 2))
    unknown = {pair for pair in allowed if not inferable(nodes, edges, *pair)}
    found = {(question.left, question.right) for question in resolution.next_questions(100)}
    assert found <= unknown
    assert bool(found) == bool(unknown)


def test_transitive_by_hand() -> None:
    # A = B and B != C, so A != C; D was never asked about. A tie (5 of 10) is a NO.
    resolution = paper_resolution("ABCD", strategy="transitive", clustering="closure")
    resolution.add_votes(voted("A", "B", 7) + voted("B", "C", 5))
    assert list(resolution.clustering) == [frozenset("AB"), frozenset("C"), frozenset("D")]
    assert {letters_of(question)[-1] for question in resolution.next_questions(10)} == {"D"}
    assert len(resolution.next_questions(10)) == 2  # one for {A, B} and D, one for C and D


def test_transitive_asks_the_highest_score_first() -> None:
    scored = [("A", "B", 0.2), ("A", "C", 0.9), ("B", "C", 0.5)]
    resolution = paper_resolution("ABC", scored, strategy="transitive", clustering="closure")
    assert [letters_of(question) for question in resolution.next_questions(3)] == ["AC", "BC", "AB"]
    resolution.add_votes(voted("A", "C", 9))
    assert [letters_of(question) for question in resolution.next_questions(3)] == ["BC"]
