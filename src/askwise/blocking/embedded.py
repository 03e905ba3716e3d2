"""Nearest neighbours and cosines of vectors that came with the records (embeddings of any model), exact."""

from __future__ import annotations

from functools import partial

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s, Singles
from askwise.blocking.possible import Possible
from askwise.kinds import Column
from askwise.parallel import Parts

NEAREST = 10
"""A record's ten nearest by a vector are candidates, at any distance: what is near depends on the model."""

CELLS = 1 << 24
"""Cosines that a part computes at a time: 64 MB."""

_PAIRS = 1 << 16


def unit_vectors(column: Column) -> Singles:
    """The vectors with length 1; missing ones and zeros are zeros."""
    lengths = np.linalg.norm(column, axis=1, keepdims=True)
    return np.asarray(np.divide(column, lengths, out=np.zeros_like(column), where=lengths > 0), np.float32)


def _known(vectors: Singles) -> Bools:
    return np.asarray(vectors.any(axis=1), np.bool_)


def nearest_embedded(column: Column, parts: Parts, possible: Possible | None = None) -> tuple[Int32s, Int32s]:
    """Each record's nearest neighbours by cosine among the possible pairs, in order, the smaller record first.

    All pairs are compared, so time grows with the square of the records.
    """
    vectors, size = unit_vectors(column), len(column)
    known = _known(vectors)
    found = parts.each("vectors", size, max(1, CELLS // max(size, 1)), partial(_nearest, vectors, known, possible))
    keys = np.unique(np.concatenate([np.empty(0, np.int64), *found]))
    left, right = (keys // max(size, 1)).astype(np.int32), (keys % max(size, 1)).astype(np.int32)
    if possible is not None:
        kept = possible.of(left, right)
        left, right = left[kept], right[kept]
    return left, right


def _nearest(vectors: Singles, known: Bools, possible: Possible | None, first: int, last: int) -> Int64s:
    """The pairs of the records from `first` to `last` with their nearest, as keys."""
    size = len(vectors)
    cosine = vectors[first:last] @ vectors.T
    cosine[np.arange(last - first), np.arange(first, last)] = -np.inf
    cosine[:, ~known] = -np.inf
    cosine[~known[first:last]] = -np.inf
    if possible is not None and possible.sources.size:
        cosine[~possible.linked[possible.sources[first:last]][:, possible.sources]] = -np.inf
    wanted = min(NEAREST, size - 1)
    if wanted < 1:
        return np.empty(0, np.int64)
    least = np.partition(cosine, size - wanted, axis=1)[:, size - wanted, None]
    row, other = np.nonzero((cosine >= least) & (cosine > -np.inf))
    # Of equals, the first: copies of one vector must not make pairs of all with all.
    order = np.lexsort((other, -cosine[row, other], row))
    row, other = row[order], other[order]
    counts = np.bincount(row, minlength=last - first)
    rank = np.arange(row.size) - np.repeat(np.cumsum(counts) - counts, counts)
    record, other = first + row[rank < wanted], other[rank < wanted]
    return np.asarray(np.minimum(record, other) * np.int64(size) + np.maximum(record, other), np.int64)


def embedded_cosines(column: Column, left: Int32s, right: Int32s, parts: Parts) -> Floats:
    """The cosine of each pair, NaN where a vector is missing."""
    vectors = unit_vectors(column)
    known = _known(vectors)

    def some(first: int, last: int) -> Floats:
        one, two = left[first:last], right[first:last]
        cosine = np.einsum("ij,ij->i", vectors[one], vectors[two], dtype=np.float32).astype(np.float64)
        cosine[~(known[one] & known[two])] = np.nan
        return np.asarray(np.clip(cosine, -1.0, 1.0), np.float64)

    return np.concatenate([np.empty(0), *parts.each("vectors", left.size, _PAIRS, some)])


def embedded_similarity(column: Column, left: Int32s, right: Int32s, parts: Parts) -> Floats:
    """The similarity of vectors of pairs, from 0 (as candidates mostly are, or less) to 1 (equal); NaN if missing.

    Cosines of one model are about 0.1, those of another about 0.8; the median of the pairs corrects for that.
    """
    cosine = embedded_cosines(column, left, right, parts)
    usual = float(np.nanmedian(cosine)) if np.isfinite(cosine).any() else 0.0
    return np.asarray(np.clip((cosine - usual) / max(1.0 - usual, 1e-6), 0.0, 1.0), np.float64)
