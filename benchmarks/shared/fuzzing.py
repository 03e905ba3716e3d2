"""Requests by chance to every operation and every page, as people of each role."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import requests
import schemathesis
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import Unsatisfiable
from requests.adapters import HTTPAdapter
from schemathesis import GenerationMode
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from askwise.project import Project
from askwise.web.access import Access
from askwise.web.answer_page import work_pages
from askwise.web.api import interface
from askwise.web.hooks import hooks
from askwise.web.metrics import Observed
from askwise.web.monitoring_routes import watching
from askwise.web.owner import owner_pages
from askwise.web.site import Site
from shared.served import TOKEN, Client

ROLES = ("owner", "steward", "reader", "worker", "stranger")
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
_LAST = "/logout"
# A record may be unknown in good data too; what is unknown in a query is ignored; the token is always sent.
_NOT_OURS = [positive_data_acceptance, negative_data_rejection, ignored_auth]


@dataclass
class Found:
    """How many requests were made, what they were answered, and what is wrong, each once."""

    requests: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)


def descriptions(project: Project) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the interface says of itself, and the same for all other routes."""
    site = Site(project, Access(project, None, TOKEN), "http://127.0.0.1")
    pages = FastAPI()
    observed = Observed(pages)
    for router in (work_pages(site), owner_pages(site), hooks(site), watching(site, observed)):
        pages.router.routes += _described(router)
    return interface(site).openapi(), pages.openapi()


def links(project: Project) -> dict[str, str]:
    """The secrets of links for people with roles."""
    access = Access(project, None, TOKEN)
    roles: tuple[Literal["steward", "reader"], ...] = ("steward", "reader")
    return {role: access.new_invite(f"one {role}", "", role=role)[1] for role in roles}


def _described(router: APIRouter) -> Iterator[APIRoute]:
    for route in router.routes:
        if isinstance(route, APIRoute):
            route.include_in_schema = True
            yield route
        elif hasattr(route, "original_router"):
            yield from _described(route.original_router)


class _From(HTTPAdapter):
    """Requests that come from an address."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *given: Any, **named: Any) -> None:
        super().init_poolmanager(*given, source_address=(self._address, 0), **named)


class Visitor:
    """Someone in a role, with a token and cookies, and the values that requests of theirs may really name."""

    def __init__(self, role: str, port: int, records: Iterable[str], links: Mapping[str, str], robot: str) -> None:
        self.role, self.address = role, f"http://127.0.0.1:{port}"
        self.session = requests.Session()
        owner = Client(port, TOKEN)
        made = [owner.call("POST", "/api/invites", {"worker": name})[1] for name in (robot, None)]
        secrets = [invite["secret"] for invite in made]
        self.token = {"owner": TOKEN, "worker": secrets[0], **links}.get(role, "no-token-of-ours")
        taken = [owner.call("POST", "/api/tasks", {"worker": name})[1] for name in (robot, f"{robot} too")]
        tasks = [task["id"] for task in taken if task] or [1]  # none, if the project is paused by now
        clusters = [row["id"] for row in owner.call("GET", "/api/clusters?limit=5")[1]["clusters"]]
        owner.close()
        self._enter()
        ids = list(records)
        self.real: dict[str, list[Any]] = {
            **dict.fromkeys(("task", "beside", "shown"), tasks),
            **dict.fromkeys(("left", "right", "record", "id"), ids),
            **dict.fromkeys(("cluster", "number"), clusters),
            "worker": [robot, f"{robot} too"],
            "invite": [invite["id"] for invite in made],
            "secret": secrets,
            "csrf": [self._csrf()],
            "name": ["clusters.csv", "votes.parquet", "clusters.json", "report.html", "labels.csv", "Zoë"],
            "members": ids,
            "groups": [[ids[:2]], [ids[:1], ids[1:2]], [ids[:1], ids[2:5]], [ids]],
            "clusters": [clusters[:1], clusters[:3]],
            "pair": [ids[:2], ids[2:4]],
            "edit": [1, 2, 3],
            "kind": ["split", "join", "move", "decide", "lock", "undo", "redo", "approve", "reset"],
            "field": ["name", "city"],
            "password": ["wrong password"],
        }

    def _enter(self) -> None:
        if self.role == "owner":
            self.session.post(f"{self.address}/login", {"password": TOKEN}, timeout=60)
        elif self.role != "stranger":
            self.session.get(f"{self.address}/join/{self.token}", timeout=60)
        assert bool(self.session.cookies) == (self.role != "stranger"), "the visitor was not let in"

    def _csrf(self) -> str:
        page = {"worker": "/work", "stranger": "/login"}.get(self.role, "/settings")
        found = re.search(r'name="csrf" value="([^"]+)"', self.session.get(self.address + page, timeout=60).text)
        return found[1] if found else "none"

    def move(self, chance: random.Random) -> None:
        """Come from another address now and then, or the rates of one address would end most requests."""
        if chance.random() > 0.2:
            return
        self.session.get_adapter(self.address).close()
        self.session.mount(self.address, _From(f"127.{chance.randrange(1, 255)}.{chance.randrange(256)}.1"))

    def made_real(self, case: schemathesis.Case[Any], chance: random.Random) -> None:
        """Put real values in the place of half of those that could be; of a form's token nearly always."""
        for part in (case.path_parameters, case.query, case.body):
            if isinstance(part, dict):
                for name in part.keys() & self.real.keys():
                    if chance.random() < (0.95 if name == "csrf" else 0.5):
                        real = chance.choice(self.real[name])
                        part[name] = json.dumps(real) if isinstance(part[name], str) and name == "groups" else real


@cache
def _operations(description: str) -> list[Any]:
    """The operations of a description; as long as they are kept, schemathesis keeps how it makes requests."""
    schema = schemathesis.openapi.from_dict(json.loads(description))
    return [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]


def fuzz(visitor: Visitor, description: dict[str, Any], mode: GenerationMode, examples: int, seed: int) -> Found:
    """Call every operation; the description of the interface has to hold, and no page may fail."""
    found, chance = Found(), random.Random(seed)
    operations = list(_operations(json.dumps(description)))
    chance.shuffle(operations)
    for operation in sorted(operations, key=lambda one: one.path == _LAST):

        @seeded(seed)
        @settings(
            max_examples=examples,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            deadline=None,
            database=None,
        )
        @given(operation.as_strategy(generation_mode=mode))
        def call(case: schemathesis.Case[Any]) -> None:
            _call(visitor, case, chance, found)

        with suppress(Unsatisfiable):  # nothing can be wrong about a request without parameters
            call()
    return found


def _call(visitor: Visitor, case: schemathesis.Case[Any], chance: random.Random, found: Found) -> None:
    visitor.made_real(case, chance)
    visitor.move(chance)
    label = f"{visitor.role}: {case.operation.label}"
    headers = {"authorization": f"Bearer {visitor.token}"}
    try:
        answer = case.call(visitor.address, visitor.session, headers, allow_redirects=False, timeout=60)
    except requests.exceptions.InvalidHeader:
        return  # nothing was sent
    found.requests += 1
    found.statuses[answer.status_code] += 1
    try:
        if answer.status_code >= 500:
            raise AssertionError(f"{answer.status_code}: {answer.text[:300]}")
        if case.path.startswith("/api/"):
            case.validate_response(answer, excluded_checks=_NOT_OURS)
    except (Failure, FailureGroup, AssertionError) as wrong:
        found.wrong.setdefault(label, f"{wrong}\n{case.as_curl_command()}")
