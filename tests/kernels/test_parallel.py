"""Work in parts: results in order, whatever the threads, and what each part tells of its progress."""

import threading

import pytest

from askwise.parallel import Parts


@pytest.mark.parametrize(("total", "size"), [(0, 3), (1, 3), (3, 3), (10, 3), (40, 1)])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_parts_come_in_order(threads: int, total: int, size: int) -> None:
    told: list[tuple[str, int, int]] = []
    parts = Parts(threads, lambda what, done, of: told.append((what, done, of)))
    found = list(parts.each("work", total, size, lambda first, last: list(range(first, last))))
    assert [one for part in found for one in part] == list(range(total))
    assert all(len(part) == size for part in found[:-1])
    assert told == [("work", min(first + size, total), total) for first in range(0, total, size)]


@pytest.mark.parametrize(("threads", "total"), [(1, 9), (4, 3)])
def test_a_single_part_needs_no_thread(threads: int, total: int) -> None:
    who = list(Parts(threads).each("work", total, 3, lambda first, last: threading.get_ident()))
    assert set(who) == {threading.get_ident()}


@pytest.mark.parametrize("total", [3, 12])
def test_an_error_in_a_part_is_told(total: int) -> None:
    with pytest.raises(ZeroDivisionError):
        Parts(2).all("work", total, 3, lambda first, last: 1 // 0)
