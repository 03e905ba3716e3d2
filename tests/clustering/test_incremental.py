"""The state is a function of the votes: however they come, it equals a rebuild from scratch."""

import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper import paper_resolution

from askwise import Resolution, SimulatedCrowd, UncertainGraph, Vote, cluster, reliability, resolve

RECORDS = range(7)
PAIRS = list(combinations(RECORDS, 2))
LISTED = [pair for pair in PAIRS if sum(pair) % 3]
VOTES = st.builds(
    lambda pair, worker, label: Vote(pair[0], pair[1], worker, label),
    st.sampled_from(PAIRS),
    st.sampled_from([0, 1, ("model", 1), ("model", 2), ("model", 3)]),
    st.one_of(st.sampled_from([True, True, False, None]), st.floats(0, 1)),
)
UPDATES = st.lists(st.lists(VOTES, max_size=6), max_size=8)


def rebuilt(updates: list[list[Vote]], candidates: list[tuple[int, int]] | None, strategy: str = "perc") -> Resolution:
    resolution = paper_resolution(RECORDS, candidates, strategy=strategy, seed=3)
    resolution.add_votes([vote for votes in updates for vote in votes])
    return resolution


def same(one: Resolution, two: Resolution) -> None:
    assert one.clustering == two.clustering
    assert one.reliability == two.reliability
    assert (one.asked, one.to_ask) == (two.asked, two.to_ask)
    for record in RECORDS:
        assert one.confidence(record) == two.confidence(record)
    for k in (1, 3, 50):
        assert one.next_questions(k) == two.next_questions(k)


@pytest.mark.parametrize("candidates", [None, LISTED], ids=["all pairs", "listed"])
@given(updates=UPDATES)
def test_incremental_state_equals_a_rebuild(
    candidates: list[tuple[int, int]] | None, updates: list[list[Vote]]
) -> None:
    resolution = paper_resolution(RECORDS, candidates, seed=3)
    for done, votes in enumerate(updates):
        resolution.add_votes(votes)
        resolution.next_questions(2)
        same(resolution, rebuilt(updates[: done + 1], candidates))
    graph = UncertainGraph.from_votes(RECORDS, [vote for votes in updates for vote in votes], "ratio")
    assert resolution.clustering == cluster(graph)


@pytest.mark.parametrize("candidates", [None, LISTED], ids=["all pairs", "listed"])
@given(updates=UPDATES, seed=st.integers(0, 99))
def test_the_order_of_votes_does_not_matter(
    candidates: list[tuple[int, int]] | None, updates: list[list[Vote]], seed: int
) -> None:
    """Each worker's last vote on each pair, in any order: the same clustering, reliability and questions."""
    standing = list({(vote.left, vote.right, vote.worker): vote for votes in updates for vote in votes}.values())
    order = np.random.default_rng(seed).permutation(len(standing))
    resolution = paper_resolution(RECORDS, candidates, seed=3)
    for at in order:
        resolution.add_votes([standing[at]])
    same(resolution, rebuilt([standing], candidates))


@given(UPDATES)
def test_reliability_is_that_of_the_clustering(updates: list[list[Vote]]) -> None:
    resolution = rebuilt(updates, None)
    assert resolution.reliability == pytest.approx(reliability(resolution.graph, resolution.clustering), abs=1e-9)


def grown_resolution(seed: int, candidates: bool, strategy: str) -> Resolution:
    gold = {record: record % 9 for record in range(80)}
    listed = [(u, v) for u, v in combinations(gold, 2) if (u * v + u) % 3 == 0] if candidates else None
    return resolve(
        gold,
        SimulatedCrowd(gold, 0.15, 3, seed),
        600,
        30,
        listed,
        initial=100,
        seed=seed,
        strategy=strategy,
        clustering="scc",
        evidence="ratio",
    )


@pytest.mark.parametrize("strategy", ["perc", "wise"])
@pytest.mark.parametrize("candidates", [False, True], ids=["all pairs", "listed"])
def test_a_long_run_equals_a_rebuild(candidates: bool, strategy: str) -> None:
    """Clusters with blocks too large to be exact, merges and splits; then everything again from the log."""
    resolution = grown_resolution(1, candidates, strategy)
    listed = None
    if candidates:
        ends = resolution.graph.candidates
        listed = list(zip(ends.left.tolist(), ends.right.tolist(), strict=True))
    log, graph = resolution.votes, resolution.graph
    votes = [
        Vote(int(graph.pair_u[pair]), int(graph.pair_v[pair]), int(worker), None if label < 0 else bool(label))
        for pair, worker, label in zip(
            log.pair[: log.count], log.worker[: log.count], log.label[: log.count], strict=True
        )
    ]
    again = paper_resolution(range(80), listed, strategy=strategy, seed=1)
    again.add_votes(reversed(votes))
    assert again.clustering == resolution.clustering
    assert again.reliability == resolution.reliability
    for k in (1, 30, 5000):
        assert again.next_questions(k) == resolution.next_questions(k)


def test_results_do_not_depend_on_the_hash_seed() -> None:
    """Records that are texts, in processes with different hash seeds: the same questions in the same order."""
    code = (
        "from askwise import resolve, SimulatedCrowd\n"
        "gold = {f'r{i}': i % 5 for i in range(40)}\n"
        "r = resolve(gold, SimulatedCrowd(gold, 0.2, 3), 300, 10)\n"
        "print(r.reliability, r.clustering.labels, r.next_questions(20))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "NUMBA_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "2"))
    }
    assert len(outputs) == 1


def test_different_seeds_ask_differently() -> None:
    one, two = (paper_resolution(range(50), seed=seed) for seed in (1, 2))
    assert one.next_questions(10) != two.next_questions(10)
    assert one.by_chance(10) != two.by_chance(10)


def test_the_shortcut_keeps_the_clustering_when_the_majority_agrees() -> None:
    """Paper, lemma 3: true for the best clustering, not for a greedy one; the option follows it to the letter."""
    gold = {record: record % 6 for record in range(60)}
    crowd = SimulatedCrowd(gold, 0.25, 3, seed=5)
    resolution = paper_resolution(gold, shortcut=True, seed=5)
    kept = 0
    for _ in range(400):
        (question,) = resolution.next_questions()
        votes = crowd.ask([question])
        before = resolution.clustering
        resolution.add_votes(votes)
        agrees = (resolution.graph.p(question.left, question.right) or 0) > 0.5
        if agrees == (question.kind == "within"):
            assert resolution.clustering == before
            kept += 1
    assert kept > 200
