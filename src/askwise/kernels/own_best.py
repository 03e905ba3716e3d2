"""Each record's best pairs, whichever of the two records found them."""

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.kernels.compiled import compiled


@compiled
def raise_bars(counts: Int64s, first: int, others: Int32s, scores: Floats, bars: Floats) -> None:
    """Take in the pairs of the records from `first` on: counts[r] with `others`, all of them smaller.

    Row r of `bars` has the best scores of record r so far, the least of them first.
    """
    at = 0
    for record in range(counts.size):
        for _ in range(counts[record]):
            _take_in(bars[first + record], scores[at])
            _take_in(bars[others[at]], scores[at])
            at += 1


@compiled
def _take_in(best: Floats, score: float) -> None:
    """Put a score where it belongs among the best, and drop the least."""
    if score <= best[0]:
        return
    place = 0
    while place + 1 < best.size and best[place + 1] < score:
        best[place] = best[place + 1]
        place += 1
    best[place] = score


@compiled
def own_best(left: Int32s, right: Int32s, scores: Floats, bars: Floats) -> Bools:
    """Which pairs are among the best of one of their two records; of equals, those found first."""
    room = np.zeros(bars.shape[0], np.int32)
    for record in range(room.size):
        for place in range(bars.shape[1]):
            room[record] += bars[record, place] == bars[record, 0]
    out = np.zeros(left.size, np.bool_)
    for i in range(left.size):
        for record in (left[i], right[i]):
            if scores[i] > bars[record, 0]:
                out[i] = True
            elif scores[i] == bars[record, 0] and room[record] > 0:
                room[record] -= 1
                out[i] = True
    return out


@compiled
def by_left(left: Int32s, right: Int32s, scores: Floats, records: int) -> tuple[Int32s, Int32s, Floats]:
    """Pairs in the order of `right`, brought into the order of `left` and then `right`."""
    starts = np.zeros(records + 1, np.int64)
    for record in left:
        starts[record + 1] += 1
    for record in range(records):
        starts[record + 1] += starts[record]
    one, two, score = np.empty_like(left), np.empty_like(right), np.empty_like(scores)
    for i in range(left.size):
        place = starts[left[i]]
        one[place], two[place], score[place] = left[i], right[i], scores[i]
        starts[left[i]] += 1
    return one, two, score
