"""Where people are signed in."""

from __future__ import annotations

import time

from sqlalchemy import delete, func, insert, select

from askwise.project.schema import sessions
from askwise.project.store import Store
from askwise.project.values import OWNER
from askwise.project.writer import Transaction


class Sessions:
    """Sessions of the owner and of other people, by the digests of their cookies."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, digest: str, until: float, person: str = OWNER) -> None:
        """Keep a new session, by the digest of its cookie; expired ones are dropped."""

        def write(work: Transaction) -> None:
            work.connection.execute(delete(sessions).where(sessions.c.until < time.time()))
            work.connection.execute(insert(sessions), {"digest": digest, "until": until, "person": person})

        self._store.change(write)

    def of(self, digest: str) -> tuple[float, str] | None:
        """When a session expires, and whose it is, if there is one."""
        which = select(sessions.c.until, sessions.c.person).where(sessions.c.digest == digest)
        with self._store.reading() as connection:
            found = connection.execute(which).first()
            return None if found is None else (found.until, found.person)

    def count(self, person: str = OWNER) -> int:
        """How many sessions a person has."""
        with self._store.reading() as connection:
            good = select(func.count()).where(sessions.c.until > time.time(), sessions.c.person == person)
            return int(connection.execute(good).scalar_one())

    def end(self, digest: str, *, others: bool) -> None:
        """End the session with this digest, or all others of the same person."""
        mine = select(sessions.c.person).where(sessions.c.digest == digest).scalar_subquery()
        which = (sessions.c.digest != digest) & (sessions.c.person == mine) if others else sessions.c.digest == digest
        self._store.change(lambda work: work.connection.execute(delete(sessions).where(which)))
