"""A simulated model that knows how sure it is.

It errs on 15% of the pairs, for some entities again and again, but is less sure where it errs: what it holds of a pair,
as log-odds, is the truth and noise, half of which belongs to the two entities.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable
from statistics import NormalDist

from askwise import Question, Vote

LEAN, ERROR = 2.0, 0.15
NOISE = LEAN / NormalDist().inv_cdf(1.0 - ERROR)


class SoftModel:
    """The model; if `told`, its votes are probabilities, else yes or no."""

    def __init__(self, gold: dict[str, int], seed: int, told: bool) -> None:
        self._gold, self._seed, self._told = gold, seed, told

    def ask(self, questions: Iterable[Question]) -> list[Vote]:
        return [vote for question in questions for vote in self.answers(question.left, question.right)]

    def answers(self, left: Hashable, right: Hashable) -> list[Vote]:
        p = self._held(str(left), str(right))
        return [Vote(left, right, "model", p if self._told else p >= 0.5)]

    def _held(self, left: str, right: str) -> float:
        """The probability; it depends on the seed and the pair alone."""
        one, two = sorted((self._gold[left], self._gold[right]))
        noise = sum(random.Random(f"{self._seed} {what}").gauss() for what in ((one, two), sorted((left, right))))
        lean = (LEAN if one == two else -LEAN) + NOISE * math.sqrt(0.5) * noise
        return 1.0 / (1.0 + math.exp(-lean))
