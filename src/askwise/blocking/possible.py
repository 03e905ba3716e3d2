"""Which pairs are possible: of sources that are linked, and not different by a rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.arrays import Bools, Int32s
from askwise.checks import collection, listed
from askwise.errors import InputError
from askwise.records import Records
from askwise.rules import NO_DUPLICATES, Constraints, as_rules
from askwise.tables import Table

Links = str | Iterable[Sequence[str]] | None
"""Which sources are compared: None (all), "across", or pairs of sources."""

ACROSS = "across"
EVERYTHING: tuple[Int32s, NDArray[np.bool_]] = np.empty(0, np.int32), np.empty((0, 0), np.bool_)


@dataclass(frozen=True)
class Possible:
    """`sources` numbers each record's source, `linked` says of each two whether they are compared; empty if all are."""

    sources: Int32s
    linked: Bools
    rules: Constraints

    def of(self, left: Int32s, right: Int32s) -> Bools:
        """Which of some pairs are possible."""
        found = self.rules.settled(left, right) >= 0
        if self.sources.size:
            found &= self.linked[self.sources[left], self.sources[right]]
        return found


def possible_pairs(table: Table, links: Links, rules: Iterable[Any]) -> Possible | None:
    """What limits the pairs of a table; None if nothing does."""
    rules = as_rules(rules)
    if links is None and not rules:
        return None
    sources, linked = EVERYTHING
    alone = [rule.field for rule in rules if rule.kind == NO_DUPLICATES]
    if links is not None or alone:
        if table.sources is None:
            raise InputError("links are between sources, but the table does not say where records are from")
        names, numbers = np.unique(table.sources, return_inverse=True)
        sources, linked = numbers.astype(np.int32), _linked(names.tolist(), links)
        for name in alone:
            at = names.tolist().index(listed("source", name, names.tolist()))
            linked[at, at] = False
    return Possible(sources, linked, Constraints.of(Records(table.ids), rules, table))


def _linked(names: list[str], links: Links) -> Bools:
    if links is None:
        return np.ones((len(names), len(names)), np.bool_)
    if links == ACROSS:
        return ~np.eye(len(names), dtype=np.bool_)
    found = np.zeros((len(names), len(names)), np.bool_)
    for link in collection("links", links):
        if isinstance(link, str) or len(link) != 2:
            raise InputError(f"the link {link!r} is not a pair of sources, and neither is links {ACROSS!r}")
        one, two = (names.index(listed("source", name, names)) for name in link)
        found[one, two] = found[two, one] = True
    return found
