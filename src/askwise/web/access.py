"""Who is asking: the owner by password or token, a worker by an invite link.

A worker's cookie is the secret of the link itself, of which the store has only a digest: it outlives restarts, works
with several servers, and ends when the link is revoked. The owner's cookie is signed with a key made from the owner's
secrets, so it ends when they change. Nothing here is written to disk or to a log.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from askwise.errors import InputError
from askwise.project import Project
from askwise.project.replay import OWNER
from askwise.project.studies import digest_of
from askwise.project.values import Invite

OWNER_HOURS = 12
_REMEMBERED = 5.0  # seconds; so long another server's revocation may take to be seen here
_MOST_REMEMBERED = 10_000
_LONGEST_NAME = 100


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
        self._personal: tuple[float, set[str]] = (0.0, set())
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
        plain = f"{int(time.time()) + OWNER_HOURS * 3600}.{secrets.token_urlsafe(12)}"
        return f"{plain}.{self.signature('owner', plain)}"

    def owner(self, cookie: str | None) -> Visitor | None:
        """The owner, if the cookie is ours and not too old."""
        plain, _, signature = (cookie or "").rpartition(".")
        until = plain.partition(".")[0]
        if not hmac.compare_digest(signature.encode(), self.signature("owner", plain).encode()):
            return None
        return Visitor("owner", OWNER, self.signature("csrf", plain)) if int(until) > time.time() else None

    def signature(self, *parts: str) -> str:
        """What only this server can write under these words."""
        return hmac.new(self._key, "\0".join(parts).encode(), hashlib.sha256).hexdigest()

    def worker(self, cookie: str | None) -> Visitor | None:
        """The worker, if the link that they came by is good; `cookie` is what `worker_session` made."""
        secret, _, packed = (cookie or "").partition(".")
        invite = self.invite(secret)
        if invite is None:
            return None
        name = invite.worker or _unpacked(packed)
        if name is None or (invite.worker is None and self.is_taken(name)):
            return None
        return Visitor("worker", name, hashlib.sha256(f"csrf\0{cookie}".encode()).hexdigest())

    def is_taken(self, name: str) -> bool:
        """Whether somebody has a link of their own under this name; nobody else may come under it."""
        with self._lock:
            since, names = self._personal
        if time.monotonic() - since > _REMEMBERED:
            names = {invite.worker.casefold() for invite in self._project.store.invites() if invite.worker}
            with self._lock:
                self._personal = time.monotonic(), names
        return name.casefold() in names

    def worker_session(self, secret: str, name: str | None) -> str:
        """The value of a worker's cookie: the link's secret, and the name if the link is for many."""
        return secret if name is None else f"{secret}.{urlsafe_b64encode(name.encode()).decode()}"

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
        known = self._known.get(digest_of(token.partition(".")[0]))
        return known is not None and time.monotonic() - known[0] <= _REMEMBERED / 2

    def new_invite(self, worker: str | None, note: str) -> tuple[Invite, str]:
        """A new link and its secret: 144 bits that nobody guesses."""
        secret = secrets.token_urlsafe(18)
        invite = self._project.store.invite(digest_of(secret), worker, note)
        self._forget()
        return invite, secret

    def revoke(self, number: int) -> bool:
        """End a link; returns whether it was valid."""
        was_valid = self._project.store.revoke(number)
        self._forget()
        return was_valid

    def _forget(self) -> None:
        with self._lock:
            self._known.clear()
            self._personal = (0.0, set())

    def bearer(self, token: str) -> Visitor | None:
        """A program: with the owner's token the owner, with an invite's secret its worker."""
        if self.is_token(token):
            return Visitor("owner", OWNER, "")
        return self.worker(token)


def worker_name(text: str) -> str | None:
    """The name that somebody gives themselves or a panel gives them, or None if it cannot be one."""
    name = " ".join(text.split())
    usable = 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name.casefold() != OWNER
    return name if usable else None


def _unpacked(packed: str) -> str | None:
    try:
        return worker_name(urlsafe_b64decode(packed.encode()).decode())
    except ValueError:
        return None
