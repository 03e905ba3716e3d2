"""Keyboard shortcuts: what each does, and how people change them or switch them off. The browser keeps the choice."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from askwise.errors import InputError

COOKIE = "askwise_keys"
OFF = "off"

WORKER = {"yes": ("Yes, the same", "y"), "no": ("No, different", "n"), "unsure": ("Unsure", "u")}
WORKER["undo"] = ("Undo my last answer", "z")
STEWARD = {
    "next": ("Next cluster or page", "j"),
    "previous": ("Previous cluster or page", "k"),
    "approve": ("Approve the cluster", "a"),
    "review": ("Mark it as in review", "r"),
    "ask": ("Not sure, ask the crowd", "c"),
    "lock": ("Lock the cluster", "l"),
    "group": ("Put the ticked records in a new group", "g"),
    "split": ("Preview the split", "s"),
    "move": ("Move the ticked records", "m"),
    "join": ("Join with another cluster", "o"),
    "search": ("Search", "/"),
    "confirm": ("Make the edit that is previewed", "e"),
    "turn": ("Undo or redo the latest edit of the cluster", "u"),
    "back": ("Undo my last step", "z"),
    "forth": ("Redo my last step", "y"),
}


def of_role(role: str) -> dict[str, tuple[str, str]]:
    """The names of a role's keys, each with what it does and its default."""
    return WORKER if role == "worker" else STEWARD


def chosen(cookie: str | None, role: str) -> dict[str, str]:
    """The keys of a visitor; none if switched off. Unknown entries in the cookie are ignored."""
    if cookie == OFF:
        return {}
    changed = _changed(cookie)
    keys = {name: changed.get(name, default) for name, (_, default) in of_role(role).items()}
    return {name: key for name, key in keys.items() if key}


def packed(form: Mapping[str, str], role: str, cookie: str | None) -> str:
    """The cookie for the given keys; an error if one is not a key, or does two things."""
    changed, seen = _changed(cookie), dict[str, str]()
    for name, (label, default) in of_role(role).items():
        key = form.get(name, default).strip().lower()
        if not _is_key(key):
            raise InputError(f"{label}: {key[:10]!r} is not a single letter or sign")
        if key.isdigit():
            raise InputError(f"{label}: a digit puts ticked records into the group of that number; choose another key")
        if key and key in seen:
            raise InputError(f"the key {key!r} is given twice: for {seen[key]!r} and for {label!r}")
        seen[key] = label
        changed[name] = key
    return urlencode({name: key for name, key in changed.items() if key != {**STEWARD, **WORKER}[name][1]})


def _changed(cookie: str | None) -> dict[str, str]:
    found = parse_qsl((cookie or "")[:2000], keep_blank_values=True)
    return {name: key for name, key in found if (name in STEWARD or name in WORKER) and _is_key(key)}


def _is_key(text: str) -> bool:
    return text == "" or (len(text) == 1 and text.isprintable() and not text.isspace())
