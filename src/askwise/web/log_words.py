"""The log in words: what was done, as far as someone who does not see all fields may know."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from askwise.plurals import plural
from askwise.project.edits import EDITS, REDO, REVIEWS, UNDO
from askwise.project.events import Event

_MOST = 4
_REVIEWED = {"approve": "Approved", "review": "Took in review", "ask": "Sent to the crowd", "reset": "Reset to new"}
_PREFERRED = {"golden": "rules of golden records", "views": "saved views"}


def as_seen(event: Event, name: str, hidden: Collection[str]) -> Event:
    """An event without values of hidden fields, and without what others look for, which might have such values."""
    data = event.data
    of_hidden = event.kind == "value" and data["field"] in hidden
    of_others = event.kind == "prefer" and bool(hidden) and event.person != name
    return replace(event, data={**data, "value": "hidden"}) if of_hidden or of_others else event


def in_words(event: Event, hidden: Collection[str]) -> str:
    """What was done."""
    data = event.data
    if event.kind in EDITS:
        return text_of(event.kind, data["groups"])
    if event.kind in REVIEWS:
        firsts = listed([group[0] for group in data["groups"]])
        return f"{_REVIEWED[event.kind]} {plural(len(data['groups']), 'cluster')}: those with {firsts}"
    if event.kind in (UNDO, REDO):
        return f"{'Undid' if event.kind == UNDO else 'Redid'} {data['edit']}"
    if event.kind == "comment":
        return f"Comment on {_on(data['on'])}: {data['text']}"
    if event.kind == "assign":
        return f"Assigned {listed([_on(one) for one in data['on']])} to {data['to'] or 'no one'}"
    if event.kind == "questions":
        pairs = listed([" and ".join(pair) for pair in data["pairs"]])
        return f"Assigned {pairs} to {data['to']}, as questions" if data["to"] else f"Anyone may be asked about {pairs}"
    if event.kind == "value":
        return _value(data, hidden)
    return _managed(event)


def text_of(kind: str, groups: Sequence[Sequence[str]]) -> str:
    """An edit in words."""
    sizes = listed([f"{len(group):,}" for group in groups])
    records = [record for group in groups for record in group]
    some = listed(records)
    if kind == "decide":
        return f"Decided: {' and '.join(records)} are {'the same' if len(groups) == 1 else 'different'}"
    if kind == "split":
        return f"Split into groups of {sizes} records: {some}"
    if kind == "join":
        return f"Joined {plural(len(records), 'record')}: {some}"
    if kind == "move":
        return f"Moved records; the groups have {sizes} records now: {some}"
    return f"Locked {plural(len(groups), 'cluster')}: {some}"


def _value(data: dict[str, Any], hidden: Collection[str]) -> str:
    """A value of a golden record."""
    field, where = data["field"], f"in the golden record of {listed(data['records'])}"
    if field in hidden:
        return f"Changed {field} {where}"
    return f"Removed {field} {where}" if data["value"] is None else f"Set {field} to “{data['value']}” {where}"


def _managed(event: Event) -> str:
    """What was done to people, links, settings and rules."""
    data = event.data
    match event.kind:
        case "person" if data.get("ended"):
            return f"Removed the access of {data['name']}"
        case "person" if data.get("password"):
            return f"Set the password of {data['name']}"
        case "person":
            return f"Made {data['name']} a {data['role']}"
        case "invite":
            return f"Made link {data['id']} for {data['name'] or data['note'] or 'many'}, as a {data['role']}"
        case "revoke":
            return f"Revoked link {data['id']}"
        case "exclude" | "include":
            return f"{'Excluded' if event.kind == 'exclude' else 'Included'} the votes of {data['worker']}"
        case "prefer":
            return f"Changed the {_PREFERRED.get(data['name'], data['name'])} of {data['for'] or 'the project'}"
        case "rules":
            done = [f"{name} {', '.join(data[name])}" for name in ("added", "withdrawn") if data[name]]
            return f"Rules: {'; '.join(done) or 'no change'}"
        case "settings":
            said = [f"{name.replace('_', ' ')} is {_plainly(value)}" for name, value in data.items()]
            return f"Settings: {'; '.join(said)}"
    return f"{event.kind}: {json.dumps(data, ensure_ascii=False)[:300]}"


def _plainly(value: object) -> str:
    """A setting."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict):
        return ", ".join(f"{', '.join(names)} for {role}s" for role, names in value.items() if names) or "nothing"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    return "not set" if value in (None, "") else str(value)[:100]


def listed(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    shown = list(names[:_MOST])
    if len(names) > _MOST:
        return f"{', '.join(shown)} and {len(names) - _MOST:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def _on(name: str) -> str:
    return name.replace("\t", " and ")
