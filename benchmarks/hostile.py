"""Randomly damaged files: each of them is either read or refused with one of our errors.

    python benchmarks/hostile.py [--times 10000] [--seed 0]

Good files of records, pairs and votes, as CSV, JSON and Parquet, and a backup, are changed in some bytes: flipped, cut,
repeated, taken from another place, or replaced by what parsers stumble over. Then they are read.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from shared.damaged_files import attack


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        ends = attack(Path(place), given.times, given.seed)
    print(f"{given.times:,} changed files: " + ", ".join(f"{count:,} {end}" for end, count in ends.items()))


if __name__ == "__main__":
    main()
