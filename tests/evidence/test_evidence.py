"""Evidence that learns: rates of votes, workers, machines; and what a state depends on."""

import math
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from askwise import Resolution, SimulatedCrowd, UncertainGraph, Vote, pairwise_scores, resolve
from askwise.errors import InputError
from askwise.evidence import evidence_model
from askwise.evidence.constants import CONSTANTS
from askwise.evidence.machine import Machine
from askwise.evidence.scores import score_lean
from askwise.evidence.smoothed import smoothed
from askwise.evidence.votes import VoteLog
from askwise.kernels import rates
from askwise.kernels.votes import WHOLE

ENTITIES = {record: record // 4 for record in range(60)}


def ints(values: object) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(values, np.int32)


def beta_binomial(yes: float, no: float, mean: float, k: float) -> float:
    """log P of one order of votes, by gamma functions."""

    def log_beta(a: float, b: float) -> float:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    return log_beta(yes + mean * k, no + (1 - mean) * k) - log_beta(mean * k, (1 - mean) * k)


@given(st.integers(0, 90), st.integers(0, 90), st.floats(0.001, 0.999), st.floats(2, 50))
def test_log_chance_is_the_beta_binomial(yes: int, no: int, mean: float, k: float) -> None:
    found = rates.log_chance(np.array([float(yes)]), np.array([float(no)]), mean, k)[0]
    assert found == pytest.approx(beta_binomial(yes, no, mean, k), abs=1e-7)


PARTS = st.integers(0, 90 * WHOLE).map(lambda part: part / WHOLE)


@given(PARTS, PARTS, st.floats(0.05, 0.95), st.floats(2, 50))
def test_log_chance_goes_on_between_whole_votes(yes: float, no: float, mean: float, k: float) -> None:
    found = rates.log_chance(np.array([yes]), np.array([no]), mean, k)[0]
    assert found == pytest.approx(beta_binomial(yes, no, mean, k), abs=1e-7)


def test_smoothed_counts_votes() -> None:
    p = smoothed(np.array([1.0, 3, 5, 0, 2, 0]), np.array([0.0, 0, 0, 5, 2, 0]))
    assert 0.7 < p[0] < p[1] < p[2]
    assert p[2] > 0.97
    assert p[3] == pytest.approx(1 - p[2])
    assert p[4] == pytest.approx(0.5)
    assert math.isnan(p[5])


def test_scores_are_read_as_log_odds() -> None:
    assert score_lean(np.array([0.1, 0.5, 0.9])) == pytest.approx([math.log(1 / 9), 0, math.log(9)])
    assert score_lean(np.array([-3.0, 0.0, 2.0])) == pytest.approx([-3 * math.log(2), 0, 2 * math.log(2)])
    assert score_lean(np.array([0.0, 50.0, 100.0])) == pytest.approx([-6, 0, 6])


class Unequal:
    """A crowd of three: one says YES to everything, one errs never, one errs at given rates."""

    def __init__(self, false_yes: float, false_no: float, seed: int) -> None:
        self._rates = (false_yes, false_no)
        self._chance = np.random.default_rng(seed)

    def ask(self, questions: object) -> list[Vote]:
        votes = []
        for question in questions:  # type: ignore[attr-defined]
            same = ENTITIES[question.left] == ENTITIES[question.right]
            erring = self._chance.random() < self._rates[same]
            labels = {"yes-sayer": True, "sage": same, "human": same != erring}
            votes += [Vote(question.left, question.right, worker, label) for worker, label in labels.items()]
        return votes


def test_worker_estimates_converge_to_the_truth() -> None:
    resolution = resolve(ENTITIES, Unequal(0.1, 0.3, 5), 1500, 50, initial=300, evidence="workers")
    quality = {item.worker: item for item in resolution.worker_quality()}
    assert pairwise_scores(resolution.clustering, ENTITIES).f1 > 0.99
    graph, log = resolution.graph, resolution.votes
    rows = log.voted()
    place, judge, label = log.standing(rows)
    ids, places = graph.records.ids, rows[place]
    ends = zip(graph.pair_u[places].tolist(), graph.pair_v[places].tolist(), strict=True)
    same = np.array([ENTITIES[ids[u]] == ENTITIES[ids[v]] for u, v in ends])
    human = np.array(log.judges)[judge] == "human"

    def drawn_to_the_crowd(wrong: NDArray[Any], of: NDArray[Any]) -> float:
        own, shrinkage = wrong[human & of], CONSTANTS.worker_votes
        return float((own.sum() + shrinkage * wrong[of].mean()) / (own.size + shrinkage))

    assert quality["human"].false_yes == pytest.approx(drawn_to_the_crowd(label > 0.5, ~same), abs=0.01)
    assert quality["human"].false_no == pytest.approx(drawn_to_the_crowd(label < 0.5, same), abs=0.01)
    assert quality["sage"].false_yes < 0.03
    assert quality["yes-sayer"].false_yes > 0.95
    assert all(item.votes == resolution.asked for item in quality.values())


def test_a_worker_of_whom_little_is_known_is_like_any_other() -> None:
    resolution = Resolution("AB")
    resolution.add_votes([Vote("A", "B", "ann", True)])
    (ann,) = resolution.worker_quality()
    assert ann.false_yes < 0.2
    assert ann.false_no < 0.3


def test_workers_of_known_quality_count_accordingly() -> None:
    """One who always says YES tells nothing: a NO beside it counts alone."""
    told_apart = resolve(ENTITIES, Unequal(0.1, 0.3, 5), 1000, 50, initial=300, evidence="workers")
    one_each = [Vote(0, 59, "yes-sayer", True), Vote(0, 59, "sage", False)]
    told_apart.add_votes(one_each)
    assert (told_apart.graph.p(0, 59) or 1.0) < 0.2
    assert UncertainGraph.from_votes(ENTITIES, one_each, "smoothed").p(0, 59) == 0.5


def test_gold_questions_are_certain_and_measure_workers() -> None:
    gold = [(0, 1, True), (0, 59, False)]
    resolution = Resolution(ENTITIES, gold=gold)
    assert (resolution.graph.p(0, 1) or 0.0) > 0.99
    assert (resolution.graph.p(0, 59) or 1.0) < 0.01
    assert resolution.asked == 0
    resolution.add_votes([Vote(0, 1, "ann", False), Vote(0, 59, "ann", False)])
    assert (resolution.graph.p(0, 1) or 0.0) > 0.99
    assert resolution.clustering.labels[0] == resolution.clustering.labels[1]
    with pytest.raises(InputError, match=r"\(0, 1\) is not a gold question"):
        Resolution(ENTITIES, gold=[(0, 1)])  # type: ignore[list-item]


@pytest.mark.parametrize("evidence", ["ratio", "majority", "smoothed", "workers", "scores", "auto"])
def test_gold_is_certain_with_every_evidence(evidence: str) -> None:
    resolution = Resolution("ABC", evidence=evidence, gold=[("A", "B", False)])
    resolution.add_votes([Vote("A", "B", f"w{i}", True) for i in range(5)])
    assert (resolution.graph.p("A", "B") or 1.0) < 0.01
    assert len(resolution.clustering) == 3


def test_a_few_votes_outweigh_a_machine_that_was_not_tried() -> None:
    """However sure the machine, five who agree against it are believed, and more of them the more."""
    records = {"A": "anna miller, rome", "B": "anna miller, rome", "C": "bert jones, oslo", "D": "carla rossi, bonn"}
    table = [{"unique_id": record, "text": text} for record, text in records.items()]
    resolution = Resolution(table, list(combinations(records, 2)))
    before = resolution.graph.p("A", "B") or 0.0
    assert before > 0.5
    for worker in range(6):
        resolution.add_votes([Vote("A", "B", f"w{worker}", False)])
        after = resolution.graph.p("A", "B") or 0.0
        assert after < before
        before = after
        assert after < 0.5 or worker < 4


def test_samples_of_one_model_count_as_one_vote() -> None:
    samples = [Vote("A", "B", ("model", i), i != 2) for i in range(5)]
    people = [Vote("A", "B", f"person {i}", False) for i in range(2)]
    resolution = Resolution("AB", evidence="ratio")
    resolution.add_votes([*samples, *people])
    assert resolution.graph.p("A", "B") == pytest.approx(round(64 * 4 / 5) / 64 / 3)
    assert [item.worker for item in resolution.worker_quality()] == ["model", "person 0", "person 1"]
    assert [item.votes for item in resolution.worker_quality()] == [1, 1, 1]
    resolution.add_votes([Vote("A", "B", ("model", i), None) for i in range(5)])
    assert resolution.graph.p("A", "B") == pytest.approx(0.01)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-1, WHOLE)), max_size=30))
def test_tallies_are_those_of_the_votes_that_stand(ballots: list[tuple[int, int, int]]) -> None:
    """Against a plain count: the last vote of each worker, then the mean of each judge."""
    log = VoteLog()
    last: dict[tuple[int, int], int] = {}
    for pair, worker, label in ballots:
        log.add(ints([pair]), [("model", worker) if worker < 2 else worker], np.array([label], np.int8))
        last[pair, worker] = label
    for pair in range(4):
        judges: dict[int, list[int]] = {}
        for (on, worker), label in last.items():
            if on == pair and label >= 0:
                judges.setdefault(max(worker, 1), []).append(label)
        says = [math.floor(Fraction(sum(said), len(said)) + Fraction(1, 2)) / WHOLE for said in judges.values()]
        yes, no = log.tally(ints([pair]))
        assert (yes[0], no[0]) == (sum(says), sum(1 - say for say in says))
        places, _, labels = log.standing(ints([pair]))
        assert (places == 0).all()
        assert sorted(labels) == sorted(says)


def scored(seed: int = 0) -> list[tuple[int, int, float]]:
    """Scores that tell same from different, not perfectly."""
    chance = np.random.default_rng(seed)
    return [
        (u, v, float(np.clip(chance.normal(0.75 if ENTITIES[u] == ENTITIES[v] else 0.3, 0.15), 0, 1)))
        for u, v in combinations(ENTITIES, 2)
    ]


def test_scores_make_edges_before_anyone_is_asked() -> None:
    pairs = scored()
    resolution = Resolution(ENTITIES, pairs)
    assert resolution.asked == 0
    assert resolution.to_ask == len(pairs)
    assert resolution.graph.edge_count == len(pairs)
    assert pairwise_scores(resolution.clustering, ENTITIES).f1 > 0.6
    ignored = Resolution(ENTITIES, pairs, evidence="ratio", clustering="scc")
    assert ignored.graph.edge_count == 0


def test_scores_save_questions_and_votes_outweigh_them() -> None:
    crowd = SimulatedCrowd(ENTITIES, 0.1, 3)
    resolution = resolve(ENTITIES, crowd, 300, 20, scored())
    plain = resolve(ENTITIES, crowd, 300, 20)
    assert pairwise_scores(resolution.clustering, ENTITIES).f1 > 0.97
    assert pairwise_scores(plain.clustering, ENTITIES).f1 < 0.5
    u, v, _ = min(scored(), key=lambda pair: pair[2])
    resolution.add_votes([Vote(u, v, f"w{i}", True) for i in range(8)])
    assert (resolution.graph.p(u, v) or 0.0) > 0.5


def test_a_misleading_score_is_not_believed() -> None:
    """Scores that say nothing must not keep the votes from the truth."""
    chance = np.random.default_rng(1)
    noise = [(u, v, float(chance.random())) for u, v in combinations(range(24), 2)]
    gold = {record: record // 3 for record in range(24)}
    resolution = resolve(gold, SimulatedCrowd(gold, 0.1, 5), len(noise), 20, noise)
    assert pairwise_scores(resolution.clustering, gold).f1 == 1.0


@pytest.mark.parametrize("evidence", ["auto", "workers", "scores", "smoothed"])
@pytest.mark.parametrize("strategy", ["perc", "transitive", "bdense", "random"])
def test_every_strategy_ends_with_every_evidence(evidence: str, strategy: str) -> None:
    gold = {record: record // 3 for record in range(15)}
    pairs = [(u, v, 0.9 if gold[u] == gold[v] else 0.2) for u, v in combinations(gold, 2)]
    resolution = resolve(gold, SimulatedCrowd(gold, 0.05, 3), 105, 10, pairs, strategy=strategy, evidence=evidence)
    assert pairwise_scores(resolution.clustering, gold).f1 == 1.0


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_a_state_does_not_depend_on_how_votes_were_divided(data: st.DataObject) -> None:
    """Fits take place at certain lengths of the log, so the same votes in the same order give the same state."""
    pairs = scored()
    seed = data.draw(st.integers(0, 99))
    chance = np.random.default_rng(seed)
    asked = [pairs[int(at)][:2] for at in chance.permutation(len(pairs))[:60]]
    votes = [
        Vote(u, v, f"w{i}", (ENTITIES[u] == ENTITIES[v]) != (chance.random() < 0.1)) for u, v in asked for i in range(3)
    ]
    whole = Resolution(ENTITIES, pairs)
    whole.add_votes(votes)
    parts = Resolution(ENTITIES, pairs)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(votes)), max_size=6)))
    for begin, end in zip([0, *cuts], [*cuts, len(votes)], strict=True):
        parts.add_votes(votes[begin:end])
    count = whole.graph.pair_count
    assert (whole.graph.pair_p[:count] == parts.graph.pair_p[:count]).all()
    assert whole.clustering == parts.clustering
    assert whole.next_questions(5) == parts.next_questions(5)


def test_rates_before_anything_is_known() -> None:
    model = evidence_model("auto")
    log = VoteLog()
    log.add(ints([0]), ["ann"], np.array([WHOLE], np.int8))
    p = model.p(log, ints([0, 1]))
    assert 0.5 < p[0] < 0.99
    assert math.isnan(p[1])


@pytest.mark.parametrize(
    ("pairs", "first", "apart"),
    [
        (0, [1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30], 0),
        (100_000, [1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30], 0),
        (100_200, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 640, 800], 0),
        (1_000_000, [2**at for at in range(14)] + [12_692, 17_192], 4_500),
    ],
)
def test_each_vote_pays_for_as_many_pairs_as_it_stands_for(pairs: int, first: list[int], apart: int) -> None:
    model = evidence_model("scores", Machine(np.zeros(pairs), np.empty((pairs, 0), np.float32)))
    fits = np.unique([model.fit_at(votes) for votes in range(40_000)])[1:]
    assert fits[: len(first)].tolist() == first
    gaps = np.diff(fits)
    assert all(gap >= min(before, max(apart, before // 4)) for gap, before in zip(gaps, fits, strict=False))
    assert all(model.fit_at(fit - 1) == before for before, fit in pairwise(fits))
