"""The matcher: similarities field by field, and what a machine thinks before any vote."""

import math
from itertools import combinations

import numpy as np
import pytest
from asking import batches
from hypothesis import given, settings
from hypothesis import strategies as st

from askwise import Resolution, SimulatedCrowd, Table, Vote, pairwise_scores
from askwise.arrays import Int32s
from askwise.kernels.common_subsequence import shared_in_order
from askwise.kernels.rivals import ahead
from askwise.matching import field_machine
from askwise.matching.division import FEW, PART
from askwise.matching.mixture import two_normals
from askwise.matching.similarity import field_similarities, whole_similarities
from askwise.parallel import Parts

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
    table = Table.read({"unique_id": [0, 1], "text": ["ab", "abc"]})
    cosine, rare, rarest, _ = whole_similarities(table, left, right, ONE)
    shared, own = math.log(2) ** 2, math.log(3) ** 2
    assert cosine.value == pytest.approx(shared / math.sqrt((shared + own) * (shared + 2 * own)))
    assert rare.value == 1.0  # " ab" is all that any other record has
    assert rarest.value == 0.0
    # The 4-grams " abc" and "abc " are those of two records of three: log(1 + 3/2), as a share of log(1 + 3).
    left, right = all_pairs(3)
    table = Table.read({"unique_id": [0, 1, 2], "text": ["abc", "abc", "xyz"]})
    cosine, rare, rarest, _ = whole_similarities(table, left, right, ONE)
    assert cosine.value == pytest.approx([1.0, 0.0, 0.0])
    assert rare.value == pytest.approx([1.0, 0.0, 0.0])
    assert rarest.value == pytest.approx([math.log(2.5) / math.log(4), 0.0, 0.0])


def literal_line(rows: list[list[float]], likely: list[float]) -> tuple[float, list[float]]:
    """Two normal distributions with one covariance, fitted round by round, with deviations row by row."""
    x, size = np.array(rows), len(rows)
    start, weights = 0.0, np.zeros(x.shape[1])
    for _ in range(201):
        same = sum(likely)
        share = min(max(same / size, 1 / (size + 2)), 1 - 1 / (size + 2))
        one = sum((p * row for p, row in zip(likely, x, strict=True)), np.zeros(x.shape[1])) / same
        two = sum(((1 - p) * row for p, row in zip(likely, x, strict=True)), np.zeros(x.shape[1])) / (size - same)
        within = np.zeros((x.shape[1], x.shape[1]))
        for p, row in zip(likely, x, strict=True):
            within += (p * np.outer(row - one, row - one) + (1 - p) * np.outer(row - two, row - two)) / size
        believed = np.where(np.eye(x.shape[1]) > 0, within + 0.1, 0.5 * within)
        direction = np.maximum(np.linalg.inv(believed) @ (one - two), 0)
        spread = direction @ within @ direction
        weights = direction * ((one - two) @ direction / spread if spread > 1e-12 else 0.0)
        start = math.log(share / (1 - share)) - float(weights @ (one + two)) / 2
        before, likely = likely, [1 / (1 + math.exp(-min(max(start + weights @ row, -30), 30))) for row in x]
        if max(abs(p - q) for p, q in zip(before, likely, strict=True)) < 1e-5:
            break
    return start, weights.tolist()


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(8, 60))
def test_the_mixture_is_what_a_plain_fit_finds(seed: int, columns: int, size: int) -> None:
    chance = np.random.default_rng(seed)
    same = chance.random(size) < 0.4
    rows = chance.normal(size=(size, columns)) + 3.0 * same[:, None]
    x = ((rows - rows.mean(axis=0)) / rows.std(axis=0)).astype(np.float32)
    likely = chance.uniform(0.05, 0.95, size)
    line = two_normals(x, likely)
    start, weights = literal_line(x.astype(np.float64).tolist(), likely.tolist())
    assert line.start == pytest.approx(start, rel=1e-3, abs=2e-3)
    assert line.weights == pytest.approx(weights, rel=1e-3, abs=2e-3)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9])
def test_the_mixture_finds_how_many_pairs_are_the_same(share: float) -> None:
    """Whatever the share, from one strict first guess."""
    chance = np.random.default_rng(3)
    same = chance.random(20_000) < share
    x = chance.normal(size=(same.size, 3)) + 5.0 * same[:, None] * np.array([1.0, 0.5, 0.0])
    guess = 1 / (1 + np.exp(-3.0 * (x[:, 0] - 4.5)))
    x = ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)
    line = two_normals(x, guess)
    odds = line.start + x.astype(np.float64) @ line.weights
    assert (odds > 0).mean() == pytest.approx(share, rel=0.1)
    assert line.weights[0] > line.weights[1] > 10 * line.weights[2]


@given(st.lists(st.text("abß ", max_size=140), min_size=2, max_size=4), st.sampled_from([3, 64, 100]))
def test_letters_in_order_are_counted_by_the_book(texts: list[str], most: int) -> None:
    left, right = all_pairs(len(texts))
    starts = np.cumsum([0, *map(len, texts)])
    letters = np.array(["abß ".index(letter) for text in texts for letter in text], np.int32)
    found = shared_in_order(left, right, starts, letters, 4, most)
    for one, two, part in zip(left.tolist(), right.tolist(), found.tolist(), strict=True):
        a, b = texts[one][:most], texts[two][:most]
        longest = [0] * (len(b) + 1)
        for letter in a:
            above = longest.copy()
            for at, other in enumerate(b):
                longest[at + 1] = above[at] + 1 if letter == other else max(above[at + 1], longest[at])
        assert part == pytest.approx(2 * longest[-1] / (len(a) + len(b)) if a or b else 0.0)


def some_pairs(chance: np.random.Generator, records: int) -> tuple[Int32s, Int32s]:
    left, right = all_pairs(records)
    kept = chance.random(left.size) < 0.5
    return left[kept], right[kept]


@given(st.integers(0, 10_000), st.integers(2, 7))
def test_rivals_are_the_other_pairs_of_both_records(seed: int, records: int) -> None:
    chance = np.random.default_rng(seed)
    left, right = some_pairs(chance, records)
    value = chance.integers(-2, 4, left.size).astype(np.float32)
    pairs = list(zip(left.tolist(), right.tolist(), value.tolist(), strict=True))
    expected = [
        own - max([0.0, *(v for a, b, v in pairs if (a, b) != (one, two) and {a, b} & {one, two})])
        for one, two, own in pairs
    ]
    assert ahead(left, right, value, records).tolist() == expected


def variants() -> tuple[Table, dict[str, int]]:
    """Sixty kinds of goods, each in three variants and two shops; one shop has the same words for all of them."""
    chance = np.random.default_rng(0)
    words = ["".join(chance.choice(list("bdfgklmnprstaeiou"), 6)) for _ in range(300)]
    rows, gold = [], {}
    for kind in range(60):
        same = chance.choice(words, 8)
        for variant in range(3):
            code = "".join(chance.choice(list("ABCDEFGH"), 2)) + str(chance.integers(100_000, 999_999))
            for shop in range(2):
                title = [*chance.choice(same, 3), *chance.choice(words, 4)] if shop else same
                rows.append({"unique_id": f"{code}-{shop}", "title": " ".join([*title, code])})
                gold[f"{code}-{shop}"] = 3 * kind + variant
    return Table.read(rows), gold


def test_variants_of_one_kind_are_not_taken_for_the_same() -> None:
    """Words say that they are; a few answers say what counts instead."""
    table, gold = variants()
    resolution = Resolution(table)
    for _ in range(10):
        questions = resolution.next_questions(10)
        resolution.add_votes([Vote(q.left, q.right, "ann", gold[q.left] == gold[q.right]) for q in questions])  # type: ignore[index]
    assert pairwise_scores(resolution.clustering, gold).f1 > 0.9


def test_the_machine_leans_by_its_traits() -> None:
    table, _ = people()
    machine = field_machine(table, *all_pairs(len(table)))
    said = machine.traits[:, : len(machine.weights)].astype(np.float64) @ np.array(machine.weights)
    assert machine.lean == pytest.approx(machine.start + said, abs=1e-9)
    whole = ("whole record", "rare parts shared", "rarest part shared")
    assert machine.names[: len(machine.weights)] == (*whole, "name", "town", "ahead of their other pairs")
    assert min(machine.weights) >= 0.0


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
    assert machine.traits.shape == (left.size, 10)  # whole records, four ways; name, town; rivals; company, three ways
    assert machine.traits.mean(axis=0) == pytest.approx(np.zeros(10), abs=1e-3)
    assert machine.traits.std(axis=0) == pytest.approx(np.ones(10), abs=1e-3)


def test_a_score_of_the_users_is_one_trait_more() -> None:
    table, _ = people()
    left, right = all_pairs(len(table))
    alone, scored = field_machine(table, left, right), field_machine(table, left, right, np.linspace(0, 1, left.size))
    assert (scored.lean == alone.lean).all()
    score = alone.traits.shape[1] - 3  # before company
    assert (np.delete(scored.traits, score, axis=1) == alone.traits).all()
    assert (np.diff(scored.traits[:, score]) >= 0).all()
    assert scored.traits[0, score] < 0 < scored.traits[-1, score]


def test_a_table_gives_clusters_before_any_vote_and_right_ones_at_the_end() -> None:
    table, gold = people()
    crowd, resolution = SimulatedCrowd(gold, error=0.0, votes=3), Resolution(table)
    start = pairwise_scores(resolution.clustering, gold).f1
    assert start > 0.9
    for questions in batches(resolution, 10):
        resolution.add_votes(crowd.ask(questions))
    assert resolution.to_ask == 0
    assert pairwise_scores(resolution.clustering, gold).f1 == 1.0


@pytest.mark.parametrize(
    ("text", "cosine", "rarest"), [("", 0.0, 0.0), ("same", 1.0, math.log(2) / math.log(4))], ids=["empty", "equal"]
)
def test_similarities_that_are_all_alike_leave_the_share_of_the_first_guess(
    text: str, cosine: float, rarest: float
) -> None:
    table = Table.read([{"unique_id": at, "text": text} for at in range(3)])
    left, right = all_pairs(3)
    whole = whole_similarities(table, left, right, ONE)
    assert whole[0].value == pytest.approx([cosine] * 3)
    assert whole[2].value == pytest.approx([rarest] * 3)
    assert field_similarities(table, left, right, ONE) == []
    machine = field_machine(table, left, right)
    same = 3.0 if cosine > 0.65 else 0.0  # of three pairs, but no share is beyond 1/5 and 4/5
    believed = PART * 3 / (3 + FEW)
    assert machine.lean == pytest.approx([believed * math.log((same + 1) / (4 - same))] * 3, abs=1e-3)
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
