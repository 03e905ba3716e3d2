"""Feeds the rows of the database into the engine, in order, so that every replay reaches the same state.

Decisions on the pages are events, not votes (`desk.py`). Earlier versions kept them among the votes, with the owner as
worker and source; those rows are skipped. An undo is the vote None by the same worker on the same pair, which replaces
the vote.

The rows of an excluded worker are skipped, as if they had never come. So an exclusion or an inclusion needs all rows
again, and after an inclusion everything is, to the last bit, as if there had been no exclusion: evidence that learns
would otherwise have learned on the way.
"""

from __future__ import annotations

from askwise.evidence import Vote
from askwise.project.store import Store
from askwise.project.values import OWNER, VoteRow

CHUNK = 50_000

_COUNTS = {"vote": 1, "undo": -1}
_CROWD = {"exclude": True, "include": False}


class Replay:
    """How far an engine has read: the last row, and how many votes there are up to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._excluded: set[str] = set()
        self.last = 0
        self.votes = 0

    def beginning(self) -> list[Vote]:
        """All votes from the first row on."""
        rows: list[VoteRow] = []
        while chunk := self._store.votes_after(self.last, CHUNK):
            rows += chunk
            self._pass(chunk)
        for row in rows:
            if row.action in _CROWD:
                (self._excluded.add if _CROWD[row.action] else self._excluded.discard)(row.worker)
        return self._said(rows)

    def following(self) -> tuple[int, list[Vote]] | None:
        """How many rows follow, up to a chunk, and their votes.

        None if they exclude or include a worker: then a new replay has to begin.
        """
        chunk = self._store.votes_after(self.last, CHUNK)
        if any(row.action in _CROWD for row in chunk):
            return None
        self._pass(chunk)
        return len(chunk), self._said(chunk)

    def _pass(self, rows: list[VoteRow]) -> None:
        if rows:
            self.last = rows[-1].id
            self.votes += sum(_COUNTS.get(row.action, 0) for row in rows)

    def _said(self, rows: list[VoteRow]) -> list[Vote]:
        votes: list[Vote] = []
        for row in rows:
            decided = row.worker == OWNER and row.source == OWNER
            if row.action in _CROWD or row.worker in self._excluded or decided:
                continue
            votes.append(Vote(row.left, row.right, row.worker, row.said if row.action == "vote" else None))
        return votes
