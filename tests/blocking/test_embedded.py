"""Vectors that come with records: read from anywhere, a second way to candidates, and a similarity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise import InputError, Project, Resolution, Table, candidates, pairwise_scores
from askwise.blocking import embedded
from askwise.blocking.embedded import NEAREST, embedded_cosines, embedded_similarity, nearest_embedded
from askwise.blocking.possible import possible_pairs
from askwise.matching.similarity import field_similarities
from askwise.parallel import Parts

CHANCE = np.random.default_rng(7)
MEANINGS = CHANCE.normal(size=(20, 8))
VECTORS = np.round(np.repeat(MEANINGS, 2, axis=0) + 0.1 * CHANCE.normal(size=(40, 8)), 3)
WORDS = ["dog", "hound", "car", "auto", "sea", "ocean", "cup", "mug"]
ROWS: list[dict[str, Any]] = [
    {"unique_id": at, "name": f"{WORDS[at % 8]} {at // 8}", "meaning": VECTORS[at].tolist()} for at in range(40)
]


def plain_nearest(column: Any) -> set[tuple[int, int]]:
    """All pairs compared, one by one."""
    found = set()
    for at, vector in enumerate(column):
        if np.isnan(vector).any() or not vector.any():
            continue
        others = [
            (-float(vector @ other) / (np.linalg.norm(vector) * np.linalg.norm(other)), place)
            for place, other in enumerate(column)
            if place != at and not np.isnan(other).any() and other.any()
        ]
        found |= {(min(at, place), max(at, place)) for _, place in sorted(others)[:NEAREST]}
    return found


def test_vectors_from_everywhere(tmp_path: Path) -> None:
    expected = Table.read(ROWS)
    assert expected.kinds["meaning"] == "vector"
    assert expected.columns["meaning"].dtype == np.float32
    (tmp_path / "rows.json").write_text(json.dumps(ROWS))
    frame = pandas.DataFrame(ROWS)
    texts = frame.assign(meaning=[json.dumps(row["meaning"]) for row in ROWS])
    texts.to_csv(tmp_path / "rows.csv", index=False)
    polars.DataFrame(ROWS).write_parquet(tmp_path / "rows.parquet")
    arrays = frame.assign(meaning=[np.array(row["meaning"]) for row in ROWS])
    for source in (
        tmp_path / "rows.json",
        tmp_path / "rows.csv",
        tmp_path / "rows.parquet",
        frame,
        arrays,
        polars.DataFrame(ROWS),
        pyarrow.Table.from_pylist(ROWS),
        duckdb.sql("SELECT unique_id, name, CAST(meaning AS FLOAT[]) AS meaning FROM frame"),
    ):
        table = Table.read(source)
        assert table.kinds["meaning"] == "vector"
        assert np.array_equal(table.columns["meaning"], expected.columns["meaning"])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[1, 2, 3, 4], [1.5, 2, 3, 4], None], "vector"),
        (["[1, 2, 3, 4]", "", None], "vector"),
        ([[1, 2, 3, 4], [1, 2, 3]], "text"),
        ([[1, 2, 3], [1, 2, 3]], "text"),
        ([[1, 2, 3, "x"]], "text"),
        ([[1, 2, 3, None]], "text"),
        (["[1, 2, 3, NaN]"], "text"),
        (["[1, 2, 3, 1e999]"], "text"),
        (["[" * 100_000 + "]"], "text"),
        (["[1, 2, 3, 4", "[1, 2, 3, 4]"], "text"),
        ([[[1, 2], [3, 4], [5, 6], [7, 8]]], "text"),
    ],
)
def test_what_is_a_vector(values: list[Any], kind: str) -> None:
    table = Table.read({"unique_id": list(range(len(values))), "v": values})
    assert table.kinds["v"] == kind


@given(
    st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=4, max_size=4), min_size=1, max_size=30),
    st.integers(1, 200),
)
def test_nearest_by_vectors_are_those_of_all_pairs(drawn: list[list[float]], cells: int) -> None:
    column = np.array(drawn, np.float32) + np.float32(0.001) * np.arange(len(drawn) * 4, dtype=np.float32).reshape(
        -1, 4
    )
    if len(drawn) > 2:
        column[1] = np.nan
        column[2] = 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "CELLS", cells)
        left, right = nearest_embedded(column, Parts(2))
    found = set(zip(left.tolist(), right.tolist(), strict=True))
    expected = plain_nearest(column.astype(np.float64))
    if len(drawn) <= NEAREST:
        assert found == expected
    assert len(found) <= NEAREST * len(drawn)
    cosines = embedded_cosines(column, left, right, Parts(1))
    assert not np.isnan(cosines).any()


def test_nearest_by_vectors_among_many() -> None:
    column = CHANCE.normal(size=(200, 6)).astype(np.float32)
    left, right = nearest_embedded(column, Parts(2))
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == plain_nearest(column.astype(np.float64))


def test_copies_of_one_vector_do_not_make_pairs_of_all_with_all() -> None:
    left, _ = nearest_embedded(np.ones((100, 4), np.float32), Parts(1))
    assert left.size <= NEAREST * 100


def test_vectors_find_what_texts_do_not() -> None:
    table = Table.read(ROWS)
    without = Table.read(ROWS, ignore="meaning")
    pairs = {(at, at + 1) for at in range(0, 40, 2)}
    assert pairs <= {(left, right) for left, right, _ in candidates(table)}
    assert not pairs <= {(left, right) for left, right, _ in candidates(without)}
    assert "meaning" not in table.shown
    found = candidates(table)
    names = {one.name: one.value for one in field_similarities(table, found.left, found.right, Parts(1))}
    same = found.left // 2 == found.right // 2
    assert names["meaning"][same].min() > names["meaning"][~same].max()


def test_records_with_vectors_and_nothing_else() -> None:
    rows = [{"unique_id": row["unique_id"], "meaning": row["meaning"]} for row in ROWS]
    pairs = candidates(rows)
    best = np.argsort(-pairs.score)[:20]
    assert (pairs.left[best] // 2 == pairs.right[best] // 2).all()
    assert pairwise_scores(Resolution(rows).clustering, {at: at // 2 for at in range(40)}).f1 > 0.8


def test_similarity_is_relative_to_what_is_usual() -> None:
    column = np.array([[1, 0, 0, 9], [0, 1, 0, 9], [0, 0, 1, 9], [0, 0, 1, 9], [np.nan] * 4], np.float32)
    left, right = np.array([0, 0, 1, 2, 3], np.int32), np.array([1, 2, 2, 3, 4], np.int32)
    value = embedded_similarity(column, left, right, Parts(1))
    assert value[:4].tolist() == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-5)
    assert np.isnan(value[4])


def test_vectors_of_sources_that_are_not_linked() -> None:
    rows = [row | {"source_dataset": "ab"[row["unique_id"] % 2]} for row in ROWS]
    table = Table.read(rows)
    left, right = nearest_embedded(table.columns["meaning"], Parts(1), possible_pairs(table, "across", []))
    assert (left % 2 != right % 2).all()
    assert left.size >= 5 * 40


def test_a_project_keeps_vectors(tmp_path: Path) -> None:
    rows = [dict(row) for row in ROWS]
    rows[3]["meaning"] = None
    with Project.new(tmp_path / "p", rows) as project:
        before = project.table.columns["meaning"]
        project.add_records([{"unique_id": 90, "name": "cat", "meaning": rows[0]["meaning"]}])
        project.add_records([{"unique_id": 91, "name": "cat"}])
        with pytest.raises(InputError, match="give vectors of 8 numbers"):
            project.add_records([{"unique_id": 92, "name": "cat", "meaning": [1, 2, 3, 4]}])
    with Project.open(tmp_path / "p") as project:
        assert project.table.kinds["meaning"] == "vector"
        after = project.table.columns["meaning"]
        assert np.array_equal(after[:40], before, equal_nan=True)
        assert np.isnan(after[[3, 41]]).all()
        assert np.array_equal(after[40], after[0])
        assert list(project.record("0")) == ["name"]
