"""Questions under consideration, and the choice of a batch from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int8s, Int32s, Int64s
from askwise.kernels.batches import choose, subjects
from askwise.kernels.partition import Membership


class Prospects(NamedTuple):
    """Pairs of records, their worth, how likely the change is that each is about, and which that is."""

    value: Floats
    chance: Floats
    left: Int32s
    right: Int32s
    change: Int8s

    def at(self, places: Int64s) -> Prospects:
        """A subset."""
        ends = self.left[places], self.right[places]
        return Prospects(self.value[places], self.chance[places], *ends, self.change[places])

    def and_more(self, others: Prospects) -> Prospects:
        """These and further ones."""
        if not others.value.size:
            return self
        value, chance = np.append(self.value, others.value), np.append(self.chance, others.chance)
        ends = np.append(self.left, others.left), np.append(self.right, others.right)
        return Prospects(value, chance, *ends, np.append(self.change, others.change))

    def batch(self, k: int, clusters: Membership, anew: bool) -> Prospects:
        """The best `k`, each valued with those before it in mind; then, if need be, more about the same clusters."""
        about = subjects(self.left, self.right, clusters.label, clusters.size_of)
        ranked = np.argsort(-self.value, kind="stable")
        return self.at(choose(ranked, self.value, self.chance, *about, k, anew))
