"""People who look after a project under their own names, each with a role, and with a password or a link.

The owner has the password or token that the server was started with, and adds the others. Passwords are stored as
scrypt digests, each with its own salt.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select, update

from askwise.errors import InputError
from askwise.project.events import append
from askwise.project.invites import names_taken
from askwise.project.names import LONGEST, likeness, name_of
from askwise.project.schema import people, sessions
from askwise.project.store import Store
from askwise.project.writer import Transaction

ROLES = ("owner", "steward", "reader", "worker")
"""Owners do everything, stewards edit and review, readers look, workers answer questions."""

GIVEN = ("steward", "reader")
"""Roles that a person with a password can have."""

SHORTEST = 8
"""Characters of a password."""

_COST = {"n": 2**14, "r": 8, "p": 1}


@dataclass(frozen=True, slots=True)
class Person:
    """Someone with a name and a role. `ended` is when access was removed; `password` says whether there is one."""

    name: str
    role: str
    since: float
    ended: float | None
    password: bool


class People:
    """The people of a database. Every method is one transaction, and every change is an event too."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self) -> list[Person]:
        """Everyone, including those whose access was removed, in the order in which they were added."""
        with self._store.reading() as connection:
            rows = connection.execute(select(people).order_by(people.c.since, people.c.name)).all()
        return [Person(row.name, row.role, row.since, row.ended, row.password is not None) for row in rows]

    def find(self, name: str) -> Person | None:
        """A person with access."""
        return next((one for one in self.all() if one.name == name and one.ended is None), None)

    def add(self, name: str, role: str, password: str | None = None, *, by: str) -> Person:
        """Add a person, or restore one, with a role; without a password, they need a link."""
        known = name_of(name)
        if known is None:
            raise InputError(f"{name[:40]!r} cannot be a name: 1 to {LONGEST} letters, other than “owner”")
        if role not in GIVEN:
            raise InputError(f"there is no role {role[:40]!r} for a person; choose {' or '.join(GIVEN)}")
        packed, now = None if password is None else packed_password(password), time.time()

        def write(work: Transaction) -> None:
            before = work.connection.execute(select(people).where(people.c.name == known)).first()
            if before is not None and before.ended is None:
                raise InputError(f"{known!r} is here already")
            if before is None:
                alike = next((other for other in names_taken(work) if likeness(other) == likeness(known)), None)
                if alike is not None:
                    raise InputError(f"the name {known!r} looks like {alike!r}, who is here already; choose another")
                values = {"name": known, "role": role, "password": packed, "since": now}
                work.connection.execute(insert(people), values)
            else:
                self._change(work, known, role=role, password=packed, ended=None)
            append(work, by, "person", {"name": known, "role": role}, now)

        self._store.change(write)
        return Person(known, role, now, None, packed is not None)

    def set_role(self, name: str, role: str, *, by: str) -> None:
        """Change a person's role."""
        if role not in GIVEN:
            raise InputError(f"there is no role {role[:40]!r} for a person; choose {' or '.join(GIVEN)}")
        self._changed(name, by, {"name": name, "role": role}, role=role)

    def set_password(self, name: str, password: str, *, by: str) -> None:
        """Change a person's password, and end their sessions."""
        self._changed(name, by, {"name": name, "password": True}, password=packed_password(password))

    def end(self, name: str, *, by: str) -> None:
        """Remove a person's access; what they did stays."""
        self._changed(name, by, {"name": name, "ended": True}, ended=time.time(), password=None)

    def _changed(self, name: str, by: str, data: dict[str, Any], **values: Any) -> None:
        def write(work: Transaction) -> None:
            here = (people.c.name == name) & people.c.ended.is_(None)
            if work.connection.execute(select(people.c.name).where(here)).first() is None:
                raise InputError(f"there is no {name[:40]!r}")
            self._change(work, name, **values)
            if "password" in values:
                work.connection.execute(sessions.delete().where(sessions.c.person == name))
            append(work, by, "person", data, time.time())

        self._store.change(write)

    @staticmethod
    def _change(work: Transaction, name: str, **values: Any) -> None:
        work.connection.execute(update(people).where(people.c.name == name).values(values))

    def check(self, name: str, password: str) -> Person | None:
        """The person, if the password is right. Takes as long for unknown names."""
        row = None
        if "\0" not in name:  # PostgreSQL has no such text
            with self._store.reading() as connection:
                row = connection.execute(select(people).where(people.c.name == name, people.c.ended.is_(None))).first()
        packed = _DUMMY if row is None or row.password is None else row.password
        right = is_password(password, packed)
        return Person(row.name, row.role, row.since, None, True) if right and row is not None else None


def packed_password(password: str) -> str:
    """The stored form of a password."""
    if len(password) < SHORTEST:
        raise InputError(f"the password has fewer than {SHORTEST} characters; choose a longer one")
    salt = secrets.token_bytes(16)
    return f"scrypt${salt.hex()}${_stretched(password, salt).hex()}"


def is_password(password: str, packed: str) -> bool:
    """Whether a password matches its stored form."""
    _, salt, kept = packed.split("$")
    return hmac.compare_digest(_stretched(password, bytes.fromhex(salt)), bytes.fromhex(kept))


def _stretched(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, **_COST)


_DUMMY = f"scrypt${'00' * 16}${'00' * 64}"
