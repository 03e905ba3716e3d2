"""Files that were changed by chance end in a result or in one line of ours; `benchmarks/hostile.py` reads 10,000."""

from pathlib import Path

from hostile import attack


def test_changed_files_end_in_our_errors(tmp_path: Path) -> None:
    ends = attack(tmp_path, times=150, seed=1)
    assert set(ends) == {"read", "refused"}
    assert min(ends.values()) > 5
