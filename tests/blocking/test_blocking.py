"""Candidates from nearest neighbours and from keys, and the loops behind them beside plain twins."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import InputError, Resolution, Table, blocking, candidates
from askwise.arrays import Floats, Int32s, Int64s, Words
from askwise.blocking import keys, nearest, progress
from askwise.blocking.possible import EVERYTHING
from askwise.blocking.selection import Selection
from askwise.blocking.texts import plain, record_texts
from askwise.blocking.vectors import GRAM, Vectors, vectors_of
from askwise.kernels import nearest as kernel
from askwise.kernels.ngrams import COUNT_BITS, MOST_COUNTED, gram_bucket, gram_lists, invert
from askwise.kernels.pair_lists import pairs_in_blocks
from askwise.parallel import Parts

WORDS = st.text("ab c", max_size=12)
BUCKETS = [212773, 2594469, 3478183]
TABLES = st.lists(WORDS, min_size=1, max_size=12)


def grams(text: str) -> Counter[str]:
    padded = f" {' '.join(text.split())} " if text.split() else ""
    return Counter(padded[at : at + GRAM] for at in range(len(padded) - GRAM + 1))


def bucket(gram: str) -> int:
    return gram_bucket(np.frombuffer(gram.encode("utf-32-le"), np.uint32), 0, len(gram))


def twin_cosines(texts: list[str]) -> dict[tuple[int, int], float]:
    """The cosine of every pair, from the definition."""
    counts = [grams(text) for text in texts]
    have = Counter(gram for count in counts for gram in count)
    vectors = [
        {gram: (1 + math.log(min(n, MOST_COUNTED))) * math.log1p(len(texts) / have[gram]) for gram, n in count.items()}
        for count in counts
    ]
    found = {}
    for one, two in combinations(range(len(texts)), 2):
        length = math.hypot(*vectors[one].values()) * math.hypot(*vectors[two].values())
        product = math.fsum(weight * vectors[two].get(gram, 0.0) for gram, weight in vectors[one].items())
        found[one, two] = product / length if length else 0.0
    return found


def table_of(texts: list[str]) -> Table:
    return Table.read({"unique_id": list(range(len(texts))), "text": texts})


def found_pairs(left: Int32s, right: Int32s, score: Floats) -> dict[tuple[int, int], float]:
    return dict(zip(zip(left.tolist(), right.tolist(), strict=True), score.tolist(), strict=True))


@given(TABLES)
def test_gram_lists_count_grams(texts: list[str]) -> None:
    codes = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le"), np.uint32)
    starts, entries = gram_lists(codes, len(texts), GRAM)
    for at, text in enumerate(texts):
        expected = sorted((bucket(gram) << COUNT_BITS) | count for gram, count in grams(text).items())
        assert sorted(entries[starts[at] : starts[at + 1]].tolist()) == expected


@given(st.lists(st.tuples(st.integers(1, 1500), st.integers(0, 99)), min_size=1, max_size=4))
def test_texts_of_any_length_are_counted_and_put_in_order(drawn: list[tuple[int, int]]) -> None:
    texts = ["".join(chr(97 + (at * at + seed) % 23) for at in range(length)) for length, seed in drawn]
    vectors = vectors_of([*texts, *texts], Parts(1))
    for at, text in enumerate([*texts, *texts]):
        mine = vectors.entries[vectors.starts[at] : vectors.starts[at + 1]]
        assert (np.diff(mine) > 0).all()
        assert sorted((mine & MOST_COUNTED).tolist()) == sorted(min(n, MOST_COUNTED) for n in grams(text).values())


def test_many_grams_are_counted_as_the_most_there_can_be() -> None:
    codes = np.frombuffer(("a" * 1000 + "\n").encode("utf-32-le"), np.uint32)
    _, entries = gram_lists(codes, 1, GRAM)
    assert max(entry & MOST_COUNTED for entry in entries.tolist()) == MOST_COUNTED


def test_a_gram_hashes_to_the_same_on_every_machine() -> None:
    assert [bucket(gram) for gram in (" ann", "smit", "müll")] == BUCKETS


@given(TABLES)
def test_vectors_have_the_rarest_grams_first(texts: list[str]) -> None:
    vectors = vectors_of(texts, Parts(1))
    have = Counter(gram for text in texts for gram in grams(text))
    assert vectors.sizes.tolist() == sorted(count for count in have.values() if count > 1)
    assert (np.diff(vectors.rarity) <= 0).all()
    for at, text in enumerate(texts):
        mine = vectors.entries[vectors.starts[at] : vectors.starts[at + 1]]
        assert sorted(vectors.sizes[mine >> COUNT_BITS].tolist()) == sorted(
            have[gram] for gram in grams(text) if have[gram] > 1
        )
        assert (np.diff(mine) > 0).all()
    listed, records = invert(vectors.starts, vectors.entries, vectors.sizes)
    for gram in range(vectors.sizes.size):
        expected = [
            at
            for at in range(len(texts))
            if gram in (vectors.entries[vectors.starts[at] : vectors.starts[at + 1]] >> COUNT_BITS)
        ]
        assert records[listed[gram] : listed[gram + 1]].tolist() == expected


@given(TABLES)
def test_cosines_are_by_the_definition_and_the_same_from_both_sides(texts: list[str]) -> None:
    vectors = vectors_of(texts, Parts(1))
    expected = twin_cosines(texts)
    left, right = (np.array([pair[side] for pair in expected], np.int32) for side in (0, 1))
    found = vectors.cosines(left, right, Parts(2))
    assert found == pytest.approx(np.array(list(expected.values())), abs=1e-12)
    assert (found == vectors.cosines(right, left, Parts(1))).all()


@given(TABLES)
def test_the_rarest_shared_gram_is_that_of_a_plain_search(texts: list[str]) -> None:
    left, right = (side.astype(np.int32) for side in np.triu_indices(len(texts), 1))
    have = Counter(gram for text in texts for gram in grams(text))
    expected = [
        max((math.log1p(len(texts) / have[gram]) for gram in grams(texts[u]) & grams(texts[v])), default=0.0)
        for u, v in zip(left, right, strict=True)
    ]
    found = vectors_of(texts, Parts(1)).rarest_shared(left, right, Parts(2))
    assert found * math.log1p(len(texts)) == pytest.approx(np.array(expected))


def search(
    vectors: Vectors,
    limits: tuple[int, int, int],
    most: int,
    patience: int,
    near: float,
    floor: float,
    sketches: Words,
) -> tuple[Int64s, Int32s, Floats]:
    rare = int(np.searchsorted(vectors.sizes, limits[2], side="right"))
    index = invert(vectors.starts, vectors.entries, vectors.sizes[:rare])
    walk = kernel.Walk(vectors.grams, *index, *limits)
    comparing = kernel.Comparing(most, patience, near, floor, *EVERYTHING)
    return kernel.nearest(0, len(vectors), walk, vectors.grams, sketches, comparing)


def twin_likeness(one: set[int], two: set[int]) -> np.float32:
    """The bits that both sketches have, by the root of those that the second has (one more)."""
    return np.float32(len(one & two) / np.sqrt(np.float32(len(two) + 1)))


def twin_search(
    vectors: Vectors,
    limits: tuple[int, int, int],
    most: int,
    patience: int,
    near: float,
    floor: float,
    sketches: list[set[int]],
) -> list[list[tuple[int, float]]]:
    """The walk and the comparisons, step by step."""
    size = len(vectors)
    lists = [vectors.entries[vectors.starts[r] : vectors.starts[r + 1]].tolist() for r in range(size)]
    everyone = np.arange(size, dtype=np.int32)
    result = []
    for record in range(size):
        shared: dict[int, np.float32] = {}
        visited, (few, enough, visits) = 0, limits
        for entry in lists[record]:
            gram, count = entry >> COUNT_BITS, entry & MOST_COUNTED
            having = [other for other in range(record) if any(mine >> COUNT_BITS == gram for mine in lists[other])]
            if vectors.sizes[gram] > visits or visited + len(having) > (visits if visited < few else enough):
                break
            visited += len(having)
            weight = np.float32(vectors.damped[count] * vectors.rarity[gram] * vectors.rarity[gram])
            for other in having:
                shared[other] = np.float32(shared.get(other, np.float32(0)) + weight)
        weights = {other: np.float32(shared[other] * vectors.inverse[other]) for other in shared}
        if sketches:
            weights = {other: twin_likeness(sketches[record], sketches[other]) for other in shared}
        order = sorted(weights, key=lambda r: (-weights[r], r))
        order = [other for other in order if weights[other] > 0.0][:most]
        scores = vectors.cosines(np.full(size, record, np.int32), everyone, Parts(1)).tolist()
        kept, misses = [], 0
        for other in order:
            if scores[other] >= floor:
                kept.append((other, scores[other]))
            misses = 0 if scores[other] >= near else misses + 1
            if misses == patience:
                break
        result.append(kept)
    return result


SCORES = st.sampled_from([0.0, 0.2, 0.5])


LIMITS = st.tuples(*[st.integers(1, 60)] * 3).map(lambda drawn: (min(drawn), sorted(drawn)[1], max(drawn)))


@given(TABLES, LIMITS, st.integers(1, 5), st.integers(1, 3), SCORES, SCORES, st.booleans())
def test_search_is_its_twin(
    texts: list[str],
    limits: tuple[int, int, int],
    most: int,
    patience: int,
    near: float,
    floor: float,
    by_sketch: bool,
) -> None:
    vectors = vectors_of(texts, Parts(1))
    sketches = kernel.sketched(vectors.starts, vectors.entries)
    twins = []
    for at in range(len(vectors)):
        entries = vectors.entries[vectors.starts[at] : vectors.starts[at + 1]]
        twins.append({gram % (64 * kernel.WORDS) for gram in (entries[: kernel.SKETCHED] >> COUNT_BITS).tolist()})
        bits = "".join(f"{word:064b}"[::-1] for word in sketches[at].tolist())
        assert {place for place, bit in enumerate(bits) if bit == "1"} == twins[at]
    if not by_sketch:
        sketches, twins = sketches[:0], []
    counts, others, scores = search(vectors, limits, most, patience, near, floor, sketches)
    ends = np.cumsum(counts)
    expected = twin_search(vectors, limits, most, patience, near, floor, twins)
    for record, end in enumerate(ends.tolist()):
        mine = slice(end - int(counts[record]), end)
        assert list(zip(others[mine].tolist(), scores[mine].tolist(), strict=True)) == expected[record]


@given(st.lists(st.lists(st.integers(0, 99), unique=True), max_size=5))
def test_pairs_in_blocks_are_combinations(blocks: list[list[int]]) -> None:
    starts = np.cumsum([0, *map(len, blocks)])
    members = np.array([member for block in blocks for member in block], np.int32)
    left, right = pairs_in_blocks(starts, members)
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == [
        pair for block in blocks for pair in combinations(block, 2)
    ]


@given(
    st.lists(st.dictionaries(st.integers(0, 6), st.sampled_from([0.2, 0.4, 0.6]), max_size=6), max_size=7),
    st.integers(1, 2),
    st.integers(0, 20),
    st.booleans(),
)
def test_selection_keeps_the_own_and_the_best(
    drawn: list[dict[int, float]], own: int, budget: int, thinned: bool
) -> None:
    rows = [{other: score for other, score in row.items() if other < at} for at, row in enumerate(drawn)]
    table = {(other, at): score for at, row in enumerate(rows) for other, score in row.items()}  # as they are found
    selection = Selection(7, own, max(budget, 7 * own))
    for row in rows:
        selection.add(np.array([len(row)]), np.array(list(row), np.int32), np.array(list(row.values()), np.float64))
        if thinned:
            selection.thin()
    best: set[tuple[int, int]] = set()
    for record in range(7):
        mine = sorted((pair for pair in table if record in pair), key=lambda pair: -table[pair])  # ties as found
        best.update(mine[:own])
    rest = sorted(set(table) - best, key=lambda pair: (-table[pair], list(table).index(pair)))
    expected = best | set(rest[: max(budget, 7 * own) - len(best)])
    found = found_pairs(*selection.pairs())
    assert list(found) == sorted(expected)
    assert all(table[pair] == score for pair, score in found.items())


@given(TABLES)
def test_all_pairs_above_the_floor_if_there_is_room(texts: list[str]) -> None:
    pairs = candidates(table_of(texts), neighbours=len(texts), columns=["text"], floor=0.3)
    expected = {pair: score for pair, score in twin_cosines(texts).items() if score > 0.3 + 1e-9}
    found = {(left, right): score for left, right, score in pairs}
    assert set(expected) <= set(found)
    assert all(found[pair] == pytest.approx(score) for pair, score in expected.items())
    assert min(found.values(), default=1.0) >= 0.3


def many(count: int) -> Table:
    names = ["anna", "bert", "carl", "dora", "emil", "fritz", "gerda", "hans"]
    texts = [f"{names[at % 8]} {names[at * 5 % 7]}son {at % 50} street {at % 11}" for at in range(count)]
    return table_of(texts)


def test_the_result_does_not_depend_on_threads_or_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = many(300)
    expected = found_pairs(*_arrays(table, 1))
    assert len(expected) <= 10 * 300
    assert found_pairs(*_arrays(table, 3)) == expected
    monkeypatch.setattr(nearest, "PART", 7)
    assert found_pairs(*_arrays(table, 2)) == expected


def _arrays(table: Table, threads: int) -> tuple[Int32s, Int32s, Floats]:
    pairs = candidates(table, neighbours=10, threads=threads)
    return pairs.left, pairs.right, pairs.score


def test_many_near_neighbours_get_more_of_the_budget() -> None:
    family = [f"the collected papers on entity resolution, volume 3, edition {at}" for at in range(20)]
    others = [f"{chr(97 + at % 26) * 3}{chr(97 + at * 7 % 26) * 4}{at:05}" for at in range(100)]
    pairs = candidates(table_of(family + others), neighbours=5)
    assert len(pairs) <= 5 * 120
    inside = np.count_nonzero(pairs.right < 20)
    assert inside == 20 * 19 // 2


def test_records_of_large_groups_have_more_pairs_in_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [f"{topic} collected papers, edition {at}" for topic in ("resolution", "linkage") for at in range(100)]
    table = table_of(groups)
    assert len(candidates(table)) >= 2 * 100 * 99 // 2 > len(candidates(table, neighbours=30))
    monkeypatch.setattr(blocking, "FEW_PAIRS", 0)
    assert len(candidates(table)) == len(candidates(table, neighbours=30)) == 30 * 200
    monkeypatch.setattr(blocking, "PAIRS", 10 * 200)
    assert len(candidates(table)) == len(candidates(table, neighbours=10)) == 10 * 200
    monkeypatch.setattr(blocking, "PAIRS", 0)
    assert len(candidates(table)) == len(candidates(table, neighbours=5)) == 5 * 200


def test_a_large_table_is_walked_by_long_grams(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{at * 7919 % 100_003:06} {chr(97 + at % 26) * 3} street {at * 104_729 % 99_991:06}" for at in range(100)]
    table = table_of(texts + [text + " b" for text in texts])
    expected = found_pairs(*_arrays(table, 1))
    monkeypatch.setattr(blocking, "LARGE", 200)
    found = found_pairs(*_arrays(table, 2))
    assert {(at, at + 100) for at in range(100)} <= set(found)
    assert all(found[pair] == expected[pair] for pair in set(found) & set(expected))  # the score is the same
    assert found_pairs(*_arrays(table, 1)) == found


def test_the_share_of_matches_among_candidates_is_that_of_pairs_within_clusters() -> None:
    resolution = Resolution("abcdefg", [("a", "b"), ("b", "c"), ("c", "d"), ("e", "f"), ("f", "g")])
    assert resolution.candidate_recall == 1.0
    resolution.decide([("a", "b", True), ("b", "c", True), ("c", "d", True), ("e", "f", True)])
    inside = [pair for cluster in resolution.clustering for pair in combinations(cluster, 2)]
    assert len(inside) == 7
    assert resolution.candidate_recall == 4 / 7
    assert Resolution("abc").candidate_recall == 1.0


def test_what_is_compared() -> None:
    table = Table.read(
        {"unique_id": ["a", "b"], "name": ["Müller & Söhne", "MULLER, SOHNE"], "n": [1.0, 12.5], "nothing": [None, ""]}
    )
    assert record_texts(table, table.fields) == ["muller   sohne 1", "muller  sohne 12 5"]
    assert plain("Straße №5 東京") == "strasse no5 東京"
    pairs = candidates(table, columns="name")
    assert [(left, right) for left, right, _ in pairs] == [("a", "b")]
    assert pairs.score == pytest.approx(1.0)
    assert list(candidates({"unique_id": [1, 2, 3], "name": ["", None, "x"]})) == []


def test_pairs_equal_on_keys() -> None:
    table = Table.read(
        {
            "unique_id": ["a", "b", "c", "d", "e"],
            "surname": ["Smith", " smith ", "SMITH", "jones", None],
            "year": [1990, 1990, 1991, 1990, 1990],
            "zip": ["01", "02", "02", "03", None],
        }
    )
    pairs = candidates(table, keys=["zip", ("surname", "year")])
    assert [(left, right) for left, right, _ in pairs] == [("a", "b"), ("b", "c")]
    assert pairs.score == pytest.approx(vectors_of(record_texts(table, table.fields), Parts(1)).cosines(*_sides(pairs)))
    assert len(candidates(table, keys="surname")) == 3
    assert len(candidates(table, keys=["year"], columns=["surname"], floor=0.9)) == 1


def _sides(pairs: object) -> tuple[Int32s, Int32s, Parts]:
    return pairs.left, pairs.right, Parts(1)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"keys": ["nothing"]}, "column 'nothing' does not exist; choose from: text, city"),
        ({"keys": ["city"], "largest_block": 2}, r"3 records are equal on the key 'city' \('rome'\), more than"),
        ({"keys": ["city"], "neighbours": 3}, "give one of them"),
        ({"keys": []}, "keys is empty"),
        ({"keys": [()]}, "a key is empty"),
        ({"neighbours": 0}, "neighbours = 0"),
        ({"neighbours": "many"}, "neighbours = 'many' is not a whole number"),
        ({"floor": 2}, "floor = 2 is not a number from 0 to 1"),
        ({"floor": "high"}, "floor = 'high'"),
        ({"columns": ["x"]}, "column 'x' does not exist"),
        ({"columns": []}, "no columns to compare"),
        ({"threads": 0}, "threads = 0"),
        ({"progress": 3}, "progress = 3"),
    ],
)
def test_bad_options(options: dict[str, object], said: str) -> None:
    table = Table.read({"unique_id": [1, 2, 3], "text": ["a", "b", "c"], "city": ["Rome", "rome", "rome "]})
    with pytest.raises(InputError, match=said):
        candidates(table, **options)  # type: ignore[arg-type]


def test_too_many_pairs_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "MOST_PAIRS", 2)
    with pytest.raises(InputError, match="give 3 pairs, more than 2; add a column"):
        candidates({"unique_id": [1, 2, 3], "city": ["r", "r", "r"]}, keys=["city"])


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(nearest, "PART", 100)
    steps: list[tuple[str, int, int]] = []
    candidates(many(250), progress=lambda *step: steps.append(step))
    assert steps == [("reading", 250, 250), *(("comparing", done, 250) for done in (100, 200, 250))]
    candidates(many(250), progress=True)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    candidates(many(250), progress=True)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    candidates(many(250), progress=True)
    assert "comparing" in capsys.readouterr().err


def test_a_failure_in_one_part_ends_the_work() -> None:
    def fail(first: int, last: int) -> int:
        raise InputError(f"part {first}")

    with pytest.raises(InputError, match="part 0"):
        list(Parts(2).each("failing", 100, 1, fail))
