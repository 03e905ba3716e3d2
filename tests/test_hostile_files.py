"""Files that were changed by chance end in a result or in one line of ours; `benchmarks/hostile.py` reads 10,000."""

from pathlib import Path

import pytest
from shared.damaged_files import attack

from askwise.errors import AskwiseError
from askwise.project.folder import read_about
from askwise.project.imports import read_votes
from askwise.project.rule_file import read_book
from askwise.records import Records
from askwise.tables import Table


def test_changed_files_end_in_our_errors(tmp_path: Path) -> None:
    ends = attack(tmp_path, times=150, seed=1)
    assert set(ends) == {"read", "refused"}
    assert min(ends.values()) > 5


def test_json_that_is_nested_too_deeply(tmp_path: Path) -> None:
    deep = '{"a":' * 50_000
    for name in ("deep.json", "deep.jsonl"):
        (tmp_path / name).write_text(deep)
        with pytest.raises(AskwiseError, match="line 1: not JSON \\(nested too deeply"):
            Table.read(tmp_path / name)
        with pytest.raises(AskwiseError, match="nested too deeply"):
            read_votes(tmp_path / name, Records(["a", "b"]))
    (tmp_path / "rules.json").write_text(deep)
    with pytest.raises(AskwiseError, match="nested too deeply"):
        read_book(tmp_path)
    (tmp_path / "askwise.toml").write_text("a = " + "[" * 50_000)
    with pytest.raises(AskwiseError, match="cannot read"):
        read_about(tmp_path)
