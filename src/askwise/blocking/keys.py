"""Pairs that are equal on a key: a column, or several together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.blocking.texts import chosen_columns
from askwise.errors import InputError
from askwise.kernels.pair_lists import pairs_in_blocks
from askwise.kinds import column_texts
from askwise.tables import Table

Key = str | Sequence[str]

MOST_PAIRS = 200_000_000
"""More pairs than this are an error: they would not fit into memory."""


def key_pairs(table: Table, keys: Sequence[Key], largest_block: int) -> tuple[Int32s, Int32s]:
    """Every pair that is equal on one of the keys, in order. A record that lacks a column of a key has none."""
    found: list[Int64s] = []
    total = 0
    for key in keys:
        names = chosen_columns(table, [key] if isinstance(key, str) else key)
        if not names:
            raise InputError("a key is empty: it must name at least one column")
        starts, members = _blocks(table, names, largest_block)
        sizes = np.diff(starts)
        total += int((sizes * (sizes - 1) // 2).sum())
        if total > MOST_PAIRS:
            raise InputError(
                f"the keys up to {_named(names)} give {total:,} pairs, more than {MOST_PAIRS:,}; "
                "add a column to the key, so that fewer records are equal on it"
            )
        left, right = pairs_in_blocks(starts, members)
        found.append(left * np.int64(len(table)) + right)
    pairs = np.unique(np.concatenate([np.empty(0, np.int64), *found]))
    return (pairs // len(table)).astype(np.int32), (pairs % len(table)).astype(np.int32)


def _blocks(table: Table, names: list[str], largest_block: int) -> tuple[Int64s, Int32s]:
    """The records of each block of two or more, in order: starts and members."""
    columns = [column_texts(table.kinds[name], table.columns[name]) for name in names]
    number: dict[tuple[str, ...], int] = {}
    block = np.full(len(table), -1, np.int64)
    for at, row in enumerate(zip(*columns, strict=True)):
        values = tuple([" ".join(value.casefold().split()) for value in row if value is not None])
        if len(values) == len(names):
            block[at] = number.setdefault(values, len(number))
    members = np.argsort(block, kind="stable")[np.count_nonzero(block < 0) :].astype(np.int32)
    sizes = np.bincount(block[block >= 0], minlength=len(number))
    if sizes.size and sizes.max() > largest_block:
        values = list(number)[int(sizes.argmax())]
        raise InputError(
            f"{int(sizes.max()):,} records are equal on {_named(names)} ({', '.join(map(repr, values))}), more than "
            f"largest_block = {largest_block:,}; add a column to that key, or allow larger blocks"
        )
    return np.concatenate(([0], np.cumsum(sizes))), members


def _named(names: list[str]) -> str:
    return "the key " + " and ".join(map(repr, names))
