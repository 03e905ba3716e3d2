"""A simulated crowd: it knows the truth and makes mistakes, more on some pairs and by some workers."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable

import numpy as np

from askwise.checks import small_seed, whole_number
from askwise.errors import InputError, RecordError
from askwise.evidence import Vote
from askwise.gold_scores import cluster_of
from askwise.records import Clusters
from askwise.strategies import Question

CONCENTRATION = 10.0
"""How similar the pairs' error rates are: they follow Beta(10 * mean, 10 * (1 - mean))."""


class SimulatedCrowd:
    """Workers who know the truth and are wrong at a rate that differs by pair and by worker.

    A pair's answers depend on the seed and the pair alone, not on when it is asked. Asked again, other workers answer.

    Parameters
    ----------
    gold
        The true clusters, or a mapping from record to entity.
    error : float
        The mean error rate. Each pair has a rate of its own, Beta-distributed around it; each worker multiplies that by
        a factor between 1/2 and 3/2.
    votes : int
        How many workers answer each question.
    seed : int
        The seed.
    workers : int
        How many workers there are.
    correlation : float
        For this share of the pairs, the error rate is that of their two entities: some entities are confused again and
        again.

    Raises
    ------
    InputError
        If a rate or a number is out of range.

    Examples
    --------
    >>> from askwise import Question, SimulatedCrowd
    >>> crowd = SimulatedCrowd({"a": 1, "b": 1}, error=0.0, votes=2)
    >>> [vote.label for vote in crowd.ask([Question("a", "b", 0.0, "between")])]
    [True, True]
    """

    def __init__(
        self,
        gold: Clusters,
        error: float = 0.1,
        votes: int = 5,
        seed: int = 0,
        workers: int = 50,
        correlation: float = 0.0,
    ) -> None:
        if not isinstance(error, int | float) or not 0.0 <= error < 1.0:
            raise InputError(f"error = {error!r} is not a rate from 0 to below 1")
        if not 1 <= whole_number("votes", votes) <= whole_number("workers", workers):
            raise InputError(f"votes = {votes!r} is not a number from 1 to the {workers} workers")
        if not isinstance(correlation, int | float) or not 0.0 <= correlation <= 1.0:
            raise InputError(f"correlation = {correlation!r} is not a share from 0 to 1")
        seed = small_seed(seed)
        self._entity = cluster_of(gold)
        self._error = error
        self._votes = votes
        self._seed = seed
        self._correlation = correlation
        # Even steps around 1, in random order: the mean over workers stays what it is.
        steps = np.linspace(0.5, 1.5, workers) if workers > 1 else np.ones(1)
        self._factor = np.random.default_rng((seed, 0)).permutation(steps)
        self._asked: dict[frozenset[Hashable], int] = {}

    def ask(self, questions: Iterable[Question]) -> list[Vote]:
        """The workers' votes on the questions."""
        return [vote for question in questions for vote in self.answers(question.left, question.right)]

    def answers(self, left: Hashable, right: Hashable) -> list[Vote]:
        """The votes on one pair."""
        for record in (left, right):
            if record not in self._entity:
                raise RecordError(f"record {record!r} is not in the gold clusters")
        pair = frozenset((left, right))
        again = self._asked[pair] = self._asked.get(pair, -1) + 1
        chance = np.random.default_rng(_pair_seed(self._seed, left, right))
        source = chance
        if self._correlation and chance.random() < self._correlation:
            source = np.random.default_rng(_pair_seed(self._seed, self._entity[left], self._entity[right]))
        hardness = 0.0
        if self._error > 0.0:
            hardness = source.beta(CONCENTRATION * self._error, CONCENTRATION * (1.0 - self._error))
        order = chance.permutation(self._factor.size)
        wrong = chance.random(self._factor.size) < hardness * self._factor[order]
        same = self._entity[left] == self._entity[right]
        turns = [turn % order.size for turn in range(again * self._votes, (again + 1) * self._votes)]
        return [Vote(left, right, f"w{order[turn] + 1}", bool(same != wrong[turn])) for turn in turns]


def _pair_seed(seed: int, left: Hashable, right: Hashable) -> list[int]:
    """A seed for a pair, in either order, independent of Python's hash seed."""
    ends = sorted((repr(left), repr(right)))
    digest = hashlib.blake2b("\0".join(ends).encode(), digest_size=16).digest()
    return [seed, int.from_bytes(digest, "little")]
