"""Checks of a project's inputs, each with an error that names the value."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import URL

from askwise.candidate_pairs import ScoredPairs
from askwise.checks import as_number, collection, whole_number
from askwise.errors import InputError, RecordError
from askwise.evidence import Vote
from askwise.evidence.votes import checked, parts_of, side_of, told
from askwise.kinds import text_of
from askwise.labels import with_probability
from askwise.project.database import store_url
from askwise.project.folder import STORE, About
from askwise.project.store import Store
from askwise.project.values import LABELS, Settings, VoteRow
from askwise.records import Records
from askwise.tables import Table

HIDING = ("worker", "reader", "steward")
"""Roles from which fields can be hidden."""

LONGEST_NAME, LONGEST_TEXT = 200, 20_000
MOST_VOTES, LONGEST_LEASE, LARGEST_BATCH = 100, 30 * 24 * 3600, 100_000

__all__ = ["whole_number"]


def plain(what: str, value: object) -> str:
    """A short text on one line: the name of a worker, a source or a project."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"the {what} {value!r} must be a text, and not empty")
    if len(value) > LONGEST_NAME or not value.isprintable():
        shown = value if len(value) <= 60 else value[:57] + "..."
        raise InputError(f"the {what} {shown!r} must have at most {LONGEST_NAME} characters, all of them printable")
    return value


def answer(value: object) -> str:
    """yes, no or unsure."""
    if not isinstance(value, str) or value not in LABELS:
        raise InputError(f"the answer {value!r} is not yes, no or unsure")
    return value


def task_number(value: object) -> int:
    """A task's number."""
    number = whole_number("task", value, 1)
    if number >= 2**63:
        raise InputError(f"task = {value!r}: there is no such task")
    return number


def request(value: object) -> str | None:
    """The id of a request, if it has one."""
    return None if value is None else plain("request id", value)


def seconds(value: object) -> float | None:
    """How long an answer took, if known."""
    if value is None:
        return None
    number = as_number(value)
    if not 0.0 <= number < math.inf:
        raise InputError(f"seconds = {value!r} is not a number of seconds")
    return number


def probability(value: object, label: bool | None) -> float | None:
    """How likely the worker thinks the two are the same, if known; on the same side of 1/2 as the answer."""
    return None if value is None else with_probability(label, value)


def shown(value: object) -> str | None:
    """What was shown, as JSON."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) > LONGEST_TEXT or "\0" in text:
        raise InputError(f"what was shown must be a text of at most {LONGEST_TEXT} characters")
    return text


def pair(records: Records, left: object, right: object) -> tuple[str, str]:
    """A pair of known records, in the order of the database."""
    u, v = records.pair(text_of(left), text_of(right))
    one, two = str(records.ids[u]), str(records.ids[v])
    return (one, two) if one < two else (two, one)


def vote_rows(records: Records, votes: Iterable[Vote], source: str) -> list[VoteRow]:
    """Votes as rows; the first bad one is an error that names it."""
    parts = list(map(parts_of, collection("votes", votes)))
    ballots = checked(records, [Vote(text_of(one), text_of(two), who, said) for one, two, who, said in parts])
    now = time.time()
    for worker in dict.fromkeys(ballots.workers):
        plain("worker", worker)
    rows = []
    for u, v, worker, (*_, said) in zip(ballots.left, ballots.right, ballots.workers, parts, strict=True):
        one, two = str(records.ids[u]), str(records.ids[v])
        left, right = (one, two) if one < two else (two, one)
        vote = VoteRow(0, now, "vote", str(worker), left, right, side_of(said), source, probability=told(said))
        rows.append(vote)
    return rows


def known_worker(store: Store, worker: str) -> str:
    """A worker who has voted here."""
    if not any(known.name == worker for known in store.workers()):
        raise InputError(f"there is no worker {worker!r}")
    return worker


def settings(changes: dict[str, Any], known_fields: list[str]) -> dict[str, Any]:
    """Changed settings, or an error that names the first bad one."""
    names = [field.name for field in fields(Settings)]
    for name, value in changes.items():
        if name not in names:
            raise InputError(f"there is no setting {name!r}; choose from: {', '.join(names)}")
        if name in _WHOLE:
            least, most = _WHOLE[name]
            if whole_number(name, value, least) > most or isinstance(value, bool):
                raise InputError(f"{name} = {value!r}: it must be a whole number from {least} to {most}")
        elif name == "paused":
            if not isinstance(value, bool):
                raise InputError(f"{name} = {value!r} is not True or False")
        elif name == "budget":
            if value is not None and whole_number(name, value, 0) >= 2**53:
                raise InputError(f"budget = {value!r} is too large")
        elif name == "price":
            if not 0.0 <= as_number(value) < math.inf:
                raise InputError(f"price = {value!r} is not a number of at least 0")
        elif name in ("audit", "controls"):
            if not 0.0 <= as_number(value) < 1.0:
                raise InputError(f"{name} = {value!r} is not a share from 0 to below 1")
        elif name in ("currency", "instructions"):
            most = 10 if name == "currency" else LONGEST_TEXT
            if not isinstance(value, str) or len(value) > most or "\0" in value:
                raise InputError(f"{name} must be a text of at most {most} characters")
        elif name == "image_fields":
            for field in collection("image_fields", value):
                if field not in known_fields:
                    raise InputError(f"there is no field {field!r}; choose from: {', '.join(known_fields) or 'none'}")
        elif name == "hidden":
            changes = {**changes, "hidden": _hidden(value, known_fields)}
    return {name: tuple(value) if name == "image_fields" else value for name, value in changes.items()}


def _hidden(value: object, known_fields: list[str]) -> dict[str, tuple[str, ...]]:
    """Fields by the roles that cannot see them."""
    if not isinstance(value, Mapping):
        raise InputError("hidden must say for each role which fields it does not see")
    found = {}
    for role, names in value.items():
        if role not in HIDING:
            raise InputError(f"no fields are hidden from {str(role)[:40]!r}; choose from: {', '.join(HIDING)}")
        for field in collection("hidden", names):
            if field not in known_fields:
                raise InputError(f"there is no field {field!r}; choose from: {', '.join(known_fields) or 'none'}")
        found[str(role)] = tuple(names)
    return {role: names for role, names in found.items() if names}


_WHOLE = {"votes": (1, MOST_VOTES), "lease_seconds": (1, LONGEST_LEASE), "batch": (1, LARGEST_BATCH)}


def address(folder: Path, store: str | None) -> URL:
    """The address of the votes: the folder, unless another is given."""
    return store_url(store or URL.create("sqlite", database=str((folder / STORE).resolve())))


def store_of(folder: Path, about: About) -> URL:
    """The address of a project's votes; the environment may have it, with a password."""
    return address(folder, os.environ.get("ASKWISE_STORE") or about.store)


def without_password(store: str | None) -> str:
    """The part of a database's address that the folder may keep."""
    return "" if not store else store_url(store).set(password=None).render_as_string()


def pairs_among(scored: ScoredPairs, table: Table) -> ScoredPairs:
    """Scored pairs as positions in a project's records, whose ids are texts."""
    position = {record: at for at, record in enumerate(table.ids)}
    place = np.empty(len(scored.ids), np.int32)
    for at, record in enumerate(scored.ids):
        known = position.get(text_of(record))
        if known is None:
            raise RecordError(f"the pairs name the record {record!r}, which is not among the {len(table)} records")
        place[at] = known
    return ScoredPairs(table.ids, place[scored.left], place[scored.right], scored.score, scored.score_name)
