"""What pairs that are no candidates say against joining two clusters."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, Vote
from askwise.arrays import Floats
from askwise.evidence.learned import Learned
from askwise.evidence.neighbourhood import Neighbourhood
from askwise.evidence.silence import closed, silence

Pairs = list[tuple[int, int]]


def around(pairs: Pairs) -> Neighbourhood:
    left, right = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    return Neighbourhood(left, right, np.zeros(1, np.int32), np.zeros(len(pairs)))


def literally(pairs: Pairs, labels: list[int], missing: float) -> list[float]:
    """For each pair between two clusters, its part of what the pairs between them that are not there count."""
    found = []
    for u, v in pairs:
        between = [
            tuple(sorted(two))
            for two in product(range(len(labels)), repeat=2)
            if labels[two[0]] == labels[u] and labels[two[1]] == labels[v]
        ]
        there = sum(two in pairs for two in between)
        found.append(0.0 if labels[u] == labels[v] else missing * (len(between) - there) / there)
    return found


@given(st.integers(0, 2**32 - 1))
def test_the_pairs_between_two_clusters_share_what_is_missing(seed: int) -> None:
    chance = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(9), 2) if chance.random() < 0.5] + [(8, 9)]
    weights: Floats = chance.choice([-2.0, -0.5, 0.5, 2.0], len(pairs))
    near = around(pairs)
    names = np.unique(np.array(pairs))
    back = {int(name): at for at, name in enumerate(names)}
    pairs = [(back[u], back[v]) for u, v in pairs]
    missing = 0.5 * closed(near, near.labels(weights))
    labels = near.labels(weights, missing).tolist()
    assert silence(near, weights, 0.5).tolist() == pytest.approx(literally(pairs, labels, missing))


def test_how_often_two_records_that_are_with_a_third_are_candidates() -> None:
    five = list(combinations(range(5), 2))
    whole = around(five)
    assert closed(whole, np.zeros(5, np.int32)) == pytest.approx(6 / (6 + 10))  # four hold it together
    assert closed(whole, np.array([0, 0, 2, 2, 4], np.int32)) == 0.0  # two alone say nothing
    chain = around([(0, 1), (1, 2), (2, 3)])
    assert closed(chain, np.zeros(4, np.int32)) == 0.0


def with_a_bridge(entities: int, across: bool) -> Resolution:
    """Entities of eight records; between each two neighbours three pairs are candidates, two with a YES, one with a NO.

    Without `across`, no two records of the same half of an entity are candidates, as if the halves were two tables.
    """
    scored: list[tuple[str, str, float]] = []
    votes: list[Vote] = []
    for entity in range(entities):
        for one, two in combinations(range(8), 2):
            if across or (one < 4) != (two < 4):
                pair = f"{entity}-{one}", f"{entity}-{two}"
                scored.append((*pair, 0.9))
                if one == 0:
                    votes.append(Vote(*pair, "worker", True))
        if entity % 2 == 0:
            for one in range(3):
                pair = f"{entity}-{one}", f"{entity + 1}-{one + 4}"
                scored.append((*pair, 0.55))
                votes.append(Vote(*pair, "worker", one < 2))
        for one, other in product(range(4), (entity + 5, entity + 9)):
            pair = f"{entity}-{one}", f"{other % entities}-{one + 4}"
            scored.append((*pair, 0.2))
            votes.append(Vote(*pair, "worker", False))
    ids = sorted({record for left, right, _ in scored for record in (left, right)})
    return Resolution(ids, scored, votes=[votes[at] for at in np.random.default_rng(0).permutation(len(votes))])


def test_two_wrong_yes_do_not_join_what_was_hardly_compared() -> None:
    """Between two entities of eight, 3 of 64 pairs are candidates, with YES, YES, NO; within, all are."""
    resolution = with_a_bridge(40, across=True)
    assert sorted({len(members) for members in resolution.clustering}) == [8]


def test_silence_says_less_where_records_of_one_table_are_never_compared() -> None:
    resolution = with_a_bridge(40, across=False)
    evidence = resolution.evidence
    assert isinstance(evidence, Learned)
    spoken = with_a_bridge(40, across=True).evidence
    assert isinstance(spoken, Learned)
    assert spoken.view.silence.max() > 1.0
    assert evidence.view.silence.max() < 0.5 * spoken.view.silence.max()
