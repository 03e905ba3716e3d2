"""Cost per vote with everything switched on: scored candidates, evidence that learns, local search."""

from __future__ import annotations

import time

import numpy as np

from askwise import Question, Resolution, Vote
from askwise.candidate_pairs import ScoredPairs

SIZES = (10_000, 100_000, 300_000)
BATCH, VOTES, BATCHES = 200, 3, 24
PER_RECORD = 10


def scored_pairs(records: int, seed: int = 0) -> ScoredPairs:
    """Entities of four records: all pairs inside them and some others, with scores that nearly tell them apart."""
    chance = np.random.default_rng(seed)
    first = np.repeat(np.arange(0, records, 4), 6)
    one, two = np.tile([0, 0, 0, 1, 1, 2], records // 4), np.tile([1, 2, 3, 2, 3, 3], records // 4)
    other = chance.integers(0, records, (2, records * PER_RECORD - first.size))
    left, right = np.concatenate((first + one, other.min(axis=0))), np.concatenate((first + two, other.max(axis=0)))
    keys = np.unique((left * records + right)[left < right])
    left, right = (keys // records).astype(np.int32), (keys % records).astype(np.int32)
    score = chance.normal(np.where(left // 4 == right // 4, 0.75, 0.15), 0.12).clip(0, 1)
    return ScoredPairs(list(range(records)), left, right, score, "made up")


def votes_on(questions: list[Question], chance: np.random.Generator) -> list[Vote]:
    """Three votes each, one in ten wrong."""
    votes = []
    for question in questions:
        left, right = int(str(question.left)), int(str(question.right))
        for worker, wrong in enumerate((chance.random(VOTES) < 0.1).tolist()):
            votes.append(Vote(left, right, f"w{worker}", (left // 4 == right // 4) != wrong))
    return votes


def measure(records: int) -> None:
    """Print a line: seconds to load, microseconds per vote between fits, how many fits and seconds for one."""
    pairs = scored_pairs(records)
    start = time.process_time()
    resolution = Resolution(range(records), pairs)
    loaded = time.process_time() - start
    chance = np.random.default_rng(1)
    between: list[float] = []
    fits: list[float] = []
    for _ in range(BATCHES):
        start = time.process_time()
        questions = resolution.next_questions(BATCH)
        spent = time.process_time() - start
        votes = votes_on(questions, chance)
        before = resolution.evidence.fit_at(resolution.votes.count)
        start = time.process_time()
        resolution.add_votes(votes)
        resolution.next_questions(BATCH)  # what a fit makes stale is counted with the fit
        spent += time.process_time() - start
        fitted = resolution.evidence.fit_at(resolution.votes.count) > before
        (fits if fitted else between).append(spent)
    per_vote = 1e6 * float(np.median(between)) / (BATCH * VOTES)
    amortised = 1e6 * (sum(fits) + sum(between)) / resolution.votes.count
    cells = f"{records:>9,} {len(pairs):>11,} {loaded:>7.1f} {per_vote:>12.1f} {len(fits):>5} {np.mean(fits):>7.2f}"
    print(f"{cells} {amortised:>15.0f}", flush=True)


def main() -> None:
    """A line for each size."""
    resolution = Resolution(range(400), scored_pairs(400))
    resolution.add_votes(votes_on(resolution.next_questions(50), np.random.default_rng(0)))
    resolution.next_questions(10)
    print(f"Cost of {BATCH} questions and their {BATCH * VOTES} votes with evidence that learns, {BATCHES} batches")
    print("  records  candidates  load s  us/vote between  fits   s/fit  us/vote overall")
    for records in SIZES:
        measure(records)


if __name__ == "__main__":
    main()
