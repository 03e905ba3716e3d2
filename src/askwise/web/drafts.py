"""A split in preparation: which record goes to which group. The form carries it from page to page."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from askwise.errors import InputError
from askwise.json_text import from_json

STAYS = 1


@dataclass(frozen=True, slots=True)
class Draft:
    """The records that leave group 1, with the numbers of their groups, and the ticked records."""

    groups: dict[str, int] = field(default_factory=dict)
    ticked: frozenset[str] = frozenset()

    def group(self, record: str) -> int:
        """The number of a record's group."""
        return self.groups.get(record, STAYS)

    @property
    def numbers(self) -> list[int]:
        """The groups in use, except the first."""
        return sorted(set(self.groups.values()))

    def put(self, records: Collection[str], number: int) -> Draft:
        """The draft with some records in a group, and nothing ticked."""
        groups = {**self.groups, **dict.fromkeys(records, number)}
        return Draft({record: at for record, at in groups.items() if at != STAYS})

    @property
    def free(self) -> int:
        """The lowest number that no group has."""
        return next(at for at in range(STAYS + 1, len(self.groups) + 3) if at not in set(self.numbers))

    def lists(self) -> list[list[str]]:
        """The groups as an edit takes them."""
        return [[record for record, at in self.groups.items() if at == number] for number in self.numbers]

    def packed(self, without: Collection[str] = ()) -> str:
        """The groups of all records that are not on this page of the form."""
        return json.dumps({record: at for record, at in self.groups.items() if record not in without})


def draft_of(
    members: Sequence[str], shown: Sequence[str], groups: Sequence[str], packed: str, ticked: Sequence[str]
) -> Draft:
    """The draft in a form: the groups of the records on the page, those of the others, and the ticks."""
    known = set(members)
    if len(shown) != len(groups):
        raise InputError(f"the form names {len(shown):,} records, but {len(groups):,} groups; reload the page")
    try:
        said = from_json(packed) if packed else {}
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise InputError("the draft in this form cannot be read; reload the page")
    said |= dict(zip(shown, groups, strict=True))
    for record in (*said, *ticked):
        if record not in known:
            raise InputError(f"record {record!r} is not in this cluster any more; reload the page")
    return Draft(
        {record: at for record, text in said.items() if (at := _number(record, text, len(known))) != STAYS},
        frozenset(ticked),
    )


def _number(record: str, text: object, most: int) -> int:
    if isinstance(text, str):
        number = int(text) if re.fullmatch("[0-9]{1,9}", text) else 0
    else:
        number = text if isinstance(text, int) else 0
    if not STAYS <= number <= most:
        raise InputError(f"record {record!r}: group {str(text)[:20]!r} is not a whole number from 1 to {most:,}")
    return number
