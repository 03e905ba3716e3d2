"""What the neighbours of pairs say: against a literal version, and what votes make of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, SimulatedCrowd, UncertainGraph, Vote, pairwise_scores
from askwise.arrays import Int32s
from askwise.clustering.partition import Partition
from askwise.evidence.common_neighbours import Listed, listed_neighbours, scored_neighbours, with_neighbours
from askwise.evidence.machine import MOST, Machine
from askwise.evidence.model import Parameters
from askwise.measures.comparisons import Comparisons

Lean = dict[tuple[int, int], float]


def literal(lean: Lean, u: int, v: int) -> tuple[float, float, float]:
    """The best third record, the share in common and the best rival, as their words say."""

    def likely(one: int, other: int) -> float:
        found = lean.get((min(one, other), max(one, other)))
        return 0.0 if found is None else 1 / (1 + math.exp(-min(max(found, -MOST), MOST)))

    def log_odds(chance: float) -> float:
        return -MOST if chance == 0 else math.log(chance / (1 - chance))

    others = {record for pair in lean for record in pair} - {u, v}
    shared = [min(likely(u, w), likely(v, w)) for w in others]
    either = sum(likely(u, w) + likely(v, w) for w in others) - sum(shared)
    friend, rival = max(shared, default=0.0), max((max(likely(u, w), likely(v, w)) for w in others), default=0.0)
    return log_odds(friend), (1 + sum(shared)) / (1 + either), log_odds(rival)


def columns(lean: Lean) -> tuple[Int32s, Int32s]:
    left, right = np.array(sorted(lean), np.int32).reshape(-1, 2).T
    return left, right


PAIR = st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1])


@given(st.dictionaries(PAIR, st.floats(-9, 9)))
def test_what_neighbours_say_is_what_its_words_say(lean: Lean) -> None:
    left, right = columns(lean)
    found = scored_neighbours(np.array([lean[pair] for pair in sorted(lean)]), left, right, 8)
    expected = [literal(lean, u, v) for u, v in sorted(lean)]
    assert found == pytest.approx(np.array(expected).reshape(-1, 3), abs=1e-4)


@given(st.sets(PAIR))
def test_what_a_list_says_is_what_its_words_say(pairs: set[tuple[int, int]]) -> None:
    listed = sorted(pairs)
    left, right = np.array(listed, np.int32).reshape(-1, 2).T
    partners = {record: {a + b - record for a, b in listed if record in (a, b)} for record in range(8)}
    expected = []
    for u, v in listed:
        thirds = partners[u] - {v}, partners[v] - {u}
        common, either = thirds[0] & thirds[1], thirds[0] | thirds[1]
        many = math.log(len(partners[u]) * len(partners[v]))
        expected.append(((1 + len(common)) / (1 + len(either)), math.log(1 + len(common)), many))
    found = listed_neighbours(left, right, 8)
    assert found == pytest.approx(np.array(expected).reshape(-1, 3), abs=1e-5)


def test_how_many_third_records_are_in_common_is_known_where_they_are_very_many() -> None:
    count = 100_000
    ends = [np.arange(2, count, dtype=np.int32)] * 2
    left = np.concatenate(([0], np.zeros(count - 2), np.ones(count - 2))).astype(np.int32)
    found = listed_neighbours(left, np.concatenate(([1], *ends)).astype(np.int32), count)
    assert math.exp(found[0, 1]) - 1.0 == pytest.approx(count - 2, abs=0.5)


def test_a_record_with_very_many_partners_takes_no_square_of_them() -> None:
    count = 200_000
    left, right = np.zeros(count, np.int32), np.arange(1, count + 1, dtype=np.int32)
    found = scored_neighbours(np.linspace(-1.0, 1.0, count), left, right, count + 1)
    assert (found[:, 0] == found[0, 0]).all()
    assert found[-2, 2] == pytest.approx(1.0, abs=1e-4)


def test_neighbours_without_variety_says_nothing() -> None:
    left, right = columns({(0, 1): 1.0, (2, 3): 1.0})
    machine = with_neighbours(Machine(np.array([1.0, 1.0]), np.empty((2, 0), np.float32)), left, right, 4)
    assert machine.traits.shape == (2, 3)
    assert not machine.traits.any()


def test_odds_are_the_same_to_the_last_bit_whatever_pairs_they_are_computed_with() -> None:
    chance = np.random.default_rng(0)
    lean, traits = chance.normal(size=1000), chance.normal(size=(1000, 13)).astype(np.float32)
    learned = Parameters(intercept=0.1, slope=0.7, traits=tuple(chance.normal(size=13).tolist()))
    whole = learned.odds_of(lean, traits)
    assert whole == pytest.approx(0.1 + 0.7 * lean + traits.astype(np.float64) @ np.array(learned.traits))
    for size in (1, 7, 64, 999):
        parts = [learned.odds_of(lean[at : at + size], traits[at : at + size]) for at in range(0, 1000, size)]
        assert (np.concatenate(parts) == whole).all()


def test_votes_teach_that_lone_links_between_entities_are_wrong() -> None:
    """Entities of four whose pairs all score like the lone links between them: only neighbours tell them apart."""
    chance = np.random.default_rng(0)
    records = 200
    inside = [
        (u, v, 0.6) for first in range(0, records, 4) for u in range(first, first + 4) for v in range(u + 1, first + 4)
    ]
    links = {tuple(sorted(chance.choice(records, 2, replace=False).tolist())) for _ in range(80)}
    lone = [(u, v, 0.6) for u, v in sorted(links) if u // 4 != v // 4]
    resolution = Resolution(range(records), [*inside, *lone])
    resolution.add_votes(
        Vote(one.left, one.right, worker, int(str(one.left)) // 4 == int(str(one.right)) // 4)
        for one in resolution.by_chance(60)
        for worker in range(3)
    )
    assert pairwise_scores(resolution.clustering, {record: record // 4 for record in range(records)}).f1 == 1.0


class Entities:
    """Entities of eight, of which all pairs are candidates, and lone candidates between them."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        self.gold = {record: record // 8 for record in range(160)}
        inside = [(u, v) for u in range(160) for v in range(u + 1, 160) if u // 8 == v // 8]
        drawn = {tuple(sorted(chance.choice(160, 2, replace=False).tolist())) for _ in range(600)}
        self.candidates = [*inside, *(pair for pair in sorted(drawn) if pair[0] // 8 != pair[1] // 8)]
        self.crowd = SimulatedCrowd(self.gold, 0.25, 1, seed=seed)

    def asked(self, evidence: str) -> Resolution:
        """400 of them, by chance, each once."""
        resolution = Resolution(list(self.gold), self.candidates, evidence=evidence)
        resolution.add_votes(self.crowd.ask(resolution.by_chance(400)))
        return resolution


def test_likely_candidates_are_asked_first() -> None:
    entities = Entities(0)
    resolution = entities.asked("auto")
    same = [int(str(one.left)) // 8 == int(str(one.right)) // 8 for one in resolution.next_questions(20)]
    odds = resolution.graph.unasked_odds
    assert odds is not None
    inside = np.array([entities.gold[a] == entities.gold[b] for a, b in sorted(entities.candidates)])
    assert odds[inside].min() > np.quantile(odds[~inside], 0.9)
    assert sum(same) >= 10


def test_a_pair_that_is_no_candidate_has_no_neighbours() -> None:
    left, right = np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32)
    numbers = np.array([2, -1, 0], np.int32)
    listed = Listed(left, right, 4, lambda rows: numbers[rows])
    found = listed.of(np.arange(3, dtype=np.int32))
    assert (found[[0, 2]] == listed.traits[[2, 0]]).all()
    assert not found[1].any()


def test_a_state_with_a_list_does_not_depend_on_updates() -> None:
    entities = Entities(1)
    start = Resolution(list(entities.gold), entities.candidates)
    votes = [*entities.crowd.ask(start.by_chance(500)), Vote(0, 159, "w", False), Vote(1, 158, "w", True)]
    whole = Resolution(list(entities.gold), entities.candidates, votes=votes)
    parts = Resolution(list(entities.gold), entities.candidates)
    for begin in range(0, len(votes), 33):
        parts.add_votes(votes[begin : begin + 33])
    assert whole.clustering == parts.clustering
    assert list(whole.graph.edges) == list(parts.graph.edges)
    assert whole.next_questions(30) == parts.next_questions(30)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from(["ties", "chance", "clusters"]))
def test_the_highest_never_compared_are_those_of_a_plain_list(seed: int, wanted: int, scores: str) -> None:
    """Many candidates between two clusters; where scores go by clusters, all of the best are of the same two."""
    chance = np.random.default_rng(seed)
    size, groups = 40, int(chance.integers(2, 9))
    edges = [(u, v, 0.9) for u in range(size) for v in range(u + 1, size) if u % groups == v % groups]
    edges += [(u, v, 0.2) for u, v in chance.integers(0, size, (int(chance.integers(0, 4)), 2)).tolist() if u != v]
    pairs = [(u, v) for u in range(size) for v in range(u + 1, size) if chance.random() < 0.8]
    graph = UncertainGraph(range(size), edges, pairs)
    partition = Partition(graph)
    score = chance.integers(0, 3, len(pairs)).astype(np.float64) if scores == "ties" else chance.random(len(pairs))
    if scores == "clusters":
        score += [u % groups * groups + v % groups for u, v in pairs]
    found = Comparisons(graph, partition, 0).unlinked.highest(wanted, score)
    label = partition.label.tolist()
    compared = {frozenset((label[int(str(u))], label[int(str(v))])) for u, v, _ in graph.edges}
    expected: dict[frozenset[int], tuple[int, int]] = {}
    for at in sorted(range(len(pairs)), key=lambda at: (-score[at], at)):
        two = frozenset(label[record] for record in pairs[at])
        if len(two) == 2 and two not in compared:
            expected.setdefault(two, pairs[at])
    assert list(zip(*(side.tolist() for side in found), strict=True)) == list(expected.values())[:wanted]
