"""The systems that PERC is compared with: hand-worked examples, and literal versions on random small graphs."""

import math
import random
from collections.abc import Hashable
from itertools import combinations

import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper import paper_resolution

from askwise import Question, Resolution, SimulatedCrowd, UncertainGraph, Vote, cluster, resolve
from askwise.clustering import Partition
from askwise.clustering.labels import shuffled
from askwise.clustering.operations import Estimates, Shares, operations
from askwise.clustering.pivot import pivot, pivoted
from askwise.evidence.majority import majority
from askwise.kernels.bottleneck import path_scores
from askwise.kernels.picking import pick_any, pick_listed
from askwise.strategies import STRATEGIES
from askwise.strategies.dense import BDense, _smallest, weakest_sets
from askwise.strategies.pc_pivot import PCPivot, _sides
from askwise.strategies.picking import all_unasked_between

Drawn = tuple[int, list[plain.Edge]]


def voted(left: Hashable, right: Hashable, yes: int, of: int = 10) -> list[Vote]:
    return [Vote(left, right, f"w{w}", w < yes) for w in range(of)]


def pair_of(question: Question) -> str:
    return "".join(sorted((str(question.left), str(question.right))))


# MinMax


def literal_minmax(nodes: int, edges: list[plain.Edge]) -> set[frozenset[int]]:
    """Edges from the heaviest to the lightest; at one weight the negative first, then the smallest clusters."""
    clusters = [frozenset([node]) for node in range(nodes)]
    apart: set[frozenset[int]] = set()  # pairs of records
    weights = sorted({round(max(p, 1 - p), 9) for _, _, p in edges if p != 0.5}, reverse=True)

    def of(node: int) -> frozenset[int]:
        return next(found for found in clusters if node in found)

    def told_apart(one: frozenset[int], two: frozenset[int]) -> bool:
        return any(frozenset((u, v)) in apart for u in one for v in two)

    for weight in weights:
        level = [(u, v, p) for u, v, p in edges if p != 0.5 and round(max(p, 1 - p), 9) == weight]
        apart |= {frozenset((u, v)) for u, v, p in level if p < 0.5 and of(u) != of(v)}
        while True:
            mergeable = sorted(
                (sorted((min(of(u)), min(of(v)))), u, v)
                for u, v, p in level
                if p > 0.5 and of(u) != of(v) and not told_apart(of(u), of(v))
            )
            if not mergeable:
                break
            one, two = of(mergeable[0][1]), of(mergeable[0][2])
            clusters = [found for found in clusters if found not in (one, two)] + [one | two]
    return set(clusters)


@given(plain.drawn_graphs(7, 16, plain.TENTHS))
def test_minmax_clusters_edge_by_edge(drawn: Drawn) -> None:
    nodes, edges = drawn
    assert set(cluster(UncertainGraph(range(nodes), edges), "minmax")) == literal_minmax(nodes, edges)


def literal_path_scores(nodes: int, edges: list[plain.Edge]) -> tuple[list[list[float]], list[list[float]]]:
    """Heaviest paths by trying every record in between (Floyd, Warshall), then every negative edge."""
    positive = [[math.inf if u == v else 0.0 for v in range(nodes)] for u in range(nodes)]
    for u, v, p in edges:
        if p > 0.5:
            positive[u][v] = positive[v][u] = max(positive[u][v], p)
    for middle in range(nodes):
        for u in range(nodes):
            for v in range(nodes):
                positive[u][v] = max(positive[u][v], min(positive[u][middle], positive[middle][v]))
    negative = [[0.0] * nodes for _ in range(nodes)]
    for one, two, p in edges:
        if p < 0.5:
            for a, b in ((one, two), (two, one)):
                for u in range(nodes):
                    for v in range(nodes):
                        negative[u][v] = max(negative[u][v], min(positive[u][a], 1 - p, positive[b][v]))
    return positive, negative


@given(plain.drawn_graphs(7, 14, plain.TENTHS))
def test_path_scores_are_those_of_the_heaviest_paths(drawn: Drawn) -> None:
    nodes, edges = drawn
    p = np.array([p for _, _, p in edges])
    order = np.argsort(-np.maximum(p, 1 - p), kind="stable").astype(np.int32)
    left, right = (np.array([edge[side] for edge in edges], np.int32) for side in (0, 1))
    found = path_scores(nodes, order, left, right, p)
    expected = literal_path_scores(nodes, edges)
    for u, v in combinations(range(nodes), 2):
        assert found[0][u, v] == pytest.approx(expected[0][u][v])
        assert found[1][u, v] == pytest.approx(expected[1][u][v])


def test_minmax_by_hand() -> None:
    # A-B 0.9, B-C 0.8, C-D 0.3 (a NO of weight 0.7), D-E 0.6. A-C: positive 0.8. To D: negative 0.7; to E: 0.6.
    resolution = paper_resolution("ABCDE", strategy="minmax", clustering="minmax")
    resolution.add_votes(voted("A", "B", 9) + voted("B", "C", 8) + voted("C", "D", 3) + voted("D", "E", 6))
    assert list(resolution.clustering) == [frozenset("ABC"), frozenset("DE")]
    questions = resolution.next_questions(10)
    assert pair_of(questions[0]) == "AC"
    assert {pair_of(question) for question in questions[1:4]} == {"AE", "BE", "CE"}
    assert {pair_of(question) for question in questions[4:]} == {"AD", "BD"}
    assert [round(question.gain, 6) for question in questions] == [0.8, -0.6, -0.6, -0.6, -0.7, -0.7]


def test_minmax_unknown_pairs_come_between() -> None:
    resolution = paper_resolution("ABCDE", strategy="minmax", clustering="minmax")
    resolution.add_votes(voted("A", "B", 9) + voted("B", "C", 9) + voted("A", "D", 1))
    gains = {pair_of(question): question.gain for question in resolution.next_questions(20)}
    assert gains["AC"] > 0 == gains["AE"] == gains["DE"] > gains["BD"]


# DENSE


def literal_rho(one: set[int], two: set[int], edges: list[plain.Edge]) -> float:
    """The formula of the paper's appendix, factor by factor."""

    def ratio(chosen: list[float]) -> float:
        return math.prod((1 - q) / q for q in chosen)

    positive = [(u, v, p) for u, v, p in edges if p > 0.5]
    outside = [
        [p for u, v, p in positive if (u in side) != (v in side) and not ({u, v} & other)]
        for side, other in ((one, two), (two, one))
    ]
    between = [p for u, v, p in edges if ({u, v} & one) and ({u, v} & two)]
    no = ratio([1 - p for p in between if p < 0.5])
    yes = ratio([p for p in between if p > 0.5])
    return ratio(outside[0]) * ratio(outside[1]) * min(no, yes)


@given(plain.drawn_graphs(8, 16, plain.TENTHS))
def test_rho_is_the_formula(drawn: Drawn) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    partition = Partition(graph)
    sets = weakest_sets(graph, partition)
    seen = set()
    for at, cost in enumerate(sets.cost):
        one, two = (set(side.tolist()) for side in sets.members(at))
        assert math.exp(-cost) == pytest.approx(literal_rho(one, two, edges))
        seen.add(frozenset((frozenset(one), frozenset(two))))
    clusters = list(partition.clustering())
    # One merge less than records in each cluster, and every two clusters with something asked between them.
    linked = {
        frozenset((a, b))
        for a, b in combinations(clusters, 2)
        if any((u in a and v in b) or (u in b and v in a) for u, v, _ in edges)
    }
    assert linked <= seen
    assert len(sets.cost) == nodes - len(clusters) + len(linked)


@given(plain.drawn_graphs(7, 12, plain.TENTHS), st.integers(0, 5))
def test_bdense_asks_where_rho_is_largest(drawn: Drawn, seed: int) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    partition = Partition(graph)
    questions = BDense(graph, partition, seed).select(100)
    asked = {(u, v) for u, v, _ in edges}
    clusters = [set(found) for found in partition.clustering()]
    sets = weakest_sets(graph, partition)
    considered = [tuple(set(side.tolist()) for side in sets.members(at)) for at in range(sets.cost.size)]
    considered += list(combinations(clusters, 2))
    open_sets = [
        (one, two) for one, two in considered if any((min(u, v), max(u, v)) not in asked for u in one for v in two)
    ]
    assert bool(questions) == bool(open_sets)
    if questions:
        largest = max(literal_rho(one, two, edges) for one, two in open_sets)
        assert 10 ** questions[0].gain == pytest.approx(largest)
        assert any(
            {questions[0].left, questions[0].right} & one and {questions[0].left, questions[0].right} & two
            for one, two in open_sets
            if literal_rho(one, two, edges) == pytest.approx(largest)
        )
        assert BDense(graph, partition, seed).select(1)[0].gain == pytest.approx(questions[0].gain)
    pairs = [(question.left, question.right) for question in questions]
    assert len(set(pairs)) == len(pairs)
    assert not set(pairs) & asked


@given(plain.drawn_graphs(8, 16, plain.TENTHS), st.integers(1, 30), st.booleans(), st.randoms())
def test_unasked_pairs_of_sets_are_those_of_a_plain_loop(
    drawn: Drawn, k: int, listed: bool, chance: random.Random
) -> None:
    nodes, edges = drawn
    asked = [(u, v) for u, v, _ in edges]
    others = [pair for pair in combinations(range(nodes), 2) if pair not in asked]
    graph = UncertainGraph(range(nodes), edges, asked + others[::2] if listed else None)
    aside = chance.sample(others, min(2, len(others)))
    graph.rows_of(np.array([pair[0] for pair in aside], np.int32), np.array([pair[1] for pair in aside], np.int32))
    candidates = graph.candidates
    sets = weakest_sets(graph, Partition(graph))
    order = np.array(chance.sample(range(sets.cost.size + 1), sets.cost.size + 1))
    pairs = {}
    for at in order.tolist():
        if at == sets.cost.size:
            u, v = -2, -1  # stands for a pair that was drawn
        else:
            one, two = sorted(sets.members(at), key=len)
            around = candidates.starts, candidates.other, candidates.row, candidates.asked
            if listed:
                u, v = pick_listed(one, two, np.uint64(0), graph.chosen, *around)
            else:
                u, v = pick_any(one, two, np.uint64(0), nodes, *graph.pair_map)
            if u < 0:
                continue
        pairs[u, v] = at
    for at in order.tolist():
        if at < sets.cost.size:
            left, right = all_unasked_between(graph, *sets.members(at))
            for pair in zip(left.tolist(), right.tolist(), strict=True):
                pairs.setdefault(pair, at)
    drawn_pair = np.array([-2], np.int32), np.array([-1], np.int32)
    found = zip(*(part.tolist() for part in sets.unasked(graph, k, order, drawn_pair, 0)), strict=True)
    assert list(found) == [(*pair, at) for pair, at in pairs.items()][:k]
    assert not graph.chosen.any()


@pytest.mark.parametrize(
    ("strategy", "method", "other", "shortcut"),
    [
        ("bdense", "scc", "closure", False),
        ("bdense", "scc", "scc", True),
        ("transitive", "closure", "scc", False),
        ("pc_pivot", "pivot", "scc", False),
    ],
)
def test_questions_are_the_same_whoever_keeps_the_clusters(
    strategy: str, method: str, other: str, shortcut: bool
) -> None:
    gold = {record: record % 4 for record in range(20)}
    runs = [
        Resolution(gold, None, strategy, method, "majority"),
        Resolution(gold, None, strategy, other, "majority", shortcut=shortcut),
    ]
    crowd = SimulatedCrowd(gold, 0.2, 3)
    for _ in range(15):
        one, two = (run.next_questions(10) for run in runs)
        assert [(question.left, question.right) for question in one] == [(item.left, item.right) for item in two]
        votes = list(crowd.ask(one[1:]))
        for run in runs:
            run.add_votes(votes)
            run.set_aside(one)


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 12), st.randoms())
def test_smallest_with_ties(values: list[int], k: int, chance: random.Random) -> None:
    ties = np.array(chance.sample(range(100), len(values)), np.float64)
    found = _smallest(k, np.array(values, np.float64), ties)
    assert found.tolist() == np.lexsort((ties, np.array(values)))[:k].tolist()


def test_dense_by_hand_the_appendix_example_ties() -> None:
    # With vote shares in place of 0.9: rho is 0.3 / 0.7 for C1 and C2 as for C3 and C4.
    edges = [("A", "B", 0.8), ("C", "D", 0.8), ("E", "F", 0.8), ("G", "H", 0.8)]
    edges += [("A", "C", 0.3), ("B", "D", 0.6), ("E", "G", 0.3), ("F", "H", 0.7)]
    edges += [(one, two, 0.01) for one in "ABCD" for two in "EFGH"]
    graph = UncertainGraph("ABCDEFGH", edges)
    sets = weakest_sets(graph, Partition(graph))
    rho = {
        "".join(sorted(graph.records.ids[i] for side in sets.members(at) for i in side)): math.exp(-cost)
        for at, cost in enumerate(sets.cost)
    }
    assert rho["ABCD"] == pytest.approx(0.3 / 0.7)
    assert rho["EFGH"] == pytest.approx(0.3 / 0.7)
    assert max(rho, key=lambda name: rho[name]) in ("ABCD", "EFGH")


def test_majority_evidence() -> None:
    yes, no = np.array([3, 2, 1, 0], np.int32), np.array([2, 3, 1, 0], np.int32)
    assert majority(yes, no)[:3].tolist() == pytest.approx([0.9, 0.1, 0.5])
    assert np.isnan(majority(yes, no)[3])


def test_dense_asks_one_at_a_time() -> None:
    assert len(Resolution(range(9), strategy="dense", evidence="majority").next_questions(5)) == 1
    assert len(Resolution(range(9), strategy="bdense", evidence="majority").next_questions(5)) == 5


# TC


def inferable(nodes: int, edges: list[plain.Edge], u: int, v: int) -> bool:
    groups = plain.parts(range(nodes), [(a, b) for a, b, p in edges if p > 0.5])
    one, two = (next(group for group in groups if node in group) for node in (u, v))
    return one == two or any((a in one and b in two) or (a in two and b in one) for a, b, _ in edges)


@pytest.mark.parametrize("listed", [False, True])
@given(drawn=plain.drawn_graphs(8, 14, plain.TENTHS))
def test_transitive_asks_what_cannot_be_inferred(listed: bool, drawn: Drawn) -> None:
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
    assert {pair_of(question)[-1] for question in resolution.next_questions(10)} == {"D"}
    assert len(resolution.next_questions(10)) == 2  # one for {A, B} and D, one for C and D


def test_transitive_asks_the_highest_score_first() -> None:
    scored = [("A", "B", 0.2), ("A", "C", 0.9), ("B", "C", 0.5)]
    resolution = paper_resolution("ABC", scored, strategy="transitive", clustering="closure")
    assert [pair_of(question) for question in resolution.next_questions(3)] == ["AC", "BC", "AB"]
    resolution.add_votes(voted("A", "C", 9))
    assert [pair_of(question) for question in resolution.next_questions(3)] == ["BC"]


# PC-Pivot


@given(plain.drawn_graphs(8, 16, plain.TENTHS), st.integers(0, 9))
def test_pivoting_is_literal(drawn: Drawn, seed: int) -> None:
    nodes, edges = drawn
    everyone = np.arange(nodes, dtype=np.int32)
    free = shuffled(everyone, seed).tolist()
    matches = {frozenset((u, v)) for u, v, p in edges if p > 0.5}
    expected = set()
    while free:
        taken = frozenset([free[0], *(other for other in free if frozenset((free[0], other)) in matches)])
        expected.add(taken)
        free = [other for other in free if other not in taken]
    labels = pivoted(UncertainGraph(range(nodes), edges), everyone, seed).tolist()
    assert {frozenset(i for i in range(nodes) if labels[i] == label) for label in labels} == expected


@pytest.mark.parametrize("listed", [False, True])
@given(drawn=plain.drawn_graphs(7, 12, plain.TENTHS), data=st.data())
def test_operations_have_the_literal_benefit_and_cost(listed: bool, drawn: Drawn, data: st.DataObject) -> None:
    nodes, edges = drawn
    candidates = [pair for pair in combinations(range(nodes), 2) if sum(pair) % 3] if listed else None
    graph = UncertainGraph(range(nodes), edges, candidates)
    owners = data.draw(st.lists(st.integers(0, 2), min_size=nodes, max_size=nodes))
    labels = np.array([owners.index(owner) for owner in owners], np.int32)
    share = {(u, v): p for u, v, p in edges}
    mean = sum(share.values()) / len(share) if share else 0.5

    def value_and_cost(u: int, v: int) -> tuple[float, int]:
        pair = (min(u, v), max(u, v))
        if pair in share:
            return 2 * share[pair] - 1, 0
        if candidates is not None and pair not in candidates:
            return -1.0, 0
        return 2 * mean - 1, 1

    everyone = np.arange(nodes, dtype=np.int32)
    found = operations(Shares(graph, everyone, Estimates(graph)), labels)
    for one, two, merge, benefit, cost in zip(
        found.one, found.two, found.is_merge, found.benefit, found.cost, strict=True
    ):
        members = np.flatnonzero(labels == two).tolist()
        others = np.flatnonzero(labels == one).tolist() if merge else [int(one)]
        parts = [value_and_cost(u, v) for u in others for v in members if u != v]
        assert benefit == pytest.approx(sum(part[0] for part in parts) * (1 if merge else -1), abs=1e-9)
        assert cost == sum(part[1] for part in parts)
    splits = {int(record) for record, merge in zip(found.one, found.is_merge, strict=True) if not merge}
    assert splits == {i for i in range(nodes) if owners.count(owners[i]) > 1}


def test_refinement_by_hand() -> None:
    # {A, B, C} by pivoting on B; then C splits off, because 1 - 2 * 0.6 + 1 - 2 * 0.1 = 0.6 is positive.
    graph = UncertainGraph("ABC", [("A", "B", 0.9), ("B", "C", 0.6), ("A", "C", 0.1)])
    everyone = np.arange(3, dtype=np.int32)
    seed = next(seed for seed in range(50) if shuffled(everyone, seed)[0] == 1)
    assert pivoted(graph, everyone, seed).tolist() == [0, 0, 0]
    found = operations(Shares(graph, everyone), np.zeros(3, np.int32))
    assert found.benefit.tolist() == pytest.approx([-(0.8 - 0.8), -(0.8 + 0.2), -(0.2 - 0.8)])
    assert found.cost.tolist() == [0, 0, 0]
    assert set(cluster(graph, "pivot", seed)) == {frozenset("AB"), frozenset("C")}


def test_a_unanimous_yes_counts_in_full() -> None:
    # All said that X is R and X is Y; R and Y are no candidates, f = 0. Splitting R off gains (1 - 2) + (1 - 0) = 0.
    resolution = paper_resolution("RXY", [("R", "X"), ("X", "Y")], strategy="pc_pivot", clustering="pivot")
    resolution.add_votes(voted("R", "X", 5, 5) + voted("X", "Y", 5, 5))
    everyone = np.arange(3, dtype=np.int32)
    found = operations(Shares(resolution.graph, everyone), np.zeros(3, np.int32))
    assert found.benefit.tolist() == [0.0, -2.0, 0.0]


def test_what_was_set_aside_does_not_end_the_refinement() -> None:
    """Operations whose missing pairs nobody could answer do not stand in the way of those that can be asked."""
    gold = {record: record // 6 for record in range(24)}
    for seed in range(20):
        chance = np.random.default_rng(seed)
        crowd = SimulatedCrowd(gold, 0.3, 3, seed)
        resolution = paper_resolution(gold, strategy="pc_pivot", clustering="pivot", seed=seed)
        while questions := resolution.next_questions(20):
            answered = [question for question in questions if chance.random() < 0.8]
            resolution.add_votes(crowd.ask(answered))
            resolution.set_aside(questions)
        graph, everyone = resolution.graph, np.arange(24, dtype=np.int32)
        labels = pivot(graph, everyone, seed)
        found = operations(Shares(graph, everyone, Estimates(graph)), labels)
        for at in np.flatnonzero((found.benefit > 0) & (found.cost > 0)).tolist():
            assert all_unasked_between(graph, *_sides(found, at, labels))[0].size == 0


def test_refinement_asks_by_benefit_for_each_question() -> None:
    # Pairs A-B and C-D match, A-C too; B-C was a NO. Merging {A, B} and {C, D} is estimated with the mean share.
    resolution = paper_resolution("ABCD", strategy="pc_pivot", clustering="pivot", seed=0)
    crowd = SimulatedCrowd({"A": 1, "B": 1, "C": 1, "D": 1}, error=0.0, votes=3)
    rounds = 0
    while questions := resolution.next_questions(10):
        resolution.add_votes(crowd.ask(questions))
        rounds += 1
    assert rounds >= 1
    assert list(resolution.clustering) == [frozenset("ABCD")]
    assert resolution.asked < 6  # the pivot's three pairs say it all


def test_pivots_with_separate_neighbours_are_asked_together() -> None:
    stars = [(0, 1), (0, 2), (3, 4), (3, 5)]
    graph = UncertainGraph(range(6), candidates=stars)
    everyone = np.arange(6, dtype=np.int32)
    seed = next(seed for seed in range(500) if set(shuffled(everyone, seed)[:2].tolist()) == {0, 3})
    questions = PCPivot(graph, Partition(graph, "pivot", seed), seed).select(10)
    assert {(question.left, question.right) for question in questions} == set(stars)


def test_pivots_that_could_swallow_each_other_are_not() -> None:
    graph = UncertainGraph(range(6))
    order = shuffled(np.arange(6, dtype=np.int32), 0)
    questions = PCPivot(graph, Partition(graph, "pivot"), 0).select(100)
    assert len(questions) == 5
    assert all(order[0] in (question.left, question.right) for question in questions)


def test_estimates_follow_the_scores() -> None:
    pairs = list(combinations(range(30), 2))
    scored = [(u, v, 0.9 if (u + v) % 2 else 0.1) for u, v in pairs]
    edges = [(u, v, 0.8 if score > 0.5 else 0.2) for u, v, score in scored[:200]]
    graph = UncertainGraph(range(30), edges, scored)
    estimates = Estimates(graph)
    score = graph.candidates.score
    assert score is not None
    numbers = np.arange(len(pairs), dtype=np.int32)
    assert estimates.of(numbers) == pytest.approx(np.where(score > 0.5, 0.8, 0.2), abs=0.01)


# Every strategy


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("listed", [False, True])
def test_every_strategy_asks_each_candidate_at_most_once(strategy: str, listed: bool) -> None:
    gold = {record: record % 5 for record in range(25)}
    candidates = [pair for pair in combinations(gold, 2) if sum(pair) % 2] if listed else None
    asked: list[tuple[object, object]] = []

    class Watching(SimulatedCrowd):
        def ask(self, questions: list[Question]) -> list[Vote]:  # type: ignore[override]
            asked.extend((question.left, question.right) for question in questions)
            return super().ask(questions)

    resolution = resolve(gold, Watching(gold, 0.2, 3), 1000, 9, candidates, strategy=strategy, initial=20)
    assert len(set(map(frozenset, asked))) == len(asked) == resolution.asked
    if candidates is not None:
        assert set(asked) <= set(candidates)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("listed", [False, True])
def test_every_strategy_is_a_function_of_the_votes(strategy: str, listed: bool) -> None:
    """However the votes came, the next questions are the same."""
    gold = {record: record % 5 for record in range(25)}
    candidates = [pair for pair in combinations(gold, 2) if sum(pair) % 2] if listed else None
    crowd = SimulatedCrowd(gold, 0.2, 3)
    one = paper_resolution(gold, candidates, strategy=strategy, seed=2)
    votes: list[Vote] = []
    for _ in range(6):
        answers = crowd.ask(one.next_questions(8))
        votes += answers
        one.add_votes(answers)
    two = paper_resolution(gold, candidates, strategy=strategy, seed=2)
    for at in np.random.default_rng(1).permutation(len(votes)):
        two.add_votes([votes[at]])
    assert one.next_questions(10) == two.next_questions(10)
    assert one.clustering == two.clustering
