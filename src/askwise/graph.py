"""The uncertain graph: records, and an edge with a probability p for each pair that has evidence.

Yalavarthi, Ke, Khan: Select Your Questions Wisely (CIKM 2017, doi:10.1145/3132847.3132876), section 2.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, Int64s, as_run, disagreeing, grown, map_capacity
from askwise.candidate_pairs import Candidate, Candidates
from askwise.checks import as_number, collection
from askwise.errors import PairError, ProbabilityError
from askwise.evidence import Vote, VoteLog, checked, evidence_model
from askwise.kernels.adjacency import (
    Adjacency,
    find_or_add_pairs,
    find_pairs,
    incident_pairs,
    inner_pairs,
    pairs_within,
    unasked_pairs,
)
from askwise.kernels.agglomerate import TIE_SCALE
from askwise.kernels.constraints import Values
from askwise.kernels.intmap import copy_into
from askwise.kernels.picking import Askable
from askwise.records import Records

CERTAIN = 1e-9
"""A probability is kept this far from 0 and 1: products of certainties would give 0 / 0."""


class UncertainGraph:
    """Records, and for some pairs the probability that they are the same.

    Parameters
    ----------
    records
        The ids.
    edges
        Tuples (left, right, p). If a pair is given twice, the last p counts. p is kept 1e-9 away from 0 and 1.
    candidates : optional
        The only pairs that may ever be asked. Clusters without a candidate between them count as apart.
    values : optional
        For rules: what a cluster has at most one of, a row for each record and a column for each rule, -1 where a
        record has none.

    Raises
    ------
    InputError
        If a record, pair or probability is not valid.

    Examples
    --------
    >>> from askwise import UncertainGraph
    >>> graph = UncertainGraph(["a", "b", "c"], [("a", "b", 0.9)])
    >>> graph.p("b", "a"), graph.p("a", "c")
    (0.9, None)
    """

    def __init__(
        self,
        records: Iterable[Hashable] | Records,
        edges: Iterable[tuple[Hashable, Hashable, float]] = (),
        candidates: Iterable[Candidate] | None = None,
        values: Values | None = None,
    ) -> None:
        self.records = records if isinstance(records, Records) else Records(records)
        self.values: Values = np.empty((len(self.records), 0), np.int32) if values is None else values
        self.candidates = Candidates(self.records, candidates)
        size = len(self.records)
        self.pair_count = 0
        self._listed = 0  # how many rows are listed candidates
        self.asked_count = 0
        self.closed_count = 0
        self.pair_asked: Bools = np.zeros(16, np.bool_)
        self.pair_open: Floats = np.ones(16)  # worth of asking compared with a new pair: 1 unasked, 0 never again
        self.pair_u: Int32s = np.zeros(16, np.int32)
        self.pair_v: Int32s = np.zeros(16, np.int32)
        self.pair_p: Floats = np.full(16, np.nan)
        self.pair_weight: Floats = np.full(16, np.nan)
        self.pair_fixed: Int8s = np.zeros(16, np.int8)  # 1: must be together, -1: must be apart, 0: neither
        self.any_fixed = False
        self.unasked_odds: Floats | None = None  # of listed candidates that have no row, by number, if that is known
        self._following: Int32s = np.zeros(32, np.int32)
        self._listed_halves = np.zeros(size + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)
        self._head: Int32s = np.full(size, -1, np.int32)
        self._keys = np.full(map_capacity(16), -1, np.int64)
        self._values = np.zeros(self._keys.size, np.int32)
        # Scratch over the records, so that no call costs more than what it touches.
        self._chosen: Bools = np.zeros(size, np.bool_)
        self._place: Int32s = np.full(size, -1, np.int32)
        self._add_edges(edges)

    @classmethod
    def from_votes(cls, records: Iterable[Hashable], votes: Iterable[Vote], evidence: str = "auto") -> UncertainGraph:
        """Make the graph of some votes. Every pair with a yes or a no gets an edge.

        Parameters
        ----------
        records
            The ids.
        votes : iterable of Vote
            The votes.
        evidence : str
            How votes are weighed (docs/systems.md).

        Returns
        -------
        UncertainGraph
        """
        model = evidence_model(evidence)
        graph = cls(records)
        ballots = checked(graph.records, votes)
        log = VoteLog()
        rows = log.add(graph.mark_asked(ballots.left, ballots.right), ballots.workers, ballots.labels)
        model.fit(log, graph.pair_u, graph.pair_v)
        graph.set_evidence(rows, model.p(log, rows))
        return graph

    def _add_edges(self, edges: Iterable[tuple[Hashable, Hashable, float]]) -> None:
        pairs: list[tuple[int, int]] = []
        values: list[float] = []
        for edge in collection("edges", edges):
            try:
                left, right, p = edge
            except (TypeError, ValueError):
                raise PairError(f"{edge!r} is not an edge (left, right, p)") from None
            pairs.append(self.records.pair(left, right))
            values.append(probability(p, left, right))
        if pairs:
            ends = np.array(pairs, np.int32)
            rows = self.mark_asked(ends[:, 0].copy(), ends[:, 1].copy())
            last = {int(row): value for row, value in zip(rows, values, strict=True)}
            self.set_evidence(np.array(list(last), np.int32), np.array(list(last.values())))

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"UncertainGraph({len(self)} records, {self.edge_count} edges)"

    @property
    def edge_count(self) -> int:
        """How many pairs have evidence."""
        return int(np.count_nonzero(~np.isnan(self.pair_p[: self.pair_count])))

    @property
    def edges(self) -> Iterator[tuple[Hashable, Hashable, float]]:
        """The pairs that have a probability, as (left, right, p)."""
        ids = self.records.ids
        for row in range(self.pair_count):
            if not math.isnan(self.pair_p[row]):
                yield ids[self.pair_u[row]], ids[self.pair_v[row]], float(self.pair_p[row])

    def p(self, left: Hashable, right: Hashable) -> float | None:
        """The probability that a pair is the same, or None if nothing is known about it."""
        u, v = self.records.pair(left, right)
        row = int(self.find_rows(np.array([u], np.int32), np.array([v], np.int32))[0])
        return None if row < 0 or math.isnan(self.pair_p[row]) else float(self.pair_p[row])

    # What follows speaks of positions and rows; it is for the layers to the right of this one.

    def rows_of(self, left: Int32s, right: Int32s) -> Int32s:
        """The row of each pair of positions; new pairs get one."""
        rows = self.find_rows(left, right)
        new = np.flatnonzero(rows < 0)
        if new.size:
            rows[new] = self._new_rows(left[new], right[new])
        return rows

    def mark_asked(self, left: Int32s, right: Int32s) -> Int32s:
        """Count pairs of positions as asked. Returns their rows."""
        rows = self.rows_of(left, right)
        new = np.unique(rows[~self.pair_asked[rows]])
        self.pair_asked[new] = True
        self.pair_open[new] = 0.0
        self.asked_count += new.size
        if self._listed:
            self.candidates.mark_asked(new[new < self._listed])
        elif self.candidates.listed:
            numbers = self.candidate_numbers(new)
            numbers = numbers[numbers >= 0]
            self.candidates.mark_asked(numbers[~self.candidates.asked[numbers]])
        return rows

    def candidate_numbers(self, rows: Int32s) -> Int32s:
        """The numbers that some rows have as listed candidates, or -1."""
        return self.candidates.rows(self.pair_u[rows], self.pair_v[rows])

    def set_open(self, rows: Int32s, share: Floats | float) -> None:
        """Say what it is worth to ask pairs again, compared with a new pair; 0 means never."""
        self.pair_open[rows] = share

    def add_candidates(self) -> None:
        """Give every listed candidate the row with its number, before any pair has one.

        They need no place in the hash map, because the candidates know their numbers.
        """
        candidates = self.candidates
        self._listed = self.pair_count = candidates.left.size
        self._make_room(self._listed)
        self.pair_u[: self._listed], self.pair_v[: self._listed] = candidates.left, candidates.right
        self._listed_halves = candidates.starts, candidates.other, candidates.row

    def _new_rows(self, left: Int32s, right: Int32s) -> Int32s:
        """Make rows for pairs that have none; a pair may be given more than once."""
        self._make_room(self.pair_count + left.size)
        rows, self.pair_count = find_or_add_pairs(left, right, self.pair_count, *self.pair_map, self.adjacency)
        if self.values.shape[1]:
            self.fix(rows[self.disagree(left, right)], -1)
        return rows

    def disagree(self, left: Int32s, right: Int32s) -> Bools:
        """Whether each pair of positions must be apart because their values differ."""
        return disagreeing(self.values[left], self.values[right])

    def fix(self, rows: Int32s, how: int | Int8s) -> None:
        """Fix pairs as together (1), apart (-1) or neither (0); `set_evidence` applies it."""
        self.pair_fixed[rows] = how
        self.any_fixed |= rows.size > 0

    def close(self, rows: Int32s) -> None:
        """Never ask these pairs, because rules settle them; they do not count as asked."""
        asked = self.asked_count
        self.mark_asked(self.pair_u[rows], self.pair_v[rows])
        self.set_open(rows, 0.0)
        self.closed_count += self.asked_count - asked
        self.asked_count = asked

    def close_candidates(self, numbers: Int32s) -> None:
        """Never ask these listed candidates, given by their numbers; they get no rows."""
        self.candidates.mark_asked(numbers[~self.candidates.asked[numbers]])

    def unclose(self, rows: Int32s, voted: Bools) -> None:
        """Undo `close`: pairs with votes count as asked, others may be asked."""
        self.closed_count -= rows.size
        self.asked_count += int(voted.sum())
        fresh = rows[~voted]
        self.pair_asked[fresh] = False
        self.pair_open[fresh] = 1.0
        if self.candidates.listed:
            numbers = self.candidate_numbers(fresh)
            self.candidates.unmark_asked(numbers[numbers >= 0])

    def find_rows(self, left: Int32s, right: Int32s) -> Int32s:
        """The row of each pair of positions, or -1."""
        if self._listed:
            rows = self.candidates.rows(np.minimum(left, right), np.maximum(left, right))
            others = np.flatnonzero(rows < 0)
            rows[others] = find_pairs(left[others], right[others], len(self), self._keys, self._values)
            return rows
        return find_pairs(left, right, len(self), self._keys, self._values)

    def unasked(self) -> tuple[Int32s, Int32s]:
        """All candidates that were not asked, in order; if every pair may be asked, that is many."""
        if self.candidates.listed:
            return self.candidates.left[~self.candidates.asked], self.candidates.right[~self.candidates.asked]
        asked = np.flatnonzero(self.pair_asked[: self.pair_count]).astype(np.int32)
        return unasked_pairs(len(self), self.pair_u, self.pair_v, asked)

    def asked(self, left: Int32s, right: Int32s) -> Bools:
        """Whether each pair of positions was asked."""
        rows = self.find_rows(left, right)
        return (rows >= 0) & self.pair_asked[rows]

    def answered(self, left: Int32s, right: Int32s) -> Bools:
        """Whether each pair of positions was asked and has evidence."""
        rows = self.find_rows(left, right)
        return (rows >= 0) & self.pair_asked[rows] & ~np.isnan(self.pair_p[rows])

    def _make_room(self, pairs: int) -> None:
        self.pair_u = grown(self.pair_u, pairs, 0)
        self.pair_v = grown(self.pair_v, pairs, 0)
        self.pair_asked = grown(self.pair_asked, pairs, False)
        self.pair_open = grown(self.pair_open, pairs, 1.0)
        self.pair_p = grown(self.pair_p, pairs, np.nan)
        self.pair_weight = grown(self.pair_weight, pairs, np.nan)
        self.pair_fixed = grown(self.pair_fixed, pairs, 0)
        self._following = grown(self._following, 2 * (pairs - self._listed), 0)
        if 2 * (pairs - self._listed) > self._keys.size:
            keys = np.full(map_capacity(pairs - self._listed), -1, np.int64)
            values = np.zeros(keys.size, np.int32)
            copy_into(self._keys, self._values, keys, values)
            self._keys, self._values = keys, values

    def set_evidence(self, rows: Int32s, p: Floats) -> Int32s:
        """Set the probabilities of pairs (NaN: none). Returns the rows, in order, where that changed anything.

        The weight is the logarithm of p / (1 - p). One too small to tell from 0 is 0, and that of a fixed pair is
        infinite.
        """
        p = np.clip(p, CERTAIN, 1.0 - CERTAIN)
        at = as_run(rows)
        if self.any_fixed:
            fixed = self.pair_fixed[at]
            p = np.where(fixed == 0, p, np.where(fixed > 0, 1.0 - CERTAIN, CERTAIN))
        old = self.pair_p[at]
        differs = (p != old) & ~(np.isnan(p) & np.isnan(old))
        if self.any_fixed:
            differs |= np.isinf(self.pair_weight[at]) != (fixed != 0)
        if not differs.all():
            at = rows = rows[differs]
            p = p[differs]
        weight = np.log(p) - np.log1p(-p)
        weight[np.rint(weight * TIE_SCALE) == 0.0] = 0.0
        if self.any_fixed:
            fixed = self.pair_fixed[at]
            weight[fixed != 0] = fixed[fixed != 0] * np.inf
        self.pair_p[at] = p
        self.pair_weight[at] = weight
        return rows if isinstance(at, slice) else np.sort(rows)

    def p_of(self, left: Int32s, right: Int32s) -> Floats:
        """The probabilities of pairs of positions, NaN where unknown."""
        rows = self.find_rows(left, right)
        return np.where(rows >= 0, self.pair_p[rows], np.nan)

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency arrays for kernels."""
        return Adjacency(*self._listed_halves, self._head, self._following, self.pair_u, self.pair_v)

    @property
    def pair_map(self) -> tuple[Int64s, Int32s]:
        """The hash map from a pair (u * records + v, u < v) to its row, except for listed candidates with rows."""
        return self._keys, self._values

    @property
    def askable(self) -> Askable:
        """Which pairs may still be asked, for kernels."""
        candidates = self.candidates
        starts, other, row = candidates.starts, candidates.other, candidates.row
        return Askable(candidates.listed, *self.pair_map, starts, other, row, candidates.asked, self._chosen)

    @property
    def chosen(self) -> Bools:
        """Scratch over the records, all False."""
        return self._chosen

    @property
    def place(self) -> Int32s:
        """Scratch over the records, all -1."""
        return self._place

    def pairs_at(self, nodes: Int32s) -> Int32s:
        """The rows of all asked pairs with an end among `nodes`."""
        return incident_pairs(nodes, self.adjacency, self._chosen)

    def inside(self, nodes: Int32s) -> tuple[Int32s, Int32s, Int32s]:
        """The pairs with evidence among `nodes` (in order): both ends as positions in `nodes`, and the rows."""
        return inner_pairs(nodes, self.adjacency, self.pair_weight, self._place)

    def within(self, nodes: Int32s, part: Int32s) -> tuple[Int32s, Int32s, Int32s]:
        """Like `inside`, for the pairs whose two records have the same `part`; all of those must be among `nodes`.

        It takes one pass over all pairs there are.
        """
        rows = pairs_within(part, self.pair_count, self.pair_u, self.pair_v, self.pair_weight)
        if rows.size and rows[-1] >= self._listed:  # listed candidates are in order
            keys = self.pair_u[rows] * np.int64(len(self)) + self.pair_v[rows]
            rows = rows[np.argsort(keys, kind="stable")]
            del keys
        self._place[nodes] = np.arange(nodes.size, dtype=np.int32)
        left, right = self._place[self.pair_u[rows]], self._place[self.pair_v[rows]]
        self._place[nodes] = -1
        return left, right, rows


def probability(p: object, left: object, right: object) -> float:
    """`p` as a number in [0, 1], or an error that names the pair."""
    value = as_number(p)
    if not 0.0 <= value <= 1.0:
        raise ProbabilityError(f"the pair ({left!r}, {right!r}) has p = {p!r}, which is not a number from 0 to 1")
    return value
