"""Finds candidates: each record's nearest neighbours, or the pairs that are equal on a key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.blocking.embedded import embedded_cosines, nearest_embedded
from askwise.blocking.keys import Key, key_pairs
from askwise.blocking.nearest import nearest_pairs
from askwise.blocking.possible import Links, Possible, possible_pairs
from askwise.blocking.progress import progress_bar
from askwise.blocking.texts import chosen_columns, record_texts
from askwise.blocking.vectors import Vectors, vectors_of
from askwise.candidate_pairs import ScoredPairs
from askwise.checks import as_number, whole_number
from askwise.errors import InputError
from askwise.kinds import Column
from askwise.parallel import Parts, Progress
from askwise.tables import Table

__all__ = ["candidates"]

NEIGHBOURS, PAIRS = 30, 5_000_000
"""Each record may have 30 pairs on average, as long as there are at most 5 million in all."""

MOST_NEIGHBOURS, FEW_PAIRS = 120, 2_000_000
"""Up to 120, as long as there are at most 2 million in all: records of large groups need them."""

LEAST_NEIGHBOURS = 5
"""However large a table is, a record has at least this many on average."""

FLOOR = 0.15

LARGE, LONG = 50_000, 6
"""In a table of this many records, grams of the score's length are too frequent, so longer ones are used to search."""


def candidates(
    table: Any,
    neighbours: int | None = None,
    keys: Sequence[Key] | None = None,
    columns: Sequence[str] | None = None,
    *,
    links: Links = None,
    rules: Iterable[Any] = (),
    floor: float | None = None,
    largest_block: int = 1000,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> ScoredPairs:
    """Find the pairs that are worth a question.

    By default these are nearest neighbours: the score of a pair is the cosine of the two records' character 4-grams,
    weighted by rarity, without regard to case, accents and punctuation. The time for a record is bounded, whatever the
    data. Records without text have no candidates. Each record's ten nearest by the cosine of a column of vectors are
    candidates too.

    Parameters
    ----------
    table
        A `Table`, or anything that `Table.read` takes.
    neighbours : int, optional
        How many pairs a record on average. By default 30; in tables of less than 67,000 records up to 120, as long as
        there are at most 2 million pairs; in tables of more than 167,000 as many as make 5 million pairs, but at least
        5. A record with many near neighbours gets more.
    keys : sequence, optional
        Columns, or tuples of columns. The candidates are then all pairs that are equal on one of them, trimmed and
        regardless of case; a record that lacks a value has none.
    columns : sequence of str, optional
        The fields whose text counts; by default those that the table is matched on.
    links : optional
        Which sources are compared: None for all, "across" for each with every other but not with itself, or pairs such
        as `[("crm", "shop"), ("shop", "shop")]`.
    rules
        As for `Resolution`; pairs that rules make different are left out.
    floor : float, optional
        The lowest score, 0.15 by default.
    largest_block : int
        More records than this that are equal on a key are an error: their pairs grow with the square.
    threads : int, optional
        The result does not depend on it.
    progress : callable or bool, optional
        Called with (what, done, total); True shows a bar if it takes more than two seconds.

    Returns
    -------
    ScoredPairs

    Raises
    ------
    InputError
        If a column is unknown, or a block is too large.

    Examples
    --------
    >>> from askwise import candidates
    >>> people = [
    ...     {"unique_id": 1, "name": "Anna Miller", "zip": "00184"},
    ...     {"unique_id": 2, "name": "A. Miller", "zip": "00184"},
    ...     {"unique_id": 3, "name": "Bert Jones", "zip": "0150"},
    ... ]
    >>> [(left, right) for left, right, score in candidates(people, keys=["zip"])]
    [(1, 2)]
    """
    table = Table.read(table)
    if keys is not None and neighbours is not None:
        raise InputError("neighbours and keys are two ways to find candidates; give one of them")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise InputError(f"progress = {progress!r} is not a function of (what, done, total), True or None")
    wanted = whole_number("neighbours", _usual_neighbours(len(table)) if neighbours is None else neighbours, 1)
    threads = None if threads is None else whole_number("threads", threads, 1)
    least = _checked_floor((0.0 if keys is not None else FLOOR) if floor is None else floor)
    chosen = chosen_columns(table, columns)
    if not chosen:
        raise InputError("there are no columns to compare records by; the table has ids only")
    possible = possible_pairs(table, links, rules)
    blocks = None if keys is None else key_pairs(table, _listed(keys), whole_number("largest_block", largest_block, 2))
    with progress_bar() if progress is True else nullcontext(progress or None) as show:
        parts = Parts(threads, show)
        if blocks is None:
            found = _nearest(table, chosen, wanted, least, possible, parts)
        else:
            found = _in_blocks(table, chosen, blocks, least if floor is not None else None, possible, parts)
    return ScoredPairs(table.ids, *found, "cosine")


def _nearest(
    table: Table, chosen: list[str], wanted: int, least: float, possible: Possible | None, parts: Parts
) -> tuple[Int32s, Int32s, Floats]:
    """The nearest neighbours by text, and by each column of vectors: left, right, score."""
    texts = record_texts(table, chosen)
    vectors = vectors_of(texts, parts)
    walked = vectors_of(texts, parts, LONG) if len(table) >= LARGE else None
    del texts
    left, right, score = nearest_pairs(vectors, wanted, least, parts, possible, walked)
    del walked
    embedded = _embedded(table, chosen)
    if embedded:
        nearest = [nearest_embedded(column, parts, possible) for column in embedded]
        left, right = _joined(len(table), [(left, right), *nearest])
        score = _scores(table, chosen, vectors, left, right, parts)
    return left, right, score


def _in_blocks(
    table: Table,
    chosen: list[str],
    blocks: tuple[Int32s, Int32s],
    least: float | None,
    possible: Possible | None,
    parts: Parts,
) -> tuple[Int32s, Int32s, Floats]:
    """The possible pairs of blocks, with a score of at least `least`: left, right, score."""
    left, right = blocks
    if possible is not None:
        kept = possible.of(left, right)
        left, right = left[kept], right[kept]
    score = _scores(table, chosen, vectors_of(record_texts(table, chosen), parts), left, right, parts)
    if least is not None:
        kept = score >= least
        left, right, score = left[kept], right[kept], score[kept]
    return left, right, score


def _embedded(table: Table, chosen: list[str]) -> list[Column]:
    """The columns of vectors."""
    return [table.columns[name] for name in chosen if table.kinds[name] == "vector"]


def _scores(table: Table, chosen: list[str], vectors: Vectors, left: Int32s, right: Int32s, parts: Parts) -> Floats:
    """The cosines of texts; if there are only columns of vectors, the highest cosine of these."""
    embedded = _embedded(table, chosen)
    if len(embedded) < len(chosen):
        return vectors.cosines(left, right, parts)
    cosines = (embedded_cosines(column, left, right, parts) for column in embedded)
    return np.asarray(np.nanmax([np.zeros(left.size), *cosines], axis=0), np.float64)


def _listed(keys: Sequence[Key]) -> list[Key]:
    listed: list[Key] = [keys] if isinstance(keys, str) else list(keys)
    if not listed:
        raise InputError("keys is empty: name at least one column, or leave keys out for nearest neighbours")
    return listed


def _usual_neighbours(records: int) -> int:
    records = max(records, 1)
    usual = max(FEW_PAIRS // records, min(NEIGHBOURS, PAIRS // records))
    return min(max(usual, LEAST_NEIGHBOURS), MOST_NEIGHBOURS)


def _joined(size: int, pairs: list[tuple[Int32s, Int32s]]) -> tuple[Int32s, Int32s]:
    """The union of these pairs, in order."""
    keys = np.unique(np.concatenate([left * np.int64(size) + right for left, right in pairs]))
    return (keys // size).astype(np.int32), (keys % size).astype(np.int32)


def _checked_floor(floor: object) -> float:
    value = as_number(floor)
    if not 0.0 <= value <= 1.0:
        raise InputError(f"floor = {floor!r} is not a number from 0 to 1")
    return value
