"""Wise: what a question is worth, straight from the definition; what it asks first; what a batch does not waste."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from asking import batches, voted
from hypothesis import given
from hypothesis import strategies as st

from askwise import Resolution, SimulatedCrowd, Vote
from askwise.evidence.regression import logistic
from askwise.kernels.batches import choose
from askwise.kernels.picking import pick
from askwise.kernels.question_values import JOIN, LEAVE_RIGHT, MOVE_RIGHT, NEXT, TEACHES
from askwise.strategies.valuing import Valuing
from askwise.strategies.wise import UNKNOWN, Wise, best_to_look_at

Scored = list[tuple[int, int, float]]


def cost_of_change(u: int, v: int, cluster_of: dict[int, int], weight: dict[tuple[int, int], float]) -> float:
    """The log-likelihood that the nearest change costs which puts u and v on the other side: each change tried out."""

    def likelihood(labels: dict[int, int]) -> float:
        return math.fsum(w for (a, b), w in weight.items() if labels[a] == labels[b])

    now = likelihood(cluster_of)
    if cluster_of[u] == cluster_of[v]:
        changes = [{**cluster_of, one: -1} for one in (u, v)]
    else:
        joined = {one: cluster_of[u] if label == cluster_of[v] else label for one, label in cluster_of.items()}
        changes = [joined, {**cluster_of, u: cluster_of[v]}, {**cluster_of, v: cluster_of[u]}]
    return max(now - max(likelihood(change) for change in changes), 0.0)


@st.composite
def scored_pairs(draw: st.DrawFn) -> tuple[int, Scored]:
    size = draw(st.integers(3, 9))
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(size), 2))), unique=True, min_size=2))
    return size, [(u, v, draw(st.integers(5, 95)) / 100) for u, v in pairs]


@given(scored_pairs(), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=6))
def test_a_question_is_worth_what_the_definition_says(drawn: tuple[int, Scored], asked: list[tuple[int, int]]) -> None:
    """The square of how likely the nearest change is, and a tenth of that of the pair's own doubt.

    Whatever was asked before, and in however many updates.

    Of the pairs between the same two clusters, or in the same one, only the best is worth that.
    """
    size, scored = drawn
    resolution = Resolution(range(size), scored, "wise")
    for at, yes in asked:
        u, v, _ = scored[at % len(scored)]
        resolution.add_votes(voted(u, v, yes, 5))
    labels = resolution.clustering.labels
    cluster_of = {record: labels[record] for record in range(size)}
    weight = {}
    for u, v, _ in scored:
        p = resolution.graph.p(u, v)
        assert p is not None
        weight[u, v] = math.log(p / (1 - p))
    questions = resolution.next_questions(len(scored))
    asked_pairs = {(scored[at % len(scored)][0], scored[at % len(scored)][1]) for at, _ in asked}
    assert {(q.left, q.right) for q in questions} == set(weight) - asked_pairs
    worth: dict[tuple[int, int], float] = {}
    for pair in weight:
        change, doubt = cost_of_change(*pair, cluster_of, weight), abs(weight[pair])
        value = (1 + math.exp(change)) ** -2 + TEACHES * (1 + math.exp(doubt)) ** -2
        worth[pair] = 0.0 if pair in asked_pairs else value
    about = {(u, v): frozenset((cluster_of[u], cluster_of[v])) for u, v in weight}
    best = {group: max(worth[pair] for pair in weight if about[pair] == group) for group in about.values()}
    seen = set()
    for q in questions:
        assert isinstance(q.left, int)
        assert isinstance(q.right, int)
        pair = q.left, q.right
        if about[pair] in seen:
            assert q.gain == pytest.approx(NEXT * worth[pair], rel=1e-6)
        else:
            assert q.gain == pytest.approx(worth[pair], rel=1e-6)
            assert q.gain == pytest.approx(best[about[pair]], rel=1e-6)
        seen.add(about[pair])


def test_the_doubtful_comes_before_the_sure() -> None:
    scored = [("a", "b", 0.97), ("c", "d", 0.55), ("e", "f", 0.45), ("g", "h", 0.03)]
    questions = Resolution("abcdefgh", scored, "wise").next_questions(4)
    assert {questions[0].left, questions[1].left} == {"c", "e"}


def test_two_clusters_give_one_question_to_a_batch() -> None:
    scored = [(u, v, 0.9) for u, v in combinations(range(3), 2)] + [
        (u, v, 0.9) for u, v in combinations(range(3, 6), 2)
    ]
    scored += [(u, v, 0.3) for u in range(3) for v in range(3, 6)] + [(6, 7, 0.4)]
    questions = Resolution(range(8), scored, "wise").next_questions(2)
    assert {(q.left, q.right) == (6, 7) for q in questions} == {True, False}


def test_what_nobody_compared_is_asked_by_size() -> None:
    """Three in one cluster, two in another, one alone: the two large ones first."""
    records = ["a1", "a2", "a3", "b1", "b2", "c"]
    resolution = Resolution(records, None, "wise", "scc", "ratio")
    for left, right in (("a1", "a2"), ("a2", "a3"), ("b1", "b2")):
        resolution.add_votes(voted(left, right, 10))
    (first,) = resolution.next_questions(1)
    assert {str(first.left)[0], str(first.right)[0]} == {"a", "b"}
    assert first.gain == pytest.approx((1 + math.exp(UNKNOWN)) ** -2 * math.sqrt(6))


def test_without_scores_a_pair_in_doubt_teaches_too() -> None:
    """A YES and a NO on the only pair: a join that is as likely right as not, and a pair of which as much is known."""
    resolution = Resolution("ab", None, "wise", "scc", "ratio", most_votes=4)
    resolution.add_votes(voted("a", "b", 1, 2))
    (again,) = resolution.next_questions(1)
    assert again.gain == pytest.approx((0.5**2 + TEACHES * 0.5**2) / 3)


@given(st.integers(0, 1000), st.integers(0, 40), st.booleans())
def test_valuing_all_pairs_at_once_is_valuing_them_cluster_by_cluster(seed: int, extra: int, every_pair: bool) -> None:
    """To the last bit, with pairs beside the candidates, several between two clusters, and clusters of any size."""
    chance = np.random.default_rng(seed)
    size = int(chance.integers(3, 40))
    pairs = list(combinations(range(size), 2))
    listed = [pairs[at] for at in chance.choice(len(pairs), int(chance.integers(2, len(pairs))), replace=False)]
    scored = [(u, v, float(chance.random())) for u, v in listed] if every_pair else None
    resolution = Resolution(range(size), scored, "wise", seed=seed)
    for at in chance.integers(0, len(pairs), extra).tolist():
        u, v = pairs[at]
        resolution.add_votes([Vote(u, v, "a worker", bool(chance.random() < 0.4))])
    clusters = resolution.partition.membership
    at_once, by_cluster = (Valuing(resolution.graph, clusters, seed) for _ in range(2))
    assert at_once.every_pair == every_pair
    at_once.revalue_all()
    rows = by_cluster.revalue_at(np.unique(clusters.label))
    assert np.unique(rows).size == rows.size == resolution.graph.pair_count
    assert (at_once.own == by_cluster.own).all()
    for name in at_once.worth._fields:
        assert np.array_equal(getattr(at_once.worth, name), getattr(by_cluster.worth, name))


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("scored", [False, True])
def test_it_asks_everything_in_the_end(listed: bool, scored: bool) -> None:
    gold = {record: record % 4 for record in range(20)}
    pairs = [pair for pair in combinations(gold, 2) if not listed or sum(pair) % 3]
    chance = np.random.default_rng(0)
    given_pairs = [(u, v, float(chance.random())) for u, v in pairs] if scored else pairs if listed else None
    resolution = Resolution(gold, given_pairs, "wise")
    crowd = SimulatedCrowd(gold, 0.1, 3)
    for questions in batches(resolution, 7):
        resolution.add_votes(crowd.ask(questions))
    assert resolution.asked == len(pairs)
    assert resolution.to_ask == 0


@given(st.lists(st.tuples(st.integers(0, 27), st.integers(0, 5)), min_size=1, max_size=30), st.integers(1, 5))
def test_values_kept_are_values_computed_anew(asked: list[tuple[int, int]], batch: int) -> None:
    pairs = list(combinations(range(8), 2))
    scored = [(u, v, float(logistic(np.array((7 * u + 3 * v) % 5 - 2.0)))) for u, v in pairs]
    kept = Resolution(range(8), scored, "wise")
    votes: list[Vote] = []
    for at, yes in asked:
        new = voted(*pairs[at], yes, 5)
        votes += new
        kept.add_votes(new)
        kept.next_questions(batch)
    anew = Wise(kept.graph, kept.partition, 0)
    assert kept.next_questions(batch) == anew.select(min(batch, max(kept.to_ask, 1)))[: kept.to_ask]


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 44), st.integers(0, 5)), max_size=8), min_size=1, max_size=8),
    st.integers(1, 12),
    st.sampled_from(["ratio", "auto"]),
    st.sampled_from([1, 3]),
)
def test_so_it_is_where_every_pair_may_be_asked(
    updates: list[list[tuple[int, int]]], batch: int, evidence: str, most_votes: int
) -> None:
    """What depends on no change is not valued again, and what has nothing left to ask is passed over."""
    pairs = list(combinations(range(10), 2))
    kept = Resolution(range(10), None, "wise", evidence=evidence, most_votes=most_votes)
    for update in updates:
        kept.add_votes([vote for at, yes in update for vote in voted(*pairs[at], yes, 5)])
        anew = Wise(kept.graph, kept.partition, 0)
        wanted = batch if most_votes > 1 else min(batch, kept.to_ask)
        assert kept.next_questions(batch) == (anew.select(wanted) if wanted else [])


def plain_equivalents(
    resolution: Resolution, wise: Wise, k: int, least: float
) -> list[tuple[int, int, float, float, int]]:
    """Questions about the same changes as the pairs with evidence, one pair after the other."""
    graph, partition, worth = resolution.graph, resolution.partition, wise.valuing.worth
    label = partition.label
    rows = [row for row in range(graph.pair_count) if worth.value[row] >= max(least, 1e-300)]
    rows.sort(key=lambda row: (-worth.value[row], row))
    found: dict[tuple[int, int], tuple[float, float, int]] = {}
    seen: set[tuple[int, int]] = set()
    for row in rows[: best_to_look_at(k)]:
        u, v, change = int(graph.pair_u[row]), int(graph.pair_v[row]), int(worth.change[row])
        value, chance = float(worth.value[row]), float(worth.chance[row])
        if graph.pair_open[row] > 0.0:
            found[u, v] = value * float(graph.pair_open[row]), chance, change
        if change in (MOVE_RIGHT, LEAVE_RIGHT):
            u, v, change = v, u, change - 1
        about = int(label[u]) if change == JOIN else -1 - u, int(label[v])
        if about in seen:
            continue
        seen.add(about)
        one = partition.members(int(label[u])) if change == JOIN else np.array([u], np.int32)
        two = partition.members(int(label[v]))
        pair = pick(one, two[two != u], np.uint64(0), graph.askable)
        if pair[0] >= 0 and pair not in found:
            found[pair] = value, chance, change
            if len(found) >= 2 * k:
                break
    return [(*pair, *worth) for pair, worth in found.items()]


@given(
    st.lists(st.tuples(st.integers(0, 65), st.integers(0, 3)), min_size=1, max_size=60),
    st.integers(1, 20),
    st.floats(0, 0.5),
    st.sampled_from([1, 5]),
)
def test_questions_about_the_same_changes_are_those_of_a_plain_loop(
    asked: list[tuple[int, int]], k: int, least: float, most_votes: int
) -> None:
    pairs = list(combinations(range(12), 2))
    resolution = Resolution(range(12), None, "wise", "scc", "ratio", most_votes=most_votes)
    resolution.add_votes([vote for at, yes in asked for vote in voted(*pairs[at], yes, 3)])
    wise = Wise(resolution.graph, resolution.partition, 0)
    wise.revalue()
    for _ in range(2):  # the second time, what has nothing left to ask is known
        found = wise.equivalents(k, least)
        assert list(
            zip(
                found.left.tolist(),
                found.right.tolist(),
                found.value.tolist(),
                found.chance.tolist(),
                found.change.tolist(),
                strict=True,
            )
        ) == plain_equivalents(resolution, wise, k, least)


def test_a_question_says_what_it_is_for() -> None:
    scored = [("a", "b", 0.95), ("c", "d", 0.95), ("a", "c", 0.4), ("a", "d", 0.3), ("b", "c", 0.3), ("b", "d", 0.3)]
    wise = {(q.left, q.right): q.why for q in Resolution("abcd", scored, "wise").next_questions(6)}
    assert wise["a", "c"] == (
        "could join a cluster of 2 records and a cluster of 2 records: so far they are 40% likely the same"
    )
    assert wise["a", "b"].startswith("would confirm a cluster of 2 records, or take 'a' out of it: so far")
    (perc,) = Resolution("ab", None, "perc").next_questions(1)
    assert perc.why == "compares a record by itself and a record by itself: nothing is known about these two"


def test_a_record_may_go_over() -> None:
    """b is with a, a little; c, d and e are surely one, and b looks much like c."""
    scored = [("a", "b", 0.8), ("b", "c", 0.75), ("b", "d", 0.4), ("c", "d", 0.95), ("c", "e", 0.95), ("d", "e", 0.95)]
    scored += [("a", "c", 0.05), ("a", "d", 0.05)]
    (first,) = (q for q in Resolution("abcde", scored, "wise").next_questions(8) if {q.left, q.right} == {"b", "c"})
    assert first.why.startswith("could move 'b' to a cluster of 3 records")


PROSPECTS = st.tuples(st.floats(0.01, 1), st.floats(0, 0.5), st.integers(0, 3), st.integers(0, 5))


@given(st.lists(PROSPECTS, max_size=20), st.integers(1, 12), st.booleans())
def test_a_batch_is_chosen_one_after_the_other(
    prospects: list[tuple[float, float, int, int]], k: int, once: bool
) -> None:
    """Each time the best of all that are left, by what it is worth now; the first of those that are worth the same."""
    prospects.sort(key=lambda one: -one[0])
    unchanged = dict.fromkeys(range(4), 1.0)
    settled: set[int] = set()
    chosen: list[int] = []
    left = list(range(len(prospects)))
    while left and len(chosen) < k:
        fresh = [at for at in left if not (once and prospects[at][3] in settled)]
        if not fresh:
            break
        best = max(fresh, key=lambda at: (prospects[at][0] * unchanged[prospects[at][2]], -at))
        _, chance, small, two = prospects[best]
        chosen.append(best)
        left.remove(best)
        settled.add(two)
        unchanged[small] *= 1 - chance
    value, chances = (np.array([one[at] for one in prospects], np.float64) for at in (0, 1))
    smaller, both = (np.array([one[at] for one in prospects], np.int64) for at in (2, 3))
    found = choose(np.arange(value.size), value, chances, smaller, both, k, once).tolist()
    assert found[: len(chosen)] == chosen
    assert len(found) == min(k, len(prospects))
