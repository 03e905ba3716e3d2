"""The public loop: votes, questions, confidence, and every kind of bad input."""

import math
from collections.abc import Callable

import pytest
from paper import paper_resolution

from askwise import (
    AskwiseError,
    Confidence,
    InputError,
    Question,
    ReplayCrowd,
    Resolution,
    SimulatedCrowd,
    UncertainGraph,
    Vote,
    connectivity,
    pairwise_scores,
    reliability,
    resolve,
)
from askwise.errors import LabelError, PairError, ProbabilityError, RecordError, UnknownNameError
from askwise.evidence.ratio import UNANIMOUS


def votes(left: str, right: str, yes: int, no: int, unsure: int = 0) -> list[Vote]:
    labels = [True] * yes + [False] * no + [None] * unsure
    return [Vote(left, right, f"w{number}", label) for number, label in enumerate(labels)]


def test_ratio_is_the_share_of_yes() -> None:
    graph = UncertainGraph.from_votes(
        "ABCD",
        votes("A", "B", 3, 2) + votes("A", "C", 2, 0, 3) + votes("B", "C", 0, 4) + votes("C", "D", 0, 0, 2),
        "ratio",
    )
    assert graph.p("A", "B") == graph.p("B", "A") == 0.6
    assert graph.p("A", "C") == 1 - UNANIMOUS
    assert graph.p("B", "C") == UNANIMOUS
    assert graph.p("C", "D") is None
    assert graph.p("A", "D") is None
    assert {frozenset((left, right)) for left, right, _ in graph.edges} == {
        frozenset("AB"),
        frozenset("AC"),
        frozenset("BC"),
    }
    assert repr(graph) == "UncertainGraph(4 records, 3 edges)"


def test_a_workers_later_vote_supersedes() -> None:
    graph = UncertainGraph.from_votes(
        "AB", [Vote("A", "B", "ann", True), Vote("B", "A", "ann", False), Vote("A", "B", "bob", True)], "ratio"
    )
    assert graph.p("A", "B") == 0.5
    resolution = paper_resolution("AB")
    resolution.add_votes([Vote("A", "B", "ann", True)])
    assert len(resolution.clustering) == 1
    resolution.add_votes([Vote("A", "B", "ann", False)])
    assert len(resolution.clustering) == 2
    resolution.add_votes([Vote("A", "B", "ann", None)])
    assert resolution.graph.p("A", "B") is None
    assert resolution.asked == 1
    assert resolution.votes.count == 3


def test_unsure_votes_count_as_asked_but_not_as_evidence() -> None:
    resolution = paper_resolution("AB")
    resolution.add_votes(votes("A", "B", 0, 0, 3))
    assert (resolution.asked, resolution.to_ask) == (1, 0)
    assert resolution.next_questions() == []
    assert resolution.confidence("A") == Confidence(0.5, 1.0, 0.0, "B")  # type: ignore[arg-type]


def test_votes_may_be_tuples() -> None:
    resolution = paper_resolution(["a", "b"])
    resolution.add_votes([("a", "b", "w", 1)])  # type: ignore[list-item]
    assert len(resolution.clustering) == 1


def test_confidence() -> None:
    resolution = paper_resolution("ABCD")
    resolution.add_votes(votes("A", "B", 4, 1) + votes("A", "C", 1, 3) + votes("B", "D", 1, 4))
    confidence = resolution.confidence("B")
    assert confidence.connectivity == pytest.approx(0.8)
    assert confidence.connectivity.exact
    assert confidence.separation == pytest.approx(0.75)
    assert confidence.nearest == "C"
    assert resolution.confidence("C").separation == 0.0  # nobody was asked about C and D
    assert resolution.confidence("C").nearest == "D"


def test_confidence_with_candidates() -> None:
    resolution = paper_resolution("ABCDE", candidates=[("A", "B"), ("B", "C"), ("C", "D")])
    assert resolution.confidence("E") == Confidence(1.0, 1.0, 1.0, None)  # type: ignore[arg-type]
    resolution.add_votes(votes("A", "B", 0, 5) + votes("A", "E", 1, 4))
    assert resolution.confidence("A").separation == pytest.approx(0.8)
    assert resolution.confidence("A").nearest == "E"
    assert resolution.confidence("B").nearest == "C"


def test_a_vote_on_a_pair_that_is_no_candidate_is_kept() -> None:
    resolution = paper_resolution("ABC", candidates=[("A", "B")])
    resolution.add_votes(votes("B", "C", 5, 0))
    assert frozenset("BC") in resolution.clustering
    assert (resolution.asked, resolution.to_ask) == (1, 1)


def test_one_record_has_nothing_to_ask() -> None:
    resolution = paper_resolution(["only"])
    assert resolution.next_questions(3) == []
    assert list(resolution.clustering) == [frozenset(["only"])]
    assert resolution.reliability == 0.0


def test_no_candidates_at_all() -> None:
    resolution = paper_resolution("ABC", candidates=[])
    assert resolution.next_questions(3) == []
    assert resolution.reliability == 0.0


def test_resolve_reports_its_progress_and_keeps_to_the_budget() -> None:
    gold = {record: record // 4 for record in range(20)}
    asked: list[int] = []
    resolution = resolve(
        gold,
        SimulatedCrowd(gold, 0.0, 1),
        95,
        batch=20,
        initial=30,
        progress=lambda state: asked.append(state.asked),
    )
    assert asked == [30, 50, 70, 90, 95]
    assert resolution.asked == 95
    assert pairwise_scores(resolution.clustering, gold).precision == 1.0


def test_resolve_with_no_budget_asks_nothing() -> None:
    assert resolve("AB", SimulatedCrowd({"A": 1, "B": 1}), 0).asked == 0


def test_a_question_nobody_answers_is_asked_once() -> None:
    class Silent:
        times = 0

        def ask(self, questions: list[Question]) -> list[Vote]:
            Silent.times += len(questions)
            return []

    resolution = resolve("ABCD", Silent(), 100)
    assert Silent.times == resolution.asked == 6
    assert len(resolution.clustering) == 4


@pytest.mark.parametrize("k", [10**6, 10**18, 10**30])
def test_more_questions_than_there_are(k: int) -> None:
    resolution = paper_resolution("ABCD")
    assert len(resolution.next_questions(k)) == 6
    assert resolve("ABCD", SimulatedCrowd(dict.fromkeys("ABCD", 1)), k, batch=k).to_ask == 0


def test_any_whole_number_is_a_seed() -> None:
    for seed in (-1, 2**70):
        assert Resolution("ABCD", seed=seed).next_questions(2)
        assert connectivity(UncertainGraph("AB", [("A", "B", 0.5)]), "AB", seed=seed) == 0.5


def test_pairs_may_be_set_aside() -> None:
    resolution = paper_resolution("ABC")
    resolution.set_aside([("A", "B"), Question("B", "C", 0.0, "between")])
    assert (resolution.asked, resolution.to_ask) == (2, 1)
    (question,) = resolution.next_questions(5)
    assert {question.left, question.right} == {"A", "C"}


def test_repr_says_where_things_stand() -> None:
    resolution = paper_resolution("ABC")
    resolution.add_votes(votes("A", "B", 1, 0))
    assert repr(resolution) == "Resolution(3 records in 2 clusters, 1 asked, 2 to ask)"


BAD_INPUT: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: Resolution([]), RecordError, "no records"),
    (lambda: Resolution(5), RecordError, "not 5"),
    (lambda: Resolution(["a", "b", "a"]), RecordError, r"'a' is given twice \(rows 0 and 2"),
    (lambda: Resolution([["a"]]), RecordError, "hashable"),
    (lambda: Resolution("AB", candidates=[("A", "X")]), RecordError, "'X' is not among the 2 records"),
    (lambda: Resolution("AB", candidates=[("A", "A")]), PairError, r"\('A', 'A'\) is a record with itself"),
    (lambda: Resolution("AB", candidates=[("A",)]), PairError, r"\('A',\) is not a pair"),  # type: ignore[list-item]
    (lambda: Resolution("AB", candidates=["AB"]), PairError, "'AB' is not a pair"),  # type: ignore[list-item]
    (lambda: Resolution("AB", candidates=3), PairError, "not 3"),  # type: ignore[arg-type]
    (lambda: Resolution("AB", strategy="perk"), UnknownNameError, "'perk' is not known; choose one of: bdense"),
    (lambda: Resolution("AB", strategy="perk:Perk"), UnknownNameError, "'perk:Perk': No module named 'perk'"),
    (lambda: Resolution("AB", strategy="askwise:Perk"), UnknownNameError, "'askwise:Perk': .* no attribute 'Perk'"),
    (lambda: Resolution("AB", strategy="askwise:Vote"), UnknownNameError, r"not a subclass of .*\.Strategy"),
    (lambda: Resolution("AB", clustering="x"), UnknownNameError, "clustering 'x'"),
    (lambda: Resolution("AB", evidence="x"), UnknownNameError, "evidence 'x'"),
    (lambda: Resolution("AB", seed="x"), InputError, "seed = 'x'"),  # type: ignore[arg-type]
    (lambda: Resolution("AB").next_questions(0), InputError, "k = 0"),
    (lambda: Resolution("AB").next_questions(-2), InputError, "k = -2"),
    (lambda: Resolution("AB").next_questions(1.5), InputError, "k = 1.5"),  # type: ignore[arg-type]
    (lambda: Resolution("AB").confidence("X"), RecordError, "'X'"),
    (lambda: Resolution("AB").confidence([]), RecordError, r"\[\]"),  # type: ignore[arg-type]
    (lambda: UncertainGraph("AB", [("A", "B", 1.5)]), ProbabilityError, r"\('A', 'B'\) has p = 1.5"),
    (lambda: UncertainGraph("AB", [("A", "B", -0.1)]), ProbabilityError, "p = -0.1"),
    (lambda: UncertainGraph("AB", [("A", "B", math.nan)]), ProbabilityError, "p = nan"),
    (lambda: UncertainGraph("AB", [("A", "B", "high")]), ProbabilityError, "'high'"),  # type: ignore[list-item]
    (lambda: UncertainGraph("AB", [("A", "B")]), PairError, "not an edge"),  # type: ignore[list-item]
    (lambda: UncertainGraph("AB", [("B", "B", 0.5)]), PairError, "itself"),
    (lambda: UncertainGraph("AB", [("B", "Z", 0.5)]), RecordError, "'Z'"),
    (lambda: resolve("AB", SimulatedCrowd({}), -1), InputError, "budget = -1"),
    (lambda: resolve("AB", SimulatedCrowd({}), 5, batch=0), InputError, "batch = 0"),
    (lambda: resolve("AB", SimulatedCrowd({}), 5), RecordError, "not in the gold"),
    (lambda: SimulatedCrowd({}, error=1.0), InputError, "error = 1.0"),
    (lambda: SimulatedCrowd({}, votes=0), InputError, "votes = 0"),
    (lambda: SimulatedCrowd({}, votes=2.5), InputError, "votes = 2.5"),  # type: ignore[arg-type]
    (lambda: SimulatedCrowd({}, error="x"), InputError, "error = 'x'"),  # type: ignore[arg-type]
    (lambda: SimulatedCrowd({}, seed="x"), InputError, "seed = 'x'"),  # type: ignore[arg-type]
    (lambda: SimulatedCrowd([1, 2]), InputError, "a cluster must be a collection, not 1"),  # type: ignore[list-item]
    (lambda: Resolution([1.0, math.nan]), RecordError, "NaN"),
    (lambda: Resolution("AB", candidates=[None]), PairError, "None is not a pair"),  # type: ignore[list-item]
    (lambda: Resolution([1, 2], candidates=[(1, 2), ([2], 1)]), RecordError, r"\[2\]"),  # type: ignore[list-item]
    (lambda: Resolution("AB", candidates=[("A", "B", 0.5), ("A", "B")]), PairError, "has no score"),
    (lambda: Resolution("AB", candidates=[("A", "B", math.nan)]), ProbabilityError, "score nan"),
    (lambda: Resolution("AB", strategy=[]), UnknownNameError, r"strategy \[\]"),  # type: ignore[arg-type]
    (lambda: Resolution("AB", clustering="scc+x"), UnknownNameError, "local search 'x'"),
    (lambda: Resolution("AB").set_aside(None), InputError, "not None"),  # type: ignore[arg-type]
    (lambda: Resolution("AB").set_aside([("A", "A")]), PairError, "itself"),
    (lambda: Resolution(range(20_001), strategy="minmax"), InputError, "too many for 20,001 records"),
    (lambda: UncertainGraph("AB", None), InputError, "edges must be a collection"),  # type: ignore[arg-type]
    (lambda: UncertainGraph("AB", [("A", "B", "0.5")]), ProbabilityError, "'0.5'"),  # type: ignore[list-item]
    (lambda: ReplayCrowd([1]), InputError, "1 is not a vote"),  # type: ignore[list-item]
    (lambda: ReplayCrowd(None), InputError, "not None"),  # type: ignore[arg-type]
    (lambda: pairwise_scores(None, {}), InputError, "not None"),  # type: ignore[arg-type]
    (lambda: pairwise_scores({"a": [1]}, {"a": 0}), InputError, "cannot be a name"),
    (lambda: connectivity(UncertainGraph("AB"), None), InputError, "not None"),  # type: ignore[arg-type]
    (lambda: reliability(UncertainGraph("AB"), None), InputError, "not None"),  # type: ignore[arg-type]
    (lambda: connectivity(UncertainGraph("AB"), "A", seed=1.5), InputError, "seed = 1.5"),  # type: ignore[arg-type]
    (lambda: resolve("AB", None, 5), InputError, "None has no method ask"),  # type: ignore[arg-type]
    (lambda: resolve("AB", SimulatedCrowd({}), 5, progress=3), InputError, "progress = 3"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "words"), BAD_INPUT)
def test_bad_input_is_named(call: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, AskwiseError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (Vote("A", "X", "w", True), RecordError, "'X'"),
        (Vote("A", "A", "w", True), PairError, "itself"),
        (Vote("A", "B", "w", 1.5), LabelError, "worker 'w' on .* 1.5 is not .* a probability from 0 to 1"),
        (Vote("A", "B", "w", -0.01), LabelError, "worker 'w' on .* -0.01 is not .* a probability from 0 to 1"),
        (Vote("A", "B", "w", math.nan), LabelError, "worker 'w' on .* nan is not .* a probability from 0 to 1"),
        (Vote("A", "B", "w", []), LabelError, r"worker 'w' on .* \[\] is not .* a probability from 0 to 1"),  # type: ignore[arg-type]
        (Vote("A", "B", "w", "maybe"), LabelError, "worker 'w' on .*'maybe' is not True, False or None"),  # type: ignore[arg-type]
        (Vote("A", "B", "w", 2), LabelError, "2 is not"),
        (Vote("A", "B", [], True), InputError, r"worker \[\]"),  # type: ignore[arg-type]
        (Vote("A", "B", None, True), InputError, "has no worker"),
        (("A", "B", "w"), InputError, "not a vote"),
        (7, InputError, "7 is not a vote"),
    ],
)
def test_bad_votes_leave_no_trace(bad: Vote, error: type[Exception], words: str) -> None:
    resolution = paper_resolution("ABC")
    resolution.add_votes(votes("A", "B", 1, 0))
    questions = resolution.next_questions(5)
    with pytest.raises(error, match=words):
        resolution.add_votes([Vote("B", "C", "w", True), bad])
    assert resolution.asked == resolution.votes.count == 1
    assert resolution.next_questions(5) == questions
    assert len(resolution.clustering) == 2


def test_votes_that_are_no_collection() -> None:
    with pytest.raises(InputError, match="not 3"):
        Resolution("AB").add_votes(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("evidence", ["auto", "ratio"])
def test_a_decision_outweighs_all_votes_until_it_is_taken_back(evidence: str) -> None:
    votes = [Vote("a", "b", worker, True) for worker in range(9)]
    resolution = Resolution("abc", evidence=evidence)
    resolution.add_votes(votes)
    before = resolution.graph.p("a", "b")
    assert resolution.clustering.labels["a"] == resolution.clustering.labels["b"]
    resolution.decide([("b", "a", False)])
    assert resolution.clustering.labels["a"] != resolution.clustering.labels["b"]
    resolution.add_votes([Vote("a", "b", "late", True)])
    assert resolution.clustering.labels["a"] != resolution.clustering.labels["b"]
    resolution.add_votes([Vote("a", "b", "late", None)])
    resolution.decide([("a", "b", None)])
    assert resolution.graph.p("a", "b") == before
    assert resolution.clustering.labels["a"] == resolution.clustering.labels["b"]


def test_a_decision_needs_a_pair_and_an_answer() -> None:
    resolution = Resolution("abc")
    with pytest.raises(InputError, match=r"is not an answer \(left, right, True, False or None\)"):
        resolution.decide([("a", "b", "yes")])  # type: ignore[list-item]
    with pytest.raises(AskwiseError, match="'z'"):
        resolution.decide([("a", "z", True)])
