"""Each record's nearest neighbours, as many on average as asked for.

How many a record needs is not known: one of a hundred that describe the same paper has a hundred. So every record keeps
its few best, and what is left of the budget goes to the best pairs of all.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.blocking.parallel import Parts
from askwise.blocking.possible import EVERYTHING, Possible
from askwise.blocking.selection import Selection
from askwise.blocking.vectors import Vectors
from askwise.kernels.neighbours import nearest
from askwise.kernels.ngrams import invert

VISITS = 12_000
"""How many entries of the inverted index one record may cost; it bounds the time, whatever the data."""

COMPARED, NEAR = 8, 2.0
"""A record is compared in full with up to 8 times the neighbours asked for. But once as many in a row as were asked for
are below twice the floor, it has seen all that are near, and stops."""

OWN = 5
"""One in so many of the neighbours asked for is a record's own; the others go to the best pairs of all."""

_PART = 1 << 12


def nearest_pairs(
    vectors: Vectors, neighbours: int, floor: float, parts: Parts, possible: Possible | None = None
) -> tuple[Int32s, Int32s, Floats]:
    """The best pairs that are possible, at most `neighbours` times the records, in order: left, right, cosine."""
    size = len(vectors)
    own = max(neighbours // OWN, 1)
    # Grams are numbered by rarity, so those that may be walked are the first.
    rare = int(np.searchsorted(vectors.sizes, VISITS, side="right"))
    index = invert(vectors.starts, vectors.entries, vectors.sizes[:rare])
    selection = Selection(size, own, neighbours * size)
    work = partial(_nearest, vectors, index, neighbours, floor, own, possible)
    for found in parts.each("comparing", size, _PART, work):
        selection.add(*found)
    del index, work
    return selection.pairs()


def _nearest(
    vectors: Vectors,
    index: tuple[Int64s, Int32s],
    neighbours: int,
    floor: float,
    own: int,
    possible: Possible | None,
    first: int,
    last: int,
) -> tuple[Int64s, Int32s, Floats]:
    counts, others, scores = nearest(
        first,
        last,
        vectors.starts,
        vectors.entries,
        vectors.rarity,
        vectors.damped,
        vectors.inverse,
        *index,
        VISITS,
        min(COMPARED * neighbours, len(vectors)),
        neighbours,
        min(NEAR * floor, 1.0),
        floor,
        own,
        *(EVERYTHING if possible is None else (possible.sources, possible.linked)),
    )
    if possible is not None and possible.rules:
        record = np.repeat(np.arange(first, last, dtype=np.int32), counts)
        kept = possible.of(record, others)
        counts = np.bincount(record[kept] - first, minlength=last - first)
        others, scores = others[kept], scores[kept]
    return counts, others, scores
