"""Odds before votes: by when a pair was first asked, and by its company."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, SimulatedCrowd
from askwise.arrays import Singles
from askwise.evidence.learned import Learned
from askwise.evidence.machine import MOST_MACHINE
from askwise.evidence.prior import AGAINST, FEW, FIRMNESS, RECENT, Times
from askwise.evidence.rates import DIFFERENT, SAME
from askwise.evidence.view import View
from askwise.evidence.votes import VoteLog
from askwise.kernels.votes import WHOLE

THREE_YES = np.array([3.0]), np.zeros(1), np.zeros(1)
LEAST = -0.5 * float((SAME.log_chance(*THREE_YES) - DIFFERENT.log_chance(*THREE_YES))[0])


def no_company(count: int) -> Singles:
    """Nobody knows the company of so many pairs."""
    return np.empty((count, 0), np.float32)


def log_of(rows: list[int], vote: int = WHOLE) -> VoteLog:
    """A YES, or another vote, of one worker on each of some pairs, in turn."""
    log = VoteLog()
    log.add(np.array(rows, np.int32), ["w"] * len(rows), np.full(len(rows), vote, np.int8))
    return log


@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=6))
def test_the_first_vote_on_a_pair_is_known(updates: list[list[int]]) -> None:
    log = VoteLog()
    for rows in updates:
        log.add(np.array(rows, np.int32), ["w"] * len(rows), np.full(len(rows), WHOLE, np.int8))
    every = [row for rows in updates for row in rows]
    voted = sorted(set(every))
    assert log.first_vote(np.array(voted, np.int32)).tolist() == [every.index(row) for row in voted]


@given(st.integers(1, 700), st.integers(0, 2**32 - 1))
def test_pairs_first_asked_together_share_their_odds(count: int, seed: int) -> None:
    """Against plain lists: the latest fifth, the latest fifth of those before, and so on, as long as they are many."""
    rows = list(range(count))
    random.Random(seed).shuffle(rows)
    log, asked = log_of(rows), np.arange(count, dtype=np.int32)
    likely = np.random.default_rng(seed).random(count) * 0.6
    found = Times(log, asked, np.full(count, 3.0), np.zeros(count), no_company(count), 0.0).odds(likely, likely > 0.5)
    rest, times = rows, []
    while RECENT * len(rest) >= FEW:
        cut = int((1 - RECENT) * len(rest))
        rest, latest = rest[:cut], rest[cut:]
        times.append(latest)
    mean = float(likely.mean())
    for time in [rest, *reversed(times)]:
        same = sum(likely[time]) + FIRMNESS * mean + 1
        different = len(time) - sum(likely[time]) + FIRMNESS * (1 - mean) + 1
        pairs = np.array(time, np.int32), no_company(len(time))
        counts, believed = (set(odds(log, *pairs).tolist()) for odds in (found.of, found.believed))
        assert len(counts) == len(believed) == 1
        assert counts.pop() == pytest.approx(min(max(math.log(same / different), LEAST), 0.0))
        assert believed.pop() == pytest.approx(min(math.log(same / different), 0.0))
    assert len(found.odds) == len(times) + 1


def test_odds_undo_at_most_half_of_unanimous_votes() -> None:
    log, asked = log_of(list(range(40))), np.arange(40, dtype=np.int32)
    one, five = (
        Times(log, asked, np.full(40, votes), np.zeros(40), no_company(40), 0.0)
        .odds(np.full(40, 1e-9), np.zeros(40, np.bool_))
        .of(log, asked, no_company(40))[0]
        for votes in (1.0, 5.0)
    )
    assert five < one < 0


def test_company_counts_beside_the_time() -> None:
    """Half of the pairs are the same, those of good company. A bad time counts in part, and is believed in full."""
    log, asked = log_of(list(range(200))), np.arange(200, dtype=np.int32)
    traits = np.column_stack((np.where(asked % 2 == 0, 1.0, -1.0), np.zeros(200))).astype(np.float32)
    same = asked % 2 == 0
    found = Times(log, asked, np.full(200, 3.0), np.zeros(200), traits, single=0.5).odds(same.astype(np.float64), same)
    good, nothing = found.company
    assert good > 1.0
    assert nothing == 0.0
    assert found.of(log, asked, traits) == pytest.approx(np.where(same, good, -good), abs=0.1)
    bad_time = replace(found, odds=(-9.0,), since=())
    counts, believed = bad_time.of(log, asked, traits), bad_time.believed(log, asked, traits)
    assert counts == pytest.approx(np.where(same, LEAST + good, max(LEAST - good, -MOST_MACHINE)))
    assert believed == pytest.approx(np.where(same, good, -good) - 9.0)
    alone, against = replace(bad_time, company=()), log_of(list(range(200)), 0)
    assert alone.of(log, asked, no_company(200)) == pytest.approx(LEAST)
    assert alone.of(against, asked, no_company(200)) == pytest.approx(0.5 * (1.0 + AGAINST) * LEAST)
    assert alone.believed(against, asked, no_company(200)) == pytest.approx(-9.0)


def test_company_goes_by_the_clustering_where_votes_say_little() -> None:
    log, asked = log_of(list(range(200))), np.arange(200, dtype=np.int32)
    same = asked % 2 == 0
    traits = np.where(same, 1.0, -1.0).astype(np.float32)[:, None]
    times = Times(log, asked, np.ones(200), np.zeros(200), traits, single=1.0)
    assert times.odds(np.full(200, 0.5), same).company[0] > 0.3


def learned_from_all_pairs(votes: int) -> View:
    """What a crowd's votes teach, which is wrong in one of ten, on all pairs of 80 records in entities of two."""
    gold = {record: record // 2 for record in range(80)}
    crowd = SimulatedCrowd(gold, 0.1, votes, seed=1)
    given = [vote for left in range(80) for right in range(left) for vote in crowd.answers(left, right)]
    resolution = Resolution(list(gold), evidence="workers", votes=given)
    assert isinstance(resolution.evidence, Learned)
    return resolution.evidence.view


def test_with_one_vote_to_a_pair_rates_are_learned_from_odds_as_they_are() -> None:
    """Of the odds of -3 and less -0.9 counts: learned from that, nearly two thirds of the matches seemed missed."""
    view = learned_from_all_pairs(1)
    assert max(view.odds.odds) < -3.0
    assert view.odds.against == AGAINST
    assert view.same.mean > 0.7


def test_with_three_votes_to_a_pair_odds_count_alike_whatever_they_say() -> None:
    assert learned_from_all_pairs(3).odds.against == 1.0


def test_a_yes_says_less_where_hardly_any_pair_was_the_same() -> None:
    """At first every pair is the same, then none; the same votes on a new pair are then believed less."""
    gold = {record: record // 30 for record in range(60)}
    crowd = SimulatedCrowd(gold, 0.2, 3, seed=1)
    resolution = Resolution(list(gold), evidence="workers")
    same = [(a, b) for a in range(30) for b in range(a)][:300]
    different = [(a, b) for a in range(30) for b in range(30, 60)][:300]
    odds = []
    for pairs in (same, different):
        resolution.add_votes([vote for left, right in pairs for vote in crowd.answers(left, right)])
        assert isinstance(resolution.evidence, Learned)
        odds.append(resolution.evidence.view.odds)
    assert odds[0].odds[-1] == 0.0
    assert odds[1].odds[0] == 0.0
    assert odds[1].odds[-1] < -1.0


def test_a_state_does_not_depend_on_updates_nor_on_what_was_set_aside() -> None:
    """A pair that was set aside long before its first vote is one of the latest, whoever rebuilds the state."""
    gold = {record: record // 5 for record in range(60)}
    crowd = SimulatedCrowd(gold, 0.2, 1, seed=2)
    pairs = [(a, b) for a in range(60) for b in range(a)]
    random.Random(3).shuffle(pairs)
    votes = [vote for left, right in pairs[:700] for vote in crowd.answers(left, right)]
    whole = Resolution(list(gold), evidence="workers", votes=votes)
    parts = Resolution(list(gold), evidence="workers")
    parts.set_aside(pairs[600:700])
    for begin in range(0, 700, 35):
        parts.add_votes(votes[begin : begin + 35])
    assert isinstance(whole.evidence, Learned)
    assert isinstance(parts.evidence, Learned)
    assert len(whole.evidence.view.odds.odds) > 3
    assert whole.evidence.view.odds == parts.evidence.view.odds
    assert whole.clustering == parts.clustering
