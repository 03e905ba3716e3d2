"""Where votes come from.

A crowd is anything with `ask(questions)` that returns votes on them; it may leave some unanswered.
"""

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
