"""Votes that are probabilities against the same votes as yes or no: F1 after a model has answered."""

from __future__ import annotations

import sys
from statistics import mean

from shared.mixed_crowds import RECORDS, made_up
from shared.soft_model import SoftModel

from askwise import pairwise_scores, resolve


def f1_of(seed: int, scores: tuple[int, int], questions: int, told: bool) -> float:
    gold, pairs = made_up(seed, scores)
    scored = [(row["unique_id_l"], row["unique_id_r"], row["score"]) for row in pairs]
    resolution = resolve(gold, SoftModel(gold, seed, told), questions, 20, scored, seed=seed)  # type: ignore[arg-type]
    return pairwise_scores(resolution.clustering, gold).f1


def main(seeds: int = 4) -> list[tuple[float, float]]:
    """The mean F1 with answers and with probabilities, for each number of questions."""
    cases = [(seed, scores) for scores in ((4, 2), (5, 3)) for seed in range(seeds)]
    found = []
    for questions in (RECORDS, 2 * RECORDS, 4 * RECORDS, 8 * RECORDS):
        plain, told = ([f1_of(*case, questions, told) for case in cases] for told in (False, True))
        better = sum(one > other for one, other in zip(told, plain, strict=True))
        found.append((mean(plain), mean(told)))
        print(
            f"{questions} questions to the model: mean F1 {mean(plain):.3f} with yes and no, {mean(told):.3f} with "
            f"probabilities, which were better in {better} of {len(cases)} jobs"
        )
    return found


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
