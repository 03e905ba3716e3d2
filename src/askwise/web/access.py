"""Who is asking: the owner by password or token, a worker by an invite link.

A worker's cookie is the secret of a link of their own, of which the store has only a digest: it outlives restarts,
works with several servers, and ends when the link is revoked. Everyone who joins by a link for many gets one. The
owner's cookie is a secret, too, of which the store has a digest under a key made from the owner's password and token:
a session ends at logout, when the owner ends it elsewhere, after some hours, and when password or token change. No
secret is written to disk or to a log.
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
_REMEMBERED = 5.0  # seconds; so long another server's revocation may take to be seen here
_MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who may come in, under a name; forms must bring `csrf` back."""

    role: Literal["owner", "worker"]
    name: str
    csrf: str


class Access:
    """The keys of one project. What was given for another project opens nothing here."""

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
        self._sessions: dict[str, tuple[float, float]] = {}  # digest: good until, and when we looked
        self._lock = Lock()

    def _stretched(self, secret: str) -> bytes:
        return hashlib.scrypt(secret.encode(), salt=self._salt, n=2**14, r=8, p=1)

    def is_password(self, password: str) -> bool:
        """Whether the owner logs in with this; a token does as well as a password."""
        right = self._password is not None and hmac.compare_digest(self._stretched(password), self._password)
        return right or self.is_token(password)

    def is_token(self, token: str) -> bool:
        """Whether a program shows the owner's token."""
        return self._token is not None and hmac.compare_digest(token.encode(), self._token.encode())

    def new_owner_session(self) -> str:
        """The value of the owner's cookie."""
        cookie = secrets.token_urlsafe(24)
        self._project.store.add_session(self.signature("owner", cookie), time.time() + OWNER_HOURS * 3600)
        return cookie

    def owner(self, cookie: str | None) -> Visitor | None:
        """The owner, if the cookie is that of a session that was not ended."""
        if not cookie:
            return None
        digest = self.signature("owner", cookie)
        with self._lock:
            until, since = self._sessions.get(digest, (0.0, -_REMEMBERED))
        if time.monotonic() - since > _REMEMBERED:
            until = self._project.store.session(digest) or 0.0
            with self._lock:
                if len(self._sessions) >= _MOST_REMEMBERED:
                    self._sessions.clear()
                if until:
                    self._sessions[digest] = until, time.monotonic()
        return Visitor("owner", OWNER, self.signature("csrf", cookie)) if until > time.time() else None

    def end_sessions(self, cookie: str, *, others: bool) -> None:
        """End the owner's session with this cookie, or all others."""
        self._project.store.end_sessions(self.signature("owner", cookie), others=others)
        with self._lock:
            self._sessions.clear()

    def signature(self, *parts: str) -> str:
        """What only this server can write under these words."""
        return hmac.new(self._key, "\0".join(parts).encode(), hashlib.sha256).hexdigest()

    def worker(self, secret: str | None) -> Visitor | None:
        """The worker, if the secret is that of a good link of theirs."""
        invite = self.invite(secret or "")
        if invite is None or invite.worker is None:
            return None
        return Visitor("worker", invite.worker, hashlib.sha256(f"csrf\0{secret}".encode()).hexdigest())

    def invite(self, secret: str) -> Invite | None:
        """The link with this secret, if it was not revoked."""
        if not secret:
            return None
        digest = digest_of(secret)
        with self._lock:
            since, invite = self._known.get(digest, (0.0, None))
        if time.monotonic() - since > _REMEMBERED:
            invite = self._project.store.invite_of(digest)
            with self._lock:
                if len(self._known) >= _MOST_REMEMBERED:
                    self._known.clear()
                self._known[digest] = time.monotonic(), invite
        return invite

    def remembers(self, token: str) -> bool:
        """Whether it takes no look into the store to say whose token this is."""
        known = self._known.get(digest_of(token))
        return known is not None and time.monotonic() - known[0] <= _REMEMBERED / 2

    def new_invite(self, worker: str | None, note: str, most: int | None = None) -> tuple[Invite, str]:
        """A new link and its secret: 144 bits that nobody guesses."""
        secret = secrets.token_urlsafe(18)
        invite = self._project.store.invite(digest_of(secret), worker, note, most=most or MOST_JOINS)
        self._forget()
        return invite, secret

    def join(self, invite: Invite, name: str, *, back: bool = False) -> str:
        """Let a person join by a link for many, and return the secret of their own link; an error if the name is taken.

        `back`: they have proved that they joined under this name before.
        """
        secret = secrets.token_urlsafe(18)
        self._project.store.join(invite.id, digest_of(secret), name, back=back)
        self._forget()
        return secret

    def revoke(self, number: int) -> bool:
        """End a link; returns whether it was valid."""
        was_valid = self._project.store.revoke(number)
        self._forget()
        return was_valid

    def _forget(self) -> None:
        with self._lock:
            self._known.clear()

    def bearer(self, token: str) -> Visitor | None:
        """A program: with the owner's token the owner, with an invite's secret its worker."""
        if self.is_token(token):
            return Visitor("owner", OWNER, "")
        return self.worker(token)
