"""Scored pairs: made, read from files, frames and Splink, and taken in by the engine."""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import (
    InputError,
    Project,
    Resolution,
    ScoredPairs,
    SimulatedCrowd,
    UncertainGraph,
    candidates,
    read_pairs,
    resolve,
)
from askwise.candidate_pairs import Candidates
from askwise.records import Records

DRAWN = st.dictionaries(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] < pair[1]),
    st.floats(-9, 9, allow_nan=False),
)
COLUMNS = {"unique_id_l": ["a", "c", "b"], "unique_id_r": ["b", "a", "d"]}


def made(ids: list[Any], table: dict[tuple[int, int], float]) -> ScoredPairs:
    left, right = (np.array([pair[side] for pair in table], np.int32) for side in (0, 1))
    return ScoredPairs(ids, left, right, np.array(list(table.values())))


@given(DRAWN, st.permutations(range(7)), st.randoms())
def test_arrays_and_tuples_give_the_same_candidates(
    table: dict[tuple[int, int], float], order: list[int], chance: Any
) -> None:
    shuffled = {(right, left) if chance.random() < 0.5 else (left, right): table[left, right] for left, right in table}
    pairs = made(list("abcdefg"), dict(sorted(shuffled.items(), key=lambda _: chance.random())))
    assert len(pairs) == len(table)
    assert [("abcdefg".index(str(u)), "abcdefg".index(str(v)), s) for u, v, s in pairs] == [
        (*pair, table[pair]) for pair in sorted(table)
    ]
    records = Records("abcdefg"[at] for at in order)
    fast, slow = Candidates(records, pairs), Candidates(records, list(pairs))
    for name in ("left", "right", "starts", "other", "row", "asked"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
    assert (fast.total, fast.listed) == (slow.total, slow.listed)
    assert (fast.score is None) == (slow.score is None)
    if fast.score is not None and slow.score is not None:
        np.testing.assert_array_equal(fast.score, slow.score)


def test_the_engine_takes_them(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("unique_id,name\n1,Ann Miller\n2,Anne Miller\n3,Bob Jones\n4,Bob Jonas\n", encoding="utf-8")
    pairs = candidates(path)
    gold = {"1": 1, "2": 1, "3": 2, "4": 2}
    assert {(left, right) for left, right, _ in pairs} == {("1", "2"), ("3", "4")}
    assert Resolution(gold, pairs).to_ask == 2
    assert UncertainGraph(gold, candidates=pairs).candidates.total == 2
    resolution = resolve(gold, SimulatedCrowd(gold, error=0.0), 10, candidates=pairs, strategy="transitive")
    assert list(resolution.clustering) == [frozenset("12"), frozenset("34")]
    assert Resolution(["4", "3", "2", "1", "5"], pairs).to_ask == 2
    with pytest.raises(InputError, match="record '3' is not among the 2 records"):
        Resolution(["1", "2"], pairs)


def test_what_they_say_of_themselves() -> None:
    pairs = made([10, 20, 30], {(0, 2): 0.5})
    assert repr(pairs) == "ScoredPairs(1 pairs of 3 records, score)"
    assert list(made([], {})) == []
    assert made([1, 2], {(0, 1): 0.5, (1, 0): 0.5}).score.tolist() == [0.5]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({(1, 1): 0.5}, "record with itself"),
        ({(0, 3): 0.5}, "outside the 3 records"),
        ({(-1, 2): 0.5}, "outside the 3 records"),
        ({(0, 1): math.nan}, r"candidate \('a', 'b'\) has the score nan"),
        ({(0, 1): 0.5, (1, 0): 0.6}, r"pair \('a', 'b'\) is given twice, with the scores 0.5 and 0.6"),
    ],
)
def test_bad_pairs(table: dict[tuple[int, int], float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        made(["a", "b", "c"], table)


def test_arrays_that_do_not_match() -> None:
    with pytest.raises(InputError, match="do not match"):
        ScoredPairs("ab", np.zeros(1, np.int32), np.ones(1, np.int32), np.zeros(2))


def test_reading_from_everywhere(tmp_path: Path) -> None:
    columns = {**COLUMNS, "similarity": [0.5, 0.25, 1.0]}
    path = tmp_path / "pairs.csv"
    pandas.DataFrame(columns).to_csv(path, index=False)
    duckdb.connect().read_csv(str(path)).write_parquet(str(tmp_path / "pairs.parquet"))
    sources = [columns, pandas.DataFrame(columns), polars.DataFrame(columns), path, tmp_path / "pairs.parquet"]
    for source in sources:
        pairs = read_pairs(source)
        assert pairs.ids == ["a", "b", "c", "d"]
        assert list(pairs) == [("a", "b", 0.5), ("a", "c", 0.25), ("b", "d", 1.0)]
        assert pairs.score_name == "similarity"


def test_which_score_is_taken() -> None:
    columns = {**COLUMNS, "match_probability": [1.0, 1.0, 0.2], "match_weight": [60.0, 70.0, -2.0], "own": [1, 2, 3]}
    assert read_pairs(columns).score.tolist() == [60.0, 70.0, -2.0]
    assert read_pairs(columns, score="match_probability").score_name == "match_probability"
    assert read_pairs(columns, "own").score.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"unique_id_l": ["a"], "similarity": [1]}, "has no column 'unique_id_r'"),
        ({**COLUMNS}, r"no known column of scores \('unique_id_l', 'unique_id_r'\); call the column .* score="),
        ({**COLUMNS, "similarity": [1, "high", 1]}, "row 2: the similarity 'high' is not a finite number"),
        (
            {**COLUMNS, "match_weight": [1, 1, math.inf]},
            "row 3: the match_weight inf .* score='match_probability' may do",
        ),
        ({**COLUMNS, "score": [1, None, 1]}, "row 2: the score None"),
        ({"unique_id_l": ["a"], "unique_id_r": ["a"], "score": [1]}, "row 1: record 'a' is paired with itself"),
        (
            {"unique_id_l": ["a", "b"], "unique_id_r": ["b", None], "score": [1, 1]},
            "row 2: unique_id_l or unique_id_r is",
        ),
        ({"unique_id_l": [["a"]], "unique_id_r": ["b"], "score": [1]}, "cannot be an id"),
        ({"unique_id_l": ["a", "b"], "unique_id_r": ["b", "a"], "score": [1, 2]}, "given twice"),
    ],
)
def test_bad_tables(columns: dict[str, list[Any]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_pairs(columns)


def test_a_score_that_is_not_there() -> None:
    with pytest.raises(InputError, match="has no column 'x'"):
        read_pairs({**COLUMNS, "score": [1, 2, 3]}, score="x")


def test_ids_that_two_sources_share_have_these_before_them() -> None:
    columns: dict[str, list[Any]] = {"unique_id_l": [1, 2], "unique_id_r": [3, 3], "score": [1, 2]}
    columns |= {"source_dataset_l": ["x", "x"], "source_dataset_r": ["y", "y"]}
    assert read_pairs(columns).ids == [1, 3, 2]
    assert read_pairs(columns, sourced=True).ids == ["x:1", "y:3", "x:2"]
    assert read_pairs({**columns, "unique_id_r": [1, 3]}).ids == ["x:1", "y:1", "x:2", "y:3"]


def test_pairs_of_a_project_of_two_sources(tmp_path: Path) -> None:
    rows = [{"unique_id": n, "source_dataset": source} for source in "xy" for n in (1, 2)]
    pairs: dict[str, list[Any]] = {"unique_id_l": [1], "unique_id_r": [2], "score": [0.9]}
    pairs |= {"source_dataset_l": ["x"], "source_dataset_r": ["y"]}
    with Project.new(tmp_path / "project", rows, pairs) as project:
        candidates = project.resolution.graph.candidates
        ids = project.table.ids
        assert [(ids[candidates.left[0]], ids[candidates.right[0]])] == [("x:1", "y:2")]


def test_splink_predictions() -> None:
    splink = pytest.importorskip("splink")
    comparisons = pytest.importorskip("splink.comparison_library")
    logging.getLogger("splink").setLevel(logging.ERROR)
    people = [("anna", "rome"), ("anna", "rome"), ("bert", "paris"), ("bert", "paris"), ("carl", "rome")]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (unique_id INTEGER, name VARCHAR, city VARCHAR)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", [(at, *who) for at, who in enumerate(people)])
    settings = splink.SettingsCreator(
        link_type="dedupe_only",
        comparisons=[comparisons.ExactMatch("name"), comparisons.ExactMatch("city")],
        blocking_rules_to_generate_predictions=[splink.block_on("city")],
    )
    database = splink.DuckDBAPI(connection)
    predictions = splink.Linker(database.register("people"), settings).inference.predict()
    pairs = read_pairs(predictions)
    assert [(left, right) for left, right, _ in pairs] == [(0, 1), (0, 4), (1, 4), (2, 3)]
    assert pairs.score_name == "match_weight"
    assert pairs.score[0] == pairs.score[3] > 0 > pairs.score[1]
    probability = read_pairs(predictions.as_pandas_dataframe(), score="match_probability")
    assert probability.score == pytest.approx(1 / (1 + 2.0**-pairs.score))
    assert Resolution(range(5), pairs).to_ask == 4
