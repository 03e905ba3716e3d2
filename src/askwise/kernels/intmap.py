"""A hash map from int64 to int32: open addressing, linear probing, no tombstones.

Two arrays of one length, a power of two: `keys` (-1: free) and `values`. The caller keeps at most half of it full.
"""

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.mixing import mix

FREE = -1


@inlined
def _home(keys: Int64s, key: int) -> int:
    return int(np.int64(mix(np.uint64(key)) & np.uint64(keys.size - 1)))


@inlined
def find(keys: Int64s, values: Int32s, key: int) -> int:
    """The value at `key`, or -1."""
    at = _home(keys, key)
    mask = keys.size - 1
    while keys[at] != FREE:
        if keys[at] == key:
            return int(values[at])
        at = (at + 1) & mask
    return -1


@inlined
def put(keys: Int64s, values: Int32s, key: int, value: int) -> None:
    """Set `key` to `value`; there must be room."""
    at = _home(keys, key)
    mask = keys.size - 1
    while keys[at] != FREE and keys[at] != key:
        at = (at + 1) & mask
    keys[at] = key
    values[at] = value


@inlined
def find_or_put(keys: Int64s, values: Int32s, key: int, value: int) -> int:
    """The value at `key`, which is set to `value` if it was not in; there must be room."""
    at = _home(keys, key)
    mask = keys.size - 1
    while keys[at] != FREE:
        if keys[at] == key:
            return int(values[at])
        at = (at + 1) & mask
    keys[at] = key
    values[at] = value
    return value


@inlined
def remove(keys: Int64s, values: Int32s, key: int) -> None:
    """Take `key` out, if it is in, and close the gap that it leaves."""
    mask = keys.size - 1
    at = _home(keys, key)
    while keys[at] != key:
        if keys[at] == FREE:
            return
        at = (at + 1) & mask
    gap = at
    while True:
        at = (at + 1) & mask
        if keys[at] == FREE:
            break
        home = _home(keys, int(keys[at]))
        if ((at - home) & mask) >= ((at - gap) & mask):
            keys[gap] = keys[at]
            values[gap] = values[at]
            gap = at
    keys[gap] = FREE


@compiled
def copy_into(keys: Int64s, values: Int32s, new_keys: Int64s, new_values: Int32s) -> None:
    """Put everything into a larger, empty map."""
    for at in range(keys.size):
        if keys[at] != FREE:
            put(new_keys, new_values, int(keys[at]), int(values[at]))
