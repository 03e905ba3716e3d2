"""Crowds: sources of votes. A crowd has `ask(questions)` and returns votes; it may leave questions unanswered."""

from collections.abc import Iterable
from typing import Protocol

from askwise.crowds.replay import ReplayCrowd
from askwise.crowds.simulated import SimulatedCrowd
from askwise.evidence import Vote
from askwise.strategies import Question

__all__ = ["Crowd", "ReplayCrowd", "SimulatedCrowd"]


class Crowd(Protocol):
    """A source of votes."""

    def ask(self, questions: list[Question]) -> Iterable[Vote]:
        """Put the questions to workers and return their votes."""
