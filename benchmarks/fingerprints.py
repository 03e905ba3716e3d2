"""A hash of the questions and clusters of each stand-in under each strategy: the same before and after code is moved.

python benchmarks/fingerprints.py            # prints a line for each
python benchmarks/fingerprints.py 300 5      # 300 first questions, and 5 batches
"""

import sys
from hashlib import sha256
from itertools import combinations

import numpy as np

from askwise import Resolution
from askwise.experiments.dataset import Dataset
from askwise.experiments.standins import PUBLISHED, standin

SCORED = 4000


def with_scores(data: Dataset) -> list[tuple[str, str, float]]:
    """Scores for some pairs of a stand-in: those of one entity have higher ones, mostly."""
    chance = np.random.default_rng(1)
    pairs = (
        list(combinations(data.gold, 2)) if data.candidates is None else [(one[0], one[1]) for one in data.candidates]
    )
    chosen = [pairs[at] for at in np.sort(chance.permutation(len(pairs))[:SCORED]).tolist()]
    means = [0.7 if data.gold[left] == data.gold[right] else 0.3 for left, right in chosen]
    drawn = chance.beta(5 * np.array(means), 5 * (1 - np.array(means)))
    return [(left, right, float(score)) for (left, right), score in zip(chosen, drawn, strict=True)]


def fingerprint(data: Dataset, strategy: str, scored: bool, initial: int, batches: int) -> str:
    """What it asks and how it clusters, at the start and after each batch."""
    resolution = Resolution(data.gold, with_scores(data) if scored else data.candidates, strategy)
    questions = resolution.by_chance(initial)
    digest = sha256()
    for _ in range(batches + 1):
        resolution.add_votes(data.crowd.ask(questions))
        clusters = sorted(sorted(map(str, cluster)) for cluster in resolution.clustering)
        questions = resolution.next_questions(min(data.batch, 100))
        asked = [(one.left, one.right, one.gain, one.why) for one in questions]
        digest.update(repr((clusters, asked)).encode())
    return digest.hexdigest()[:16]


def main(initial: int = 400, batches: int = 4) -> None:
    for name in PUBLISHED:
        data = standin(name)
        for strategy in ("wise", "perc", "dense", "minmax", "pc_pivot"):
            for scored in (False, True):
                found = fingerprint(data, strategy, scored, initial, batches)
                print(f"{name:12} {strategy:10} {'scored' if scored else 'bare':7} {found}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
