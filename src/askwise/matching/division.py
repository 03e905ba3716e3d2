"""The division of a table's pairs into same and different, before any vote: log-odds as a sum over traits.

A mixture (mixture.py) finds a division from a lax and from a strict first guess; if they differ, the one counts whose
two sides are further apart. Where goods come in variants, that is a division by kinds of goods: two variants in one
shop are more alike than one variant in two shops. Such a division is contradicted: a is like b, and c is like a, but
not like b; or c is the best match of a by the rare parts that they share, and not like b. If most pairs that are alike
are contradicted, the mixture begins again, with the pairs of which each record is the other's best match. Then it also
counts how far a pair is ahead of its rivals, by the log-odds of the round before, until the division settles. That is
the one that counts, unless it is contradicted as well. To begin with best matches always would not do: where few
records have a double, most of them are different, and an entity of many records falls apart.
"""

from __future__ import annotations

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Singles
from askwise.evidence.machine import MOST, standard
from askwise.evidence.regression import add_traits, logistic
from askwise.kernels.candidate_pairs import both_sides
from askwise.kernels.rivals import ahead, contradicted
from askwise.matching.mixture import Line, two_normals

EVEN, STEEPNESS = (0.5, 0.65), 30.0
"""Where a first guess is even, lax and strict, and how steep it is there."""

PART = 0.5
"""How much of the mixture's log-odds counts: similarities are not quite normal, and one slip shows in several."""

FEW = 30
"""Of the log-odds from this number of pairs half is believed; of more pairs, more."""

_ROUNDS, _ENOUGH = 30, 0.001


def divided(cosine: Singles, rare: Singles, traits: Singles, left: Int32s, right: Int32s, records: int) -> Line:
    """The log-odds of the pairs (left[i], right[i]) by their traits, which have mean 0 and variance 1.

    The last column of `traits` is filled in: how far a pair is ahead of its rivals. `cosine` is how alike two records
    are, `rare` how rare the parts are that they share.
    """
    pairs = left, right, records
    own = traits[:, :-1]
    likely = (logistic(STEEPNESS * (cosine.astype(np.float64) - even)) for even in EVEN)
    line = max((two_normals(own, guess) for guess in likely), key=lambda line: line.apart)
    odds = _odds(line, own)
    best = ahead(left, right, rare, records, -np.inf) > 0.0
    if _contradicted(odds > 0.0, best, *pairs):
        other = _settled(traits, np.where(best, MOST, -MOST), *pairs)
        if not _contradicted(_odds(other, traits) > 0.0, best, *pairs):
            return _believed(other, cosine.size, MOST)  # rounds of rivals confirm themselves: half as sure
    traits[:, -1] = _beside_rivals(odds, *pairs)
    return _believed(line._replace(weights=np.append(line.weights, 0.0)), cosine.size, 2.0 * MOST)


def _settled(traits: Singles, odds: Floats, left: Int32s, right: Int32s, records: int) -> Line:
    """The division that these log-odds lead to if rivals count; the last trait is how far a pair is ahead of them."""
    for _ in range(_ROUNDS):
        before = odds
        traits[:, -1] = _beside_rivals(odds, left, right, records)
        line = two_normals(traits, logistic(odds))
        odds = _odds(line, traits)
        if float(np.abs(logistic(odds) - logistic(before)).mean()) < _ENOUGH:
            break
    return line


def _beside_rivals(odds: Floats, left: Int32s, right: Int32s, records: int) -> Singles:
    """How far each pair is ahead of its rivals, as a trait."""
    return standard(ahead(left, right, np.clip(odds, -MOST, MOST).astype(np.float32), records, 0.0))


def _odds(line: Line, traits: Singles) -> Floats:
    """As much of the log-odds as counts."""
    found: Floats = np.full(len(traits), PART * line.start)
    add_traits(found, traits, tuple((PART * line.weights).tolist()))
    return found


def _contradicted(alike: Bools, best: Bools, left: Int32s, right: Int32s, records: int) -> bool:
    """Whether a third record contradicts most pairs that are alike: with one it is alike or a best match, not both."""
    linked = alike | best
    starts, other, row = both_sides(records, left[linked], right[linked])
    return 2 * contradicted(starts, other, row, alike[linked]) > int(alike.sum())


def _believed(line: Line, pairs: int, furthest: float) -> Line:
    """As much of the log-odds as counts; on average, the two sides are no further apart than `furthest`."""
    part = min(PART, furthest / line.apart) if line.apart > 0.0 else PART
    return line.times(part * pairs / (pairs + FEW))
