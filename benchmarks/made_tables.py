"""Made-up tables to try a start on: people, goods or their variants, few or many duplicates, large entities, junk."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from made_people import FIELDS, Names, _copied

from askwise.tables import Table

Row = list[str | None]


@dataclass(frozen=True)
class Made:
    """How a table is made: what it is about, its records, the share that repeat another, and the largest entity."""

    about: str
    records: int
    repeated: float
    largest: int
    junk: bool = False

    @property
    def name(self) -> str:
        """Its name in figures."""
        size = "pairs" if self.largest == 2 else f"up to {self.largest}"
        return f"{self.about}, {self.repeated:.0%} repeated, {size}{', junk' if self.junk else ''}"


EVERY = (
    *(
        Made(about, 1_000, repeated, largest)
        for about in ("people", "goods")
        for repeated, largest in ((0.02, 2), (0.1, 2), (0.5, 2), (0.5, 20))
    ),
    *(Made("variants", 1_000, repeated, largest) for repeated, largest in ((0.1, 2), (0.5, 2), (0.7, 10))),
    Made("people", 1_000, 0.1, 2, True),
    Made("goods", 1_000, 0.5, 2, True),
)


def made_table(made: Made, seed: int = 0) -> tuple[Table, dict[object, int]]:
    """A table, and the entity of each record."""
    chance = random.Random(seed)
    repeats = round(made.records * made.repeated)
    originals, copy = {"people": _people, "goods": _goods, "variants": _variants}[made.about](
        made.records - repeats, chance
    )
    entity = list(range(len(originals)))
    sizes = [1] * len(originals)
    while len(entity) < made.records:
        one = chance.randrange(len(originals)) if made.largest == 2 else int(len(originals) * chance.random() ** 3)
        if sizes[one] < made.largest:
            sizes[one] += 1
            entity.append(one)
    seen: set[int] = set()
    rows: list[Row] = []
    for one in entity:
        rows.append(copy(originals[one], chance) if one in seen else list(originals[one]))
        seen.add(one)
    order = chance.sample(range(len(entity)), len(entity))
    names = {"people": FIELDS, "goods": ("title", "maker", "price"), "variants": ("title", "description", "price")}[
        made.about
    ]
    columns: dict[str, list[object]] = {name: [rows[at][n] for at in order] for n, name in enumerate(names)}
    if made.junk:
        columns |= junk(len(entity), chance)
    table = Table.read({"unique_id": [f"r{at}" for at in range(len(entity))], **columns})
    return table, {record: entity[at] for record, at in zip(table.ids, order, strict=True)}


def junk(records: int, chance: random.Random) -> dict[str, list[object]]:
    """Ten columns that tell nothing: noise, ids, constants, and text that is mostly missing."""
    words = Names(chance, 300, 2).draw(chance, 8 * records)
    return {
        "row_id": [f"ID-{chance.randrange(10**9):09}" for _ in range(records)],
        "serial": list(range(1, records + 1)),
        "hash": [f"{chance.getrandbits(64):016x}" for _ in range(records)],
        "status": ["active"] * records,
        "batch": [chance.choice(["A", "B", "C"]) for _ in range(records)],
        "random": [round(chance.random(), 4) for _ in range(records)],
        "updated": [f"2024-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}" for _ in range(records)],
        "comment": [" ".join(words[8 * at : 8 * at + 6]) for at in range(records)],
        "note": [words[8 * at + 6] if chance.random() < 0.05 else None for at in range(records)],
        "source_file": [f"import of {words[8 * (at // 100) + 7]} for review.csv" for at in range(records)],
    }


def _people(count: int, chance: random.Random) -> tuple[list[list[str]], Callable[[list[str], random.Random], Row]]:
    """Persons, as in made_people."""
    given, surname = Names(chance, 200, 1).draw(chance, count), Names(chance, 1_000, 2).draw(chance, count)
    street, city = (
        Names(chance, 300, 2, " Street").draw(chance, count),
        Names(chance, 50, 2, "ton").draw(chance, count),
    )
    return [
        [
            given[at],
            surname[at],
            f"{chance.randrange(1930, 2010)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
            f"{chance.randrange(1, 300)} {street[at]}",
            city[at],
            f"{sum(map(ord, city[at])) % 90 + 10}{chance.randrange(1000):03}",
            f"0{chance.randrange(10**8, 10**9)}",
        ]
        for at in range(count)
    ], _copied


def _goods(count: int, chance: random.Random) -> tuple[list[list[str]], Callable[[list[str], random.Random], Row]]:
    """Goods of a few makers and kinds; each kind comes in models that differ by a code and a size."""
    makers, kinds = Names(chance, 30, 2).draw(chance, count), Names(chance, 60, 2).draw(chance, count)
    extras = Names(chance, 150, 1).draw(chance, 3 * count)
    found = []
    for at in range(count):
        code = f"{chance.choice('ABCDEFGH')}{chance.choice('KLMNP')}{chance.randrange(100, 1000)}"
        title = f"{makers[at]} {kinds[at]} {code} {chance.choice([10, 12, 15, 20, 32, 40])} inch " + " ".join(
            extras[3 * at : 3 * at + 3]
        )
        found.append([title, makers[at], f"{chance.randrange(10, 900)}.99"])
    return found, _offered


def _offered(original: list[str], chance: random.Random) -> Row:
    """Another shop's offer: words left out, added or in another order, another price, the maker not always named."""
    words = [word for word in original[0].split() if chance.random() < 0.85]
    if chance.random() < 0.3:
        chance.shuffle(words)
    if chance.random() < 0.4:
        words.append(chance.choice(["new", "black", "silver", "refurbished", "pack"]))
    price = f"{float(original[2]) * chance.uniform(0.85, 1.15):.2f}" if chance.random() < 0.7 else None
    return [" ".join(words) or original[0], original[1] if chance.random() < 0.5 else None, price]


def _variants(count: int, chance: random.Random) -> tuple[list[list[str]], Callable[[list[str], random.Random], Row]]:
    """Goods of one shop in up to eight variants each, alike but for a colour and a code; another shop words it anew."""
    makers, kinds = Names(chance, 25, 2), Names(chance, 40, 2)
    words = Names(chance, 400, 2)
    found: list[list[str]] = []
    while len(found) < count:
        maker, kind, extra = makers.draw(chance, 1)[0], kinds.draw(chance, 1)[0], words.draw(chance, 3)
        said, letters = words.draw(chance, 8), "".join(chance.choice("ABCDEFGHKLMNPRST") for _ in range(3))
        number, price = chance.randrange(10, 9_999), chance.uniform(20, 900)
        for _ in range(min(chance.randrange(1, 9), count - len(found))):
            number += chance.choice([1, 5, 10])
            colour, code = chance.choice(["black", "white", "silver", "red", "blue"]), f"{letters}{number}"
            title = " ".join([maker, colour, *extra, kind, code])
            found.append([title, " ".join([*said, colour]), f"{price * chance.uniform(0.8, 1.3):.2f}"])

    def offered(original: list[str], chance: random.Random) -> Row:
        maker, colour, *extra, kind, code = original[0].split()
        code = f"{code[:3]}-{code[3:]}" if chance.random() < 0.4 else code
        title = [maker, *([code] if chance.random() < 0.85 else []), *(word for word in extra if chance.random() < 0.7)]
        title += [kind, *([colour] if chance.random() < 0.5 else [])]
        said = " ".join(words.draw(chance, 4)) if chance.random() < 0.6 else None
        price = f"{float(original[2]) * chance.uniform(0.93, 1.07):.2f}" if chance.random() < 0.6 else None
        return [" ".join(title), said, price]

    return found, offered
