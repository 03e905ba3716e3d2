"""Kill -9 in the middle of load; `benchmarks/killed.py` does it fifty times."""

from pathlib import Path

from databases import Databases
from killed import killed_under_load
from load import make_project


def test_nothing_acknowledged_is_lost(databases: Databases, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    make_project(folder, databases.fresh() if databases.kind == "postgresql" else None, records=300)
    assert killed_under_load(folder, times=2 if databases.kind == "sqlite" else 1, workers=8) > 10
