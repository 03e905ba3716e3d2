"""Names for the array types, and arrays that grow."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Int8s = NDArray[np.int8]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Codes = NDArray[np.uint32]

Scalar = TypeVar("Scalar", bound=np.generic)

_LARGE = 1 << 20


def grown(array: NDArray[Scalar], size: int, fill: Any) -> NDArray[Scalar]:
    """The array itself if it has room for `size`, else a longer copy with the new part filled.

    It becomes at least twice as long, or, if it is large, an eighth longer: memory counts there, and copies are few.
    """
    if size <= array.size:
        return array
    more = array.size if array.size < _LARGE else array.size // 8
    larger = np.full(max(size, array.size + more), fill, dtype=array.dtype)
    larger[: array.size] = array
    return larger


def as_run(rows: Int32s) -> Int32s | slice:
    """The rows themselves, or a slice if they follow each other without gaps, which is much quicker."""
    if rows.size and int(rows[-1]) - int(rows[0]) == rows.size - 1 and bool((rows[1:] > rows[:-1]).all()):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def found_in(ordered: NDArray[Any], wanted: NDArray[Any]) -> tuple[Int64s, Bools]:
    """The places of `wanted` in a sorted array, and which of them are there; the places of others are 0."""
    if not ordered.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    at = np.minimum(np.searchsorted(ordered, wanted), ordered.size - 1)
    there = np.asarray(ordered[at] == wanted, np.bool_)
    return at * there, there


def unordered(one: Int32s, two: Int32s) -> Int64s:
    """A number for each pair, whichever is first; the smaller is in its upper half."""
    return np.minimum(one, two).astype(np.int64) << 32 | np.maximum(one, two).astype(np.int64)


def disagreeing(one: Int32s, two: Int32s) -> Bools:
    """Whether, row by row, both have a value (not -1) in some column and these differ."""
    return np.asarray(((one >= 0) & (two >= 0) & (one != two)).any(axis=1), np.bool_)


def bound_of_highest(values: Floats, many: int) -> float:
    """The least of the `many` highest values; 0 if there are no more than that."""
    return float(np.partition(values, values.size - many)[values.size - many]) if values.size > many else 0.0


def map_capacity(entries: int) -> int:
    """A power of two that leaves a hash map at most half full."""
    return 1 << max(4, int(2 * entries).bit_length())
