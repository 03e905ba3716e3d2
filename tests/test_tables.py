"""Records with fields, from files and frames; what is wrong with them is said, with the place."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import subprocess
import sys
import tempfile
from datetime import date, datetime
from decimal import Decimal
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

from askwise import InputError, Resolution, Table, read_sources
from askwise.errors import RecordError, TableError
from askwise.kinds import column_of, column_texts, present

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8)


def written(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def as_lists(table: Table) -> dict[str, list[Any]]:
    return {name: column_texts(table.kinds[name], table.columns[name]) for name in table.fields}


def test_csv_gives_ids_fields_and_kinds(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'unique_id,name,age,zip,born,nothing\n007,"Ann ""A"", Smith",31,01234,1990-02-03,\n8,,4.5,98765, ,""\n',
    )
    table = Table.read(path)
    assert (len(table), table.ids) == (2, ["007", "8"])
    assert table.fields == ["name", "age", "zip", "born", "nothing"]
    assert table.kinds == {"name": "text", "age": "number", "zip": "text", "born": "date", "nothing": "empty"}
    assert table.columns["age"].tolist() == [31.0, 4.5]
    assert table.columns["name"].tolist() == ['Ann "A", Smith', None]
    assert table.columns["born"].tolist() == [date(1990, 2, 3), None]
    assert as_lists(table)["age"] == ["31", "4.5"]
    fields = "name: text, age: number, zip: text, born: date, nothing: empty"
    assert repr(table) == f"Table(2 records; {fields}; not matched on: nothing)"


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_csv_as_python_reads_it(rows: list[tuple[str, str]]) -> None:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["a", "A", "key"])
    writer.writerows([*row, at] for at, row in enumerate(rows))
    with tempfile.TemporaryDirectory() as folder:
        table = Table.read(written(Path(folder), file.getvalue()), "key")
    assert table.ids == [str(at) for at in range(len(rows))]
    for at, name in enumerate(("a", "A")):
        kind, column = column_of([row[at] for row in rows])
        assert table.kinds[name] == kind
        assert column_texts(kind, table.columns[name]) == column_texts(kind, column)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_line_ends_and_marks(tmp_path: Path, separator: str) -> None:
    content = f'unique_id{separator}"a,b,c"\r\n1{separator}x,y\r\n'.encode()
    table = Table.read(written(tmp_path, b"\xef\xbb\xbf" + content, "odd [1]*.txt"))
    assert table.ids == ["1"]
    assert as_lists(table) == {"a,b,c": ["x,y"]}
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(content))
    assert as_lists(Table.read(str(tmp_path / "packed.csv.gz"))) == {"a,b,c": ["x,y"]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("unique_id,a\n1,x\n2\n", "people.csv line 3: 1 values where the header has 2 columns"),
        ("unique_id,a\n1,x\n2,y,z\n", "people.csv line 3: 3 values where the header has 2 columns"),
        ('unique_id,a\n1,"x\n\n\ny"\n\n2\n', "people.csv line 7: 1 values where the header has 2 columns"),
        ('unique_id,a\n1,"x\ny"\n2,"z\n', "people.csv line 4: a quote is opened"),
        ('unique_id,a\n1,"x\ny"\n1,z\n', r"people.csv line 4: the unique_id '1' was given before, in .* line 2"),
        ("unique_id,a\n1,x\n\n,z\n", "people.csv line 4: the unique_id is missing"),
        ("unique_id\n1\n\n3\n", "people.csv line 3: the unique_id is missing"),
        (b"unique_id,a\n1,x\n2,caf\xe9\n", "people.csv line 3 is not UTF-8; .*iconv"),
        (b"unique_id,caf\xe9\n1,x\n", "people.csv line 1 is not UTF-8"),
        ('unique_id,a\n1,"' + 2_300_000 * "x" + '"\n', "people.csv line 2: a row of more than 2 MB"),
        ('unique_id,a\n1,"x\n', "people.csv line 2: a quote is opened but not closed"),
        ("unique_id,a\n1,x\r\n2,y\r3,z\n", "is not well-formed CSV: .*dos2unix"),
        ("unique_id,a,a\n1,2,3\n", "line 1: two columns are called 'a'"),
        ("", "line 1 is empty"),
        ("unique_id,a\n", "no records"),
        ("id,a\n1,x\n", r"has no column 'unique_id'; its columns are: 'id', 'a'. It holds .* id_column="),
    ],
)
def test_a_bad_csv_says_where_and_what(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Table.read(written(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", '[{"unique_id": 1},\n {"unique_id": }]', "a.json line 2: not JSON"),
        ("a.json", "[1, 2]", "a.json row 1: 1 is not a mapping"),
        ("a.json", "7", "a.json must hold rows"),
        ("a.json", b"\xff", "a.json is not UTF-8"),
        ("a.json", "[]", "no rows"),
        ("a.jsonl", '{"unique_id": 1}\n\n{"unique_id"', "a.jsonl line 3: not JSON"),
        ("a.jsonl", '{"unique_id": 1}\n\n{"unique_id": 1}\n', "a.jsonl line 3: the unique_id 1 was given before"),
        ("a.parquet", "nothing of the sort", "cannot read .*a.parquet as Parquet"),
        ("a.xlsx", "", "cannot tell from the name"),
        ("a.xlsx", b"PK\x03\x04", "a.xlsx is a spreadsheet or a ZIP file"),
        ("a.csv", b"PK\x03\x04", "a.csv is a spreadsheet or a ZIP file, whatever its name says; save the table as CSV"),
        ("a.json.gz", "", "of compressed files, only"),
        ("a.csv.gz", "not packed", "cannot read .*a.csv.gz"),
    ],
)
def test_other_bad_files(tmp_path: Path, name: str, content: str | bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Table.read(written(tmp_path, content, name))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none.csv: No such file"):
        Table.read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="directory"):
        Table.read(str(tmp_path))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (3, "cannot read a table from 3"),
        (b"bytes", "cannot read a table"),
        ([{"unique_id": 1}, 2], "row 2: 2 is not a mapping"),
        ({"unique_id": [1, 2], "a": [1]}, "column 'a' has 1 values, but column 'unique_id' has 2"),
        ({"unique_id": "abc"}, "must be a list of values"),
        ({"unique_id": [1], 5: [1]}, "column 5 must be named by a text"),
        ({"unique_id": [[1]]}, r"the unique_id \[1\] cannot be an id"),
        ({"unique_id": [math.nan]}, "row 1: the unique_id is missing"),
        ({"unique_id": [1], "a": [b"x"]}, "row 1: column 'a' holds bytes"),
        ({"unique_id": [1], "a": [math.inf]}, "row 1: column 'a' is inf"),
    ],
)
def test_bad_sources(source: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Table.read(source)


def test_what_looks_like_a_table_is_not_taken_for_ids(tmp_path: Path) -> None:
    for name in ("crm", "shop"):
        (tmp_path / f"{name}.csv").write_text("unique_id,name\n17,Ann\n")
    files = [tmp_path / "crm.csv", tmp_path / "shop.csv"]
    for listed in (files, list(map(str, files))):
        with pytest.raises(InputError, match="read several files with read_sources"):
            Resolution(listed)
    with pytest.raises(InputError, match="column 'a' must be a list of values"):
        Resolution({"a": {"name": "Ann"}, "b": {"name": "Anne"}})
    assert len(Resolution(["crm.csv", "shop.csv"]).clustering) == 2, "ids, because there are no such files"


def test_without_ids_the_error_says_how_to_name_or_make_them() -> None:
    with pytest.raises(InputError, match=r"--id, or id_column= of Table\.read.* number the rows"):
        Table.read([{"name": "Ann"}])


COLUMNS: dict[str, list[Any]] = {
    "unique_id": [1, 2, 3],
    "name": ["ann", None, "bob"],
    "size": [1.5, None, 2.0],
    "count": [4, 5, 6],
    "born": [date(2000, 1, 2), None, date(2001, 2, 3)],
    "member": [True, False, None],
}


def sources(folder: Path) -> list[object]:
    arrow = pyarrow.table(COLUMNS)
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    path = folder / "rows.parquet"
    relation = duckdb.connect().from_arrow(arrow)
    relation.write_parquet(str(path))
    lines = [json.dumps(row, default=str) for row in rows]
    return [
        COLUMNS,
        rows,
        iter(rows),
        pandas.DataFrame(COLUMNS),
        pandas.DataFrame(COLUMNS).convert_dtypes(),
        polars.DataFrame(COLUMNS),
        arrow,
        relation,
        path,
        written(folder, "[" + ",".join(lines) + "]", "rows.json"),
        written(folder, "\n".join(lines), "rows.jsonl"),
        written(folder, json.dumps(COLUMNS, default=str), "columns.json"),
    ]


def test_the_same_table_from_everywhere(tmp_path: Path) -> None:
    expected = Table.read(COLUMNS)
    assert expected.kinds == {"name": "text", "size": "number", "count": "number", "born": "date", "member": "text"}
    for source in sources(tmp_path):
        table = Table.read(source)
        assert table.ids == [1, 2, 3]
        assert table.kinds == expected.kinds
        for name in expected.fields:
            np.testing.assert_array_equal(table.columns[name], expected.columns[name])
        assert Table.read(table) is table


def test_duckdb_types_come_without_loss() -> None:
    table = Table.read(
        duckdb.sql(
            "SELECT 123456789012345678901::HUGEINT AS unique_id, 'x'::ENUM ('x', 'y') AS e, 1.25::DECIMAL(5, 2) AS d, "
            "[1, 2] AS l, TIMESTAMP '2020-01-01 10:00:00' AS t"
        )
    )
    assert table.ids == [123456789012345678901]
    assert as_lists(table) == {"e": ["x"], "d": ["1.25"], "l": ["[1, 2]"], "t": ["2020-01-01T10:00:00"]}


class Lazy:
    """A frame that has not been computed."""

    columns = ("unique_id",)

    def __getitem__(self, name: str) -> object:
        raise TypeError("not yet")


def test_a_frame_that_does_not_give_its_columns() -> None:
    with pytest.raises(InputError, match=r"the columns of a Lazy \(not yet\); collect it first"):
        Table.read(Lazy())
    names = pandas.DataFrame({"unique_id": [1], "column_names": ["x"], "columns": ["y"]})
    assert as_lists(Table.read(names)) == {"column_names": ["x"], "columns": ["y"]}


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        (["1", " 2.50", "-3"], "number", ["1", "2.5", "-3"]),
        (["1e-05", ".5", None], "number", ["1e-05", "0.5", None]),
        (["007", "8"], "text", ["007", "8"]),
        (["1234567890123456", "8"], "text", ["1234567890123456", "8"]),
        ([2**60, 1], "text", [str(2**60), "1"]),
        (["12e4", "1"], "text", ["12e4", "1"]),
        (["nan", "inf"], "text", ["nan", "inf"]),
        ([1, "x"], "text", ["1", "x"]),
        ([1.0, Decimal("2.5"), np.float32(3)], "number", ["1", "2.5", "3"]),
        (["2020-01-31", "2020-02-30"], "text", ["2020-01-31", "2020-02-30"]),
        (["2020-01-31", ""], "date", ["2020-01-31", None]),
        (["2020-01-31T23:00:00-02:00"], "date", ["2020-02-01T01:00:00"]),
        ([datetime(2020, 1, 2, 3), date(2020, 1, 3)], "date", ["2020-01-02T03:00:00", "2020-01-03T00:00:00"]),
        ([True, False], "text", ["true", "false"]),
        ([None, "", "  ", math.nan, pandas.NA, pandas.NaT], "empty", [None] * 6),
        ([{"a": 1}, ["ä"]], "text", ['{"a": 1}', '["ä"]']),
    ],
)
def test_kinds(values: list[Any], kind: str, texts: list[str | None]) -> None:
    found, column = column_of(values)
    assert (found, column_texts(found, column)) == (kind, texts)


@given(st.lists(st.one_of(st.none(), st.text(max_size=5), st.integers(), st.floats(allow_infinity=False), st.dates())))
def test_no_value_is_lost(values: list[Any]) -> None:
    kind, column = column_of(values)
    missing = [present(value) is None for value in values]
    assert [text is None for text in column_texts(kind, column)] == missing
    assert (kind == "empty") == all(missing)


def test_reading_csv_loads_no_frame_library(tmp_path: Path) -> None:
    path = written(tmp_path, "unique_id,a\n1,x\n")
    code = (
        "import sys; from askwise import Table; Table.read(sys.argv[1]); "
        "sys.exit(bool({'pandas', 'polars', 'pyarrow', 'numba'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_ids_are_unique_within_a_source() -> None:
    rows = [{"unique_id": n, "source_dataset": source, "name": "x"} for source in "ab" for n in (1, 2)]
    table = Table.read(rows)
    assert table.ids == ["a:1", "a:2", "b:1", "b:2"]
    assert table.sources == ["a", "a", "b", "b"]
    assert table.compared == ["name"]
    assert Table.read(rows[:2]).ids == [1, 2]
    assert Table.read([{**row, "origin": "z"} for row in rows[1:3]], source_column="origin").ids == [2, 1]
    with pytest.raises(RecordError, match=r"row 3: the unique_id 'a:1' was given before, in .* row 1"):
        Table.read([*rows[:2], rows[0], rows[2]])
    with pytest.raises(RecordError, match="row 2: the source_dataset is missing"):
        Table.read([rows[0], {"unique_id": 2, "source_dataset": " "}])


def test_a_file_for_each_source(tmp_path: Path) -> None:
    (tmp_path / "crm.csv").write_text("unique_id,name\n1,Anna\n2,Bert\n")
    (tmp_path / "shop.jsonl").write_text('{"unique_id": "1", "city": "Rome"}\n')
    table = read_sources([tmp_path / "crm.csv", tmp_path / "shop.jsonl"])
    assert table.ids == ["crm:1", "crm:2", "shop:1"]
    assert table.columns["name"].tolist() == ["Anna", "Bert", None]
    assert table.columns["city"].tolist() == [None, None, "Rome"]
    (tmp_path / "web.csv").write_text("unique_id,name\n7,Anna\n,Bert\n")
    with pytest.raises(RecordError, match=r"web.csv line 3: the unique_id is missing"):
        read_sources([tmp_path / "crm.csv", tmp_path / "web.csv"])
    (tmp_path / "both.csv").write_text("unique_id,source_dataset\n7,x\n")
    with pytest.raises(TableError, match="each is a source: leave it out"):
        read_sources([tmp_path / "crm.csv", tmp_path / "both.csv"])
