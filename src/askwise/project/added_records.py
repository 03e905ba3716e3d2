"""Records that are added later. They come after the old ones, so everything stored about those stays valid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from askwise.candidate_pairs import ScoredPairs
from askwise.errors import InputError, RecordError
from askwise.kinds import Column, column_texts
from askwise.pair_tables import read_pairs
from askwise.project.checks import pairs_among
from askwise.tables import Table

OWN_SCORE = "cosine"
"""The score of the candidates that Askwise finds itself."""


def joined(old: Table, new: Table, row: Callable[[int], str]) -> Table:
    """The old records followed by the new ones; a field that the new ones lack is empty for them."""
    known = set(old.ids)
    for at, record in enumerate(new.ids):
        if record in known:
            raise RecordError(f"{row(at)}: the project has a record {record!r} already; leave it out")
    for name in new.fields:
        if name not in old.columns:
            fields = ", ".join(map(repr, old.fields)) or "none"
            raise InputError(
                f"the project's records have no column {name!r}; their columns are: {fields}; rename it or leave it out"
            )
    columns: dict[str, Column] = {}
    kinds: dict[str, str] = {}
    for name in old.fields:
        missing = ("empty", np.full(len(new), None, object))
        added = (new.kinds[name], new.columns[name]) if name in new.columns else missing
        if "vector" in (old.kinds[name], added[0]):
            kinds[name], columns[name] = "vector", _vectors(name, (old.kinds[name], old.columns[name]), added)
        else:
            kinds[name], columns[name] = _column((old.kinds[name], old.columns[name]), added, len(new))
    return Table([*old.ids, *new.ids], columns, kinds, old.source_column, old.use)


def _vectors(name: str, *parts: tuple[str, Column]) -> Column:
    """One column of vectors from two parts; an empty part has none."""
    widths = [column.shape[1] for kind, column in parts if kind == "vector"]
    if len(set(widths)) > 1 or not {kind for kind, _ in parts} <= {"vector", "empty"}:
        known = (
            f"give vectors of {widths[0]} numbers" if parts[0][0] == "vector" else "the project has no vectors there"
        )
        raise InputError(f"the new records have other values in {name!r} than the project; {known}")
    nothing = np.full((1, widths[0]), np.nan, np.float32)
    found = [column if kind == "vector" else np.repeat(nothing, len(column), 0) for kind, column in parts]
    return np.concatenate(found)


def _column(old: tuple[str, Column], new: tuple[str, Column], size: int) -> tuple[str, Column]:
    """One column from two; if their kinds differ, all of it becomes text."""
    if old[0] == new[0] and old[0] != "date":
        return old[0], np.concatenate((old[1], new[1]))
    if old[0] == new[0]:
        return "date", np.concatenate((old[1], new[1].astype(np.promote_types(old[1].dtype, new[1].dtype))))
    if new[0] == "empty" and old[0] in ("number", "date"):
        nothing = np.full(size, np.nan if old[0] == "number" else np.datetime64("NaT"))
        return old[0], np.concatenate((old[1], nothing))
    texts = np.empty(len(old[1]) + size, object)
    texts[:] = [*column_texts(*old), *column_texts(*new)]
    return "text", texts


def more_pairs(
    table: Table, before: int, old: ScoredPairs | None, pairs: Any, find: Callable[[Table], ScoredPairs]
) -> ScoredPairs | None:
    """The candidates of the project with its new records, which start at row `before`; None means every pair.

    `find` finds candidates if they are not from a file.
    """
    if old is None:
        if pairs is not None:
            raise InputError("every pair of this project may be asked, so new records need no pairs")
        return None
    if pairs is None:
        if old.score_name != OWN_SCORE:
            raise InputError(
                f"the project's pairs have the score {old.score_name!r}; give the new ones with that score"
            )
        found = find(table)
        kept = found.right >= before
        found = ScoredPairs(table.ids, found.left[kept], found.right[kept], found.score[kept], found.score_name)
    else:
        found = pairs_among(read_pairs(pairs, sourced=table.sourced), table)
        if found.score_name != old.score_name:
            raise InputError(
                f"the new pairs have the score {found.score_name!r}, but the project's {old.score_name!r}; "
                "scores of two kinds cannot be compared"
            )
    return merged(ScoredPairs(table.ids, old.left, old.right, old.score, old.score_name), found)


def merged(old: ScoredPairs, new: ScoredPairs) -> ScoredPairs:
    """The union of two sets of pairs of the same records; pairs in both keep the old score."""
    left, right = np.concatenate((old.left, new.left)), np.concatenate((old.right, new.right))
    first = np.unique(left * np.int64(len(old.ids)) + right, return_index=True)[1]
    score = np.concatenate((old.score, new.score))
    return ScoredPairs(old.ids, left[first], right[first], score[first], old.score_name)
