"""Kill a server with -9 in the middle of load, again and again, and see what is left.

    python benchmarks/killed.py [--times 50] [--workers 20] [--store postgresql://...]

Workers take back one answer in five, and answer again; a steward makes edits and undoes two in five of them. After
every restart each vote and each edit that was acknowledged must be there, none twice, every worker must get a question
at once, no question may have more votes than wanted; at the end the clusters must be those of a rebuild, and the doctor
must find nothing. `killed_store.py` kills a process without a
server a thousand times, while it excludes workers, too.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from shared.killing import killed_under_load
from shared.load_project import empty_database, make_project


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--workers", type=int, default=20)
    parser.add_argument("--store", help="a PostgreSQL database that may be emptied")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "project"
        if given.store:
            empty_database(given.store)
        make_project(folder, given.store, records=3000)
        count = killed_under_load(folder, given.times, given.workers)
    print(
        f"{given.times} kills, {count:,} votes acknowledged; no vote or edit lost or twice, none over-asked; as rebuilt"
    )


if __name__ == "__main__":
    main()
