"""What all pages share: the project, the visitor, and how a page is made."""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from askwise.cells import visible
from askwise.plurals import plural
from askwise.project import ClusterRow, Project
from askwise.project.names import likeness
from askwise.project.reviewing import Reviewing
from askwise.project.values import Invite
from askwise.web import drawings, shortcuts
from askwise.web.access import EDIT, LOOK, OWN, WORK, Access, Role, Visitor
from askwise.web.cluster_picture import graph
from askwise.web.health import Health
from askwise.web.limits import ACCOUNT, LOGIN, STRANGER, VISITOR, Rate, Rates, TooManyError
from askwise.web.pictures import Pictures
from askwise.web.snapshot import Snapshot
from askwise.web.wording import ago, chance, count, logarithm, money, score, seconds

HERE = Path(__file__).parent
_LOG = logging.getLogger("askwise.web")
_MOST_OWNERS = 1000
_NOTICE = "askwise_notice"


@cache
def static_address(name: str) -> str:
    """The address of a style sheet or script; it changes with the content, so browsers may cache it forever."""
    digest = hashlib.sha256((HERE / "static" / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?{digest}"


def _visible(value: object) -> object:
    """Text in which no character changes the direction of the text after it."""
    return type(value)(visible(value)) if isinstance(value, str) else value


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.update(static=static_address, drawings=drawings, graph=graph, with_query=with_query)
    for name, change in (
        ("ago", ago),
        ("chance", chance),
        ("count", count),
        ("logarithm", logarithm),
        ("money", money),
        ("plural", plural),
        ("score", score),
        ("seconds", seconds),
        ("quoted", lambda text: quote(str(text), safe="")),
    ):
        environment.filters[name] = change
    return environment


@dataclass(slots=True)
class Site:
    """One project's pages."""

    project: Project
    access: Access
    public: str
    pictures: Pictures = field(init=False)
    snapshot: Snapshot = field(init=False)
    reviewing: Reviewing = field(init=False)
    health: Health = field(init=False)
    owners: set[str] = field(default_factory=set)  # addresses from which the owner has signed in
    rates: Rates = field(default_factory=Rates)
    templates: Environment = field(default_factory=_environment)

    def __post_init__(self) -> None:
        self.pictures = Pictures(self.project, self.access)
        self.snapshot = Snapshot(self.project)
        self.reviewing = Reviewing(self.project)
        self.health = Health(self.project)

    @property
    def https(self) -> bool:
        """Whether visitors use HTTPS."""
        return self.public.startswith("https:")

    def worker(self, request: Request) -> Visitor:
        """The visiting worker, or an error."""
        return self._counted(request, self.access.worker(request.cookies.get(self.access.worker_cookie)))

    def owner(self, request: Request) -> Visitor:
        """The visiting owner, or an error."""
        return self.visitor(request, OWN)

    def steward(self, request: Request) -> Visitor:
        """A visitor who may edit and review clusters: the owner or a steward."""
        return self.visitor(request, EDIT)

    def reader(self, request: Request) -> Visitor:
        """A visitor who may look at everything: the owner, a steward or a reader."""
        return self.visitor(request, LOOK)

    def anyone(self, request: Request) -> Visitor:
        """A visitor in any role."""
        return self.visitor(request, (*LOOK, *WORK))

    def visitor(self, request: Request, roles: Collection[Role]) -> Visitor:
        """A visitor in one of these roles, by a password or by a link."""
        cookies = request.cookies
        here = [
            self.access.session(cookies.get(self.access.owner_cookie)),
            self.access.guest(cookies.get(self.access.worker_cookie)),
        ]
        found = next((one for one in here if one is not None and one.role in roles), None)
        if found is None and (other := next((one for one in here if one is not None and one.looks), None)):
            self._counted(request, other)
            raise HTTPException(403, f"a {other.role} may not do this; ask the owner")
        return self._counted(request, found)

    def program(self, request: Request) -> Visitor:
        """The person whose token a program sends."""
        return self._counted(request, self.access.bearer(_token(request)))

    async def program_soon(self, request: Request) -> Visitor:
        """`program` for code that must not wait for the database."""
        if self.access.remembers(_token(request)):
            return self.program(request)
        return await run_in_threadpool(self.program, request)

    def _counted(self, request: Request, visitor: Visitor | None) -> Visitor:
        if visitor is None:
            self.rates.spend(STRANGER, address_of(request))
            raise HTTPException(
                401,
                "log in, or open your invite link again; if that does not help, ask for a new one",
                {"www-authenticate": "Bearer"},
            )
        self.rates.spend(VISITOR, f"{visitor.role} {visitor.name}")
        return visitor

    def _spend(self, address: str, limits: Sequence[tuple[Rate, str]]) -> None:
        """Count an attempt to sign in, or refuse it."""
        try:
            for rate, key in limits:
                self.rates.spend(rate, key)
        except TooManyError:
            _LOG.warning("sign-in refused: too many wrong passwords", extra={"fields": {"address": address}})
            raise

    def is_password(self, request: Request, password: str) -> bool:
        """Whether this is the owner's password; wrong ones are limited per address and in total."""
        address = address_of(request)
        limits = [(LOGIN, address)] if address in self.owners else [(LOGIN, address), (ACCOUNT, "owner")]
        self._spend(address, limits)
        right = self.access.is_password(password)
        if right:
            for rate, key in limits:
                self.rates.give_back(rate, key)
            if len(self.owners) < _MOST_OWNERS:
                self.owners.add(address)
        else:
            _LOG.warning("sign-in failed: wrong password", extra={"fields": {"address": address}})
        return right

    def sign_in(self, request: Request, name: str, password: str) -> Visitor | None:
        """The person with this name and password; wrong ones are limited per address and per name."""
        address = address_of(request)
        limits = [(LOGIN, address), (ACCOUNT, f"person {likeness(name)}")]
        self._spend(address, limits)
        visitor = self.access.sign_in(name, password)
        if visitor is None:
            _LOG.warning("sign-in failed: wrong name or password", extra={"fields": {"address": address}})
            return None
        for rate, key in limits:
            self.rates.give_back(rate, key)
        return visitor

    def cluster(self, number: int) -> ClusterRow:
        """The cluster with this id, or an error."""
        found = self.snapshot.clusters().by_id.get(number)
        if found is None:
            raise HTTPException(404, f"there is no cluster {number} (any more)")
        return found

    def has(self, number: int) -> bool:
        """Whether there is a cluster with this id."""
        return self.snapshot.clusters().by_id.get(number) is not None

    def cluster_of(self, record: str) -> ClusterRow:
        """The cluster that a record is in."""
        return self.snapshot.clusters().of_record[record]

    def invite(self, request: Request, secret: str) -> Invite:
        """The link with this secret, or an error."""
        invite = self.access.invite(secret)
        if invite is None:
            self.rates.spend(STRANGER, address_of(request))
            raise HTTPException(404, "this invite link is not valid (any more); ask for a new one")
        return invite

    def page(
        self,
        request: Request,
        template: str,
        visitor: Visitor | None,
        status: int = 200,
        /,
        **context: object,
    ) -> Response:
        """A page from its template; a notice from the step before is shown once."""
        notice = self._notice(request.cookies.get(_NOTICE, ""))
        html = self.templates.get_template(template).render(
            project_name=self.project.name,
            visitor=visitor,
            csrf=visitor.csrf if visitor else "",
            notice=notice,
            path=request.url.path,
            query=request.query_params,
            keys={} if visitor is None else shortcuts.chosen(request.cookies.get(shortcuts.COOKIE), visitor.role),
            troubles=self.health.troubles() if visitor is not None and visitor.role == "owner" else [],
            **context,
        )
        response = HTMLResponse(html, status, {"cache-control": "no-store"})
        if _NOTICE in request.cookies:
            response.delete_cookie(_NOTICE)
        return response

    def _notice(self, cookie: str) -> str:
        signature, _, packed = cookie.partition(".")
        try:
            text = bytes.fromhex(packed).decode()
        except ValueError:
            return ""
        return text if hmac.compare_digest(signature.encode(), self.access.signature("notice", text).encode()) else ""

    def go(self, to: str, notice: str = "") -> Response:
        """Redirect to a page of this site with a signed notice, which cannot be forged."""
        response = RedirectResponse(to, 303)
        if notice:
            value = f"{self.access.signature('notice', notice)}.{notice.encode().hex()}"
            response.set_cookie(_NOTICE, value, max_age=60, httponly=True, samesite="lax", secure=self.https)
        return response

    def set_cookie(self, request: Request, response: Response, name: str, value: str, days: float) -> None:
        """Set a cookie that scripts cannot read and other sites cannot send; encrypted only on HTTPS sites."""
        secure = self.https or request.url.scheme == "https"
        response.set_cookie(
            name, value, max_age=int(days * 86400), httponly=True, samesite="lax", secure=secure, path="/"
        )


def _token(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else ""


def address_of(request: Request) -> str:
    """The client's address; of an IPv6 address the first half, because one household has all of the rest."""
    host = request.client.host if request.client else "?"
    if ":" not in host:
        return host
    try:
        return str(ip_network((host.partition("%")[0], 64), strict=False))
    except ValueError:
        return host


def check_form(visitor: Visitor, csrf: str) -> None:
    """Refuse a form from another site."""
    if not hmac.compare_digest(csrf.encode(), visitor.csrf.encode()):
        raise HTTPException(403, "this form is too old, or from another site; reload the page and try again")


def with_query(path: str, query: Mapping[str, str], **changes: object) -> str:
    """An address with parts of its query changed; None removes a part."""
    merged = {**query, **changes}
    kept = {name: value for name, value in merged.items() if value is not None and value != ""}
    return f"{path}?{urlencode(kept)}" if kept else path
