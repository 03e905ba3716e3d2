"""Cost per vote from 10K to 300K records, and the memory of a million: 10 candidates a record, votes on random ones."""

import resource
import sys
from itertools import chain
from time import perf_counter

import numpy as np

from askwise import Resolution, Vote
from askwise.arrays import Int64s

QUESTIONS = 4000
BATCH = 100
SINGLE = 500
VOTES = 5


def candidates(records: int) -> tuple[Int64s, Int64s]:
    """Ten candidates a record, near it in an order in which entities of about five records lie together."""
    left = np.repeat(np.arange(records), 10)
    right = (left + np.tile(np.arange(1, 11), records)) % records
    return left, right


def measured(records: int, seed: int = 0) -> tuple[float, float, float]:
    """Microseconds per vote in batches, and one question at a time, selection included; seconds to load."""
    chance = np.random.default_rng(seed)
    left, right = candidates(records)
    start = perf_counter()
    resolution = Resolution(range(records), np.stack((left, right), axis=1))
    loaded = perf_counter() - start
    chosen = chance.permutation(left.size)[: QUESTIONS + SINGLE]
    votes = [
        [Vote(u, v, worker, bool((u // 5 == v // 5) ^ (chance.random() < 0.1))) for worker in range(VOTES)]
        for u, v in zip(left[chosen].tolist(), right[chosen].tolist(), strict=True)
    ]
    batches = [list(chain(*votes[at : at + BATCH])) for at in range(0, QUESTIONS, BATCH)]
    resolution.add_votes(batches[0])
    resolution.next_questions(BATCH)
    batched = _loop(resolution, batches[1:], BATCH)
    single = _loop(resolution, votes[QUESTIONS:], 1)
    return batched, single, loaded


def _loop(resolution: Resolution, updates: list[list[Vote]], k: int) -> float:
    start = perf_counter()
    for votes in updates:
        resolution.add_votes(votes)
        resolution.next_questions(k)
    return 1e6 * (perf_counter() - start) / sum(map(len, updates))


def main(sizes: tuple[int, ...] = (10_000, 100_000, 300_000)) -> None:
    print(f"cost per vote, {VOTES} votes a question, the next questions selected every time; batches of {BATCH}")
    measured(1000)
    first = None
    for records in sizes:
        runs = [measured(records, seed) for seed in range(3)]
        batched, single = min(run[0] for run in runs), min(run[1] for run in runs)
        first = first or (batched, single)
        print(
            f"  {records:>9,} records: in batches {batched:5.2f} microseconds a vote, factor {batched / first[0]:.2f}; "
            f"one question at a time {single:5.1f}, factor {single / first[1]:.2f}"
        )
    *_, loaded = measured(1_000_000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  1,000,000 records with 10,000,000 candidates: loaded in {loaded:.1f} s, process peak {peak:.2f} GB")


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]) or (10_000, 100_000, 300_000))
