"""Records with fields for rules, and whether a resolution keeps rules."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from askwise import Resolution

IdRule = tuple[Hashable, Hashable, bool]

PEOPLE = [
    {"unique_id": 1, "source_dataset": "crm", "name": "Anna Miller", "country": "DE", "isbn": "1"},
    {"unique_id": 2, "source_dataset": "crm", "name": "Anna Miller", "country": "de ", "isbn": None},
    {"unique_id": 3, "source_dataset": "shop", "name": "Anna Miller", "country": "FR", "isbn": "2"},
    {"unique_id": 4, "source_dataset": "shop", "name": "Anna  Miller", "country": None, "isbn": "2"},
    {"unique_id": 5, "source_dataset": "shop", "name": "Bert Jones", "country": "FR", "isbn": "1"},
]


def keeps(resolution: Resolution, rules: Sequence[IdRule]) -> bool:
    label = resolution.clustering.labels
    return all((label[left] == label[right]) is same for left, right, same in rules)
