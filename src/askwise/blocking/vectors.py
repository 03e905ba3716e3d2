"""Records as TF-IDF vectors of character n-grams.

The weight of a gram is (1 + log count) * log(1 + records / records with it), and a vector's length is 1. The score of
two records is the cosine of their vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.nearest import Grams, cosines, rarest_shared, shared_part, whole_weights
from askwise.kernels.ngrams import BUCKET_BITS, MOST_COUNTED, count_records, gram_lists, number_grams
from askwise.parallel import Parts

GRAM = 4
RARE = 5
"""The power of the rarity by which shared grams count where the rare ones are to decide."""

_PART = 1 << 14


@dataclass(frozen=True)
class Vectors:
    """The grams of each record are `entries[starts[r]:starts[r + 1]]`, the rarest first; see kernels/ngrams.py.

    `sizes` says how many records have a gram, `rarity` its weight, `inverse` is 1 / a record's length, and `damped`
    turns a count into a factor. Grams that only one record has count in its length, and are not listed.
    """

    starts: Int64s
    entries: Int32s
    sizes: Int64s
    rarity: Floats
    damped: Floats
    inverse: Floats

    def __len__(self) -> int:
        return self.inverse.size

    @property
    def grams(self) -> Grams:
        """What kernels take."""
        return Grams(self.starts, self.entries, self.rarity, self.damped, self.inverse)

    def cosines(self, left: Int32s, right: Int32s, parts: Parts) -> Floats:
        """The score of each pair; quick where pairs with the same left record come together."""
        found = parts.each("scoring", left.size, 1 << 18, lambda a, b: cosines(left[a:b], right[a:b], self.grams))
        return np.concatenate([np.empty(0), *found])

    def rarest_shared(self, left: Int32s, right: Int32s, parts: Parts) -> Floats:
        """The rarity of the rarest gram that both records of a pair have: 0 for none, 1 if no other record has it."""
        tail = (self.starts, self.entries, self.rarity)
        found = parts.each("scoring", left.size, 1 << 18, lambda a, b: rarest_shared(left[a:b], right[a:b], *tail))
        return np.asarray(np.concatenate([np.empty(0), *found]) / np.log1p(max(len(self), 1)), np.float64)

    def shared_part(self, left: Int32s, right: Int32s, parts: Parts) -> Floats:
        """The share of the lighter record's grams that the other has too, weighted by a power of their rarity.

        So rare grams count most, and one record may have much more text than the other. Grams that only one record
        has are left out, because nothing can share them.
        """
        weight = self.rarity**RARE
        tail = (self.starts, self.entries, weight, whole_weights(self.starts, self.entries, weight))
        found = parts.each("scoring", left.size, 1 << 18, lambda a, b: shared_part(left[a:b], right[a:b], *tail))
        return np.concatenate([np.empty(0), *found])


def vectors_of(texts: Sequence[str], parts: Parts, gram: int = GRAM, times: Int64s | None = None) -> Vectors:
    """The vectors of texts in plain form, of grams of that many characters; each is the text of `times` records."""
    times = np.ones(len(texts), np.int64) if times is None else times
    records_with = np.zeros(1 << BUCKET_BITS, np.int64)
    lists: list[tuple[Int64s, Int32s]] = []
    for at, part in enumerate(parts.each("reading", len(texts), _PART, partial(_lists, texts, gram))):
        count_records(*part, times[at * _PART :], records_with)
        lists.append(part)
    shared = np.flatnonzero(records_with > 1)
    shared = shared[np.argsort(records_with[shared], kind="stable")]
    number = np.full(records_with.size, -1, np.int32)
    number[shared] = np.arange(shared.size)
    sizes = records_with[shared]
    rarity, alone = np.log1p(times.sum() / sizes), float(np.log1p(times.sum()))
    damped = np.zeros(MOST_COUNTED + 1)
    damped[1:] = 1.0 + np.log(np.arange(1, MOST_COUNTED + 1))
    work = partial(_numbered, lists, number, rarity, alone, damped)
    numbered = list(Parts(parts.threads).each("numbering", len(lists), 1, work))
    starts = np.zeros(len(texts) + 1, np.int64)
    np.concatenate([np.diff(part) for part, _, _ in numbered], out=starts[1:])
    np.cumsum(starts, out=starts)
    entries = np.concatenate([part for _, part, _ in numbered])
    inverse = np.concatenate([part for _, _, part in numbered])
    return Vectors(starts, entries, sizes, rarity, damped, inverse)


def _lists(texts: Sequence[str], gram: int, first: int, last: int) -> tuple[Int64s, Int32s]:
    joined = "\n".join((*texts[first:last], ""))
    codes = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    return gram_lists(codes, last - first, gram)


def _numbered(
    lists: list[tuple[Int64s, Int32s]], number: Int32s, rarity: Floats, alone: float, damped: Floats, at: int, _: int
) -> tuple[Int64s, Int32s, Floats]:
    starts, entries = lists[at]
    starts, inverse = number_grams(starts, entries, number, rarity, alone, damped)
    return starts, entries[: starts[-1]], inverse
