"""Rows of the store into the engine, in their order, so that whoever replays them comes to the same state.

What the owner says on the pages is a decision and no vote: it is certain until the owner takes it back, and it does
not measure workers.

An undo is the vote None of the same worker on the same pair, which supersedes. So is an exclusion, on every pair on
which a vote of the worker stands; an inclusion is all of these votes again. Both cost what the worker has voted.
"""

from __future__ import annotations

from askwise.evidence import Label, Vote
from askwise.evidence.votes import side_of
from askwise.project.store import Store
from askwise.project.values import VoteRow

Decision = tuple[str, str, bool | None]

CHUNK = 50_000
OWNER = "owner"
"""The owner, as a worker and as a source of votes: a file may have a worker of that name."""

_COUNTS = {"vote": 1, "undo": -1}


class Replay:
    """How far an engine has come in a store: the last row, and how many votes there are up to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._excluded: set[str] = set()
        self.last = 0
        self.votes = 0

    def following(self) -> tuple[int, list[Vote], list[Decision]]:
        """How many rows follow, up to a chunk, the votes that they come to, and what the owner decides in them."""
        rows = self._store.votes_after(self.last, CHUNK)
        votes: list[Vote] = []
        decisions: list[Decision] = []
        for row in rows:
            for vote, source in self._votes(row):
                if row.worker == OWNER and (source == OWNER or row.action == "undo"):
                    decisions.append((str(vote.left), str(vote.right), side_of(vote.label)))
                if row.worker != OWNER or source != OWNER:
                    votes.append(vote)
        if rows:
            self.last = rows[-1].id
            self.votes += sum(_COUNTS.get(row.action, 0) for row in rows)
        return len(rows), votes, decisions

    def _votes(self, row: VoteRow) -> list[tuple[Vote, str]]:
        """The votes that a row comes to, each with where it is from."""
        if row.action in ("exclude", "include"):
            out = row.action == "exclude"
            (self._excluded.add if out else self._excluded.discard)(row.worker)
            standing = self._standing(row).items()
            return [(Vote(*pair, row.worker, None if out else label), source) for pair, (label, source) in standing]
        counts = row.action == "vote" and row.worker not in self._excluded
        return [(Vote(row.left, row.right, row.worker, row.said if counts else None), row.source)]

    def _standing(self, row: VoteRow) -> dict[tuple[str, str], tuple[Label, str]]:
        """The worker's votes that stood before the row, and where each is from."""
        found: dict[tuple[str, str], tuple[Label, str]] = {}
        for vote in self._store.votes_of(row.worker, before=row.id):
            if vote.left is not None and vote.right is not None:
                found[vote.left, vote.right] = vote.said, vote.source
        return found
