"""The vote log: rows that are only ever added, chained by pair, and the tallies of those that still count.

A label is how far a vote is a YES, in 64ths, so that sums are exact whatever their order. Several samples of one judge
on a pair, say of a language model, err together: they count as one vote, their mean.
"""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Bools, Int8s, Int32s
from askwise.kernels.compiled import compiled

UNSURE = -1
WHOLE = 64
"""A YES; 0 is a NO, and what lies between is in part the one and in part the other."""


class Votes(NamedTuple):
    """The votes in the order in which they came; `previous` is the vote before on the same pair, -1 if there is none.

    A vote is `live` until its worker votes on the pair again.
    """

    pair: Int32s
    worker: Int32s
    label: Int8s
    live: Bools
    previous: Int32s


class Tallies(NamedTuple):
    """Of each pair: its last vote (-1: none), and how many YES and NO stand, in 64ths."""

    last: Int32s
    yes: Int32s
    no: Int32s


@compiled
def _standing(last: int, judge: int, judges: Int32s, votes: Votes) -> int:
    """What a judge says about the pair whose last vote is `last`: the mean of the samples, rounded, or `UNSURE`."""
    total, samples = 0, 0
    while last >= 0:
        if votes.live[last] and judges[votes.worker[last]] == judge and votes.label[last] != UNSURE:
            total += votes.label[last]
            samples += 1
        last = votes.previous[last]
    if samples <= 1:
        return total if samples else UNSURE
    return (2 * total + samples) // (2 * samples)


@compiled
def append_votes(
    rows: Int32s, workers: Int32s, labels: Int8s, judges: Int32s, count: int, votes: Votes, tallies: Tallies
) -> int:
    """Add votes on the pairs `rows`; a worker's later vote on a pair supersedes the earlier. Returns the new length."""
    last, yes, no = tallies
    for i in range(rows.size):
        pair = rows[i]
        judge = judges[workers[i]]
        before = _standing(last[pair], judge, judges, votes)
        earlier = last[pair]
        while earlier >= 0:
            if votes.live[earlier] and votes.worker[earlier] == workers[i]:
                votes.live[earlier] = False
                break
            earlier = votes.previous[earlier]
        votes.pair[count] = pair
        votes.worker[count] = workers[i]
        votes.label[count] = labels[i]
        votes.live[count] = True
        votes.previous[count] = last[pair]
        last[pair] = count
        after = _standing(count, judge, judges, votes)
        if before != UNSURE:
            yes[pair] -= before
            no[pair] -= WHOLE - before
        if after != UNSURE:
            yes[pair] += after
            no[pair] += WHOLE - after
        count += 1
    return count


@compiled
def standing_votes(rows: Int32s, judges: Int32s, last: Int32s, votes: Votes) -> tuple[Int32s, Int32s, Int8s]:
    """The votes that stand on the pairs `rows`: place in `rows`, judge and label, one for each pair and judge.

    Those who are unsure are left out.
    """
    total = 0
    for row in rows:
        at = last[row] if row < last.size else -1
        while at >= 0:
            total += votes.live[at]
            at = votes.previous[at]
    places = np.empty(total, np.int32)
    by = np.empty(total, np.int32)
    labels = np.empty(total, np.int8)
    count = 0
    for i in range(rows.size):
        begin = count
        at = last[rows[i]] if rows[i] < last.size else -1
        while at >= 0:
            judge = judges[votes.worker[at]]
            seen = not votes.live[at]
            for earlier in range(begin, count):
                seen |= by[earlier] == judge
            if not seen:
                places[count] = i
                by[count] = judge
                labels[count] = _standing(at, judge, judges, votes)
                count += 1
            at = votes.previous[at]
    sure = labels[:count] != UNSURE
    return places[:count][sure], by[:count][sure], labels[:count][sure]
