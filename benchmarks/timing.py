"""Timing that can be compared within one run."""

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """The shortest of `repeats` runs: other people's load on the machine only ever adds."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
