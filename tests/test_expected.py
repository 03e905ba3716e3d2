"""Scores to expect: against the definition, against gold, and with an audit; when to stop; asking again."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from asking import voted
from hypothesis import given
from hypothesis import strategies as st

from askwise import InputError, ReplayCrowd, Resolution, SimulatedCrowd, Until, Vote, pairwise_scores, resolve
from askwise.measures import telling
from askwise.measures.audit import NONE_DRAWN
from askwise.measures.expected import _LOGS, FEWER, _known, expected_scores
from askwise.measures.mistakes import ALIKE

GOLD = {record: record % 12 for record in range(60)}
EVIDENCE = ["ratio", "majority", "smoothed", "workers", "scores", "auto"]


def likely(odds: float, count: int) -> float:
    return 1 / (1 + math.exp(-odds / (1 + ALIKE * (max(count, 1) - 1))))


@given(
    st.lists(st.tuples(st.sampled_from(list(combinations(range(7), 2))), st.integers(0, 5)), max_size=12),
    st.booleans(),
)
def test_mistakes_are_counted_as_defined(asked: list[tuple[tuple[int, int], int]], listed: bool) -> None:
    """Each pair's chance to be on the wrong side, one by one, and their sums."""
    pairs = list(combinations(range(7), 2))[: 14 if listed else None]
    resolution = Resolution(range(7), pairs if listed else None, evidence="ratio")
    for (u, v), yes in asked:
        resolution.add_votes(voted(u, v, yes, 5))
    found = resolution._mistakes()
    cluster = resolution.clustering.labels
    weight = {(int(u), int(v)): math.log(p / (1 - p)) for u, v, p in resolution.graph.edges}  # type: ignore[call-overload]

    def about(a: set[int], b: set[int]) -> list[float]:
        return [w for (u, v), w in weight.items() if (u in a and v in b) or (u in b and v in a)]

    groups = [{int(one) for one in members} for members in resolution.clustering]  # type: ignore[call-overload]
    leaving = {}
    for members in groups:
        for u in members:
            own = about({u}, members - {u})
            leaving[u] = likely(-sum(own), len(own)) if len(members) > 1 else 0.0
    compared = [(a, b) for a, b in combinations(groups, 2) if about(a, b)]
    unknown = (7 - len(groups) + 0.5) / (7 - len(groups) + len(compared) + 1)
    wrong = missed = 0.0
    for u, v in combinations(range(7), 2):
        a, b = groups[cluster[u]], groups[cluster[v]]
        if a == b:
            chance = 1 - (1 - leaving[u]) * (1 - leaving[v])
            wrong += chance
        else:
            odds = about(a, b)
            chance = likely(sum(odds), len(odds)) if odds else unknown
            missed += chance if odds or not listed or (u, v) in pairs else 0.0
        assert found.chance(np.array([u], np.int32), np.array([v], np.int32))[0] == pytest.approx(chance)
    assert found.wrong == pytest.approx(wrong, abs=1e-9)
    assert found.missed == pytest.approx(missed, abs=1e-9)


def test_intervals_hold_what_gold_says() -> None:
    """Simulated workers, all along a run: nearly always the truth lies where it is said to."""
    held = []
    for seed in range(4):

        def note(resolution: Resolution) -> None:
            expected, truth = resolution.expected_scores(), pairwise_scores(resolution.clustering, GOLD)
            for interval, score in zip(expected[:3], truth, strict=True):
                assert 0 <= interval.low <= interval.value <= interval.high <= 1
                held.append(interval.low - 1e-9 <= score <= interval.high + 1e-9)

        crowd = SimulatedCrowd(GOLD, 0.1, 5, seed=seed)
        resolve(GOLD, crowd, 700, 50, initial=100, strategy="wise", seed=seed, audit=0.1, progress=note)
    assert np.mean(held) > 0.8


@given(st.floats(0, 40), st.floats(0.01, 40), st.floats(0.3, 2))
def test_what_an_audit_says_of_the_factor(hits: float, foretold: float, more: float) -> None:
    """Against a sum over factors: the prior, and so many mistakes where so many were foretold (Poisson)."""
    known = _known(hits, foretold, more)
    density = []
    for log in _LOGS.tolist():
        spread = FEWER if log < 0 else more
        prior = math.exp(-0.5 * (log / spread) ** 2) / spread
        density.append(prior * math.exp(hits * (log - math.log(max(hits, 1) / foretold)) - foretold * math.exp(log)))
    for at in range(0, len(density), 100):
        assert known[at] == pytest.approx(sum(density[: at + 1]) / sum(density), abs=1e-9)
    assert _known(0.0, 0.0, more)[_LOGS.size // 2] == pytest.approx(0.5, abs=0.02)


def test_votes_that_tell_little_leave_more_room_for_mistakes() -> None:
    """The same pairs, the same scores; workers who are nearly always right, or hardly more often than not."""
    pairs = [(u, v, 0.9 if GOLD[u] == GOLD[v] else 0.2) for u, v in combinations(GOLD, 2)]
    found = [resolve(GOLD, SimulatedCrowd(GOLD, error, 5, seed=1), 300, 50, pairs) for error in (0.02, 0.45)]
    good, bad = (resolution._tells() for resolution in found)
    assert good > 5 > 1 > bad
    assert Resolution(GOLD, pairs)._tells() == 0.0
    doubtful = resolve(GOLD, SimulatedCrowd(GOLD, 0.1, 5, seed=1), 700, 50)._mistakes()
    much, little = (expected_scores(doubtful, NONE_DRAWN, np.empty(0), tells, [0.9], 0)[0] for tells in (good, bad))
    assert 1 - little.precision.low > 2 * (1 - much.precision.low) > 0
    assert little.recall.low == pytest.approx(much.recall.low, abs=0.2)


@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize("seed", range(4))
def test_votes_do_not_confirm_themselves(evidence: str, seed: int) -> None:
    """What workers say who know nothing tells nothing, whatever the evidence makes of it; what is right does."""
    pairs = [(u, v, 0.9 if GOLD[u] == GOLD[v] else 0.2) for u, v in combinations(GOLD, 2)]
    chance = np.random.default_rng(seed)
    asked = [pairs[at][:2] for at in chance.permutation(len(pairs))[:400]]
    for right, least, most in ((0.5, -1.0, 1.0), (0.98, 2.0, 30.0)):
        votes = [
            Vote(u, v, f"w{at}", (GOLD[u] == GOLD[v]) == (chance.random() < right)) for u, v in asked for at in range(4)
        ]
        assert least < Resolution(GOLD, pairs, evidence=evidence, votes=votes)._tells() < most


def test_some_of_very_many_pairs_tell_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(u, v, 0.9 if GOLD[u] == GOLD[v] else 0.2) for u, v in combinations(GOLD, 2)]
    resolution = resolve(GOLD, SimulatedCrowd(GOLD, 0.1, 4), 1200, 200, pairs)
    everything = resolution._tells()
    monkeypatch.setattr(telling, "_ENOUGH", 500)
    assert resolution._tells() != everything
    assert resolution._tells() == pytest.approx(everything, rel=0.15)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.sampled_from([True, False, None, 0.75])), min_size=1)
)
def test_the_judges_of_a_pair_are_halved(cast: list[tuple[int, int, bool | float | None]]) -> None:
    """Each vote that counts is in one of the two logs, under its judge's number, and their numbers differ by one."""
    log = Resolution(
        range(8), votes=[Vote(2 * pair, 2 * pair + 1, f"w{worker}", said) for pair, worker, said in cast]
    ).votes
    rows = log.voted()
    halves = log.halves(rows)
    said = [{(int(rows[place]), judge): yes for place, judge, yes in zip(*log.standing(rows), strict=True)}]
    said += [
        {(int(rows[place]), judge): yes for place, judge, yes in zip(*half.standing(rows), strict=True)}
        for half in halves
    ]
    assert said[0] == said[1] | said[2]
    assert len(said[0]) == len(said[1]) + len(said[2])
    one, other = (np.add(*half.tally(rows)) for half in halves)
    assert (np.abs(one - other) <= 1).all()
    assert log.judges == halves[0].judges == halves[1].judges


@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize("of", [5, 10])
def test_every_evidence_says_what_votes_tell(evidence: str, of: int) -> None:
    """Five YES of five, or of ten: whoever goes by majorities has halves of a tie that contradict each other."""
    pairs = [(u, v, 0.6) for u, v in combinations(range(6), 2)]
    resolution = Resolution(range(6), pairs, evidence=evidence)
    resolution.add_votes([*voted(0, 1, 5, of), *voted(1, 2, 0, 5), *voted(3, 4, 2, 4)])
    if evidence == "majority" and of == 10:
        assert resolution._tells() == pytest.approx(0.0)
    else:
        assert resolution._tells() > 0.5
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


def test_an_audit_makes_the_interval_narrower_and_can_be_kept() -> None:
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
    assert enough.expected_scores().f1.low >= 0.9
    assert pairwise_scores(enough.clustering, GOLD).f1 > 0.9
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
