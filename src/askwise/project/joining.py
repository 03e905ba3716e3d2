"""Invite links, and which name belongs to whom. Runs inside a transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, insert, select, update

from askwise.errors import InputError
from askwise.project.names import likeness
from askwise.project.schema import invites, people, workers
from askwise.project.values import Invite
from askwise.project.writer import Transaction


def invite(
    work: Transaction, digest: str, worker: str | None, note: str, most: int, now: float, role: str = "worker"
) -> Invite:
    """Keep a new link, by the digest of its secret. A name that looks like an existing one is refused."""
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


def join(work: Transaction, parent: int, digest: str, worker: str, back: bool, now: float) -> Invite:
    """Join by a link for many, under a free name, and get a personal link.

    With `back`, the person has proved that they joined under this name before; their link gets a new secret.
    """
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


def revoke(work: Transaction, number: int, now: float) -> bool:
    """Revoke a link and the links of everyone who joined by it; returns whether it was valid."""
    valid = invites.c.revoked.is_(None)
    link = work.connection.execute(update(invites).where(invites.c.id == number, valid).values(revoked=now))
    work.connection.execute(update(invites).where(invites.c.parent == number, valid).values(revoked=now))
    return link.rowcount > 0


def _add(work: Transaction, values: dict[str, Any]) -> Invite:
    return Invite(*work.connection.execute(insert(invites).returning(invites), values).one())


def names_taken(work: Transaction) -> set[str]:
    """The names of everyone who has voted, was invited or has a role."""
    named = select(invites.c.worker).where(invites.c.worker.is_not(None))
    found = (named, select(workers.c.name), select(people.c.name))
    return {name for query in found for name in work.connection.scalars(query)}
