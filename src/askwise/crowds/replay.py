"""A crowd that answers from stored votes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from askwise.checks import collection, whole_number
from askwise.evidence import Vote
from askwise.evidence.votes import parts_of
from askwise.strategies import Question


class ReplayCrowd:
    """A crowd that answers from stored votes.

    Parameters
    ----------
    votes : iterable of Vote
        The stored votes.
    at_once : int
        How many votes to give at a time; 0 for all. When a pair is asked again, the next ones follow.

    Examples
    --------
    >>> from askwise import Question, ReplayCrowd, Vote
    >>> crowd = ReplayCrowd([Vote("a", "b", "ann", True)])
    >>> crowd.ask([Question("a", "b", 0.0, "between"), Question("a", "c", 0.0, "between")])
    [Vote(left='a', right='b', worker='ann', label=True)]
    """

    def __init__(self, votes: Iterable[Vote], at_once: int = 0) -> None:
        self._at_once = whole_number("at_once", at_once, 0)
        self._given: dict[frozenset[Hashable], int] = {}
        self._votes: dict[frozenset[Hashable], list[Vote]] = {}
        for item in collection("votes", votes):
            vote = Vote(*parts_of(item))
            self._votes.setdefault(frozenset((vote.left, vote.right)), []).append(vote)

    @property
    def pairs(self) -> list[tuple[Hashable, Hashable]]:
        """The pairs with stored votes."""
        return [(votes[0].left, votes[0].right) for votes in self._votes.values()]

    @property
    def votes(self) -> list[Vote]:
        """All that is stored, pair by pair."""
        return [vote for votes in self._votes.values() for vote in votes]

    def ask(self, questions: Iterable[Question]) -> list[Vote]:
        """The stored votes on the questions."""
        return [vote for question in questions for vote in self._answers(frozenset((question.left, question.right)))]

    def _answers(self, pair: frozenset[Hashable]) -> list[Vote]:
        stored = self._votes.get(pair, [])
        if not self._at_once:
            return stored
        start = self._given.get(pair, 0)
        self._given[pair] = start + self._at_once
        return stored[start : start + self._at_once]
