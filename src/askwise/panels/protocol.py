"""What a panel has to do: have a study, send people, and report on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from askwise.project.studies import Studies, Study


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a study stands: people who came and finished, money spent; `done` if no one else will come."""

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
        """Make the study if there is none, and let people in, within the limit; returns what the owner should know."""

    def look(self) -> Standing:
        """Check who came and finished, and approve their work."""

    def pause(self) -> None:
        """Let in no one else."""

    def close(self) -> None:
        """Release what was opened."""


def judged(studies: Studies, worker: str) -> str:
    """Why a worker's answers are not trusted, if so: most of at least two known answers were wrong."""
    given, wrong = studies.checked(worker)
    return f"{wrong} of {given} known answers wrong" if wrong >= 2 and 2 * wrong > given else ""
