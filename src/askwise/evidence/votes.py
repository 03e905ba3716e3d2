"""One worker's answer, and the log that keeps them all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import islice
from numbers import Real
from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int8s, Int32s, as_run, grown
from askwise.checks import collection
from askwise.errors import AskwiseError, InputError, LabelError
from askwise.kernels.votes import UNSURE, WHOLE, Tallies, Votes, append_votes, standing_votes
from askwise.records import Records

Label = bool | float | None
"""What a vote says: True, False, None for unsure, or, from 0 to 1, how likely the two are the same."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One worker's answer to "are these two the same?": True, False, None for unsure, or a probability from 0 to 1.

    Several samples of one model are (model, 1), (model, 2), ...: they count as one vote of the model, their mean.
    """

    left: Hashable
    right: Hashable
    worker: Hashable
    label: Label


_NO_LABEL = "the label {!r} is not True, False or None (unsure), nor a probability from 0 to 1"


class _Codes(dict[object, int]):
    """Labels as the log keeps them, in 64ths; a probability is looked at when it comes."""

    def __missing__(self, label: object) -> int:
        if isinstance(label, Real) and 0.0 <= float(label) <= 1.0:
            return round(WHOLE * float(label))
        raise LabelError(_NO_LABEL.format(label))


CODES = _Codes({True: WHOLE, False: 0, None: UNSURE})
"""From a label to its code, or an error that names it."""


def side_of(label: Label) -> bool | None:
    """Yes or no, where one of them has to be said: a probability from 1/2 on is a yes."""
    return None if label is None else float(label) >= 0.5


def told(label: Label) -> float | None:
    """The probability that a label is; None for a plain yes, no or unsure."""
    return float(label) if isinstance(label, float | np.floating) else None


class Ballots(NamedTuple):
    """Checked votes in columns: positions of both records (the smaller first), workers, labels (64ths, -1 unsure)."""

    left: Int32s
    right: Int32s
    workers: list[Hashable]
    labels: Int8s


def checked(records: Records, votes: Iterable[Vote]) -> Ballots:
    """Read votes (or tuples of the same four things), or raise an error that names the first bad one."""
    items = list(collection("votes", votes))
    try:
        if items:
            return _read_at_once(records, items)
    except (AttributeError, KeyError, TypeError, AskwiseError):
        pass  # something is unusual: look at the votes one by one
    left: list[int] = []
    right: list[int] = []
    workers: list[Hashable] = []
    labels: list[int] = []
    for item in items:
        one, two, worker, label = parts_of(item)
        u, v = records.pair(one, two)
        left.append(u)
        right.append(v)
        labels.append(_label_code(label, one, two, worker))
        workers.append(_known_worker(worker, one, two))
    return Ballots(np.array(left, np.int32), np.array(right, np.int32), workers, np.array(labels, np.int8))


def _read_at_once(records: Records, votes: list[Vote]) -> Ballots:
    """Read votes in which nothing is unusual, column by column; fails with some error if something is."""
    workers = [vote.worker for vote in votes]
    if None in set(workers):
        raise LabelError("a vote has no worker")
    labels = np.fromiter([CODES[vote.label] for vote in votes], np.int8, len(votes))
    # Not as pairs: many small tuples would set the garbage collector to work.
    left, right = records.pairs_of([vote.left for vote in votes], [vote.right for vote in votes])
    return Ballots(left, right, workers, labels)


def parts_of(vote: object) -> tuple[Hashable, Hashable, Hashable, Label]:
    """The four parts of a vote, or of a tuple that could be one."""
    if isinstance(vote, Vote):
        return vote.left, vote.right, vote.worker, vote.label
    if not isinstance(vote, tuple | list) or len(vote) != 4:
        raise InputError(f"{vote!r} is not a vote (left, right, worker, label)")
    left, right, worker, label = vote
    return left, right, worker, label


def _known_worker(worker: Hashable, left: object, right: object) -> Hashable:
    try:
        hash(worker)
    except TypeError:
        raise InputError(f"the worker {worker!r} must be a text, a number or another hashable value") from None
    if worker is None:
        raise InputError(
            f"the vote on ({left!r}, {right!r}) has no worker; give every voter a name, "
            "because a worker's later vote on a pair replaces the earlier"
        )
    return worker


class VoteLog:
    """All votes, in columns; nothing is ever changed, only superseded.

    Pairs are rows, numbered by the graph. A worker's later vote on a pair supersedes the earlier one. `yes` and `no`
    count, for each pair and in 64ths, the votes that stand: a probability is in part a YES and in part a NO, unsure
    votes count as neither. A judge is who votes: a worker, or all samples (name, 1), (name, 2), ... of one model.
    """

    def __init__(self) -> None:
        self.count = 0
        self.pair: Int32s = np.zeros(64, np.int32)
        self.worker: Int32s = np.zeros(64, np.int32)
        self.label: Int8s = np.zeros(64, np.int8)
        self.live: Bools = np.zeros(64, np.bool_)
        self._previous: Int32s = np.zeros(64, np.int32)
        self._last: Int32s = np.full(64, -1, np.int32)
        self.yes: Int32s = np.zeros(64, np.int32)
        self.no: Int32s = np.zeros(64, np.int32)
        self._worker_numbers: dict[Hashable, int] = {}
        self._judge_numbers: dict[Hashable, int] = {}
        self._judge_of: Int32s = np.zeros(16, np.int32)

    @property
    def judges(self) -> list[Hashable]:
        """Who votes: the workers, several samples of one counted once, in the order of their first votes."""
        return list(self._judge_numbers)

    @property
    def workers(self) -> list[Hashable]:
        """The workers, in the order in which they first voted."""
        return list(self._worker_numbers)

    def add(self, rows: Int32s, workers: list[Hashable], labels: Int8s) -> Int32s:
        """Take votes in. Returns the rows of the pairs that they are on, each once, in order."""
        return self._append(rows, self._numbers(workers), labels)

    def _append(self, rows: Int32s, workers: Int32s, labels: Int8s) -> Int32s:
        touched = np.unique(rows)
        self._make_room(self.count + rows.size, int(touched[-1]) + 1 if touched.size else 0)
        tallies = Tallies(self._last, self.yes, self.no)
        self.count = append_votes(rows, workers, labels, self._judge_of, self.count, self._votes, tallies)
        return touched

    @property
    def _votes(self) -> Votes:
        return Votes(self.pair, self.worker, self.label, self.live, self._previous)

    def standing(self, rows: Int32s) -> tuple[Int32s, Int32s, Floats]:
        """The votes that count on some pairs: place in `rows`, judge, how far a YES (0 to 1); without unsure ones."""
        places, judges, labels = standing_votes(rows, self._judge_of, self._last, self._votes)
        return places, judges, labels / WHOLE

    def sides(self, rows: Int32s) -> tuple[Floats, Floats]:
        """How many judges lean to YES and to NO on some pairs; one that is even leans half to either."""
        places, _, said = self.standing(rows)
        lead: Floats = np.bincount(places, np.sign(said - 0.5), rows.size).astype(np.float64)
        count = np.bincount(places, minlength=rows.size)
        return 0.5 * (count + lead), 0.5 * (count - lead)

    def tally(self, rows: Int32s) -> tuple[Floats, Floats]:
        """How many YES and NO stand on some pairs; together they are as many as judges that said something."""
        run = as_run(rows)
        if isinstance(run, slice) and run.stop <= self.yes.size:
            return self.yes[run] / WHOLE, self.no[run] / WHOLE
        yes, no = np.zeros(rows.size), np.zeros(rows.size)
        known = rows < self.yes.size
        at = rows[known]
        yes[known], no[known] = self.yes[at] / WHOLE, self.no[at] / WHOLE
        return yes, no

    def voted(self) -> Int32s:
        """The pairs on which a YES or a NO stands, in order."""
        rows = np.unique(self.pair[: self.count])
        return rows[self.yes[rows] + self.no[rows] > 0]

    def _numbers(self, workers: list[Hashable]) -> Int32s:
        """The workers' numbers; those who vote for the first time get one."""
        numbers = self._worker_numbers
        try:
            return np.fromiter(map(numbers.__getitem__, workers), np.int32, len(workers))
        except KeyError:
            known = len(numbers)
            found = np.array([numbers.setdefault(worker, len(numbers)) for worker in workers], np.int32)
        self._judge_of = grown(self._judge_of, len(numbers), 0)
        for number, worker in enumerate(islice(numbers, known, None), known):
            judge = worker[0] if isinstance(worker, tuple) and len(worker) == 2 else worker
            self._judge_of[number] = self._judge_numbers.setdefault(judge, len(self._judge_numbers))
        return found

    def _make_room(self, votes: int, pairs: int) -> None:
        self.pair = grown(self.pair, votes, 0)
        self.worker = grown(self.worker, votes, 0)
        self.label = grown(self.label, votes, 0)
        self.live = grown(self.live, votes, False)
        self._previous = grown(self._previous, votes, -1)
        self._last = grown(self._last, pairs, -1)
        self.yes = grown(self.yes, pairs, 0)
        self.no = grown(self.no, pairs, 0)


def _label_code(label: object, left: object, right: object, worker: object) -> int:
    try:
        return CODES[label]
    except LabelError as error:
        wrong = str(error)
    except TypeError:
        wrong = _NO_LABEL.format(label)
    raise LabelError(f"worker {worker!r} on ({left!r}, {right!r}): {wrong}")
