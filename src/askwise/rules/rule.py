"""Rules as people write them, in texts, tuples and files.

Rules by field hold for all records: `equal:isbn` (the same if both have one and they are equal), `differs:country`
(different if both have one and they differ), `no-duplicates:crm` (no two records of the source crm are the same). Rules
by pair name two records that are the same, or different. Values are compared trimmed and regardless of case.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from askwise.checks import collection
from askwise.errors import RuleError
from askwise.kinds import present
from askwise.labels import label_of
from askwise.pair_tables import LEFT, RIGHT
from askwise.sources import open_source

EQUAL, DIFFERS, NO_DUPLICATES, PAIRS = "equal", "differs", "no-duplicates", "pairs"
_FORMS = (
    f"{EQUAL}:FIELD, {DIFFERS}:FIELD, {NO_DUPLICATES}:SOURCE, a file of pairs, or a pair (left, right, same or not)"
)
DECISION = "decision"
"""What stands for a rule's name where a person has decided."""

_LABEL = "label"

Pair = tuple[Hashable, Hashable, bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: it holds in every clustering, whatever the votes say.

    Parameters
    ----------
    kind : str
        "differs", "equal", "no-duplicates" or "pairs".
    field : str
        The field, or the source, or for pairs a name.
    pairs : tuple
        Tuples (left, right, same), for the kind "pairs".

    Examples
    --------
    >>> from askwise import Rule
    >>> Rule("differs", "country").name
    'differs:country'
    """

    kind: str
    field: str = ""
    pairs: tuple[Pair, ...] = ()

    @property
    def name(self) -> str:
        """What explanations call the rule."""
        if self.kind != PAIRS:
            return f"{self.kind}:{self.field}"
        return self.field or "pairs"


def read_rules(source: Any, name: str | None = None) -> Rule:
    """Read pairs that are known to be the same or different.

    Parameters
    ----------
    source
        Anything that `Table.read` takes, with the columns `unique_id_l`, `unique_id_r` and `label` (1 or 0, or words
        such as same and different).
    name : str, optional
        What explanations call the rule; by default the name of the file.

    Returns
    -------
    Rule

    Raises
    ------
    InputError
        If a row lacks an id or a label.

    Examples
    --------
    >>> from askwise import read_rules
    >>> read_rules([{"unique_id_l": "a", "unique_id_r": "b", "label": 0}]).pairs
    (('a', 'b', False),)
    """
    opened = open_source(source)
    for column in (LEFT, RIGHT, _LABEL):
        opened.need(column, f"Rules need {LEFT}, {RIGHT} and {_LABEL} (1: the same, 0: different).")
    pairs = []
    for at, (left, right, said) in enumerate(zip(*opened.load([LEFT, RIGHT, _LABEL]), strict=True)):
        answer = label_of(opened, at, said)
        if answer is None:
            raise RuleError(f"{opened.row(at)}: a rule must say whether the two are the same (1) or not (0)")
        if present(left) is None or present(right) is None:
            raise RuleError(f"{opened.row(at)}: {LEFT} or {RIGHT} is missing")
        pairs.append((present(left), present(right), answer))
    if name is None:
        name = Path(source).name if isinstance(source, str | PathLike) else ""
    return Rule(PAIRS, name, tuple(pairs))


def as_rules(rules: Iterable[Any]) -> list[Rule]:
    """Parse rules: texts, paths of files with pairs, pairs, or `Rule` objects."""
    found: list[Rule] = []
    pairs: list[Pair] = []
    for item in collection("rules", rules):
        if isinstance(item, Rule):
            found.append(item)
        elif isinstance(item, str) and item.partition(":")[0] in (EQUAL, DIFFERS, NO_DUPLICATES):
            kind, _, field = item.partition(":")
            if not field:
                raise RuleError(f"the rule {item!r} names no field; rules are: {_FORMS}")
            found.append(Rule(kind, field))
        elif isinstance(item, PathLike) or (isinstance(item, str) and Path(item).suffix):
            found.append(read_rules(item))
        elif isinstance(item, tuple | list) and len(item) == 3 and isinstance(item[2], bool):
            pairs.append((item[0], item[1], item[2]))
        else:
            raise RuleError(f"{item!r} is not a rule; rules are: {_FORMS}")
    return [*found, Rule(PAIRS, "", tuple(pairs))] if pairs else found
