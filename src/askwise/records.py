"""Maps record ids to positions and back: the engine uses positions, users use ids."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Int32s, Int64s
from askwise.errors import PairError, RecordError

Clusters = Iterable[Iterable[Hashable]] | Mapping[Any, Hashable]
"""A partition from a user: clusters of record ids, or a mapping from record to cluster."""

Column = Sequence[Hashable] | NDArray[Any]
"""One id after the other."""

_CHUNK = 1 << 18


class Records:
    """The ids of the records, in order; inside the engine, a record is its position."""

    def __init__(self, ids: Iterable[Hashable]) -> None:
        try:
            self.ids: Sequence[Hashable] = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
        except TypeError:
            raise RecordError(f"records must be a collection of ids, not {ids!r}") from None
        if not self.ids:
            raise RecordError("there are no records: at least one is needed")
        try:
            self._position = {record: at for at, record in enumerate(self.ids)}
        except TypeError as error:
            raise RecordError(f"a record id must be a text, a number or another hashable value: {error}") from None
        if any(record != record for record in self.ids):
            raise RecordError("a record id is NaN (not a number), which cannot be told from another; give it a real id")
        if len(self._position) < len(self.ids):
            at, record = next((at, record) for at, record in enumerate(self.ids) if self._position[record] != at)
            raise RecordError(
                f"record {record!r} is given twice (rows {at} and {self._position[record]}, counted from 0); "
                "ids must be unique"
            )

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, record: object) -> bool:
        return self._found(record) is not None

    def _found(self, record: object) -> int | None:
        try:
            return self._position.get(record)
        except TypeError:
            return None

    def position(self, record: Hashable) -> int:
        """The position of a record, or an error that names it."""
        at = self._found(record)
        if at is None:
            raise RecordError(f"record {record!r} is not among the {len(self.ids)} records")
        return at

    def pair(self, left: Hashable, right: Hashable) -> tuple[int, int]:
        """The positions of a pair, the smaller first."""
        u, v = self.position(left), self.position(right)
        if u == v:
            raise PairError(f"the pair ({left!r}, {right!r}) is a record with itself")
        return (u, v) if u < v else (v, u)

    def pairs(self, pairs: Iterable[object]) -> tuple[Int32s, Int32s]:
        """The positions of many pairs of ids, as two arrays, the smaller first.

        An array with two columns is read without making a Python object of every id.
        """
        lefts: list[Int32s] = []
        rights: list[Int32s] = []
        for one, two in _columns(pairs):
            left, right = self.pairs_of(one, two)
            lefts.append(left)
            rights.append(right)
        if not lefts:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        return np.concatenate(lefts), np.concatenate(rights)

    def pairs_of(self, one: Column, two: Column) -> tuple[Int32s, Int32s]:
        """The positions of pairs whose ids are in two columns, which are not empty."""
        left, right = self._positions(one), self._positions(two)
        same = left == right
        if same.any():
            at = int(np.flatnonzero(same)[0])
            self.pair(self.ids[left[at]], self.ids[right[at]])
        return np.minimum(left, right), np.maximum(left, right)

    def _positions(self, column: Column) -> Int32s:
        if self._sorted_integers is not None and (isinstance(column, np.ndarray) or type(column[0]) is int):
            try:
                found = self._integer_positions(np.asarray(column))
            except ValueError:  # ids of several kinds, some of them lists
                found = None
            if found is not None:
                return found
        if isinstance(column, np.ndarray):
            column = column.tolist()
        try:
            return np.fromiter(map(self._position.__getitem__, column), np.int32, len(column))
        except (KeyError, TypeError):
            return np.array([self.position(record) for record in column], np.int32)

    @cached_property
    def _sorted_integers(self) -> tuple[Int64s, Int64s] | None:
        """The ids in order and their positions, if all of them are whole numbers."""
        if not all(type(record) is int for record in self.ids):
            return None
        ids = np.array(self.ids)
        if ids.dtype != np.int64:
            return None
        order = np.argsort(ids)
        return ids[order], order

    def _integer_positions(self, column: NDArray[Any]) -> Int32s | None:
        """The positions of whole-number ids, or None if they are not that simple."""
        if column.dtype.kind != "i" or self._sorted_integers is None:
            return None
        ids, order = self._sorted_integers
        if int(ids[-1]) - int(ids[0]) == ids.size - 1:  # no gaps: nothing to search for
            places = np.asarray(np.clip(column - ids[0], 0, ids.size - 1), np.int64)
        else:
            places = np.minimum(np.searchsorted(ids, column), ids.size - 1)
        if not (ids[places] == column).all():
            return None
        return order[places].astype(np.int32)


def _columns(pairs: Iterable[object]) -> Iterator[tuple[Any, Any]]:
    """The left and right ids of many pairs, in chunks."""
    if isinstance(pairs, np.ndarray):
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise PairError(f"an array of pairs must have two columns, not the shape {pairs.shape}")
        for start in range(0, len(pairs), _CHUNK):
            yield pairs[start : start + _CHUNK, 0], pairs[start : start + _CHUNK, 1]
        return
    try:
        rest = iter(pairs)
    except TypeError:
        raise PairError(f"pairs must be a collection of (left, right), not {pairs!r}") from None
    while chunk := list(islice(rest, _CHUNK)):
        if not (set(map(type, chunk)) <= {tuple, list} and set(map(len, chunk)) == {2}):  # type: ignore[arg-type]
            for pair in chunk:
                if not (isinstance(pair, tuple | list) and len(pair) == 2):
                    raise PairError(f"{pair!r} is not a pair of records (left, right)")
        # Not zip(*chunk): an iterator for every pair would set the garbage collector to work on all of them.
        yield [pair[0] for pair in chunk], [pair[1] for pair in chunk]  # type: ignore[index]
