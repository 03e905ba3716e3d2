"""How many votes a store takes: threads that fetch a question and answer it, as fast as they can.

python benchmarks/store.py [postgresql://... of an empty database]
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time

from askwise.project.store import Store

SECONDS = 4.0


def measure(address: str, workers: int, first: int) -> None:
    """Let some workers answer; what was asked before in the same store does not matter to them."""
    store = Store(address)
    if first == 0:
        store.create("benchmark", "benchmark")
    store.fill([(f"a{number:06}", f"b{number:06}") for number in range(first, first + 5_000)])
    waits: list[float] = []
    stop = time.perf_counter() + SECONDS

    def work(worker: str) -> None:
        while (begin := time.perf_counter()) < stop and (task := store.take(worker)) is not None:
            middle = time.perf_counter()
            store.answer(task.id, worker, True, "benchmark")
            waits.extend((middle - begin, time.perf_counter() - middle))

    spent = time.process_time()
    threads = [threading.Thread(target=work, args=(f"{workers} workers, {at}",)) for at in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = time.process_time() - spent
    votes = len(waits) // 2
    waits.sort()
    middle, late = (1_000 * waits[int(share * len(waits))] for share in (0.5, 0.99))
    print(
        f"{store.url.get_backend_name():<10} {workers:>3} workers: {votes / SECONDS:>5,.0f} votes a second, "
        f"a call takes {middle:.0f} ms, 99% below {late:.0f} ms; {1_000 * spent / votes:.2f} ms of CPU time a vote"
    )
    store.close()


def main(*addresses: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for address in (f"sqlite:///{folder}/votes.sqlite", *addresses):
            for at, workers in enumerate((1, 10, 50, 200)):
                measure(address, workers, 10_000 * at)


if __name__ == "__main__":
    main(*sys.argv[1:])
