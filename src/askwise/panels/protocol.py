"""What a panel has to do: have a study, send people, say what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from askwise.project.studies import Studies, Study


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a study stands: people who came, who finished; what was spent; `done` if no one else will come."""

    came: int
    finished: int
    spent: float
    done: bool
    remarks: tuple[str, ...] = ()


class Panel(Protocol):
    """A service that sends people."""

    study: Study
    poll: float

    def begin(self, limit: float | None) -> list[str]:
        """Make the study if there is none, and let people in; what the owner should know. Never above the limit."""

    def look(self) -> Standing:
        """See who came and finished, and approve their work."""

    def pause(self) -> None:
        """Let no one else in."""

    def close(self) -> None:
        """Let go of what was opened."""


def judged(studies: Studies, worker: str) -> str:
    """Why a worker's answers are not to be trusted, if they are not: most of at least two known answers were wrong."""
    given, wrong = studies.checked(worker)
    return f"{wrong} of {given} known answers wrong" if wrong >= 2 and 2 * wrong > given else ""
