"""Rows of the store into the engine, in their order, so that whoever replays them comes to the same state.

What the owner says on the pages is a decision and no vote: it is certain until the owner takes it back, and it does
not measure workers.

An undo is the vote None of the same worker on the same pair, which supersedes. The rows of an excluded worker are left
out, as if they had never come. So an exclusion or an inclusion wants all rows anew, and after an inclusion everything
is, to the last bit, as if there had been no exclusion: evidence that learns would otherwise have learned on the way.
"""

from __future__ import annotations

from askwise.evidence import Vote
from askwise.evidence.votes import side_of
from askwise.project.store import Store
from askwise.project.values import OWNER, VoteRow

Decision = tuple[str, str, bool | None]

CHUNK = 50_000

_COUNTS = {"vote": 1, "undo": -1}
_CROWD = {"exclude": True, "include": False}


class Replay:
    """How far an engine has come in a store: the last row, and how many votes there are up to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._excluded: set[str] = set()
        self.last = 0
        self.votes = 0

    def beginning(self) -> tuple[list[Vote], list[Decision]]:
        """All votes from the first row on, and what the owner decides in them."""
        rows: list[VoteRow] = []
        while chunk := self._store.votes_after(self.last, CHUNK):
            rows += chunk
            self._pass(chunk)
        for row in rows:
            if row.action in _CROWD:
                (self._excluded.add if _CROWD[row.action] else self._excluded.discard)(row.worker)
        return self._said(rows)

    def following(self) -> tuple[int, list[Vote], list[Decision]] | None:
        """How many rows follow, up to a chunk, and what they say.

        None if they exclude or include a worker: then a new replay has to begin.
        """
        chunk = self._store.votes_after(self.last, CHUNK)
        if any(row.action in _CROWD for row in chunk):
            return None
        self._pass(chunk)
        return len(chunk), *self._said(chunk)

    def _pass(self, rows: list[VoteRow]) -> None:
        if rows:
            self.last = rows[-1].id
            self.votes += sum(_COUNTS.get(row.action, 0) for row in rows)

    def _said(self, rows: list[VoteRow]) -> tuple[list[Vote], list[Decision]]:
        votes: list[Vote] = []
        decisions: list[Decision] = []
        for row in rows:
            if row.action in _CROWD or row.worker in self._excluded:
                continue
            vote = Vote(row.left, row.right, row.worker, row.said if row.action == "vote" else None)
            decides = row.worker == OWNER and row.source == OWNER
            if decides or (row.worker == OWNER and row.action == "undo"):
                decisions.append((str(vote.left), str(vote.right), side_of(vote.label)))
            if not decides:
                votes.append(vote)
        return votes, decisions
