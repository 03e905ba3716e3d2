"""The matcher's results, kept in the folder: computing them takes a minute at ten million pairs.

They depend on the inputs and on Askwise's code; if either changed, they are computed again.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import askwise
from askwise.candidate_pairs import ScoredPairs
from askwise.evidence.machine import Machine
from askwise.matching import field_machine
from askwise.project.folder import PAIRS, RECORDS
from askwise.tables import Table

FILE = "matcher.npz"
QUICK_PAIRS = 50_000
"""This many pairs are compared in a second, so they are not worth a file."""


def kept_machine(folder: Path, table: Table, pairs: ScoredPairs | None) -> Machine | None:
    """The matcher's results for a project's pairs, from the file or new; None if there are no fields to compare."""
    if pairs is None or not table.compared:
        return None
    if len(pairs) < QUICK_PAIRS:
        return field_machine(table, pairs.left, pairs.right, pairs.score)
    stamp = _stamp(folder, table.compared)
    with suppress(OSError, ValueError, KeyError), np.load(folder / FILE, allow_pickle=False) as kept:
        if str(kept["stamp"]) == stamp and kept["lean"].shape == (len(pairs),):
            line = float(kept["start"]), tuple(kept["weights"].tolist())
            return Machine(kept["lean"], kept["traits"], tuple(kept["names"].tolist()), *line)
    machine = field_machine(table, pairs.left, pairs.right, pairs.score)
    arrays: dict[str, Any] = {"lean": machine.lean, "traits": machine.traits, "names": np.array(machine.names)}
    arrays |= {"start": np.array(machine.start), "weights": np.array(machine.weights)}
    with suppress(OSError):  # a folder that cannot be written to only costs time
        new = folder / f"{FILE}.new"
        with new.open("wb") as file:
            new.chmod(0o600)
            np.savez(file, stamp=stamp, **arrays)
        new.replace(folder / FILE)
    return machine


def _stamp(folder: Path, compared: list[str]) -> str:
    """What the result depends on: the inputs, the columns to match on, and the code that compares."""
    digest = hashlib.sha256(repr(compared).encode())
    for name in (RECORDS, PAIRS):
        with (folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    sources = Path(askwise.__file__).parent
    for package in ("matching", "blocking", "evidence", "kernels"):
        for path in sorted((sources / package).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
