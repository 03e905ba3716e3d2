"""Each record's nearest neighbours, as many on average as asked for.

A record looks for neighbours only among those before it, so each pair is met once.
How many a record needs is unknown: one of a hundred that describe the same paper has a hundred. So every record keeps
its few best, and the rest of the budget goes to the best pairs of all.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, Words
from askwise.blocking.possible import EVERYTHING, Possible
from askwise.blocking.selection import Selection
from askwise.blocking.vectors import Vectors
from askwise.kernels.nearest import WORDS, Comparing, Grams, Walk, nearest, sketched
from askwise.kernels.ngrams import invert
from askwise.parallel import Parts

VISITS = 12_000
"""How many entries of the inverted index one record may cost; it bounds the time, whatever the data."""

FEW, ENOUGH = 100, 250
"""In a large table, whose grams are longer, a record that has seen 100 others stops before it has seen more than 250:
the rarest of long grams say enough."""

COMPARED, NEAR = 8, 2.0
"""A record is compared in full with up to 8 times the neighbours asked for. But once as many in a row as were asked for
are below twice the floor, it has seen all that are near, and stops."""

PATIENCE = 8
"""In a large table, where sketches say whom to compare first, 8 in a row are enough."""

OWN = 5
"""This fraction of the neighbours asked for is a record's own; the others go to the best pairs of all."""

PART = 1 << 12  # records that are compared at a time


def nearest_pairs(
    vectors: Vectors,
    neighbours: int,
    floor: float,
    parts: Parts,
    possible: Possible | None = None,
    walked: Vectors | None = None,
) -> tuple[Int32s, Int32s, Floats]:
    """The best possible pairs, at most `neighbours` times the records, in order: left, right, cosine.

    They are found by the grams of `walked`, if given: longer ones, for a large table.
    """
    size = len(vectors)
    own = max(neighbours // OWN, 1)
    limits, patience = ((VISITS, VISITS, VISITS), neighbours) if walked is None else ((FEW, ENOUGH, VISITS), PATIENCE)
    sketches = sketched(vectors.starts, vectors.entries) if walked is not None else np.zeros((0, WORDS), np.uint64)
    walked = walked or vectors
    # Grams are numbered by rarity, so those that may be walked are the first.
    rare = int(np.searchsorted(walked.sizes, VISITS, side="right"))
    walk = Walk(walked.grams, *invert(walked.starts, walked.entries, walked.sizes[:rare]), *limits)
    selection = Selection(size, own, neighbours * size)
    most = COMPARED * max(neighbours, patience)
    if possible is not None:
        most = max(most, min(most * _uneven(possible), VISITS // COMPARED))
    sides = EVERYTHING if possible is None else (possible.sources, possible.linked)
    comparing = Comparing(min(most, size), patience, min(NEAR * floor, 1.0), floor, *sides)
    work = partial(_nearest, walk, vectors.grams, sketches, comparing, possible)
    for found in parts.each("comparing", size, PART, work):
        selection.add(*found)
    del walk, work
    return selection.pairs()


def _uneven(possible: Possible) -> int:
    """How many times larger the largest source is than the smallest.

    Each record of the smallest may find as many times more. Each pair is met once, by its later record. So if a few
    records come after a large table, they find for both sides.
    """
    sizes = np.bincount(possible.sources)
    sizes = sizes[sizes > 0]
    return int(-(-sizes.max() // sizes.min())) if sizes.size else 1


def _nearest(
    walk: Walk,
    grams: Grams,
    sketches: Words,
    comparing: Comparing,
    possible: Possible | None,
    first: int,
    last: int,
) -> tuple[Int64s, Int32s, Floats]:
    """The possible neighbours of some records."""
    counts, others, scores = nearest(first, last, walk, grams, sketches, comparing)
    if possible is not None and possible.rules:
        record = np.repeat(np.arange(first, last, dtype=np.int32), counts)
        kept = possible.of(record, others)
        counts = np.bincount(record[kept] - first, minlength=last - first)
        others, scores = others[kept], scores[kept]
    return counts, others, scores
