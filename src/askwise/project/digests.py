"""Digests that reveal damage: a running digest over the rows of votes, and one of the files of records and pairs.

They detect what a disk, a copy or a careless edit has changed. They are not signatures: anyone who can write to the
database can compute them again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from askwise.project.folder import COLUMNS, PAIRS, RECORDS, RULES

INPUTS = (RECORDS, PAIRS, RULES, COLUMNS)
"""The files that say what a project is about."""

_DIGITS = 32


def following(before: str, row: Sequence[object]) -> str:
    """The digest of a row of votes (all its columns except the digest, in order), given the one before."""
    content = json.dumps([before, *row], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]


def of_files(folder: Path, instead: Path | None = None) -> str:
    """The digest of a project's inputs: the bytes of the records, and of pairs, rules and use of columns if any.

    Files in the folder `instead` count in place of those of the same name.
    """
    found = {}
    for name in INPUTS:
        places = [place / name for place in (instead, folder) if place is not None and (place / name).exists()]
        if places:
            with places[0].open("rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").digest()
    return of_digests(found)


def of_digests(files: Mapping[str, bytes]) -> str:
    """The digest of a project's inputs, given the SHA-256 digest of each file."""
    digest = hashlib.sha256()
    for name in INPUTS:
        if name in files:
            digest.update(f"{name} ".encode() + files[name])
    return digest.hexdigest()[:_DIGITS]
