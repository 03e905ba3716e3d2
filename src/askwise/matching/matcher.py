"""What a machine thinks of pairs before anyone was asked, from the fields alone.

A first guess is the cosine of whole records: about a half is even. Then, as in Fellegi and Sunter's model (1969,
doi:10.1080/01621459.1969.10501049), each similarity is cut into levels, and a level weighs the log of how much more
often it is seen among pairs that are likely the same. Fields are not independent, so their weights count half, and half
of the first guess stays; the share of matches stays that of the first guess. A few rounds of it.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Floats, Int32s
from askwise.blocking.parallel import Parts, Progress
from askwise.evidence.company import in_company
from askwise.evidence.machine import SCORE, Levels, Machine, standard
from askwise.evidence.regression import logistic
from askwise.evidence.scores import score_lean
from askwise.matching.similarity import Similarity, field_similarities, whole_similarities
from askwise.tables import Table

EVEN, STEEPNESS = 0.5, 12.0
HALF, ROUNDS = 0.5, 3


def field_machine(
    table: Table, left: Int32s, right: Int32s, score: Floats | None = None, progress: Progress | None = None
) -> Machine:
    """The machine's view of the pairs (left[i], right[i]) of the table's records; `score` is a user's own."""
    parts = Parts(None, progress)
    whole = whole_similarities(table, left, right, parts)
    fields = field_similarities(table, left, right, parts)
    lean, levels = _lean(STEEPNESS * (whole[0].value.astype(np.float64) - EVEN), [*fields, whole[1]])
    traits = [standard(similarity.value) for similarity in (*whole, *fields)]
    names = tuple(similarity.name for similarity in (*whole, *fields))
    if score is not None:
        traits.append(standard(score_lean(score).astype(np.float32)))
        names = (*names, SCORE)
    machine = Machine(lean, np.column_stack(traits), names, levels)
    return in_company(machine, left, right, len(table))


def _lean(guess: Floats, similarities: list[Similarity]) -> tuple[Floats, Levels]:
    likely = logistic(guess)
    share = float(likely.mean()) if likely.size else 0.5
    level = [_levels(similarity) for similarity in similarities]
    most = max(similarity.levels.size for similarity in similarities) + 2
    lean, start, weights = guess, 0.0, np.zeros((len(similarities), most))
    for _ in range(ROUNDS):
        lean = HALF * guess
        for number, (similarity, at) in enumerate(zip(similarities, level, strict=True)):
            levels = similarity.levels.size + 2
            weights[number, :levels] = HALF * _weights(at, likely, levels)
            lean = lean + weights[number][at]
        start = _shift(lean, share)
        lean = lean + start
        likely = logistic(lean)
    names = tuple(similarity.name for similarity in similarities)
    return lean, Levels(names, np.column_stack(level).astype(np.uint8), weights, start)


def _levels(similarity: Similarity) -> Int32s:
    """The level of each pair; 0 where it cannot be said."""
    level = np.digitize(similarity.value, similarity.levels).astype(np.int32) + 1
    level[np.isnan(similarity.value)] = 0
    return level


def _weights(level: Int32s, likely: Floats, levels: int) -> Floats:
    """For each level, the log of how much more often it is seen among the likely than among the others."""
    same = np.bincount(level, likely, levels) + 0.5
    other = np.bincount(level, 1.0 - likely, levels) + 0.5
    return np.asarray(np.log(same / same.sum()) - np.log(other / other.sum()), np.float64)


def _shift(lean: Floats, share: float) -> float:
    """What to add so that on average `share` of the pairs are the same."""
    low, high = -50.0, 50.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if float(logistic(lean + middle).mean() if lean.size else share) < share:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
