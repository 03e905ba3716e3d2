"""What tests ask and answer: votes by the count, batches that end, a crowd that remembers what it was asked."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import pytest

from askwise import Question, Resolution, SimulatedCrowd, Vote


def voted(left: Hashable, right: Hashable, yes: int, of: int = 10) -> list[Vote]:
    """The votes of so many workers, of whom the first `yes` say YES."""
    return [Vote(left, right, f"w{w}", w < yes) for w in range(of)]


def letters_of(question: Question) -> str:
    """The pair as one text, the smaller id first."""
    return "".join(sorted((str(question.left), str(question.right))))


def batches(resolution: Resolution, size: int, most: int = 1000) -> Iterator[list[Question]]:
    """Batches of questions until there are none; a failure if they do not end."""
    for _ in range(most):
        questions = resolution.next_questions(size)
        if not questions:
            return
        yield questions
    pytest.fail(f"still asking after {most} batches")


class WatchingCrowd(SimulatedCrowd):
    """A simulated crowd that keeps the pairs it was asked, in `seen`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.seen: list[tuple[Hashable, Hashable]] = []

    def ask(self, questions: Iterable[Question]) -> list[Vote]:
        questions = list(questions)
        self.seen += [(question.left, question.right) for question in questions]
        return list(super().ask(questions))
