"""Files that are changed by chance, and read: a result or one line of ours."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from askwise.errors import AskwiseError
from askwise.pair_tables import read_pairs
from askwise.project import Project
from askwise.project.backups import backup, restore
from askwise.project.exports import write_columns
from askwise.project.imports import read_votes
from askwise.records import Records
from askwise.tables import Table

TOKENS = [b"\0", b"\xff\xfe", b'"', b"'", b",", b"\n", b"\r\n", b"{", b"}", b"[", b"]", b"null", b"NaN", b"-1e999"]
TOKENS += [b"\\ud800", b"\xed\xa0\x80", b"9" * 40, b"\xe2\x80\xae", b"=1+1", b"PAR1", b"PK\x03\x04", b"../x"]
TOKENS += [b"[" * 100_000, b'{"a":' * 20_000, b"9" * 5000]
_IDS = [f"r{number}" for number in range(12)]

Reader = Callable[[Path], object]


def good_files(folder: Path) -> dict[Path, Reader]:
    """Files as they should be, each with what reads it."""
    pairs = [(_IDS[at], _IDS[at + 1]) for at in range(0, 12, 2)]
    columns: dict[str, dict[str, list[Any]]] = {
        "records": {"unique_id": _IDS, "name": [f"Anna {record}" for record in _IDS], "born": ["1980-01-02"] * 12},
        "pairs": {
            "unique_id_l": [one for one, _ in pairs],
            "unique_id_r": [two for _, two in pairs],
            "score": [0.5] * len(pairs),
        },
        "votes": {
            "unique_id_l": [one for one, _ in pairs],
            "unique_id_r": [two for _, two in pairs],
            "worker": ["ann"] * len(pairs),
            "label": [1, 0, 1, 0, 1, 0],
        },
    }
    readers: dict[str, Reader] = {
        "records": Table.read,
        "pairs": read_pairs,
        "votes": lambda path: read_votes(path, Records(_IDS)),
    }
    files: dict[Path, Reader] = {}
    for name, values in columns.items():
        for form in ("csv", "json", "parquet"):
            path = folder / f"{name}.{form}"
            write_columns(values, path, form)
            files[path] = readers[name]
    Project.new(folder / "project", folder / "records.csv", folder / "pairs.csv").close()
    backup(folder / "project", folder / "backup.zip")

    def restored(path: Path) -> None:
        with tempfile.TemporaryDirectory() as place:
            restore(path, Path(place) / "project")

    files[folder / "backup.zip"] = restored
    return files


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The content with one or two changes."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 2)):
        at, end = sorted((chance.randrange(len(changed) + 1), chance.randrange(len(changed) + 1)))
        kind = chance.randrange(6)
        if kind == 0 and changed:
            changed[at % len(changed)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[at:at] = chance.choice(TOKENS)
        elif kind == 2:
            changed[at : at + 8] = chance.choice(TOKENS)
        elif kind == 3:
            del changed[at : min(end, at + chance.choice([1, 4, 1000]))]
        elif kind == 4:
            changed[at:at] = changed[at:end][:200]
        else:
            changed[at : at + 4] = chance.randbytes(4)
    return bytes(changed)


def attack(folder: Path, times: int, seed: int) -> Counter[str]:
    """Read `times` damaged files; any outcome other than a result or one of our errors fails."""
    chance = random.Random(seed)
    files = good_files(folder)
    contents = {path: path.read_bytes() for path in files}
    ends: Counter[str] = Counter()
    for number in range(times):
        path = chance.choice(list(files))
        bad = folder / f"bad{path.suffix}"
        bad.write_bytes(mutated(contents[path], chance))
        try:
            files[path](bad)
            ends["read"] += 1
        except AskwiseError as error:
            ends["refused" if "\n" not in str(error) else "refused in several lines"] += 1
        except Exception as error:
            kept = folder.parent / f"hostile-{number}{path.suffix}"
            kept.write_bytes(bad.read_bytes())
            raise AssertionError(f"{path.name}, number {number}, kept as {kept}") from error
    return ends
