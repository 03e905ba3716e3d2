"""People with addresses, some of them twice or more often, with the slips of those who type them in."""

from __future__ import annotations

import random
from itertools import accumulate

from askwise.tables import Table

_BEGINNINGS = (*"bcdfghjklmnprstvwz", "br", "ch", "fr", "gr", "kl", "pr", "sch", "st", "tr")
_MIDDLES = (*"aeiou", "ai", "au", "ea", "ei", "ie", "oo", "ou")
_ENDINGS = (*"lmnrstx", "ck", "ll", "nd", "ng", "rd", "rt", "ss", "tt")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIELDS = ("given_name", "surname", "birth_date", "street", "city", "postcode", "phone")


class Names:
    """Made-up words, some much more frequent than others (rank r as often as 1 / r)."""

    def __init__(self, chance: random.Random, count: int, syllables: int, ending: str = "") -> None:
        words: dict[str, None] = {}
        while len(words) < count:
            parts = "".join(chance.choice(_BEGINNINGS) + chance.choice(_MIDDLES) for _ in range(syllables))
            words[(parts + chance.choice(_ENDINGS)).capitalize() + ending] = None
        self._words = list(words)
        self._sums = list(accumulate(1 / (rank + 10) for rank in range(count)))

    def draw(self, chance: random.Random, k: int) -> list[str]:
        return chance.choices(self._words, cum_weights=self._sums, k=k)


def made_people(records: int, seed: int = 0) -> tuple[Table, list[int]]:
    """A table, and for each record the person it describes; about 70 persons in 100 records."""
    chance = random.Random(seed)
    given = Names(chance, 2_000, 1).draw(chance, records)
    surname = Names(chance, 50_000, 2).draw(chance, records)
    street = Names(chance, 20_000, 2, " Street").draw(chance, records)
    city = Names(chance, 2_000, 2, "ton").draw(chance, records)
    columns: dict[str, list[str | None]] = {name: [] for name in FIELDS}
    persons: list[int] = []
    originals: list[list[str]] = []
    for at in range(records):
        if originals and chance.random() < 0.3:
            person = chance.randrange(max(0, len(originals) - 1_000_000), len(originals))
            row = _copied(originals[person], chance)
        else:
            person = len(originals)
            original = [
                given[at],
                surname[at],
                f"{chance.randrange(1930, 2010)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
                f"{chance.randrange(1, 300)} {street[at]}",
                city[at],
                f"{sum(map(ord, city[at])) % 90 + 10}{chance.randrange(1000):03}",
                f"0{chance.randrange(10**8, 10**9)}",
            ]
            originals.append(original)
            row = [value if chance.random() < 0.9 else None for value in original]
            row[1] = original[1]
        persons.append(person)
        for name, value in zip(FIELDS, row, strict=True):
            columns[name].append(value)
    return Table.read({"unique_id": list(range(records)), **columns}), persons


def _copied(original: list[str], chance: random.Random) -> list[str | None]:
    """The same person once more: up to three slips, moved house or not, things left out."""
    row: list[str | None] = list(original)
    for _ in range(chance.randrange(4)):
        field = chance.randrange(len(row))
        row[field] = _slip(str(original[field]), chance)
    if chance.random() < 0.2:
        row[0] = original[0][0] + "."
    if chance.random() < 0.05:
        row[0], row[1] = row[1], row[0]
    if chance.random() < 0.1:
        row[6] = f"0{chance.randrange(10**8, 10**9)}"
    for field in range(2, len(row)):
        if chance.random() < 0.15:
            row[field] = None
    return row


def _slip(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    kind = chance.randrange(4)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + chance.choice(_LETTERS) + text[at:]
    if kind == 2:
        return text[:at] + chance.choice(_LETTERS) + text[at + 1 :]
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
