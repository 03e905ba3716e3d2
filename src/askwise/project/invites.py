"""Invite links, and which name belongs to whom."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, insert, select, update

from askwise.errors import InputError
from askwise.project.events import noted
from askwise.project.migrations import MOST_JOINS
from askwise.project.names import likeness
from askwise.project.reserved import free_of_gone
from askwise.project.schema import invites, people, workers
from askwise.project.store import Store
from askwise.project.values import Invite
from askwise.project.writer import Transaction, moment


class Invites:
    """Links of a project. `by` is who does it, which makes it an event too."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self,
        digest: str,
        worker: str | None = None,
        note: str = "",
        *,
        most: int = MOST_JOINS,
        role: str = "worker",
        by: str | None = None,
        now: float | None = None,
    ) -> Invite:
        """Keep a new link, by the digest of its secret: for someone in a role, or for up to `most` workers."""

        def write(work: Transaction) -> Invite:
            made = _invite(work, digest, worker, note, most, moment(now), role)
            noted(work, by, "invite", {"id": made.id, "name": worker, "role": role, "note": note}, now)
            return made

        return self._store.change(write)

    def join(self, invite: int, digest: str, worker: str, *, back: bool = False, now: float | None = None) -> Invite:
        """Join by a link for many, under a free name, and get a personal link.

        With `back`, the person has proved that they joined under this name before; their link gets a new secret.
        """
        return self._store.change(lambda work: _join(work, invite, digest, worker, back, moment(now)))

    def revoke(self, invite: int, *, by: str | None = None, now: float | None = None) -> bool:
        """Revoke a link and the links of everyone who joined by it; returns whether it was valid."""

        def write(work: Transaction) -> bool:
            valid = _revoke(work, invite, moment(now))
            noted(work, by if valid else None, "revoke", {"id": invite}, now)
            return valid

        return self._store.change(write)

    def all(self) -> list[Invite]:
        """All links, including revoked ones."""
        with self._store.reading() as connection:
            return [Invite(*row) for row in connection.execute(select(invites).order_by(invites.c.id))]

    def of(self, digest: str) -> Invite | None:
        """The link with that digest, if it is valid."""
        valid = select(invites).where(invites.c.digest == digest, invites.c.revoked.is_(None))
        with self._store.reading() as connection:
            found = connection.execute(valid).first()
            return None if found is None else Invite(*found)


def _invite(
    work: Transaction, digest: str, worker: str | None, note: str, most: int, now: float, role: str = "worker"
) -> Invite:
    """Add a link, by the digest of its secret. A name that looks like an existing one is refused."""
    if worker is None and role != "worker":
        raise InputError(f"a link for a {role} needs a name")
    if worker is not None:
        _refuse_other_role(work, worker, role)
        alike = next(
            (name for name in names_taken(work) if name != worker and likeness(name) == likeness(worker)), None
        )
        if alike is not None:
            raise InputError(f"the name {worker!r} looks like {alike!r}, who is here already; choose another")
    return _add(
        work,
        {
            "digest": digest,
            "worker": worker,
            "note": note,
            "created": now,
            "most": None if worker else most,
            "role": role,
        },
    )


def _refuse_other_role(work: Transaction, name: str, role: str) -> None:
    """Refuse a name in a second role: no one both votes and reviews under one name."""
    known = work.connection.execute(select(people.c.role).where(people.c.name == name, people.c.ended.is_(None)))
    before = known.scalar()
    valid = invites.c.revoked.is_(None) & (invites.c.worker == name) & (invites.c.role != role)
    other = (
        before if before not in (None, role) else work.connection.execute(select(invites.c.role).where(valid)).scalar()
    )
    if other is not None:
        raise InputError(f"{name!r} is here as a {other}; choose another name, or end that first")


def _join(work: Transaction, parent: int, digest: str, worker: str, back: bool, now: float) -> Invite:
    link = work.connection.execute(select(invites).where(invites.c.id == parent, invites.c.revoked.is_(None))).first()
    if link is None:
        raise InputError("this invite link is not valid (any more); ask for a new one")
    if back:
        mine = (invites.c.parent == parent) & (invites.c.worker == worker)
        found = work.connection.execute(
            update(invites).where(mine).values(digest=digest, revoked=None).returning(invites)
        ).first()
        if found is not None:
            return Invite(*found)
    elif any(likeness(name) == likeness(worker) for name in names_taken(work)):
        raise InputError(
            "this name, or one that looks like it, is taken; choose another (if it is yours, go on in the browser in "
            "which you began, or ask for a link of your own)"
        )
    joined = select(func.count()).select_from(invites).where(invites.c.parent == parent)
    if work.connection.execute(joined).scalar_one() >= link.most:
        raise InputError(f"this link has let in {link.most:,} people, as many as it may; ask for a new one")
    return _add(work, {"digest": digest, "worker": worker, "note": link.note, "created": now, "parent": parent})


def _revoke(work: Transaction, number: int, now: float) -> bool:
    valid = invites.c.revoked.is_(None)
    link = work.connection.execute(update(invites).where(invites.c.id == number, valid).values(revoked=now))
    work.connection.execute(update(invites).where(invites.c.parent == number, valid).values(revoked=now))
    ended = (invites.c.id == number) | (invites.c.parent == number)
    free_of_gone(work, work.connection.scalars(select(invites.c.worker).where(ended, invites.c.worker.is_not(None))))
    return link.rowcount > 0


def _add(work: Transaction, values: dict[str, Any]) -> Invite:
    return Invite(*work.connection.execute(insert(invites).returning(invites), values).one())


def names_taken(work: Transaction) -> set[str]:
    """The names of everyone who has voted, was invited or has a role."""
    named = select(invites.c.worker).where(invites.c.worker.is_not(None))
    found = (named, select(workers.c.name), select(people.c.name))
    return {name for query in found for name in work.connection.scalars(query)}
