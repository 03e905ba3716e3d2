"""Reads scored pairs from a file or a frame: Splink's predictions, Askwise's own, or any others."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.candidate_pairs import ScoredPairs
from askwise.checks import as_number
from askwise.errors import PairError, ProbabilityError, RecordError, TableError
from askwise.kinds import present, text_of
from askwise.sources import Source, open_source, sourced_id

LEFT, RIGHT = "unique_id_l", "unique_id_r"
_DATASETS = ("source_dataset_l", "source_dataset_r")

# A weight goes on where a probability is 1 to the last digit (a weight of 54 or more), so it tells more pairs apart.
SCORES = ("match_weight", "match_probability", "similarity", "score")


def read_pairs(source: Any, score: str | None = None, *, sourced: bool | None = None) -> ScoredPairs:
    """Read pairs with scores, for example Splink's predictions.

    Parameters
    ----------
    source
        Anything that `Table.read` takes, or the predictions of a Splink linker. The columns are `unique_id_l`,
        `unique_id_r` and a score.
    score : str, optional
        The column of the score; by default the first there is of `match_weight`, `match_probability`, `similarity` and
        `score`. Splink's weight (the base-2 logarithm of the odds) comes first because it still tells pairs apart whose
        probability is 1 to the last digit.
    sourced : bool, optional
        Whether ids become `source:id`, by the columns `source_dataset_l` and `source_dataset_r`; by default if two
        sources share an id.

    Returns
    -------
    ScoredPairs
        With the scores as they are; `score_name` says which column they are from.

    Raises
    ------
    InputError
        If a column or a value is missing, or a score is not a number.

    Examples
    --------
    >>> from askwise import read_pairs
    >>> read_pairs([{"unique_id_l": "a", "unique_id_r": "b", "match_weight": 3.5}])
    ScoredPairs(1 pairs of 2 records, match_weight)
    """
    opened = open_source(source)
    for name in (LEFT, RIGHT):
        opened.need(name, "Scored pairs need the columns unique_id_l and unique_id_r; rename yours.")
    if score is None:
        score = next((name for name in SCORES if name in opened.names), None)
        if score is None:
            columns = ", ".join(map(repr, opened.names))
            raise TableError(
                f"{opened.what} has no known column of scores ({columns}); "
                f"call the column of scores {' or '.join(map(repr, SCORES[1:]))}, or name it in Python: score=..."
            )
    opened.need(score, "Name the one that holds the scores: score=...")
    datasets = [name for name in _DATASETS if name in opened.names]
    lefts, rights, values, *of = opened.load([LEFT, RIGHT, score, *datasets])
    if len(of) == 2:
        lefts, rights = _sourced((lefts, rights), (of[0], of[1]), sourced)
    ids: dict[Hashable, int] = {}
    left, right = _positions(opened, lefts, rights, ids)
    return ScoredPairs(list(ids), left, right, _scores(opened, score, values), score)


def _positions(source: Source, lefts: list[Any], rights: list[Any], ids: dict[Hashable, int]) -> tuple[Int32s, Int32s]:
    left, right = np.empty(len(lefts), np.int32), np.empty(len(lefts), np.int32)
    for at, (one, two) in enumerate(zip(lefts, rights, strict=True)):
        try:
            left[at] = ids.setdefault(one, len(ids))
            right[at] = ids.setdefault(two, len(ids))
        except TypeError:
            raise RecordError(f"{source.row(at)}: {one!r} or {two!r} cannot be an id") from None
        if left[at] == right[at]:
            raise PairError(f"{source.row(at)}: record {one!r} is paired with itself; leave that row out")
    if any(present(record) is None for record in ids):
        at = next(at for at, pair in enumerate(zip(lefts, rights, strict=True)) if None in map(present, pair))
        raise RecordError(f"{source.row(at)}: {LEFT} or {RIGHT} is missing; every pair needs both")
    return left, right


def _scores(source: Source, name: str, values: list[Any]) -> Floats:
    found = np.array([as_number(value, text=True) for value in values], np.float64)
    bad = np.flatnonzero(~np.isfinite(found))
    if bad.size:
        at = int(bad[0])
        more = "; score='match_probability' may do" if name == "match_weight" else ""
        raise ProbabilityError(f"{source.row(at)}: the {name} {values[at]!r} is not a finite number{more}")
    return found


def _sourced(
    records: tuple[list[Any], list[Any]], sources: tuple[list[Any], list[Any]], sourced: bool | None
) -> tuple[list[Any], list[Any]]:
    """Both columns of ids, with their sources in front if wanted, or if an id is in two sources."""
    if sourced is None:
        source_of: dict[Any, Any] = {}
        pairs = [pair for two in zip(records, sources, strict=True) for pair in zip(*two, strict=True)]
        try:
            sourced = any(source_of.setdefault(record, source) != source for record, source in pairs)
        except TypeError:
            sourced = False  # an id that cannot be one: the error follows
    if not sourced:
        return records

    def named(ids: list[Any], of: list[Any]) -> list[Any]:
        return [
            None if present(record) is None else sourced_id(text_of(source), record)
            for record, source in zip(ids, of, strict=True)
        ]

    return named(records[0], sources[0]), named(records[1], sources[1])
