"""Which pairs may be asked: all of them, or the ones that blocking left."""

import math
from array import array
from collections.abc import Hashable, Iterable
from itertools import chain, islice

import numpy as np

from askwise.arrays import Bools, Floats, Int32s
from askwise.errors import PairError, ProbabilityError
from askwise.kernels.candidate_pairs import both_sides, candidate_rows, candidates_inside
from askwise.records import Records

Candidate = tuple[Hashable, Hashable] | tuple[Hashable, Hashable, float]
"""A pair of records, perhaps with a machine's score."""


class Candidates:
    """The pairs that may be asked, each with a machine's score or all without.

    Listed candidates are sorted by their two records, numbered in that order, and indexed from both sides: the
    candidates of record u are `other[starts[u]:starts[u + 1]]`, in order, and `row` there gives their numbers.
    Memory: 29 bytes a candidate and 8 a record.
    """

    def __init__(self, records: Records, pairs: Iterable[Candidate] | None = None) -> None:
        size = len(records)
        self.listed = pairs is not None
        plain, scores = _split(() if pairs is None else pairs)
        left, right = records.pairs(plain)
        keys = left * np.int64(size) + right
        del left, right
        self.score: Floats | None = None
        if len(scores):
            keys, first = np.unique(keys, return_index=True)
            self.score = np.frombuffer(scores)[first]
        else:
            keys.sort()
            keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if keys.size else keys
        self.left: Int32s = (keys // size).astype(np.int32)
        self.right: Int32s = (keys % size).astype(np.int32)
        del keys
        self.asked: Bools = np.zeros(self.left.size, np.bool_)
        self.asked_count = 0
        self.total: int = self.left.size if self.listed else size * (size - 1) // 2
        self.starts, self.other, self.row = both_sides(size, self.left, self.right)

    def rows(self, left: Int32s, right: Int32s) -> Int32s:
        """The number of each pair (left < right), or -1 where it is not a listed candidate."""
        return candidate_rows(left, right, self.starts, self.other, self.row)

    def inside(self, nodes: Int32s, place: Int32s) -> tuple[Int32s, Int32s, Int32s]:
        """The listed candidates among `nodes`: both ends as positions in `nodes`, and their numbers.

        `place` is scratch over records, all -1, and left so.
        """
        return candidates_inside(nodes, self.starts, self.other, self.row, place)

    def mark_asked(self, left: Int32s, right: Int32s) -> None:
        """Note that these pairs (left < right, none of them marked before) have been asked."""
        rows = self.rows(left, right)
        rows = rows[rows >= 0]
        self.asked[rows] = True
        self.asked_count += rows.size

    def __contains__(self, pair: tuple[int, int]) -> bool:
        """Whether the pair of positions (smaller first) may be asked."""
        if not self.listed:
            return True
        return bool(self.rows(np.array([pair[0]], np.int32), np.array([pair[1]], np.int32))[0] >= 0)


def _split(pairs: Iterable[Candidate]) -> tuple[Iterable[object], "array[float]"]:
    """Pairs without their scores, and the scores, filled while the pairs are read; empty if there are none."""
    scores = array("d")
    if isinstance(pairs, np.ndarray):
        return pairs, scores
    try:
        rest = iter(pairs)
    except TypeError:
        return pairs, scores
    first = list(islice(rest, 1))
    pairs = chain(first, rest)
    if first and isinstance(first[0], tuple | list) and len(first[0]) == 3:
        return _without_scores(pairs, scores), scores
    return pairs, scores


def _without_scores(pairs: Iterable[Candidate], scores: "array[float]") -> Iterable[object]:
    for candidate in pairs:
        if not (isinstance(candidate, tuple | list) and len(candidate) == 3):
            raise PairError(
                f"{candidate!r} has no score, but the candidates before it have: give all of them one, or none"
            )
        left, right, score = candidate
        try:
            value = float(score)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise ProbabilityError(
                f"the candidate ({left!r}, {right!r}) has the score {score!r}, which is not a number"
            )
        scores.append(value)
        yield left, right
