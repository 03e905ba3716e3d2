"""Votes that are probabilities against the same votes as yes or no: F1 after a model has answered.

The model errs on 15% of the pairs, for some entities again and again, but is less sure where it errs: what it holds of
a pair is the truth and noise, half of which belongs to the two entities, as log-odds.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterable
from statistics import NormalDist, mean

from mixed import MODEL_ERROR, RECORDS, made_up

from askwise import Question, Vote, pairwise_scores, resolve

LEAN = 2.0
"""How far the truth counts; the noise is so strong that `MODEL_ERROR` of the answers are wrong."""

NOISE = LEAN / NormalDist().inv_cdf(1.0 - MODEL_ERROR)


class SoftModel:
    """A model that tells how likely it holds two records to be the same, or only its answer."""

    def __init__(self, gold: dict[str, int], seed: int, told: bool) -> None:
        self._gold, self._seed, self._told = gold, seed, told

    def ask(self, questions: Iterable[Question]) -> list[Vote]:
        votes = []
        for question in questions:
            p = self.held(str(question.left), str(question.right))
            votes.append(Vote(question.left, question.right, "model", p if self._told else p >= 0.5))
        return votes

    def held(self, left: str, right: str) -> float:
        """The probability; it depends on the seed and the pair alone."""
        entities = sorted((self._gold[left], self._gold[right]))
        shared = random.Random(f"{self._seed} {entities}").gauss(0.0, NOISE * math.sqrt(0.5))
        own = random.Random(f"{self._seed} {sorted((left, right))}").gauss(0.0, NOISE * math.sqrt(0.5))
        lean = (LEAN if entities[0] == entities[1] else -LEAN) + shared + own
        return 1.0 / (1.0 + math.exp(-lean))


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
