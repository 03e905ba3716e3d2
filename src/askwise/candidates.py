"""Which pairs may be asked: all of them, or the ones that blocking left."""

from collections.abc import Hashable, Iterable

import numpy as np

from askwise.arrays import Bools, Int32s
from askwise.kernels.candidates import both_sides, candidate_rows
from askwise.records import Records


class Candidates:
    """The pairs that may be asked.

    Listed candidates are sorted by their two records, numbered in that order, and indexed from both sides: the
    candidates of record u are `other[starts[u]:starts[u + 1]]`, in order, and `row` there gives their numbers.
    Memory: 29 bytes a candidate and 8 a record.
    """

    def __init__(self, records: Records, pairs: Iterable[tuple[Hashable, Hashable]] | None = None) -> None:
        size = len(records)
        self.listed = pairs is not None
        left, right = records.pairs(()) if pairs is None else records.pairs(pairs)
        keys = left * np.int64(size) + right
        del left, right
        keys.sort()
        if keys.size:
            keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
        self.left: Int32s = (keys // size).astype(np.int32)
        self.right: Int32s = (keys % size).astype(np.int32)
        del keys
        self.asked: Bools = np.zeros(self.left.size, np.bool_)
        self.asked_count = 0
        self.total: int = self.left.size if self.listed else size * (size - 1) // 2
        self.starts, self.other, self.row = both_sides(size, self.left, self.right)

    def rows(self, left: Int32s, right: Int32s) -> Int32s:
        """The number of each pair (left < right), or -1 where it is not a listed candidate."""
        return candidate_rows(left, right, self.starts, self.other, self.row)

    def mark_asked(self, left: Int32s, right: Int32s) -> None:
        """Note that these pairs (left < right, none of them marked before) have been asked."""
        rows = self.rows(left, right)
        rows = rows[rows >= 0]
        self.asked[rows] = True
        self.asked_count += rows.size

    def __contains__(self, pair: tuple[int, int]) -> bool:
        """Whether the pair of positions (smaller first) may be asked."""
        if not self.listed:
            return True
        return bool(self.rows(np.array([pair[0]], np.int32), np.array([pair[1]], np.int32))[0] >= 0)
