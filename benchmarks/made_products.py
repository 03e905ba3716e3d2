"""Products as shops list them: some by a hundred shops, most by a few, each in words of the shop's own."""

from __future__ import annotations

import random

from made_people import Names

from askwise.tables import Table

FEATURES, WORDS, BRANDS = 300, 3_000, 30
LARGEST = 150


def made_products(records: int, seed: int = 0) -> tuple[Table, list[int]]:
    """A table, and for each record the product it describes; one product in x has x ** 1.4 records or more."""
    chance = random.Random(seed)
    brands = Names(chance, BRANDS, 1).draw(chance, 1000)
    features = Names(chance, FEATURES, 1)
    words = Names(chance, WORDS, 2)
    rows: list[dict[str, object]] = []
    product: list[int] = []
    number = 0
    while len(rows) < records:
        brand, line = chance.choice(brands), features.draw(chance, 1)[0]
        model = f"{chance.choice('ABCDEFGHKMSX')}{chance.choice('ADFLPRTZ')}{chance.randrange(10, 1000)}"
        known = features.draw(chance, 6)
        for _ in range(min(int(chance.paretovariate(0.7)), LARGEST)):
            parts = (
                [brand, line, _spelled(model, chance)] if chance.random() < 0.8 else [brand, _spelled(model, chance)]
            )
            parts += chance.sample(known, chance.randrange(2, 7))
            chance.shuffle(parts)
            about = words.draw(chance, chance.randrange(5))
            rows.append({"title": " ".join(parts), "about": " ".join(about) or None})
            product.append(number)
        number += 1
    order = list(range(len(rows)))
    chance.shuffle(order)
    order = order[:records]
    return Table.read([{"unique_id": at, **rows[was]} for at, was in enumerate(order)]), [product[was] for was in order]


def _spelled(model: str, chance: random.Random) -> str:
    """A model's code with or without a sign between letters and digits, or none of its letters."""
    return chance.choice([model, f"{model[:2]}-{model[2:]}", f"{model[:2]} {model[2:]}", model[1:]])
