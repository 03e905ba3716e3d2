"""Who is visiting: the owner by password or token, people with roles by name and password, others by a link.

A worker's cookie is the secret of a personal link, of which the database has only a digest. It outlives restarts, works
with several servers, and ends when the link is revoked. Everyone who joins by a link for many gets a personal one.

The owner's cookie is a secret too. The database has its digest under a key made from the owner's password and token. A
session ends at logout, when the owner ends it elsewhere, after some hours, and when password or token change. People
with their own passwords have such sessions too, and a link may have a role other than worker. No secret is written to
disk or to a log.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from askwise.errors import InputError
from askwise.project import Project
from askwise.project.migrations import MOST_JOINS
from askwise.project.studies import digest_of
from askwise.project.values import OWNER, Invite

OWNER_HOURS = 12
_REMEMBERED = 5.0  # seconds until a revocation on another server is seen here, at the most
_MOST_REMEMBERED = 10_000


Role = Literal["owner", "steward", "reader", "worker"]
OWN: tuple[Role, ...] = ("owner",)
EDIT: tuple[Role, ...] = ("owner", "steward")
LOOK: tuple[Role, ...] = ("owner", "steward", "reader")
WORK: tuple[Role, ...] = ("worker",)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Someone with access, under a name; their forms must send `csrf` back."""

    role: Role
    name: str
    csrf: str

    @property
    def looks(self) -> bool:
        """Whether they may look at everything."""
        return self.role in LOOK

    @property
    def edits(self) -> bool:
        """Whether they may edit and review clusters."""
        return self.role in EDIT


class Access:
    """The secrets of one project. Those of other projects do not work here."""

    def __init__(self, project: Project, password: str | None, token: str | None) -> None:
        for what, secret in (("password", password), ("token", token)):
            if secret is not None and len(secret) < 8:
                raise InputError(f"the owner's {what} has fewer than 8 characters; choose a longer one")
        self._project = project
        self._token = token
        self._salt = project.about.key.encode()
        self._password = None if password is None else self._stretched(password)
        given = "\0".join(secret for secret in (password, token) if secret is not None)
        self._key = self._stretched(given) if given else secrets.token_bytes(32)
        short = hashlib.sha256(self._salt).hexdigest()[:8]
        # Browsers send cookies to every port of a host, so each project has names of its own.
        self.owner_cookie, self.worker_cookie = f"askwise_owner_{short}", f"askwise_worker_{short}"
        self._known: dict[str, tuple[float, Invite | None]] = {}
        self._sessions: dict[str, tuple[float, Role, str, float]] = {}  # digest: until, role, name, when we looked
        self._lock = Lock()

    def _stretched(self, secret: str) -> bytes:
        return hashlib.scrypt(secret.encode(), salt=self._salt, n=2**14, r=8, p=1)

    def is_password(self, password: str) -> bool:
        """Whether this is the owner's password or token."""
        right = self._password is not None and hmac.compare_digest(self._stretched(password), self._password)
        return right or self.is_token(password)

    def is_token(self, token: str) -> bool:
        """Whether this is the owner's token."""
        return self._token is not None and hmac.compare_digest(token.encode(), self._token.encode())

    def new_session(self, person: str) -> str:
        """Start a session of someone who has just signed in; returns the cookie's value."""
        cookie = secrets.token_urlsafe(24)
        self._project.sessions.add(self.signature("owner", cookie), time.time() + OWNER_HOURS * 3600, person)
        return cookie

    def sign_in(self, name: str, password: str) -> Visitor | None:
        """The person with this name and password."""
        person = self._project.people.check(name, password)
        return None if person is None else Visitor(_role(person.role), person.name, "")

    def owner(self, cookie: str | None) -> Visitor | None:
        """The owner, if the cookie is that of a valid session."""
        visitor = self.session(cookie)
        return visitor if visitor is not None and visitor.role == "owner" else None

    def session(self, cookie: str | None) -> Visitor | None:
        """The person whose valid session this cookie belongs to, or None."""
        if not cookie:
            return None
        digest = self.signature("owner", cookie)
        with self._lock:
            known = self._sessions.get(digest)
        if known is None or time.monotonic() - known[3] > _REMEMBERED:
            known = self._looked_up(digest)
        if known is None or known[0] <= time.time():
            return None
        return Visitor(known[1], known[2], self.signature("csrf", cookie))

    def _looked_up(self, digest: str) -> tuple[float, Role, str, float] | None:
        found = self._project.sessions.of(digest)
        role: Role | None = None
        if found is not None and found[1] == OWNER:
            role = "owner"
        elif found is not None:
            person = self._project.people.find(found[1])
            role = None if person is None else _role(person.role)
        with self._lock:
            if len(self._sessions) >= _MOST_REMEMBERED:
                self._sessions.clear()
            self._sessions.pop(digest, None)
            if found is None or role is None:
                return None
            self._sessions[digest] = found[0], role, found[1], time.monotonic()
            return self._sessions[digest]

    def end_sessions(self, cookie: str, *, others: bool) -> None:
        """End the session with this cookie, or all others of the same person."""
        self._project.sessions.end(self.signature("owner", cookie), others=others)
        with self._lock:
            self._sessions.clear()

    def signature(self, *parts: str) -> str:
        """A signature of these words that only this server can make."""
        return hmac.new(self._key, "\0".join(parts).encode(), hashlib.sha256).hexdigest()

    def worker(self, secret: str | None) -> Visitor | None:
        """The worker, if the secret is that of a valid personal link."""
        guest = self.guest(secret)
        return guest if guest is not None and guest.role == "worker" else None

    def guest(self, secret: str | None) -> Visitor | None:
        """The person with a personal link, in the link's role."""
        invite = self.invite(secret or "")
        if invite is None or invite.worker is None:
            return None
        return Visitor(_role(invite.role), invite.worker, hashlib.sha256(f"csrf\0{secret}".encode()).hexdigest())

    def invite(self, secret: str) -> Invite | None:
        """The link with this secret, unless it was revoked."""
        if not secret:
            return None
        digest = digest_of(secret)
        with self._lock:
            since, invite = self._known.get(digest, (0.0, None))
        if time.monotonic() - since > _REMEMBERED:
            invite = self._project.invites.of(digest)
            with self._lock:
                if len(self._known) >= _MOST_REMEMBERED:
                    self._known.clear()
                self._known[digest] = time.monotonic(), invite
        return invite

    def remembers(self, token: str) -> bool:
        """Whether the owner of this token is known without asking the database."""
        known = self._known.get(digest_of(token))
        return known is not None and time.monotonic() - known[0] <= _REMEMBERED / 2

    def new_invite(
        self, worker: str | None, note: str, most: int | None = None, *, role: Role = "worker", by: str = OWNER
    ) -> tuple[Invite, str]:
        """Make a link; returns it with its secret of 144 random bits."""
        secret = secrets.token_urlsafe(18)
        invite = self._project.invites.add(digest_of(secret), worker, note, most=most or MOST_JOINS, role=role, by=by)
        self._forget()
        return invite, secret

    def join(self, invite: Invite, name: str, *, back: bool = False) -> str:
        """Join by a link for many; returns the secret of a personal link, or raises an error if the name is taken.

        `back`: they have proved that they joined under this name before.
        """
        secret = secrets.token_urlsafe(18)
        self._project.invites.join(invite.id, digest_of(secret), name, back=back)
        self._forget()
        return secret

    def revoke(self, number: int, *, by: str = OWNER) -> bool:
        """Revoke a link; returns whether it was valid."""
        was_valid = self._project.invites.revoke(number, by=by)
        self._forget()
        return was_valid

    def _forget(self) -> None:
        with self._lock:
            self._known.clear()
            self._sessions.clear()

    def forget(self) -> None:
        """Look everyone up again, because roles or passwords have changed."""
        self._forget()

    def bearer(self, token: str) -> Visitor | None:
        """The visitor with a token: the owner, or the person a link is for."""
        if self.is_token(token):
            return Visitor("owner", OWNER, "")
        return self.guest(token)


def _role(text: str) -> Role:
    for role in (*LOOK, *WORK):
        if role == text:
            return role
    raise InputError(f"there is no role {text!r}")
