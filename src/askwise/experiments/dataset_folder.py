"""Datasets from folders of CSV files: votes.csv, gold.csv, pairs.csv."""

from __future__ import annotations

import csv
import math
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from askwise.candidate_pairs import Candidate
from askwise.checks import as_number
from askwise.crowds import ReplayCrowd
from askwise.errors import InputError
from askwise.evidence import Vote
from askwise.experiments.dataset import Dataset
from askwise.experiments.standins import PUBLISHED
from askwise.tables import Table

_LABELS = {"1": True, "0": False, "": None}


def read_folder(folder: Path) -> Dataset:
    """Read a dataset whose crowd replays the stored votes; only pairs with votes are candidates.

    `votes.csv` has unique_id_l, unique_id_r, worker, label (1, 0, empty for unsure); `gold.csv` has unique_id and
    cluster_id. `pairs.csv` is optional: unique_id_l, unique_id_r and a similarity, which becomes the score of the
    candidates if all of them have one. So is `records.csv`: unique_id and the records' fields. A folder named like a
    dataset of the paper gets the paper's settings.
    """
    gold = read_gold(folder)
    crowd = ReplayCrowd(_votes(folder / "votes.csv", gold))
    settings = PUBLISHED.get(folder.name)
    pairs = crowd.pairs
    score = _scores(folder / "pairs.csv")
    if not pairs:
        raise InputError(f"{folder / 'votes.csv'} has no votes")
    return Dataset(
        name=folder.name,
        gold=gold,
        crowd=crowd,
        candidates=_candidates(score, pairs, len(gold)),
        scored=_scored(score, pairs),
        table=read_table(folder / "records.csv", gold),
        initial=settings.initial if settings else 0,
        batch=settings.batch if settings else max(1, len(pairs) // 100),
        target=settings.target if settings else 0.9,
        budget=min(settings.budget, len(pairs)) if settings else len(pairs),
    )


def read_gold(folder: Path) -> dict[str, str]:
    """The gold cluster of each record."""
    gold: dict[str, str] = {}
    for line, row in _rows(folder / "gold.csv", "unique_id", "cluster_id"):
        if gold.setdefault(row["unique_id"], row["cluster_id"]) != row["cluster_id"]:
            raise InputError(f"{folder / 'gold.csv'} line {line}: record {row['unique_id']!r} is in two clusters")
    return gold


def _scores(path: Path) -> dict[frozenset[Hashable], float]:
    """The machine's scores, by pair; empty if there is no such file."""
    score: dict[frozenset[Hashable], float] = {}
    for line, row in _rows(path, "unique_id_l", "unique_id_r", "similarity") if path.exists() else ():
        value = as_number(row["similarity"], text=True)
        if not math.isfinite(value):
            raise InputError(f"{path} line {line}: similarity {row['similarity']!r} is not a number")
        score[frozenset((row["unique_id_l"], row["unique_id_r"]))] = value
    return score


def _scored(
    score: dict[frozenset[Hashable], float], pairs: list[tuple[Hashable, Hashable]]
) -> Sequence[Candidate] | None:
    """The pairs with votes that have a score."""
    found = [
        (left, right, score[frozenset((left, right))]) for left, right in pairs if frozenset((left, right)) in score
    ]
    return found or None


def _candidates(
    score: dict[frozenset[Hashable], float], pairs: list[tuple[Hashable, Hashable]], records: int
) -> Sequence[Candidate] | None:
    """The pairs with votes, with their scores if all have one; None if that is every pair and there are no scores."""
    scored = _scored(score, pairs)
    if scored is not None and len(scored) == len(pairs):
        return scored
    return None if len(pairs) == records * (records - 1) // 2 else pairs


def read_table(path: Path, gold: dict[str, str]) -> Table | None:
    """The records' fields; None if there is no such file."""
    if not path.exists():
        return None
    table = Table.read(path)
    known = set(table.ids)
    for record in (*gold, *table.ids):
        if record in gold and record in known:
            continue
        where = "gold.csv" if record in gold else path.name
        raise InputError(f"{path.parent}: record {record!r} is only in {where}; gold.csv and records.csv must agree")
    return table


def _votes(path: Path, gold: dict[str, str]) -> Iterator[Vote]:
    for line, row in _rows(path, "unique_id_l", "unique_id_r", "worker", "label"):
        for record in (row["unique_id_l"], row["unique_id_r"]):
            if record not in gold:
                raise InputError(f"{path} line {line}: record {record!r} is not in gold.csv")
        if row["unique_id_l"] == row["unique_id_r"]:
            raise InputError(f"{path} line {line}: record {row['unique_id_l']!r} is paired with itself")
        if not row["worker"]:
            raise InputError(f"{path} line {line}: the worker is missing")
        if row["label"] not in _LABELS:
            raise InputError(f"{path} line {line}: label {row['label']!r} is not 1, 0 or empty")
        yield Vote(row["unique_id_l"], row["unique_id_r"], row["worker"], _LABELS[row["label"]])


def _rows(path: Path, *columns: str) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            missing = [column for column in columns if column not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"{path}: column {missing[0]!r} is missing; the file needs {', '.join(columns)}")
            for row in reader:
                if any(row[column] is None for column in columns) or None in row:
                    raise InputError(f"{path} line {reader.line_num}: not as many values as columns")
                yield reader.line_num, row
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except csv.Error as error:
        raise InputError(f"{path} line {reader.line_num}: {error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
