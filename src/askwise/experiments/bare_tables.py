"""Datasets as users have them: a bare table, Askwise's own candidates, and answers from gold, some of them wrong.

`table:FOLDER` with options, as in `table:data/restaurant,error=0.1,votes=3` or `table:data/shops,duplicates=none`: the
folder has records.csv (unique_id and the fields) and gold.csv (unique_id, cluster_id).
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from askwise.blocking import candidates
from askwise.candidate_pairs import Candidate
from askwise.checks import as_number
from askwise.crowds import SimulatedCrowd
from askwise.errors import InputError
from askwise.evidence.machine import Machine
from askwise.experiments.dataset import Dataset
from askwise.experiments.dataset_folder import read_gold, read_table
from askwise.matching import field_machine
from askwise.rules import NO_DUPLICATES
from askwise.tables import SOURCE_COLUMN, Table

PREFIX = "table:"
BATCH, BUDGET = 10, 400
ANSWERS = ((0.0, 1), (0.1, 1), (0.1, 3), (0.2, 1), (0.2, 3))
"""Error rates of the answers, and how many there are to a question: by one person, or by three."""


class _Bare(NamedTuple):
    """A table, its candidates, the matcher's results, the rules, and the truth."""

    table: Table
    pairs: list[Candidate]
    machine: Machine
    rules: tuple[str, ...]
    gold: dict[str, str]


def names_of(folder: Path) -> list[str]:
    """The names of a folder's datasets: each kind of answers, and all again as sources without duplicates."""
    kinds = [""]
    with (folder / "records.csv").open(newline="", encoding="utf-8-sig") as file:
        if SOURCE_COLUMN in next(csv.reader(file), []):
            kinds.append(",duplicates=none")
    return [f"{PREFIX}{folder},error={error},votes={votes}{kind}" for kind in kinds for error, votes in ANSWERS]


def open_table(name: str, seed: int) -> Dataset:
    """The dataset of that name; the seed decides which answers are wrong."""
    folder, *settings = name.removeprefix(PREFIX).split(",")
    options = {"error": "0", "votes": "1", "duplicates": "possible"}
    for setting in settings:
        key, _, text = setting.partition("=")
        if key not in options:
            raise InputError(f"tables have no option {key!r}; choose one of: {', '.join(options)}")
        options[key] = text
    if options["duplicates"] not in ("possible", "none"):
        raise InputError(f"duplicates = {options['duplicates']!r} is neither 'possible' nor 'none'")
    error, votes = as_number(options["error"], text=True), as_number(options["votes"], text=True)
    if not (0.0 <= error < 1.0 and votes >= 1.0 and votes.is_integer()):
        raise InputError(f"{name}: the error is a rate from 0 to below 1, and votes are a whole number of at least 1")
    free = options["duplicates"] == "none"
    bare = _read(Path(folder), free)
    crowd = SimulatedCrowd(bare.gold, error, int(votes), seed, workers=int(votes))
    said = f"{error:.0%} wrong, {votes:.0f} {'vote' if votes == 1 else 'votes'}" if error else "truthful answers"
    return Dataset(
        name=f"{Path(folder).name}{' (sources without duplicates)' if free else ''}, {said}",
        gold=bare.gold,
        crowd=crowd,
        candidates=bare.pairs,
        scored=None,
        table=bare.table,
        initial=0,
        batch=BATCH,
        target=0.9,
        budget=BUDGET,
        rules=bare.rules,
        machine=bare.machine,
    )


@cache
def _read(folder: Path, free: bool) -> _Bare:
    """Read a folder as a bare table; once in a process, because candidates do not depend on the answers."""
    gold = read_gold(folder)
    table = read_table(folder / "records.csv", gold)
    if table is None:
        raise InputError(f"{folder} has no records.csv")
    if free and table.sources is None:
        raise InputError(f"{folder / 'records.csv'} has no column {SOURCE_COLUMN!r}: there are no sources to declare")
    rules = tuple(f"{NO_DUPLICATES}:{source}" for source in sorted(set(table.sources or ()))) if free else ()
    pairs = candidates(table, rules=rules)
    machine = field_machine(table, pairs.left, pairs.right, pairs.score)
    return _Bare(table, list(pairs), machine, rules, gold)
