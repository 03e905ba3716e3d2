"""Datasets from folders of CSV files: what is read, and what is said of bad files."""

import re
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import pytest

from askwise import InputError, Question
from askwise.experiments.dataset_folder import read_folder


def test_a_folder_is_a_dataset(folder: Path) -> None:
    data = read_folder(folder)
    assert (data.name, len(data.gold), data.candidates, data.budget) == ("data", 20, None, 190)
    assert len(list(data.crowd.ask([Question("0", "1", 0.0, "within")]))) == 3
    (folder / "pairs.csv").write_text(
        "unique_id_l,unique_id_r,similarity\n" + "".join(f"{v},{u},0.{u}\n" for u, v in combinations(range(20), 2))
    )
    candidates = read_folder(folder).candidates
    assert candidates is not None
    assert len(candidates) == 190
    assert candidates[0] == ("0", "1", 0.0)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,w,maybe\n", "votes.csv line 2: label 'maybe' is not"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,99,w,1\n", "line 2: record '99' is not in gold.csv"),
        ("votes.csv", "unique_id_l,unique_id_r,worker\n", "column 'label' is missing"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1\n", "line 2: not as many values as columns"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,w,1,9\n", "line 2: not as many values as columns"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,0,w,1\n", "line 2: record '0' is paired with itself"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,,1\n", "line 2: the worker is missing"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n", "has no votes"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,w," + "1" * 200_000, "field larger than field limit"),
        ("gold.csv", "unique_id,cluster_id\n0,1\n0,2\n", "gold.csv line 3: record '0' is in two clusters"),
        ("pairs.csv", "unique_id_l,unique_id_r,similarity\n0,1,nan\n", "line 2: similarity 'nan' is not a number"),
        ("gold.csv", "", "column 'unique_id' is missing"),
        ("pairs.csv", "unique_id_l,unique_id_r,similarity\n0,1,high\n", "line 2: similarity 'high' is not a number"),
        ("pairs.csv", "unique_id_l,unique_id_r,similarity\n0,1,.5\n0,2,\n", "line 3: similarity '' is not a number"),
        ("pairs.csv", "unique_id_l,unique_id_r,similarity\n0,1\n", "line 2: not as many values as columns"),
        ("pairs.csv", "unique_id_l,unique_id_r,score\n0,1,1\n", "pairs.csv: column 'similarity' is missing"),
        ("records.csv", "id,name\n0,anna\n", "records.csv has no column 'unique_id'; its columns are: 'id', 'name'"),
        ("records.csv", "unique_id,name\n0,anna\n0,bert\n", "records.csv line 3: the unique_id '0' was given before"),
        ("records.csv", "unique_id,name\n0,anna\n,bert\n", "records.csv line 3: the unique_id is missing"),
        ("records.csv", "unique_id,name\n0,anna\n1,bert,x\n", "records.csv line 3: 3 values where the header has 2"),
        ("records.csv", "unique_id,name\n", "records.csv has no records"),
        ("records.csv", "", "records.csv line 1 is empty"),
    ],
)
def test_a_bad_file_is_named_with_its_line(folder: Path, name: str, text: str, words: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(InputError, match=re.escape(words)):
        read_folder(folder)


def test_records_have_fields(folder: Path) -> None:
    assert read_folder(folder).table is None
    rows = "".join(f"{record},name {record},{record}.5\n" for record in reversed(range(20)))
    (folder / "records.csv").write_text(f"unique_id,name,price\n{rows}")
    table = read_folder(folder).table
    assert table is not None
    assert table.ids == [str(record) for record in reversed(range(20))]
    assert table.kinds == {"name": "text", "price": "number"}
    assert table.columns["name"][:2].tolist() == ["name 19", "name 18"]
    assert table.columns["price"][-2:].tolist() == [1.5, 0.5]


@pytest.mark.parametrize(
    ("records", "words"),
    [
        (range(19), "record '19' is only in gold.csv"),
        (range(21), "record '20' is only in records.csv"),
        ((*range(18), 21, 20), "record '18' is only in gold.csv"),  # of many, the first of gold.csv
        ((*range(20), 21, 20), "record '21' is only in records.csv"),
    ],
)
def test_records_and_gold_must_agree(folder: Path, records: Iterable[int], words: str) -> None:
    (folder / "records.csv").write_text("unique_id,name\n" + "".join(f"{record},anna\n" for record in records))
    with pytest.raises(InputError, match=re.escape(f"{folder}: {words}; gold.csv and records.csv must agree")):
        read_folder(folder)


def test_scores_are_those_of_the_pairs_with_votes(folder: Path) -> None:
    header, votes = "unique_id_l,unique_id_r,similarity\n", (folder / "votes.csv").read_text().splitlines()
    (folder / "pairs.csv").write_text(f"{header}7,3,0.25\n")
    some = read_folder(folder)
    assert some.scored == [("3", "7", 0.25)]
    assert some.candidates is None  # every pair has votes, and too few have a score
    (folder / "votes.csv").write_text("\n".join(votes[:7]))  # three on 0 and 1, three on 0 and 2
    assert read_folder(folder).scored is None
    assert read_folder(folder).candidates == [("0", "1"), ("0", "2")]
    (folder / "pairs.csv").write_text(f"{header}2,0,-1.5\n7,3,0.25\n0,1,12\n")
    every = read_folder(folder)
    assert every.scored == every.candidates == [("0", "1", 12.0), ("0", "2", -1.5)]


def test_missing_and_binary_files_are_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*gold\.csv"):
        read_folder(folder / "nowhere")
    (folder / "records.csv").write_bytes(b"unique_id,name\n0,\xff\xfe\n")
    with pytest.raises(InputError, match=r"records\.csv line 2 is not UTF-8"):
        read_folder(folder)
    (folder / "gold.csv").write_bytes(b"unique_id,cluster_id\n\xff\xfe,1\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_folder(folder)


def test_a_table_from_a_spreadsheet_may_begin_with_a_mark(folder: Path) -> None:
    text = (folder / "gold.csv").read_text()
    (folder / "gold.csv").write_text(text, encoding="utf-8-sig")
    assert len(read_folder(folder).gold) == 20
