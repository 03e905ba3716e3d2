"""What a machine thinks of pairs before anyone was asked, from the fields alone.

The first guess is the cosine of whole records. A mixture then finds from the shape of all similarities how much each
tells, and how many pairs are the same (mixture.py). In most tables it finds one division of the pairs, wherever it
begins. In some there are two, as of offers into the same goods and the same kinds of goods: so it begins with a lax
guess and with a strict one, and the division counts whose two sides are further apart.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s, Singles
from askwise.blocking.parallel import Parts, Progress
from askwise.evidence.company import in_company
from askwise.evidence.machine import MOST, SCORE, Machine, standard
from askwise.evidence.regression import add_traits, logistic
from askwise.evidence.scores import score_lean
from askwise.matching.mixture import Line, two_normals
from askwise.matching.similarity import field_similarities, whole_similarities
from askwise.tables import Table

EVEN, STEEPNESS = (0.5, 0.65), 30.0
"""Where a first guess is even, lax and strict, and how steep it is there."""

PART = 0.5
"""How much of the mixture's log-odds counts: similarities are not quite normal, and one slip shows in several."""

FEW = 30
"""Of the log-odds from this number of pairs half is believed; of more pairs, more."""


def field_machine(
    table: Table, left: Int32s, right: Int32s, score: Floats | None = None, progress: Progress | None = None
) -> Machine:
    """The machine's view of the pairs (left[i], right[i]) of the table's records; `score` is a user's own."""
    parts = Parts(None, progress)
    found = [*whole_similarities(table, left, right, parts), *field_similarities(table, left, right, parts)]
    traits = np.column_stack([standard(similarity.value) for similarity in found])
    names = tuple(similarity.name for similarity in found)
    line = _line(found[0].value.astype(np.float64), traits)
    start, weights = line.start, tuple(line.weights.tolist())
    lean: Floats = np.full(left.size, start)
    add_traits(lean, traits, weights)
    if score is not None:
        traits = np.column_stack((traits, standard(score_lean(score).astype(np.float32))))
        names = (*names, SCORE)
    return in_company(Machine(lean, traits, names, start, weights), left, right, len(table))


def _line(cosine: Floats, traits: Singles) -> Line:
    """The log-odds by the traits; on average, neither side is surer than a machine may be."""
    lines = [two_normals(traits, logistic(STEEPNESS * (cosine - even))) for even in EVEN]
    line = max(lines, key=lambda line: line.apart)
    part = min(PART, 2.0 * MOST / line.apart) if line.apart > 0.0 else PART
    return line.times(part * cosine.size / (cosine.size + FEW))
