"""A heap of slots that knows where each slot is, so that any can be moved or taken out.

What orders the slots is kept outside, in three arrays: the largest `rank` on top, in ties the smallest `first`, then
the smallest `second`. A slot's own values may only change while it is out, or if `enter` follows at once.
"""

from typing import Any

from numpy.typing import NDArray

from askwise.arrays import Int32s
from askwise.kernels.compiled import inlined, wide

Values = NDArray[Any]


@inlined
def _before(one: int, two: int, rank: Values, first: Values, second: Values) -> bool:
    if rank[one] != rank[two]:
        return bool(rank[one] > rank[two])
    if first[one] != first[two]:
        return bool(first[one] < first[two])
    return bool(second[one] < second[two])


@inlined
def _sink(
    slot: int, at: int, size: int, heap: Int32s, position: Int32s, rank: Values, first: Values, second: Values
) -> None:
    """Put a slot where it belongs, at or below a place."""
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _before(wide(heap[child + 1]), wide(heap[child]), rank, first, second):
            child += 1
        if not _before(wide(heap[child]), slot, rank, first, second):
            break
        heap[at] = heap[child]
        position[heap[at]] = at
        at = child
    heap[at] = slot
    position[slot] = at


@inlined
def _settle(slot: int, size: int, heap: Int32s, position: Int32s, rank: Values, first: Values, second: Values) -> None:
    """Move a slot that is in the heap to where it belongs."""
    at = wide(position[slot])
    while at > 0 and _before(slot, wide(heap[(at - 1) >> 1]), rank, first, second):
        heap[at] = heap[(at - 1) >> 1]
        position[heap[at]] = at
        at = (at - 1) >> 1
    _sink(slot, at, size, heap, position, rank, first, second)


@inlined
def enter(slot: int, size: int, heap: Int32s, position: Int32s, rank: Values, first: Values, second: Values) -> int:
    """Put a slot into the heap, or move it to where it belongs now. Returns the heap's size."""
    if position[slot] < 0:
        position[slot] = size
        heap[size] = slot
        size += 1
    _settle(slot, size, heap, position, rank, first, second)
    return size


@inlined
def arrange(size: int, heap: Int32s, position: Int32s, rank: Values, first: Values, second: Values) -> None:
    """Make a heap of slots that are in no order, from below: cheaper than letting them in one by one."""
    for start in range(size // 2 - 1, -1, -1):
        _sink(wide(heap[start]), start, size, heap, position, rank, first, second)


@inlined
def leave(slot: int, size: int, heap: Int32s, position: Int32s, rank: Values, first: Values, second: Values) -> int:
    """Take a slot out of the heap, if it is in. Returns the heap's size."""
    at = wide(position[slot])
    if at < 0:
        return size
    position[slot] = -1
    size -= 1
    if at < size:
        moved = wide(heap[size])
        heap[at] = moved
        position[moved] = at
        _settle(moved, size, heap, position, rank, first, second)
    return size
