"""What a job costs at 10K, 100K and 1M records: scored candidates, ten a record, and 100,000 votes in batches of 1,000.

Everything is switched on as by default: evidence that learns, SCC with local search. Each size runs in a process of its
own.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from time import perf_counter, process_time

import numpy as np
from learning import scored_pairs, votes_on
from memory import forget_peak, peak_gigabytes

from askwise import Resolution

SIZES = (10_000, 100_000, 1_000_000)
BATCHES, BATCH, QUESTIONS = 100, 1000, 334
STRATEGIES = ("perc", "wise")


@dataclass(frozen=True)
class Scale:
    """One job. Times are seconds; `vote` and `select` are medians over the batches between fits, in CPU time.

    `load` is from arrays of pairs to the first clustering and the first questions that could be asked. `fit` is with
    the first questions after it, for which all pairs are valued again, `fit_wall` the same by the clock. `amortised` is
    what a vote costs with the fits, `overall` with the selections, too, those after fits included. `export` is all
    clusters with their confidences.
    """

    strategy: str
    records: int
    candidates: int
    load: float
    load_cpu: float
    vote: float
    select: float
    fits: int
    fit: float
    fit_wall: float
    amortised: float
    overall: float
    export: float
    gigabytes: float


def measured(records: int, strategy: str) -> Scale:
    """Run the job, which has a crowd that is wrong one time in ten."""
    small = Resolution(range(400), scored_pairs(400), strategy)
    small.add_votes(votes_on(small.next_questions(50), np.random.default_rng(0)))
    small.next_questions(10)
    small.confidences()
    del small
    pairs = scored_pairs(records)
    gc.collect()
    forget_peak()
    begin, work = perf_counter(), process_time()
    resolution = Resolution(range(records), pairs, strategy)
    load, load_cpu = perf_counter() - begin, process_time() - work
    chance = np.random.default_rng(1)
    votes: list[float] = []
    selections: list[float] = []
    fits: list[float] = []
    walls: list[float] = []
    taken = chosen = 0.0
    questions = resolution.next_questions(BATCH)
    for _ in range(BATCHES):
        batch = votes_on(questions[:QUESTIONS], chance)[:BATCH]
        before = resolution.evidence.fit_at(resolution.votes.count)
        begin, work = perf_counter(), process_time()
        resolution.add_votes(batch)
        voted = process_time() - work
        taken += voted
        work = process_time()
        questions = resolution.next_questions(BATCH)
        selected = process_time() - work
        chosen += selected
        if resolution.evidence.fit_at(resolution.votes.count) > before:
            fits.append(voted + selected)  # what a fit makes stale is counted with the fit
            walls.append(perf_counter() - begin)
        else:
            votes.append(voted / max(1, len(batch)))
            selections.append(selected)
    begin = perf_counter()
    exported = list(zip(resolution.clustering, resolution.confidences(), strict=True))
    assert sum(len(members) for members, _ in exported) == records
    return Scale(
        strategy,
        records,
        len(pairs),
        load,
        load_cpu,
        float(np.median(votes)),
        float(np.median(selections)),
        len(fits),
        float(np.mean(fits)),
        float(np.mean(walls)),
        taken / resolution.votes.count,
        (taken + chosen) / resolution.votes.count,
        perf_counter() - begin,
        peak_gigabytes(),
    )


def main(sizes: tuple[int, ...] = SIZES) -> list[Scale]:
    """A line for each strategy and size, with the factor from the size before."""
    print(f"{BATCHES * BATCH:,} votes in batches of {BATCH:,}, evidence that learns; {BATCH:,} questions after each")
    found: list[Scale] = []
    for strategy in STRATEGIES:
        for records in sizes:
            command = [sys.executable, __file__, str(records), strategy]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            one = Scale(**json.loads(answer.stdout))
            before = found[-1] if found and found[-1].strategy == strategy else one
            found.append(one)
            print(
                f"  {strategy} {records:>9,} records, {one.candidates:,} candidates: loaded and clustered in "
                f"{one.load:.1f} s ({1e6 * one.load_cpu / one.candidates:.2f} s of CPU time per million candidates); "
                f"{1e6 * one.vote:.1f} microseconds a vote, factor {one.vote / before.vote:.2f}; 1,000 questions in "
                f"{1e3 * one.select:.1f} ms, factor {one.select / before.select:.2f}; {one.fits} fits of "
                f"{one.fit:.2f} s ({one.fit_wall:.2f} by the clock), {1e6 * one.amortised:.0f} microseconds a vote "
                f"with them, {1e6 * one.overall:.0f} with selections; export "
                f"{one.export:.1f} s; peak {one.gigabytes:.2f} GB",
                flush=True,
            )
    return found


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(asdict(measured(int(sys.argv[1]), sys.argv[2]))))
    else:
        main()
