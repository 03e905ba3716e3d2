"""Record ids to positions and back: the engine counts, users name."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from askwise.arrays import Int32s
from askwise.errors import PairError, RecordError

_CHUNK = 1 << 18


class Records:
    """The ids of the records, in the order given; a record's position stands for it inside the engine."""

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
        if len(self._position) < len(self.ids):
            at, record = next(
                (at, record) for at, record in enumerate(self.ids) if self._position[record] != at
            )
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
            return self._position.get(record)  # type: ignore[call-overload, no-any-return]
        except TypeError:
            return None

    def position(self, record: Hashable) -> int:
        """Where the record stands, or an error that names it."""
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
        """The positions of many pairs of ids, as two arrays; in each pair the smaller first."""
        lefts: list[Int32s] = []
        rights: list[Int32s] = []
        for chunk in _chunks(_plain(pairs)):
            columns = _two_columns(chunk)
            try:
                left = np.fromiter(map(self._position.__getitem__, columns[0]), np.int32, len(chunk))
                right = np.fromiter(map(self._position.__getitem__, columns[1]), np.int32, len(chunk))
            except (KeyError, TypeError):
                left = right = np.empty(0, np.int32)
                for pair in zip(*columns, strict=True):
                    self.pair(*pair)
            if (left == right).any():
                at = int(np.flatnonzero(left == right)[0])
                self.pair(columns[0][at], columns[1][at])
            lefts.append(np.minimum(left, right))
            rights.append(np.maximum(left, right))
        if not lefts:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        return np.concatenate(lefts), np.concatenate(rights)


def _plain(pairs: Iterable[object]) -> Iterable[object]:
    """An array of pairs becomes plain Python values, a part at a time; everything else stays as it is."""
    if not isinstance(pairs, np.ndarray):
        return pairs
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise PairError(f"an array of pairs must have two columns, not the shape {pairs.shape}")
    array = pairs
    return (row for start in range(0, len(array), _CHUNK) for row in array[start : start + _CHUNK].tolist())


def _chunks(pairs: Iterable[object]) -> Iterator[list[object]]:
    try:
        rest = iter(pairs)
    except TypeError:
        raise PairError(f"pairs must be a collection of (left, right), not {pairs!r}") from None
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


def _two_columns(chunk: list[object]) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    try:
        left, right = zip(*chunk, strict=True)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        bad = next(pair for pair in chunk if not _is_pair(pair))
        raise PairError(f"{bad!r} is not a pair of records (left, right)") from None
    if any(isinstance(pair, str) for pair in chunk):
        bad = next(pair for pair in chunk if isinstance(pair, str))
        raise PairError(f"{bad!r} is not a pair of records (left, right)")
    return left, right


def _is_pair(pair: object) -> bool:
    try:
        return not isinstance(pair, str) and len(pair) == 2  # type: ignore[arg-type]
    except TypeError:
        return False
