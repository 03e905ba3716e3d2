"""Scores to expect: against all partitions, against gold, and with an audit; when to stop; asking again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from asking import voted
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import InputError, ReplayCrowd, Resolution, SimulatedCrowd, Until, Vote, pairwise_scores, resolve
from askwise.kernels.posterior import draw_partition
from askwise.measures import posterior as posterior_module
from askwise.measures.expected import SHARED, expected_scores
from askwise.measures.posterior import Pairs, Posterior

GOLD = {record: record % 12 for record in range(60)}
EVIDENCE = ["ratio", "majority", "smoothed", "workers", "scores", "auto"]


def partitions(records: int) -> Iterator[tuple[int, ...]]:
    """Every partition, as labels that are named by their first record."""

    def grown(label: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(label) == records:
            yield label
            return
        for cluster in sorted({*label, len(label)}):
            yield from grown((*label, cluster))

    return grown(())


def named(label: list[int]) -> tuple[int, ...]:
    return tuple(label.index(one) for one in label)


@pytest.mark.parametrize("price", [0.0, -1.0, 0.7])
def test_partitions_are_drawn_as_likely_as_they_are(price: float) -> None:
    """Against the posterior of all 52 partitions of five records: the weights inside, and a price for each join."""
    drawn = np.random.default_rng(3).normal(0, 1.2, 10).tolist()
    weight = dict(zip(combinations(range(5), 2), drawn, strict=True))
    likely = {
        label: math.exp(sum(w for (u, v), w in weight.items() if label[u] == label[v]) + price * (5 - len(set(label))))
        for label in partitions(5)
    }
    whole = sum(likely.values())
    other = np.array([v for u in range(5) for v in range(5) if v != u], np.int32)
    both = np.array([weight[min(u, v), max(u, v)] for u in range(5) for v in range(5) if v != u])
    found: Counter[tuple[int, ...]] = Counter()
    draws = 8000
    for draw in range(draws):
        label, size = np.array([0, 0, 2, 2, 2], np.int32), np.array([2, 0, 3, 0, 0], np.int64)
        everybody, starts = np.arange(5, dtype=np.int32), np.arange(0, 21, 4, dtype=np.int64)
        draw_partition(everybody, starts, other, both, price, 6, np.uint64(draw << 20), label, size)
        assert np.bincount(label, minlength=5).tolist() == size.tolist()
        found[named(label.tolist())] += 1
    for partition, value in likely.items():
        wanted = draws * value / whole
        assert abs(found[partition] - wanted) < 5 * math.sqrt(wanted) + 3


def test_only_some_records_move() -> None:
    label, size = np.zeros(4, np.int32), np.array([7, 0, 0, 0], np.int64)
    starts, other = np.array([0, 1, 2, 3, 4], np.int64), np.array([1, 0, 3, 2], np.int32)
    draw_partition(np.array([2], np.int32), starts, other, np.full(4, -40.0), 0.0, 1, np.uint64(1), label, size)
    assert label.tolist() == [0, 0, 1, 0]
    assert size.tolist() == [6, 1, 0, 0]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(list(combinations(range(7), 2))), st.integers(0, 5)), max_size=12),
    st.booleans(),
)
def test_a_cluster_is_as_right_as_its_likeliest_change_is_wrong(
    asked: list[tuple[tuple[int, int], int]], listed: bool
) -> None:
    """Each record may leave or go over, each other cluster may join; one by one, by the weights of the reading."""
    pairs = list(combinations(range(7), 2))[: 14 if listed else None]
    resolution = Resolution(range(7), pairs if listed else None, evidence="ratio")
    for (u, v), yes in asked:
        resolution.add_votes(voted(u, v, yes, 5))
    posterior = resolution.posterior()
    reading, graph = posterior.likeliest, resolution.graph
    price = float(reading.mean[0])
    rows = np.flatnonzero(~np.isnan(graph.pair_p[: graph.pair_count])).astype(np.int32)
    left, right, votes = graph.pair_u[rows], graph.pair_v[rows], resolution.votes.tally(rows)
    pairs_there = Pairs(left, right, None, votes, np.arange(rows.size), np.zeros(rows.size))
    weights = pairs_there.weights(reading.crowd, reading.alike, 0.0).tolist()
    weight = {(int(u), int(v)): w for u, v, w in zip(left, right, weights, strict=True)}

    def about(a: set[int], b: set[int]) -> list[float]:
        return [w for (u, v), w in weight.items() if (u in a and v in b) or (u in b and v in a)]

    groups = [{int(one) for one in members} for members in resolution.clustering]  # type: ignore[call-overload]
    for members, confidence in zip(groups, resolution.confidences(), strict=True):
        least = 1.0
        for u in members:
            odds = [1.0]
            stay = 1.0 if len(members) == 1 else math.exp(price + sum(about({u}, members - {u})))
            for group in groups:
                if there := about({u}, group - {u}):
                    odds.append(math.exp(price + sum(there)))
            least = min(least, stay / sum(odds))
        for group in groups:
            if group != members and (there := about(members, group)):
                least = min(least, 1 / (1 + math.exp(price + sum(there))))
        if confidence.nearest is not None and not confidence.separation:
            least = min(least, 1 / (1 + math.exp(price)))
        assert confidence.right == pytest.approx(least, abs=2e-6)
        assert resolution.confidence(min(members)).right == confidence.right


@pytest.mark.parametrize("error", [0.02, 0.2])
def test_the_reading_finds_the_crowd_and_how_often_clusters_are_one(error: float) -> None:
    """Rates that are on no list of typical crowds; of 1,770 pairs, 120 are the same, and few of the compared joins."""
    found = resolve(GOLD, SimulatedCrowd(GOLD, error, 5, seed=1), 1770, 200, strategy="random").posterior()
    assert found.likeliest.crowd == pytest.approx((1 - error, error), abs=0.04)
    rare = {record: record // 2 for record in range(60)}
    fewer = resolve(rare, SimulatedCrowd(rare, error, 5, seed=1), 1770, 200, strategy="random").posterior()
    assert fewer.likeliest.mean[0] < -2 < found.likeliest.mean[0] <= 0


def test_intervals_hold_what_gold_says() -> None:
    """Simulated workers, all along a run: nearly always the truth lies where it is said to."""
    held, widths = [], []
    for seed in range(4):

        def note(resolution: Resolution) -> None:
            expected, truth = resolution.expected_scores(), pairwise_scores(resolution.clustering, GOLD)
            for interval, score in zip(expected[:3], truth, strict=True):
                assert 0 <= interval.low <= interval.value <= interval.high <= 1
                held.append(interval.low - 1e-9 <= score <= interval.high + 1e-9)
            widths.append(expected.f1.high - expected.f1.low)
            low, value, high = (f"{part:.3f}" for part in sorted(expected.f1))
            assert str(expected).endswith(f"F1 {value} ({low} to {high})")

        crowd = SimulatedCrowd(GOLD, 0.1, 5, seed=seed)
        resolve(GOLD, crowd, 700, 50, initial=100, strategy="wise", seed=seed, audit=0.1, progress=note)
    assert np.mean(held) > 0.8
    assert np.mean(widths) < 0.5


def test_groups_may_be_wrong_together() -> None:
    """Two groups of six that hardly more YES than NO join: precision may be that of the two apart."""
    votes = [vote for part in (range(6), range(6, 12)) for u, v in combinations(part, 2) for vote in voted(u, v, 3, 3)]
    doubtful = [vote for u in range(3) for vote in voted(u, u + 6, 1 if u else 3, 3)]
    resolution = Resolution(range(12), votes=[*votes, *doubtful])
    assert len(resolution.clustering) == 1
    right = [one.right for one in resolution.posterior().drawn()]
    assert right.count(2 * 15) > 3
    assert resolution.expected_scores().precision.low <= 2 * 15 / 66
    sure = Resolution(range(12), votes=[*votes, *(vote for u in range(6) for vote in voted(u, u + 6, 3, 3))])
    assert {one.right for one in sure.posterior().drawn()} == {66}


def test_an_audit_by_the_same_crowd_does_not_prove_the_crowd_right() -> None:
    """Everybody takes two entities for one. The audit says so, too: the interval keeps room for it."""
    seen = {record: record // 4 for record in range(48)}
    truth = {record: record // 2 for record in range(48)}
    crowd = SimulatedCrowd(seen, 0.02, 5, seed=2)
    resolution = resolve(seen, crowd, 600, 100, strategy="wise", audit=0.5)
    assert pairwise_scores(resolution.clustering, seen).f1 > 0.95
    expected = resolution.expected_scores()
    assert expected.audited > 100
    least = SHARED[0] / sum(SHARED)
    assert expected.precision.high - expected.precision.low > least
    assert expected.f1.low < 1 - least / 2
    assert pairwise_scores(resolution.clustering, truth).recall == 1.0


def test_what_rules_keep_apart_is_not_drawn_together() -> None:
    votes = [vote for at in range(20) for vote in voted(2 * at, 2 * at + 1, 2, 3)]
    doubtful = Resolution(range(40), votes=votes)
    decided = Resolution(range(40), votes=votes)
    decided.decide([(2 * at, 2 * at + 1, True) for at in range(20)])
    assert min(one.right for one in decided.posterior().drawn()) == 20
    assert min(one.right for one in doubtful.posterior().drawn()) < 20


def test_of_very_many_records_a_sample_of_the_clusters_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = {record: record // 4 for record in range(600)}
    pairs = [(u, v) for u, v in combinations(range(600), 2) if v - u < 9]
    chance = np.random.default_rng(0)
    scored = [(u, v, (0.6 if truth[u] == truth[v] else 0.4) * chance.uniform(0.5, 1.5)) for u, v in pairs]
    resolution = resolve(truth, SimulatedCrowd(truth, 0.2, 1), 900, 300, scored)
    every = resolution.expected_scores()
    monkeypatch.setattr(posterior_module, "MOST_RECORDS", 300)
    sampled = Posterior(resolution.graph, resolution.partition, resolution.evidence, resolution.votes, 0)
    (some,) = expected_scores(sampled, 0, [0.9], 0)
    assert sampled.share == pytest.approx(0.5, abs=0.02)
    assert some != every
    for one, other in zip(some[:3], every[:3], strict=True):
        assert one == pytest.approx(other, abs=0.05)


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_every_evidence_has_scores_to_expect(evidence: str) -> None:
    pairs = [(u, v, 0.6) for u, v in combinations(range(6), 2)]
    resolution = Resolution(range(6), pairs, evidence=evidence)
    assert resolution.expected_scores().audited == 0
    resolution.add_votes([*voted(0, 1, 5, 5), *voted(1, 2, 0, 5), *voted(3, 4, 2, 4)])
    again = Resolution(
        range(6), pairs, evidence=evidence, votes=[*voted(0, 1, 5, 5), *voted(1, 2, 0, 5), *voted(3, 4, 2, 4)]
    )
    assert resolution.expected_scores() == again.expected_scores()
    assert resolution.expected_scores().f1.low <= resolution.expected_scores().f1.high


def test_an_audit_draws_pairs_with_the_probability_it_says() -> None:
    scored = [(u, v, 0.8 if GOLD[u] == GOLD[v] else 0.1) for u, v in combinations(range(24), 2)]
    resolution = Resolution(range(24), scored)
    resolution.audit(6000)
    drawn: dict[tuple[object, object], list[float]] = {}
    for left, right, chance in resolution.audited:
        drawn.setdefault((left, right), []).append(chance)
    assert sum(chances[0] for chances in drawn.values()) == pytest.approx(1, abs=0.02)
    often = [(len(chances), 6000 * chances[0]) for chances in drawn.values()]
    assert all(abs(times - wanted) < 6 * math.sqrt(wanted) + 3 for times, wanted in often)
    together = [
        pair for pair in drawn if resolution.clustering.labels[pair[0]] == resolution.clustering.labels[pair[1]]
    ]
    assert sum(len(drawn[pair]) for pair in together) == pytest.approx(3000, abs=300)


@pytest.mark.parametrize("joined", [False, True])
def test_an_audit_of_all_pairs(joined: bool) -> None:
    resolution = Resolution(range(10))
    if joined:
        resolution.add_votes([vote for u in range(4) for vote in voted(u, u + 1, 5)])
    questions = resolution.audit(200)
    assert sum(1 / chance for *_, chance in resolution.audited) / 200 == pytest.approx(45, rel=0.35)
    assert all(resolution.graph.p(question.left, question.right) is None for question in questions)


def test_answers_make_the_interval_narrower_and_an_audit_can_be_kept() -> None:
    pairs = [(u, v) for u, v in combinations(range(60), 2) if abs(u - v) < 15]
    scored = [(u, v, 0.95 if u // 2 == v // 2 else 0.02) for u, v in pairs]
    resolution = Resolution(range(60), scored)
    before = resolution.expected_scores()
    questions = resolution.audit(120)
    truth = {record: record // 2 for record in range(60)}
    votes = SimulatedCrowd(truth, 0.02, 3).ask(questions)
    resolution.add_votes(votes)
    after = resolution.expected_scores()
    assert after.audited > before.audited == 0
    for one, other in zip(after[:3], before[:3], strict=True):
        assert one.high - one.low < other.high - other.low
    again = Resolution(range(60), scored, votes=votes)
    again.resume_audit(resolution.audited)
    assert again.expected_scores() == after


def test_several_levels_at_once_are_what_each_is() -> None:
    resolution = resolve(GOLD, SimulatedCrowd(GOLD, 0.1, 3), 300, 50, audit=0.1)
    levels = (0.95, 0.5, 0.8)
    assert resolution.expected_at(levels) == [resolution.expected_scores(level) for level in levels]
    assert resolution.expected_at([]) == []
    for bad, words in (([0.5, 1.0], "level = 1.0 is not a probability"), (0.5, "levels must be a collection")):
        with pytest.raises(InputError, match=words):
            resolution.expected_at(bad)  # type: ignore[arg-type]


def test_asking_stops_when_it_is_enough() -> None:
    crowd = SimulatedCrowd(GOLD, 0.05, 5)
    enough = resolve(GOLD, crowd, 1770, 20, strategy="wise", audit=0.15, until=Until(f1=0.9))
    assert enough.asked < 1770
    assert enough.expected_scores(0.5).f1.low >= 0.9
    assert pairwise_scores(enough.clustering, GOLD).f1 > 0.8
    assert resolve(GOLD, crowd, 1770, 20, until=Until(votes=300)).votes.count == 300
    assert resolve(GOLD, crowd, 1770, 20, strategy="wise", until=Until(gain=10.0)).asked == 0


@pytest.mark.parametrize(
    ("until", "message"),
    [
        ({"f1": 1.2}, "f1 = 1.2 is not a number from 0 to 1"),
        ({"recall": "x"}, "recall = 'x' is not"),
        ({"votes": -1}, "at least 0"),
        ({"gain": -1.0}, "gain = -1.0"),
    ],
)
def test_bad_rules_are_refused(until: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Until(**until)  # type: ignore[arg-type]


def test_a_pair_is_asked_again_until_it_has_its_votes() -> None:
    """One vote at a time: two records, so there is nothing else to ask."""
    stored = [Vote("a", "b", f"w{at}", at % 2 == 0) for at in range(9)]
    crowd = ReplayCrowd(stored, at_once=1)
    resolution = Resolution("ab", strategy="wise", most_votes=4)
    asked = 0
    while questions := resolution.next_questions(1):
        resolution.add_votes(crowd.ask(questions))
        asked += 1
    assert asked == 4
    assert resolution.asked == 1


def test_a_pair_without_further_votes_is_not_asked_for_ever() -> None:
    crowd = ReplayCrowd([Vote("a", "b", "w1", True), Vote("a", "c", "w1", None)], at_once=1)
    resolution = resolve("abc", crowd, 4, 1, strategy="wise", most_votes=5)
    assert resolution.asked == 3
    assert resolution.next_questions(3) == []


def test_few_votes_first_and_more_where_they_disagree_saves_votes() -> None:
    crowd = SimulatedCrowd(GOLD, 0.1, 1)
    one = resolve(GOLD, crowd, 1770, 50, strategy="wise", most_votes=5, until=Until(votes=1800))
    five = resolve(GOLD, SimulatedCrowd(GOLD, 0.1, 5), 1770, 10, strategy="wise", until=Until(votes=1800))
    scores = [pairwise_scores(found.clustering, GOLD).f1 for found in (one, five)]
    assert scores[0] > scores[1] + 0.1


def test_only_a_strategy_that_can_asks_again() -> None:
    with pytest.raises(InputError, match="asks no pair again"):
        Resolution("ab", strategy="perc", most_votes=2)
    with pytest.raises(InputError, match="is not a share"):
        resolve("ab", SimulatedCrowd({"a": 1, "b": 1}), 1, audit=1.5)


@pytest.mark.parametrize("batch", [1, 7])
def test_an_audit_keeps_to_the_budget(batch: int) -> None:
    resolution = resolve(GOLD, SimulatedCrowd(GOLD, 0.1, 3), 50, batch, audit=0.4)
    assert resolution.asked == 50
    assert len(resolution.audited) == pytest.approx(20, abs=4)
