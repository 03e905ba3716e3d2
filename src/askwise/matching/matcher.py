"""How a machine rates pairs before anyone is asked, from the fields alone.

The similarities of whole records and of their fields are traits, and so is how far a pair is ahead of its rivals. A
division of the pairs (division.py) says what each of them counts.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.evidence.common_neighbours import with_neighbours
from askwise.evidence.machine import SCORE, Machine, standard
from askwise.evidence.regression import add_traits
from askwise.evidence.scores import score_lean
from askwise.matching.division import divided
from askwise.matching.similarity import field_similarities, whole_similarities
from askwise.parallel import Parts, Progress
from askwise.tables import Table

RIVALS = "ahead of their other pairs"
"""The trait that says how far a pair's log-odds are above those of its records' other pairs."""


def field_machine(
    table: Table, left: Int32s, right: Int32s, score: Floats | None = None, progress: Progress | None = None
) -> Machine:
    """The machine's view of the pairs (left[i], right[i]) of the table's records; `score` is a user's own."""
    parts = Parts(None, progress)
    *whole, in_order = whole_similarities(table, left, right, parts)
    found = [*whole, *field_similarities(table, left, right, parts)]
    traits = np.empty((left.size, len(found) + 1), np.float32)
    for at, similarity in enumerate(found):
        traits[:, at] = standard(similarity.value)
    names = (*(similarity.name for similarity in found), RIVALS)
    line = divided(found[0].value, traits, left, right, len(table))
    start, weights = line.start, tuple(line.weights.tolist())
    lean: Floats = np.full(left.size, start)
    add_traits(lean, traits, weights)
    later = [in_order.value] if score is None else [in_order.value, score_lean(score).astype(np.float32)]
    traits = np.column_stack((traits, *map(standard, later)))
    names = (*names, in_order.name) if score is None else (*names, in_order.name, SCORE)
    return with_neighbours(Machine(lean, traits, names, start, weights), left, right, len(table))
