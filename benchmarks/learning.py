"""Cost per vote with everything switched on: scored candidates, evidence that learns, local search."""

from __future__ import annotations

import time

import numpy as np

from askwise import Question, Resolution, Vote
from askwise.candidate_pairs import ScoredPairs

SIZES = (10_000, 100_000, 1_000_000)
BATCH, BATCHES = 200, 12
PER_RECORD = 10


def scored_pairs(records: int, seed: int = 0) -> ScoredPairs:
    """Entities of four records, all pairs inside them and some others, with scores that tell them apart, not perfectly."""
    chance = np.random.default_rng(seed)
    first = np.repeat(np.arange(0, records, 4), 6)
    one, two = np.tile([0, 0, 0, 1, 1, 2], records // 4), np.tile([1, 2, 3, 2, 3, 3], records // 4)
    other = chance.integers(0, records, (2, records * PER_RECORD - first.size))
    left, right = np.concatenate((first + one, other.min(axis=0))), np.concatenate((first + two, other.max(axis=0)))
    keys = np.unique((left * records + right)[left < right])
    left, right = (keys // records).astype(np.int32), (keys % records).astype(np.int32)
    score = chance.normal(np.where(left // 4 == right // 4, 0.7, 0.3), 0.15).clip(0, 1)
    return ScoredPairs(list(range(records)), left, right, score, "made up")


def votes_on(questions: list[Question], chance: np.random.Generator) -> list[Vote]:
    """Three votes each, one in ten wrong."""
    return [
        Vote(question.left, question.right, f"w{worker}", (question.left // 4 == question.right // 4) != wrong)  # type: ignore[operator]
        for question in questions
        for worker, wrong in enumerate((chance.random(3) < 0.1).tolist())
    ]


def main() -> None:
    """Print, for each size: seconds to load, microseconds per vote between fits, seconds of a fit, and how many fits."""
    print("Cost per vote with evidence that learns (perc, scc+one-move, scored candidates)")
    print(
        f"{'records':>10} {'candidates':>11} {'load s':>7} {'us/vote':>8} {'ms/200 questions':>17} {'fits':>5} {'s/fit':>7}"
    )
    for records in SIZES:
        pairs = scored_pairs(records)
        start = time.process_time()
        resolution = Resolution(range(records), pairs)
        resolution.next_questions(1)
        loaded = time.process_time() - start
        chance = np.random.default_rng(1)
        plain: list[float] = []
        fits: list[float] = []
        selecting: list[float] = []
        for _ in range(BATCHES):
            start = time.process_time()
            questions = resolution.next_questions(BATCH)
            selecting.append(time.process_time() - start)
            votes = votes_on(questions, chance)
            before = resolution.evidence.fit_at(resolution.votes.count)
            start = time.process_time()
            resolution.add_votes(votes)
            spent = time.process_time() - start
            fitted = resolution.evidence.fit_at(resolution.votes.count) > before
            (fits if fitted else plain).append(spent)
        per_vote = 1e6 * float(np.median(plain)) / (3 * BATCH) if plain else float("nan")
        print(
            f"{records:>10,} {len(pairs):>11,} {loaded:>7.1f} {per_vote:>8.1f} {1e3 * float(np.median(selecting)):>17.1f} "
            f"{len(fits):>5} {float(np.mean(fits)):>7.2f}"
        )


if __name__ == "__main__":
    main()
