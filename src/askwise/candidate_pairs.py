"""Which pairs may be asked: all of them, or those that blocking or a matcher found, perhaps with scores."""

import math
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.checks import as_number
from askwise.errors import PairError, ProbabilityError
from askwise.kernels.candidate_pairs import both_sides, candidate_rows, candidates_inside
from askwise.records import Records

Candidate = tuple[Hashable, Hashable] | tuple[Hashable, Hashable, float]
"""A pair of records, perhaps with a machine's score."""


class ScoredPairs:
    """Pairs of records with a score each, in arrays. Iterate for (left id, right id, score).

    Parameters
    ----------
    ids : sequence
        The ids of the records.
    left, right : array of int
        The positions in `ids` of the two records of each pair. They are sorted, and repeated pairs are dropped.
    score : array of float
        The score of each pair.
    score_name : str
        What the score is: "cosine", "match_weight", ...

    Raises
    ------
    PairError
        If the arrays do not match, a position is out of range, a record is paired with itself, or a pair is given twice
        with different scores.

    Examples
    --------
    >>> import numpy as np
    >>> from askwise import ScoredPairs
    >>> list(ScoredPairs(["a", "b", "c"], np.array([2]), np.array([0]), np.array([0.9])))
    [('a', 'c', 0.9)]
    """

    def __init__(
        self, ids: Sequence[Hashable], left: Int32s, right: Int32s, score: Floats, score_name: str = "score"
    ) -> None:
        self.ids = ids
        self.score_name = score_name
        left, right = np.asarray(left, np.int32), np.asarray(right, np.int32)
        self.score: Floats = np.asarray(score, np.float64)
        if not left.shape == right.shape == self.score.shape == (left.size,):
            raise PairError(f"{left.shape} left, {right.shape} right and {self.score.shape} scores do not match")
        self.left: Int32s = np.minimum(left, right)
        self.right: Int32s = np.maximum(left, right)
        if left.size and not 0 <= self.left.min() <= self.right.max() < len(ids):
            raise PairError(f"a pair names a position outside the {len(ids)} records")
        self._check()
        keys = _keys(self.left, self.right, len(ids))
        if not (keys[1:] > keys[:-1]).all():
            self._sort(keys)

    def _check(self) -> None:
        """Refuse a record paired with itself, and scores that are not numbers."""
        for at in np.flatnonzero(self.left == self.right)[:1]:
            raise PairError(
                f"the pair ({self.ids[self.left[at]]!r}, {self.ids[self.right[at]]!r}) is a record with itself"
            )
        for at in np.flatnonzero(~np.isfinite(self.score))[:1]:
            raise _bad_score(self.ids[self.left[at]], self.ids[self.right[at]], float(self.score[at]))

    def _sort(self, keys: Int64s) -> None:
        order = np.argsort(keys, kind="stable")
        keys, score = keys[order], self.score[order]
        again = keys[1:] == keys[:-1]
        for at in np.flatnonzero(again & (score[1:] != score[:-1]))[:1]:
            left, right = (self.ids[side[order[at]]] for side in (self.left, self.right))
            raise PairError(
                f"the pair ({left!r}, {right!r}) is given twice, with the scores {score[at]:g} and {score[at + 1]:g}; "
                "give each pair once"
            )
        order = order[np.concatenate(([True], ~again))]
        self.left, self.right, self.score = self.left[order], self.right[order], self.score[order]

    def __len__(self) -> int:
        return self.left.size

    def __iter__(self) -> Iterator[tuple[Hashable, Hashable, float]]:
        for left, right, score in zip(self.left.tolist(), self.right.tolist(), self.score.tolist(), strict=True):
            yield self.ids[left], self.ids[right], score

    def __repr__(self) -> str:
        return f"ScoredPairs({len(self)} pairs of {len(self.ids)} records, {self.score_name})"

    def among(self, records: Records) -> "ScoredPairs":
        """These pairs as positions in `records`, or an error that names a record which is not there."""
        if self.ids is records.ids or self.ids == records.ids:
            return self
        used = np.unique(np.concatenate((self.left, self.right)))
        position = np.zeros(len(self.ids), np.int32)
        position[used] = [records.position(self.ids[at]) for at in used.tolist()]
        return ScoredPairs(records.ids, position[self.left], position[self.right], self.score, self.score_name)


class Candidates:
    """The pairs that may be asked, all with a machine's score or all without.

    Listed candidates are sorted by their two records, numbered in that order, and indexed from both records: the
    candidates of record u are `other[starts[u]:starts[u + 1]]`, in order, and `row` there gives their numbers. Memory:
    29 bytes a candidate and 8 a record.
    """

    def __init__(self, records: Records, pairs: Iterable[Candidate] | None = None) -> None:
        size = len(records)
        self.listed = pairs is not None
        self.score: Floats | None = None
        self.left: Int32s
        self.right: Int32s
        if isinstance(pairs, ScoredPairs):
            scored = pairs.among(records)
            self.left, self.right = scored.left, scored.right
            self.score = scored.score if len(scored) else None
        else:
            self._take(records, () if pairs is None else pairs)
        self.asked: Bools = np.zeros(self.left.size, np.bool_)
        self.asked_count = 0
        self.total: int = self.left.size if self.listed else size * (size - 1) // 2
        self.starts, self.other, self.row = both_sides(size, self.left, self.right)

    @property
    def alone(self) -> int:
        """How many records are in no candidate."""
        return int(np.count_nonzero(np.diff(self.starts) == 0)) if self.listed else 0

    def _take(self, records: Records, pairs: Iterable[Candidate]) -> None:
        """Sort the pairs of ids, and remove duplicates."""
        plain, scores = _split(pairs)
        left, right = records.pairs(plain)
        keys = _keys(left, right, len(records))
        del left, right
        if len(scores):
            keys, first = np.unique(keys, return_index=True)
            self.score = np.frombuffer(scores)[first]
        else:
            keys.sort()
            keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if keys.size else keys
        self.left = (keys // len(records)).astype(np.int32)
        self.right = (keys % len(records)).astype(np.int32)

    def rows(self, left: Int32s, right: Int32s) -> Int32s:
        """The number of each pair (left < right), or -1 if it is not a listed candidate."""
        return candidate_rows(left, right, self.starts, self.other, self.row)

    def inside(self, nodes: Int32s, place: Int32s) -> tuple[Int32s, Int32s, Int32s]:
        """The listed candidates among `nodes`: both ends as positions in `nodes`, and their numbers.

        `place` is scratch over records, all -1, and left so.
        """
        return candidates_inside(nodes, self.starts, self.other, self.row, place)

    def mark_asked(self, rows: Int32s) -> None:
        """Mark these candidates, by number, as asked; none of them was marked before."""
        self.asked[rows] = True
        self.asked_count += rows.size

    def unmark_asked(self, rows: Int32s) -> None:
        """Mark these candidates as not asked; all of them were marked."""
        self.asked[rows] = False
        self.asked_count -= rows.size

    def __contains__(self, pair: tuple[int, int]) -> bool:
        """Whether the pair of positions (smaller first) may be asked."""
        if not self.listed:
            return True
        return bool(self.rows(np.array([pair[0]], np.int32), np.array([pair[1]], np.int32))[0] >= 0)


def _keys(left: Int32s, right: Int32s, size: int) -> Int64s:
    """One number for each pair, in the order of the pairs."""
    keys: Int64s = left * np.int64(size) + right
    return keys


def _bad_score(left: object, right: object, score: object) -> ProbabilityError:
    return ProbabilityError(f"the candidate ({left!r}, {right!r}) has the score {score!r}, which is not a number")


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
        value = as_number(score, text=True)
        if not math.isfinite(value):
            raise _bad_score(left, right, score)
        scores.append(value)
        yield left, right
