"""What a resolution can be given, or asked for, all at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, Table, Vote
from askwise.demo.customers import customers
from askwise.matching import field_machine

RECORDS = list("ABCDEFG")
pairs = st.tuples(st.sampled_from(RECORDS), st.sampled_from(RECORDS)).filter(lambda pair: pair[0] < pair[1])
ballots = st.lists(st.tuples(pairs, st.sampled_from("wxyz"), st.sampled_from([True, False, None])), max_size=30)


@given(ballots, st.none() | st.lists(pairs, unique=True, max_size=12))
def test_all_confidences_are_those_of_the_clusters(
    said: list[tuple[tuple[str, str], str, bool | None]], listed: list[tuple[str, str]] | None
) -> None:
    votes = [Vote(*pair, worker, label) for pair, worker, label in said]
    resolution = Resolution(RECORDS, listed, evidence="smoothed", votes=votes)
    found = resolution.confidences()
    assert len(found) == len(resolution.clustering)
    for members, confidence in zip(resolution.clustering, found, strict=True):
        expected = resolution.confidence(min(members))  # type: ignore[type-var]
        assert confidence.connectivity == pytest.approx(expected.connectivity)
        assert confidence.separation == pytest.approx(expected.separation)
        assert (confidence.nearest is None) == (expected.nearest is None)
        if expected.nearest is not None:  # several may be equally near
            assert confidence.nearest in {min(cluster) for cluster in resolution.clustering}  # type: ignore[type-var]


@given(ballots, st.integers(0, 30))
def test_votes_from_the_start_or_later(said: list[tuple[tuple[str, str], str, bool | None]], at: int) -> None:
    votes = [Vote(*pair, worker, label) for pair, worker, label in said]
    begun = Resolution(RECORDS, votes=votes[:at])
    begun.add_votes(votes[at:])
    later = Resolution(RECORDS)
    later.add_votes(votes)
    assert list(begun.graph.edges) == list(later.graph.edges)
    assert begun.clustering == later.clustering
    assert begun.next_questions(5) == later.next_questions(5)
    assert begun.asked == later.asked


def test_a_machine_that_was_kept() -> None:
    data = customers()
    table = Table.read([{"unique_id": record, **fields} for record, fields in data.fields.items()])
    truth = data.gold
    own = Resolution(table)
    listed = own.graph.candidates
    machine = field_machine(table, listed.left, listed.right, listed.score)
    ids = list(zip(listed.left.tolist(), listed.right.tolist(), strict=True))
    votes = [
        Vote(table.ids[u], table.ids[v], f"w{at % 3}", truth[table.ids[u]] == truth[table.ids[v]])
        for at, (u, v) in enumerate(ids[:200])
    ]
    own.add_votes(votes)
    kept = Resolution(table, votes=votes, machine=machine)
    assert list(kept.graph.edges) == list(own.graph.edges)
    assert kept.clustering == own.clustering
    assert kept.next_questions(10) == own.next_questions(10)
