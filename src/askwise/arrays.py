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


def grown(array: NDArray[Scalar], size: int, fill: Any) -> NDArray[Scalar]:
    """The array itself if it has room for `size`, else a copy at least twice as long, the new part filled."""
    if size <= array.size:
        return array
    larger = np.full(max(size, 2 * array.size), fill, dtype=array.dtype)
    larger[: array.size] = array
    return larger


def map_capacity(entries: int) -> int:
    """A power of two that leaves a hash map at most half full."""
    return 1 << max(4, int(2 * entries).bit_length())
