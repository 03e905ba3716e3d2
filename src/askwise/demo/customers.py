"""A made-up customer list with duplicates: the same people, typed in by different hands."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askwise.blocking import candidates
from askwise.candidate_pairs import ScoredPairs
from askwise.tables import Table

_FIRST = [
    "Amina",
    "Björn",
    "Carla",
    "Dmitri",
    "Elena",
    "Farid",
    "Greta",
    "Hiro",
    "Ines",
    "Jakub",
    "Katarzyna",
    "Liam",
    "Mei",
    "Nadia",
    "Oscar",
    "Priya",
    "Quentin",
    "Rosa",
    "Stefan",
    "Tomás",
    "Ursula",
    "Viktor",
    "Wanda",
    "Xavier",
    "Yara",
    "Zoltan",
]
_LAST = [
    "Abbott",
    "Becker",
    "Castillo",
    "Dubois",
    "Eriksen",
    "Fischer",
    "Gallagher",
    "Haddad",
    "Ivanova",
    "Jansen",
    "Kowalski",
    "Lindqvist",
    "Moreau",
    "Nakamura",
    "Okafor",
    "Petrov",
    "Quinn",
    "Rossi",
    "Sanders",
    "Tanaka",
    "Ueda",
    "Varga",
    "Whitfield",
    "Xu",
    "Yilmaz",
    "Zimmermann",
]
_STREETS = [
    "Mill Lane",
    "Harbour Street",
    "Oak Avenue",
    "Station Road",
    "Church Hill",
    "Park Row",
    "King's Parade",
    "River Walk",
]
_CITIES = ["Aberdeen", "Bergen", "Cork", "Delft", "Essen", "Florence", "Gdansk", "Helsinki"]
_SHORT = {"Street": "St.", "Avenue": "Ave", "Road": "Rd", "Lane": "Ln"}


@dataclass(frozen=True)
class Example:
    """Records with their fields, and their true owners."""

    fields: dict[str, dict[str, str]]
    gold: dict[str, int]

    @cached_property
    def table(self) -> Table:
        """The records as a table."""
        return Table.read([{"unique_id": record, **row} for record, row in self.fields.items()])

    @cached_property
    def candidates(self) -> ScoredPairs:
        """The pairs that are worth a question."""
        return candidates(self.table)


def customers(records: int = 150, people: int = 30, seed: int = 0) -> Example:
    """`records` rows about `people` people; some have many rows, and every row after the first has errors in it."""
    chance = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, people + 1) ** 0.7
    rows = 1 + chance.multinomial(records - people, shares / shares.sum())
    owners = chance.permutation(np.repeat(np.arange(people), rows))
    originals = [_person(chance) for _ in range(people)]
    seen: set[int] = set()
    fields = {}
    for number, owner in enumerate(owners.tolist()):
        original = originals[owner]
        fields[f"c{number:03d}"] = _retyped(original, chance) if owner in seen else dict(original)
        seen.add(owner)
    return Example(fields, dict(zip(fields, owners.tolist(), strict=True)))


def _person(chance: np.random.Generator) -> dict[str, str]:
    first, last = str(chance.choice(_FIRST)), str(chance.choice(_LAST))
    return {
        "name": f"{first} {last}",
        "street": f"{chance.integers(1, 200)} {chance.choice(_STREETS)}",
        "city": str(chance.choice(_CITIES)),
        "phone": f"555-{chance.integers(0, 10000):04d}",
    }


def _retyped(person: dict[str, str], chance: np.random.Generator) -> dict[str, str]:
    """A person typed in again: initials, abbreviations, typing errors, a missing field."""
    first, last = person["name"].split(" ", 1)
    names = [f"{first} {last}", f"{first[0]}. {last}", f"{last}, {first}", f"{first} {last}".lower()]
    street = person["street"]
    for long, short in _SHORT.items():
        if chance.random() < 0.5:
            street = street.replace(long, short)
    row = {**person, "name": str(chance.choice(names)), "street": street}
    for field in ("name", "street", "phone"):
        if chance.random() < 0.35:
            row[field] = _slip(row[field], chance)
    if chance.random() < 0.25:
        row[str(chance.choice(["city", "phone"]))] = ""
    return row


def _slip(text: str, chance: np.random.Generator) -> str:
    """Two neighbouring characters swapped, or one missing, or one doubled."""
    at = int(chance.integers(0, len(text) - 1))
    swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return (swapped, text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:])[int(chance.integers(0, 3))]
