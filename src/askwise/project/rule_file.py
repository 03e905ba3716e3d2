"""rules.json in a project's folder. The number of a rule is never given to another."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from askwise.errors import ProjectError, RuleError
from askwise.json_text import from_json
from askwise.kinds import text_of
from askwise.project.folder import RULES, write_text
from askwise.rules import PAIRS, Rule, as_rules
from askwise.sources import first_line


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Rules by number, and the next free number."""

    numbered: tuple[tuple[int, Rule], ...] = ()
    following: int = 1

    @property
    def rules(self) -> list[Rule]:
        """The rules."""
        return [rule for _, rule in self.numbered]

    def with_more(self, rules: Iterable[Any]) -> RuleBook:
        """A copy with further rules; a rule by field that is there already is not added again."""
        known = {rule.name for rule in self.rules if rule.kind != PAIRS}
        new = [_with_text_ids(rule) for rule in as_rules(rules) if rule.kind == PAIRS or rule.name not in known]
        more = tuple(enumerate(new, self.following))
        return RuleBook((*self.numbered, *more), self.following + len(more))

    def without(self, numbers: Collection[int]) -> RuleBook:
        """A copy without some rules."""
        known = [number for number, _ in self.numbered]
        for number in numbers:
            if number not in known:
                held = ", ".join(map(str, known)) or "none"
                raise RuleError(f"there is no rule {number}; the rules that hold are: {held}")
        return replace(self, numbered=tuple(one for one in self.numbered if one[0] not in numbers))


def read_book(folder: Path) -> RuleBook:
    """Read the rules of the project in a folder."""
    path = folder / RULES
    if not path.exists():
        return RuleBook()
    try:
        found = from_json(path.read_text(encoding="utf-8"))
        numbered = tuple((int(one["number"]), _rule(one)) for one in found["rules"])
        return RuleBook(numbered, int(found["following"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ProjectError(f"cannot read {path}: {first_line(error)}") from None


def write_book(folder: Path, book: RuleBook) -> None:
    """Write them atomically."""
    rules = [
        {"number": number, "rule": rule.name} | ({"pairs": rule.pairs} if rule.kind == PAIRS else {})
        for number, rule in book.numbered
    ]
    write_text(folder / RULES, json.dumps({"following": book.following, "rules": rules}, ensure_ascii=False, indent=1))


def _rule(plain: dict[str, Any]) -> Rule:
    if "pairs" not in plain:
        return as_rules([plain["rule"]])[0]
    pairs = tuple((str(left), str(right), same is True) for left, right, same in plain["pairs"])
    return Rule(PAIRS, str(plain["rule"]), pairs)


def _with_text_ids(rule: Rule) -> Rule:
    return replace(rule, pairs=tuple((text_of(left), text_of(right), same) for left, right, same in rule.pairs))
