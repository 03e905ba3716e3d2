"""Questions that are assigned to one worker, as rows: assigns them, and frees them. Runs inside a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, exists, select, tuple_, update

from askwise.project.queue import ask_more, numbers_of
from askwise.project.rows import batched
from askwise.project.schema import LAPSED, OPEN, invites, questions, tasks, votes, workers
from askwise.project.writer import Transaction

Pair = tuple[str, str]

_OF_WORKER = tasks.c.worker == workers.c.name


def workers_of(connection: Connection) -> list[str]:
    """Workers who may get questions: with a valid link or, if they never had one, with a task before.

    Participants from panels, whose names have a colon, get packs instead.
    """
    links = connection.execute(select(invites.c.worker, invites.c.revoked).where(invites.c.role == "worker")).all()
    linked = {row.worker for row in links}
    valid = {row.worker for row in links if row.worker is not None and row.revoked is None}
    known = connection.execute(select(workers.c.name, workers.c.excluded, exists().where(_OF_WORKER))).all()
    excluded = {name for name, is_excluded, _ in known if is_excluded}
    here = {name for name, _, busy in known if busy and name not in linked}
    return sorted(name for name in (valid | here) - excluded if ":" not in name)


def reserve(work: Transaction, pairs: Iterable[Pair], worker: str) -> list[Pair]:
    """Assign pairs to a worker, in this order; returns them without those that the worker had before.

    A question that has no room for the worker gets room for one more vote.
    """
    chosen = list(dict.fromkeys(pairs))
    had = _had(work, chosen, worker)
    chosen = [pair for pair in chosen if pair not in had]
    ask_more(work, chosen, 0)
    holds = exists().where(tasks.c.question == questions.c.id, tasks.c.worker == worker, tasks.c.state == OPEN)
    for some in batched(list(numbers_of(work, chosen).values())):
        these = questions.c.id.in_(some)
        wider = {"wanted": questions.c.wanted - questions.c.room + 1, "room": 1}
        work.connection.execute(update(questions).where(these, questions.c.room < 1, ~holds).values(**wider))
        work.connection.execute(update(questions).where(these).values(assignee=worker))
    return chosen


def _had(work: Transaction, pairs: Sequence[Pair], worker: str) -> set[Pair]:
    """The pairs that a worker answered or took back; one that ran out of time is theirs again."""
    had: set[Pair] = set()
    for some in batched(pairs):
        voted = tuple_(votes.c.left, votes.c.right).in_(some) & (votes.c.worker == worker)
        had |= {
            (row.left, row.right) for row in work.connection.execute(select(votes.c.left, votes.c.right).where(voted))
        }
        seen = select(questions.c.left, questions.c.right).join_from(tasks, questions)
        again = tuple_(questions.c.left, questions.c.right).in_(some) & (tasks.c.worker == worker)
        again &= tasks.c.state.in_((OPEN, LAPSED))
        had -= {(row.left, row.right) for row in work.connection.execute(seen.where(again))}
    return had


def free(work: Transaction, where: ColumnElement[bool]) -> list[Pair]:
    """Let anyone get some questions that are assigned; returns their pairs."""
    these = questions.c.assignee.is_not(None) & where
    found = work.connection.execute(select(questions.c.left, questions.c.right).where(these)).all()
    if found:
        work.connection.execute(update(questions).where(these).values(assignee=None))
    return [(row.left, row.right) for row in found]


def free_of_gone(work: Transaction, names: Iterable[str]) -> None:
    """Let anyone get what is assigned to those of these workers who may not get questions any more."""
    gone = sorted(set(names) - set(workers_of(work.connection)))
    for some in batched(gone):
        free(work, questions.c.assignee.in_(some))
