"""The matcher: similarities field by field, and what a machine thinks before any vote."""

import math
from itertools import combinations

import numpy as np
import pytest
from asking import batches
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import Resolution, SimulatedCrowd, Table, pairwise_scores
from askwise.arrays import Int32s
from askwise.blocking.parallel import Parts
from askwise.matching import field_machine
from askwise.matching.similarity import Similarity, field_similarities, whole_similarities

ONE = Parts(1)
NAN = math.nan


def all_pairs(size: int) -> tuple[Int32s, Int32s]:
    left, right = np.triu_indices(size, 1)
    return left.astype(np.int32), right.astype(np.int32)


def by_field(columns: dict[str, list[object]]) -> dict[str, list[float]]:
    """The similarities of all pairs by field: 01 02 03 .. 12 13 .."""
    size = len(next(iter(columns.values())))
    table = Table.read({"unique_id": list(range(size)), **columns})
    return {item.name: item.value.tolist() for item in field_similarities(table, *all_pairs(size), ONE)}


def test_numbers_dates_texts_and_what_is_missing() -> None:
    found = by_field(
        {
            "price": [100.0, 90.0, None, 100.0],
            "change": [0, 0, -10, 10],
            "day": ["2024-01-01", "2024-01-31", "2024-01-01", None],
            "name": ["Anna", "anna", " ", "Bert"],
            "nothing": [None, None, None, None],
            "country": ["Peru", "Peru", "Peru", "Peru"],
        }
    )
    assert set(found) == {"price", "change", "day", "name"}  # what is missing or equal everywhere says nothing
    assert found["price"] == pytest.approx([0.9, NAN, 1.0, NAN, 0.9, NAN], nan_ok=True)
    assert found["change"] == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert found["day"] == pytest.approx([0.5, 1.0, NAN, 0.5, NAN, NAN], nan_ok=True)  # 30 days count as half
    assert found["name"] == pytest.approx([1.0, NAN, 0.0, NAN, 0.0, NAN], nan_ok=True)


@pytest.mark.parametrize(("known", "kept"), [(4, False), (5, True)])
def test_a_field_missing_in_nearly_all_pairs_is_left_out(known: int, kept: bool) -> None:
    # Of 435 pairs, 6 (1.4%) or 10 (2.3%) have the field on both sides; 2% are needed.
    prices: list[object] = [float(1 + at) if at < known else None for at in range(30)]
    assert ("price" in by_field({"price": prices})) == kept


def test_records_are_not_compared_by_where_they_came_from() -> None:
    """Two offers of one shop are no more alike for that."""
    rows: dict[str, list[object]] = {"name": ["red lamp", "red lamp", "oak table"]}
    shops: dict[str, list[object]] = {"source_dataset": ["first shop", "second shop", "first shop"]}
    assert by_field({**rows, **shops}) == by_field(rows)
    tables = [Table.read({"unique_id": [0, 1, 2], **rows, **more}) for more in ({}, shops)]
    without, with_shops = (whole_similarities(table, *all_pairs(3), ONE) for table in tables)
    for one, other in zip(without, with_shops, strict=True):
        assert one.value.tolist() == other.value.tolist()
    assert tables[1].fields == ["name", "source_dataset"]
    assert tables[1].compared == ["name"]


def test_similarities_of_whole_records_by_hand() -> None:
    # Of " ab " and " abc " the 3-gram " ab" is shared and weighs log(1 + 2/2), "ab ", "abc", "bc " log(1 + 2/1) each.
    # No 4-gram of " ab " is in " abc ".
    left, right = all_pairs(2)
    cosine, rarest = whole_similarities(Table.read({"unique_id": [0, 1], "text": ["ab", "abc"]}), left, right, ONE)
    shared, own = math.log(2) ** 2, math.log(3) ** 2
    assert cosine.value == pytest.approx(shared / math.sqrt((shared + own) * (shared + 2 * own)))
    assert rarest.value == 0.0
    # The 4-grams " abc" and "abc " are those of two records of three: log(1 + 3/2), as a share of log(1 + 3).
    left, right = all_pairs(3)
    table = Table.read({"unique_id": [0, 1, 2], "text": ["abc", "abc", "xyz"]})
    cosine, rarest = whole_similarities(table, left, right, ONE)
    assert cosine.value == pytest.approx([1.0, 0.0, 0.0])
    assert rarest.value == pytest.approx([math.log(2.5) / math.log(4), 0.0, 0.0])


def literal_lean(cosine: Similarity, counted: list[Similarity]) -> list[float]:
    """Three rounds of counting levels among the likely and the others, pair by pair."""
    guess = [12 * (float(value) - 0.5) for value in cosine.value]
    likely = [1 / (1 + math.exp(-x)) for x in guess]
    share = sum(likely) / len(likely)
    lean = guess
    for _ in range(3):
        lean = [x / 2 for x in guess]
        for item in counted:
            level = [None if v != v else sum(v >= step for step in item.levels) for v in item.value.tolist()]
            levels = [None, *range(item.levels.size + 1)]
            same, other = (
                {at: 0.5 + sum(w for w, found in zip(weights, level, strict=True) if found == at) for at in levels}
                for weights in (likely, [1 - p for p in likely])
            )
            ratio = sum(other.values()) / sum(same.values())
            lean = [x + math.log(ratio * same[at] / other[at]) / 2 for x, at in zip(lean, level, strict=True)]
        low, high = -60.0, 60.0
        for _ in range(60):
            middle = (low + high) / 2
            likely = [1 / (1 + math.exp(-x - middle)) for x in lean]
            low, high = (middle, high) if sum(likely) < share * len(likely) else (low, middle)
        lean = [x + low for x in lean]
    return lean


ROWS = st.tuples(
    st.sampled_from(["anna", "ana", "anna maria", "bert", "berta", ""]), st.sampled_from([None, 1.0, 1.5, 8.0])
)


@settings(max_examples=30)
@given(st.lists(ROWS, min_size=2, max_size=6))
def test_the_machine_leans_as_a_plain_count_of_levels_does(rows: list[tuple[str, float | None]]) -> None:
    table = Table.read([{"unique_id": at, "name": name, "price": price} for at, (name, price) in enumerate(rows)])
    left, right = all_pairs(len(rows))
    cosine, rarest = whole_similarities(table, left, right, ONE)
    expected = literal_lean(cosine, [*field_similarities(table, left, right, ONE), rarest])
    assert field_machine(table, left, right).lean == pytest.approx(np.array(expected), abs=1e-6)


def people() -> tuple[Table, dict[str, int]]:
    """Forty made-up people, each twice, the second time with a letter lost."""
    chance = np.random.default_rng(0)
    rows, gold = [], {}
    for person in range(40):
        name = "".join(chance.choice(list("bdfgklmnprst")) + chance.choice(list("aeiou")) for _ in range(4))
        for copy in range(2):
            at = int(chance.integers(1, len(name)))
            typed = name[:at] + name[at + 1 :] if copy else name
            record = f"{person}-{copy}"
            rows.append({"unique_id": record, "name": typed, "town": str(chance.choice(["rome", "oslo", "bonn"]))})
            gold[record] = person
    return Table.read(rows), gold


def test_the_matcher_ranks_pairs_without_votes() -> None:
    table, gold = people()
    left, right = all_pairs(len(table))
    machine = field_machine(table, left, right)
    same = np.array([gold[str(table.ids[u])] == gold[str(table.ids[v])] for u, v in zip(left, right, strict=True)])
    assert np.median(machine.lean[same]) > np.quantile(machine.lean[~same], 0.99)
    assert machine.traits.shape == (left.size, 7)  # whole record, rarest part, name, town; company, three ways
    assert machine.traits.mean(axis=0) == pytest.approx(np.zeros(7), abs=1e-3)
    assert machine.traits.std(axis=0) == pytest.approx(np.ones(7), abs=1e-3)


def test_a_score_of_the_users_is_one_trait_more() -> None:
    table, _ = people()
    left, right = all_pairs(len(table))
    alone, scored = field_machine(table, left, right), field_machine(table, left, right, np.linspace(0, 1, left.size))
    assert (scored.lean == alone.lean).all()
    score = alone.traits.shape[1] - 3  # before company
    assert (np.delete(scored.traits, score, axis=1) == alone.traits).all()
    assert (np.diff(scored.traits[:, score]) >= 0).all()
    assert scored.traits[0, score] < 0 < scored.traits[-1, score]


def test_a_table_gives_clusters_before_any_vote_and_better_ones_after() -> None:
    table, gold = people()
    crowd, resolution = SimulatedCrowd(gold, error=0.0, votes=3), Resolution(table)
    start = pairwise_scores(resolution.clustering, gold).f1
    assert 0.6 < start < 1.0
    for questions in batches(resolution, 10):
        resolution.add_votes(crowd.ask(questions))
    assert resolution.to_ask == 0
    assert pairwise_scores(resolution.clustering, gold).f1 == 1.0


@pytest.mark.parametrize(
    ("text", "cosine", "rarest"), [("", 0.0, 0.0), ("same", 1.0, math.log(2) / math.log(4))], ids=["empty", "equal"]
)
def test_fields_that_say_nothing_leave_the_first_guess(text: str, cosine: float, rarest: float) -> None:
    table = Table.read([{"unique_id": at, "text": text} for at in range(3)])
    left, right = all_pairs(3)
    whole = whole_similarities(table, left, right, ONE)
    assert whole[0].value == pytest.approx([cosine] * 3)
    assert whole[1].value == pytest.approx([rarest] * 3)
    assert field_similarities(table, left, right, ONE) == []
    machine = field_machine(table, left, right)
    assert machine.lean == pytest.approx([12 * (cosine - 0.5)] * 3)
    assert (machine.traits == 0).all()
    pairs = list(combinations(range(3), 2))
    questions = Resolution(table, pairs).next_questions(3)
    assert sorted((question.left, question.right) for question in questions) == pairs


def test_no_candidates_leave_nothing_to_think_of() -> None:
    table, gold = people()
    nothing = np.empty(0, np.int32)
    machine = field_machine(table, nothing, nothing)
    assert machine.lean.size == 0
    assert machine.traits.shape[0] == 0
    resolution = Resolution(table, [])
    assert set(resolution.clustering) == {frozenset([record]) for record in gold}
    assert resolution.next_questions(5) == []
