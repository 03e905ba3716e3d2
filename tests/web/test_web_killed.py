"""Kill -9 in the middle of load; `benchmarks/killed.py` and `killed_store.py` do it more often."""

import subprocess
import sys
from pathlib import Path

from databases import Databases
from shared.killing import killed_under_load
from shared.load_project import make_project


def test_nothing_acknowledged_is_lost(databases: Databases, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    make_project(folder, databases.fresh() if databases.kind == "postgresql" else None, records=300)
    assert killed_under_load(folder, times=2 if databases.kind == "sqlite" else 1, workers=8) > 10


def test_fifty_kills_with_answers_undos_exclusions_and_edits(databases: Databases) -> None:
    """In a process of its own, which has no threads when it makes the next one."""
    script = Path(__file__).parents[2] / "benchmarks" / "killed_store.py"
    done = subprocess.run(
        [sys.executable, script, databases.fresh(), "--times", "50"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("50 kills: ")
    assert "none lost, none twice, none over-asked" in done.stdout
