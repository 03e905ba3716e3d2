"""Digests that reveal damage: a running digest over the rows of votes, and one of the files of records and pairs.

They detect what a disk, a copy or a careless edit has changed. They are not signatures: anyone who can write to the
database can compute them again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from askwise.project.folder import COLUMNS, PAIRS, RECORDS, RULES

_DIGITS = 32


def following(before: str, row: Sequence[object]) -> str:
    """The digest of a row of votes (all its columns except the digest, in order), given the one before."""
    content = json.dumps([before, *row], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]


def of_files(folder: Path) -> str:
    """The digest of a project's inputs: the bytes of the records, and of pairs, rules and use of columns if any."""
    digest = hashlib.sha256()
    for name in (RECORDS, PAIRS, RULES, COLUMNS):
        if (folder / name).exists():
            with (folder / name).open("rb") as file:
                digest.update(f"{name} ".encode() + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:_DIGITS]
